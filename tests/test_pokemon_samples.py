"""Other ways to write down a sample: teams and moves in another order."""

import numpy as np

import tengen

GAME = tengen.game("pokemon")
ACTIVE, FIRST_MOVE, MOVE = 1, 65, 34


def written(features, way):
    flat = np.empty(features.size, np.float32)
    flat[GAME.sample_maps[1][way]] = features.ravel()
    return flat.reshape(features.shape)


def test_the_first_way_is_the_plain_one_and_all_are_permutations():
    actions, features = GAME.sample_maps
    assert len(actions) == len(features) > 100
    for maps, count in ((actions, GAME.action_count), (features, int(np.prod(GAME.shape)))):
        assert (maps[0] == np.arange(count)).all()
        assert (np.sort(maps, axis=1) == np.arange(count)).all()
    assert len({tuple(row) for row in features.tolist()}) > 200


def test_choices_go_where_what_they_mean_goes():
    state = GAME.start(3).play(("move 1", "move 1"))
    plain = state.encode(0)[:, :, 0]
    active = int(np.flatnonzero(plain[ACTIVE, :6])[0])
    for way in (1, 7, 100):
        other, actions = written(state.encode(0), way)[:, :, 0], GAME.sample_maps[0][way]
        for slot in range(6):
            # Of a Pokémon all but its moves stays together.
            np.testing.assert_array_equal(other[:FIRST_MOVE, actions[slot]], plain[:FIRST_MOVE, slot])
        for move in range(4):
            to = actions[6 + move] - 6
            assert actions[10 + move] == 10 + to
            begin, end = FIRST_MOVE + MOVE * move, FIRST_MOVE + MOVE * to
            np.testing.assert_array_equal(other[end : end + MOVE, actions[active]], plain[begin : begin + MOVE, active])
        np.testing.assert_array_equal(other[:, 12:], plain[:, 12:])
        assert sorted(map(tuple, other[:FIRST_MOVE, 6:12].T.tolist())) == sorted(
            map(tuple, plain[:FIRST_MOVE, 6:12].T.tolist())
        )
