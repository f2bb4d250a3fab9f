"""KataGo's networks in the search: utilities, aux, memory, symmetries, and the positions of the game go."""

import katago_golden as golden
import numpy as np
import pytest
from katago_samples import sample, write_file

import tengen
from tengen import _core
from tengen.arena import find_player, play_match
from tengen.evaluators import find_evaluator
from tengen.nets.katago import KataGo, KataGoNetwork, inputs_of, load
from tengen.search import Pool, SearchSettings


@pytest.fixture
def game():
    return tengen.game("go", size=5)


@pytest.fixture
def network():
    return KataGoNetwork(sample(14, seed=3))


class Counting(KataGoNetwork):
    """Remembers what it was asked."""

    def __init__(self):
        super().__init__(sample(14, seed=3))
        self.asked, self.symmetries = [], []

    def evaluate(self, planes, globals_, legal, **choices):
        self.asked.append(len(planes))
        self.symmetries.append(np.broadcast_to(choices["symmetry"], len(planes)).tolist())
        return super().evaluate(planes, globals_, legal, **choices)


def some_states(game, count, **options):
    rng = np.random.default_rng(count)
    states, state = [], game.start()
    while len(states) < count:
        states.append(game.with_options(state, **options) if options else state)
        state = state.play(int(rng.choice(state.legal()[:-1])))
    return states


def leaves_of(states):
    """A batch of roots as the search makes it."""
    pool = Pool(states[0].game, SearchSettings(visits=1), KataGo(Counting()))
    for number, state in enumerate(states):
        pool.add(state, seed=number)
    return pool.collect()


def test_an_opinion_is_for_the_player_to_move(game, network):
    state = game.start(moves=[("b", "C3")])
    prediction = network(state)
    inputs = inputs_of([state])
    raw = network.evaluate(inputs.planes, inputs.globals, inputs.legal, white_to_move=True)
    np.testing.assert_array_equal(prediction.policy, np.maximum(raw.policy[0], 0))
    assert prediction.policy[12] == 0
    assert prediction.winrate == pytest.approx(float(raw.white_win[0] + 0.5 * raw.no_result[0]))
    assert prediction.lead == pytest.approx(float(raw.white_lead[0]))
    black = network(game.start())
    raw = network.evaluate(
        *(getattr(inputs_of([game.start()]), name) for name in ("planes", "globals", "legal")), white_to_move=False
    )
    assert black.lead == pytest.approx(-float(raw.white_lead[0]))
    np.testing.assert_array_equal(black.ownership, -raw.white_ownership[0])


def test_no_opinion_of_finished_games(game, network):
    with pytest.raises(ValueError, match="nobody is to move"):
        network(game.start().play("pass").play("pass"))


def test_an_evaluation_is_in_blacks_view(game, network):
    states = some_states(game, 6)
    answer = KataGo(network, symmetry=0).evaluate(leaves_of(states))
    assert answer.logits.shape == (6, 26)
    assert answer.values.shape == (6, 2)
    assert answer.aux.shape == (6, game.aux_count)
    for row, state in enumerate(states):
        inputs = inputs_of([state])
        raw = network.evaluate(
            inputs.planes, inputs.globals, inputs.legal, white_to_move=inputs.white_to_move, passing_hacks=False
        ).row(0)
        won = raw.white_loss - raw.white_win
        assert answer.values[row] == pytest.approx([won, -won], abs=1e-6)
        scalars = [won, raw.no_result, -raw.white_score_mean / 25, raw.white_score_mean_sq / 625, -raw.white_lead / 25]
        assert answer.aux[row, :5] == pytest.approx(scalars, abs=1e-5)
        assert answer.aux[row, 5:] == pytest.approx(-raw.white_ownership, abs=1e-6)
        legal = inputs.legal[0]
        np.testing.assert_allclose(np.exp(answer.logits[row][legal]), raw.policy[legal], rtol=1e-4)


def test_points_are_worth_what_the_options_say(game, network):
    plain = KataGo(network, symmetry=0).evaluate(leaves_of(some_states(game, 3)))
    options = {"static_factor": 0.1, "dynamic_factor": 0.3, "center": -2.0, "scale": 0.5}
    answer = KataGo(network, symmetry=0).evaluate(leaves_of(some_states(game, 3, **options)))
    np.testing.assert_allclose(answer.aux, plain.aux, atol=1e-6)
    mean = plain.aux[:, 2].astype(float) * 25
    stdev = np.sqrt(plain.aux[:, 3].astype(float) * 625 - mean**2)
    scores = np.linspace(-12, 12, 20_001)
    for row in range(3):
        weights = np.exp(-(scores**2) / 2)
        points = mean[row] + stdev[row] * scores
        worth = 0.1 * np.arctan(points / (2 * 5)) + 0.3 * np.arctan((points + 2) / (0.5 * 5))
        wanted = plain.values[row, 0] + 2 / np.pi * (worth * weights).sum() / weights.sum()
        assert answer.values[row, 0] == pytest.approx(wanted, abs=1e-5)
        assert answer.values[row, 1] == -answer.values[row, 0]


def worth_of(score, stdev, **options):
    """To Black on 9x9, where nobody wins."""
    numbers = np.zeros((9, 1), np.float32)
    numbers[3:5, 0] = -score, score**2 + stdev**2
    table = _core.katago_contexts_of_roots([_core.GoContext(**options)])
    policy, ownership = np.ones((1, 82), np.float32), np.zeros((1, 81), np.float32)
    _, values, _ = _core.katago_evaluate_outputs(policy, numbers, ownership, table)
    assert values[0, 1] == -values[0, 0]
    return values[0, 0]


def test_a_certain_score_is_worth_as_a_finished_game():
    options = {"static_factor": 0.1, "dynamic_factor": 0.3, "center": 4.0, "scale": 0.75}
    wanted = 2 / np.pi * (0.1 * np.arctan(7 / 18) + 0.3 * np.arctan(3 / 6.75))
    assert worth_of(7.0, 0.0, **options) == pytest.approx(wanted, abs=1e-6)
    assert worth_of(7.0, 1.0) == 0


@pytest.mark.parametrize("stdev", [0.5, 3.0, 12.0, 40.0, 80.0])
def test_an_uncertain_score_is_worth_the_mean_of_what_it_may_be(stdev):
    deviations = np.linspace(-5, 5, 100_001)
    weights = np.exp(-(deviations**2) / 2) / np.exp(-(deviations**2) / 2).sum()
    for score in (-50.0, -3.0, 0.0, 11.0):
        scores = score + stdev * deviations
        static, dynamic = np.arctan(scores / 18), np.arctan((scores - 4) / 6.75)
        only_static = worth_of(score, stdev, static_factor=0.1)
        both = worth_of(score, stdev, static_factor=0.1, dynamic_factor=0.3, center=4.0, scale=0.75)
        assert only_static == pytest.approx(2 / np.pi * 0.1 * static @ weights, abs=2e-6)
        assert both == pytest.approx(2 / np.pi * (0.1 * static + 0.3 * dynamic) @ weights, abs=2e-6)


def test_each_root_has_a_context_of_its_own(game, network):
    """One batch, one cache: the same position is worth what its root's context says, and told apart by it."""
    state = game.start(moves=[("b", "C3")])
    contexts = ({}, {"static_factor": 0.5}, {"white_draw_equivalent": 1.0}, {"static_factor": 0.5})
    pool = Pool(game, SearchSettings(visits=1, cache_entries=64), KataGo(network, symmetry=0))
    roots = [pool.add(game.with_options(state, root_ply=1, **context), seed=0) for context in contexts]
    leaves = pool.collect()
    assert [len(leaves), leaves.roots] == [3, roots[:3]]
    assert [each.key for each in leaves.states] == [pool.state(root).key for root in roots[:3]]
    np.testing.assert_array_equal(leaves.features, [each.encode(1) for each in leaves.states])
    pool.evaluate(leaves)
    plain, points, _, again = (pool.result(root).values[0] for root in roots)
    assert points == again != plain
    # What is asked next of the same position is another root's context.
    pool.replace_root_state(roots[0], game.with_options(state, root_ply=1, static_factor=0.5))
    pool.restart(roots[0], visits=4)
    assert {row[4] for row in _core.katago_contexts_of_rows(pool.collect().core)} == {0.5}


# Memory.


def test_positions_are_asked_about_once(game):
    network = Counting()
    evaluator = KataGo(network)
    states = some_states(game, 4)
    first = evaluator.evaluate(leaves_of(states))
    again = evaluator.evaluate(leaves_of(states[::-1]))
    np.testing.assert_array_equal(again.values, first.values[::-1])
    assert network.asked == [4]
    # What points are worth is not a part of what the network is asked.
    evaluator.evaluate(leaves_of(some_states(game, 4, center=3.0, dynamic_factor=0.3)))
    evaluator.evaluate(leaves_of([states[0], states[0], some_states(game, 5)[4]]))
    assert network.asked == [4, 1]
    evaluator.clear_cache()
    evaluator.evaluate(leaves_of([states[0], states[0]]))
    assert network.asked == [4, 1, 1]


def test_the_oldest_is_forgotten(game):
    network = Counting()
    evaluator = KataGo(network, cache_entries=2)
    one, two, three = some_states(game, 3)
    for states in ([one], [two], [one], [three], [one], [two]):
        evaluator.evaluate(leaves_of(states))
    assert len(network.asked) == 4
    # A batch that is larger than the memory is answered.
    assert len(evaluator.evaluate(leaves_of(some_states(game, 7))).values) == 7
    with pytest.raises(ValueError, match="cache_entries is 0"):
        KataGo(network, cache_entries=0)


def test_raw_outputs_come_in_one_batch_with_the_leaves(game):
    network = Counting()
    evaluator = KataGo(network)
    states = some_states(game, 5)
    answer, raws = evaluator.evaluate_raw(leaves_of(states[:2]), states[2:])
    assert network.asked == [5]
    assert len(answer.values) == 2
    assert [raw.policy.shape for raw in raws] == [(26,)] * 3
    alone = KataGo(network).evaluate_raw(None, states[2:])
    assert alone[0] is None
    assert alone[1][0].white_win == pytest.approx(raws[0].white_win, abs=1e-6)
    assert evaluator.evaluate_raw(None, []) == (None, [])


# Symmetries.


def test_each_position_has_a_symmetry_of_its_own(game):
    network = Counting()
    states = some_states(game, 12)
    KataGo(network).evaluate(leaves_of(states))
    KataGo(network).evaluate(leaves_of(states[::-1]))
    forth, back = network.symmetries
    assert forth == back[::-1]
    assert len(set(forth)) > 3
    KataGo(network, symmetry=5).evaluate(leaves_of(states))
    assert network.symmetries[-1] == [5] * 12


def test_a_symmetry_that_the_board_lacks_is_refused():
    with pytest.raises(ValueError, match="symmetry 4 on a board of 5x4"):
        find_evaluator(KataGo(KataGoNetwork(sample(8)), symmetry=4), tengen.game("go", size=5, height=4))


# In the search.


def test_a_search_is_repeatable(game, network):
    first, second = (
        tengen.search(game.start(), evaluator=KataGo(network), visits=60, seed=4, leaves_per_root=4, aux=True)
        for _ in range(2)
    )
    assert [(move.name, move.visits, move.value) for move in first.moves] == [
        (move.name, move.visits, move.value) for move in second.moves
    ]
    assert first.visits == 60


@pytest.mark.parametrize("kind", ["{}", "katago:{}", "katago:small", "small"])
def test_evaluators_are_found_by_file_and_by_name(kind, game, tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    path = write_file(tmp_path / "net.bin.gz", sample(9))
    tengen.nets.add_network(path, "small")
    evaluator = find_evaluator(kind.format(path), game)
    assert isinstance(evaluator, KataGo)
    assert "sample-0" in repr(evaluator)
    assert tengen.search(game.start(), evaluator=kind.format(path), visits=8, seed=1).visits == 8


def test_players_take_them(game, tmp_path):
    path = write_file(tmp_path / "net.bin.gz", sample(9))
    players = (find_player(text, game) for text in (f"{path}@4", f"policy:katago:{path}"))
    assert len(play_match(game, *players, games=2, seed=1).games) == 2


def test_trouble_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    path = write_file(tmp_path / "net.bin.gz", sample(9))
    with pytest.raises(ValueError, match="play the game 'go', not 'pyrga'"):
        find_evaluator(str(path), tengen.game("pyrga"))
    with pytest.raises(ValueError, match="nobody is no network file"):
        find_evaluator("katago:nobody", tengen.game("go", size=5))
    with pytest.raises(ValueError, match="katago:NETWORK"):
        find_evaluator("katago:", tengen.game("go", size=5))


def test_int16_by_name(game, tmp_path):
    path = write_file(tmp_path / "net.bin.gz", sample(9, ["ordinary", "pooling"]))
    evaluator = find_evaluator(f"katago-int16:{path}", game)
    assert (evaluator.network.backend, evaluator.network.int16) == ("native", True)
    states = some_states(game, 3)
    plain = KataGo(load(path), symmetry=0).evaluate(leaves_of(states))
    found = KataGo(evaluator.network, symmetry=0).evaluate(leaves_of(states))
    np.testing.assert_allclose(found.values, plain.values, atol=0.002)
    attention = write_file(tmp_path / "attention.bin.gz", sample(17, ["attention"]))
    with pytest.raises(ValueError, match="in int16: only convolutional networks"):
        find_evaluator(f"katago-int16:{attention}", game)


def test_a_real_network_knows_the_game():
    """The center of a small board is where to begin."""
    network = load(golden.network_file(golden.CONVOLUTIONAL))
    game = tengen.game("go", size=9)
    assert game.name(int(network(game.start()).policy.argmax())) == "E5"
    result = tengen.search(game.start(), evaluator=KataGo(network), visits=100, seed=1, leaves_per_root=8)
    assert result.best.name in ("E5", "E4", "D5", "F5", "E6")
