"""Prophet and enforcer: networks, training, tests by phase, and the players made of them."""

import dataclasses

import numpy as np
import pytest
import torch
from learning_helpers import damaged
from prophet_helpers import GAME, TINY, random_games, write_pair

from tengen.arena import find_player, play_match
from tengen.labs.shogi.checkpoints import Checkpoint, CheckpointError, load_checkpoint, save_checkpoint
from tengen.labs.shogi.measures import measure_candidates, measure_enforcer, measure_prophet
from tengen.labs.shogi.models import Candidates, Enforcer, ModelError, Prophet, rank
from tengen.labs.shogi.networks import build, export_onnx
from tengen.labs.shogi.planes import LegalEntries, actions_of, entries_of, legal_targets, pack
from tengen.labs.shogi.players import Pair, PairSettings
from tengen.labs.shogi.samples import PlayedMoves, random_samples, samples_of, split_games
from tengen.labs.shogi.tasks import TrainTask, train_model
from tengen.labs.shogi.train_settings import TrainSettings
from tengen.labs.shogi.training import candidates_data, moves_data, prophet_data, train

SETTINGS = TrainSettings(batch_size=24, epochs=2, lr=0.01)


@pytest.fixture(scope="module")
def samples():
    return samples_of(GAME, random_games(6, plies=20))


def weights(network):
    return torch.cat([tensor.flatten().double() for tensor in network.state_dict().values()])


def test_samples_say_who_won_and_how_late_it_was():
    game = PlayedMoves("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", ("7g7f", "3c3d", "8h2b+"), 0)
    found = samples_of(GAME, [game])
    assert found.result.tolist() == [1, 0, 1]
    assert np.allclose(found.progress, [1 / 3, 2 / 3, 1])
    assert [GAME.name(int(action)) for action in found.actions] == list(game.moves)
    assert np.array_equal(found.after[:-1], found.before[1:])
    assert len(found.of_winners()) == 2
    with pytest.raises(ValueError, match=r"move 2 \(7g7f\)"):
        samples_of(GAME, [PlayedMoves(game.start, ("7g7f", "7g7f"), 0)])


def test_held_out_games_are_no_training_games():
    games = random_games(10)
    train, test = split_games(games, 0.3, seed=4)
    assert (len(train), len(test)) == (7, 3)
    assert {each.moves for each in train}.isdisjoint(each.moves for each in test)
    assert split_games(games, 0.3, seed=4) == (train, test)


def test_equal_seeds_make_equal_networks_and_checkpoints_keep_them():
    one, other = build("prophet", TINY, 1), build("prophet", TINY, 1)
    assert torch.equal(weights(one), weights(other))
    data = save_checkpoint(Checkpoint(one, {"games": 3}))
    assert data == save_checkpoint(Checkpoint(other, {"games": 3}))
    again = load_checkpoint(data, "prophet")
    assert torch.equal(weights(again.network), weights(one))
    assert again.lineage == {"games": 3}
    with pytest.raises(CheckpointError, match="kind prophet; enforcer is needed"):
        load_checkpoint(data, "enforcer")


def test_damaged_checkpoints_are_refused():
    data = save_checkpoint(Checkpoint(build("enforcer", TINY, 1)))
    for bad in damaged(data, 40):
        with pytest.raises(CheckpointError):
            load_checkpoint(bad)


@pytest.mark.slow
def test_a_prophet_learns_who_won(samples):
    """By heart: random games say nothing of others."""
    before, settings = build("prophet", TINY, 1), dataclasses.replace(SETTINGS, epochs=12)
    trained = train(before, prophet_data(samples), settings)
    assert torch.equal(weights(before), weights(build("prophet", TINY, 1)))
    found = measure_prophet(Prophet(export_onnx(trained.network)), samples)
    assert found["all"]["win_prediction"] > 0.8
    assert set(found) == {"opening", "middle", "end", "all"}
    assert sum(found[phase]["positions"] for phase in ("opening", "middle", "end")) == found["all"]["positions"]
    assert torch.equal(weights(trained.network), weights(train(before, prophet_data(samples), settings).network))


@pytest.mark.slow
def test_late_plies_weigh_more(samples):
    """Were all weights equal, training on reversed weights would give the same."""
    reversed_weights = dataclasses.replace(samples, progress=samples.progress[::-1].copy())
    one, other = (
        train(build("prophet", TINY, 1), prophet_data(each), SETTINGS) for each in (samples, reversed_weights)
    )
    assert not torch.equal(weights(one.network), weights(other.network))


@pytest.mark.slow
def test_an_enforcer_learns_what_is_legal():
    positions, unseen = random_samples(GAME, 200, 1), random_samples(GAME, 50, 2)
    first = train(build("enforcer", TINY, 1), candidates_data(positions), SETTINGS)
    second = train(first.network, candidates_data(positions), SETTINGS)
    assert second.metrics["loss"] < 0.7 * first.metrics["loss"]
    found = measure_candidates(Enforcer(export_onnx(second.network)), unseen)
    assert min(found["precision"], found["recall"], found["legal"]) > 0.9


@pytest.mark.slow
def test_an_enforcer_learns_what_winners_played(samples):
    settings = dataclasses.replace(SETTINGS, epochs=16)
    fresh = build("enforcer", TINY, 1)
    before = measure_enforcer(Enforcer(export_onnx(fresh)), samples)
    trained = train(fresh, moves_data(samples, settings), settings)
    after = measure_enforcer(Enforcer(export_onnx(trained.network)), samples)
    assert after["all"]["top1_move"] > before["all"]["top1_move"] + 0.2
    assert after["all"]["top5"] >= after["all"]["top1_move"]
    assert after["all"]["positions"] == len(samples.of_winners())
    with pytest.raises(ValueError, match="nothing to train"):
        train(fresh, moves_data(samples.take(samples.result == 0), settings), settings)


def test_a_round_without_a_decided_game_changes_no_enforcer(tmp_path):
    games = [dataclasses.replace(each, winner=None) for each in random_games(2, plies=6)]
    (tmp_path / "draws.npz").write_bytes(samples_of(GAME, games).to_bytes())
    (tmp_path / "base.ckpt").write_bytes(save_checkpoint(Checkpoint(build("enforcer", TINY, 1))))
    place = tmp_path / "draws.npz"
    made = train_model(TrainTask("enforcer", tmp_path / "base.ckpt", (place,), place, SETTINGS))
    assert torch.equal(weights(load_checkpoint(made.checkpoint).network), weights(build("enforcer", TINY, 1)))
    assert made.metrics["test"] == {}


def test_the_highest_entry_of_a_drop_counts():
    legal = LegalEntries(*(np.array(column, np.int32) for column in ([0, 0, 0, 1], [5, 7, 7, 3], [0, 1, 2, 3])))
    entries = np.array([[1, -2, 3, 0], [0, 0, 0, -4]], np.float32)
    first, second = rank(entries, legal, 2)
    assert (first.actions.tolist(), first.values.tolist()) == ([7, 5], [3, 1])
    assert second.actions.tolist() == [3], "where nothing is above 0, all legal moves are candidates"


class Judge:
    """A prophet that knows its mind."""

    def __init__(self, likes):
        self.likes = likes
        self.asked = 0

    def judge(self, packed):
        self.asked += len(packed)
        return np.array([self.likes(row) for row in packed])


class Chooser:
    """An enforcer whose candidates are the legal moves in their order, or in a given one."""

    def __init__(self, first=()):
        self.first = first

    def candidates(self, packed):
        found = []
        for row in packed:
            entries = np.flatnonzero(legal_targets(row[None])[0]).astype(np.int32)
            actions = np.unique(actions_of(np.repeat(row[None], len(entries), axis=0), entries))
            wanted = [action for action in self.first if action in actions]
            order = np.array([*wanted, *(a for a in actions if a not in wanted)], np.int32)
            found.append(Candidates(order, np.linspace(2, 1, len(order), dtype=np.float32)))
        return found


def action(name, state):
    return GAME.parse(name, state)


def after(state, name):
    return pack(GAME, [state.play(action(name, state)).position])[0].tobytes()


def test_a_pair_plays_the_first_move_that_the_prophet_approves_of():
    state = GAME.start(0)
    chooser = Chooser([action(name, state) for name in ("7g7f", "2g2f", "5g5f")])
    liked = {after(state, "2g2f"), after(state, "5g5f")}
    pair = Pair(GAME, Judge(lambda row: 0.6 if row.tobytes() in liked else 0.4), chooser)
    assert GAME.name(pair(state, 0, 1)) == "2g2f"


def test_a_pair_that_likes_nothing_plays_what_it_dislikes_least():
    state = GAME.start(0)
    best = after(state, "9g9f")
    judge = Judge(lambda row: 0.45 if row.tobytes() == best else 0.2)
    assert GAME.name(Pair(GAME, judge, Chooser())(state, 0, 1)) == "9g9f"
    assert judge.asked == 30


def test_width_limits_what_is_tried_and_depth_zero_asks_nobody():
    state = GAME.start(0)
    judge = Judge(lambda row: 0.2)
    Pair(GAME, judge, Chooser(), PairSettings(prefetch_depth=2, prefetch_width=3))(state, 0, 1)
    assert judge.asked == 9
    alone = Pair(GAME, judge, Chooser([action("5g5f", state)]), PairSettings(prefetch_depth=0))
    assert GAME.name(alone(state, 0, 1)) == "5g5f"
    assert judge.asked == 9


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_mate_needs_no_prophet(depth):
    state = GAME.start(sfen="4k4/9/4P4/9/9/9/9/9/K8 b 2G 1")
    chooser = Chooser([action(name, state) for name in ("9i8h", "G*5b")])
    settings = PairSettings(prefetch_depth=depth, prefetch_width=2)
    assert GAME.name(Pair(GAME, Judge(lambda row: 0.4 if row[95] else 0.6), chooser, settings)(state, 0, 1)) == "G*5b"


def test_looking_ahead_sees_the_reply():
    """After the first candidate the opponent has a reply that the prophet likes for the opponent."""
    state = GAME.start(0)
    chooser = Chooser([action("7g7f", state), action("2g2f", state)])
    reply = after(state.play(action("7g7f", state)), "3c3d")

    def likes(row):
        if row.tobytes() == reply:
            return 0.9
        return 0.6 if row[95] == 1 else 0.2  # Black has just moved, or White has

    near, far = (Pair(GAME, Judge(likes), chooser, PairSettings(prefetch_depth=depth)) for depth in (1, 2))
    assert GAME.name(near(state, 0, 1)) == "7g7f"
    assert GAME.name(far(state, 0, 1)) == "2g2f"


def test_parts_play_alone(tmp_path):
    folder = write_pair(tmp_path / "pair")
    state = GAME.start(0)
    prophet = find_player(f"prophet:{folder}/prophet.onnx", GAME)
    judged = Prophet(folder / "prophet.onnx").judge(pack(GAME, [state.play(each).position for each in state.legal()]))
    assert prophet.choose([state], [0], [1]) == [state.legal()[int(judged.argmax())]]
    enforcer = find_player(f"enforcer:{folder}/enforcer.onnx", GAME)
    best = Enforcer(folder / "enforcer.onnx").candidates(pack(GAME, [state.position]))[0]
    assert enforcer.choose([state], [0], [1]) == [int(best.actions[0])]


def test_a_pair_plays_matches_and_batches_change_nothing(tmp_path):
    folder = write_pair(tmp_path / "pair")
    game = type(GAME)(max_plies=16)
    spec = f"pair:{folder},prefetch-depth=2,prefetch-width=2,temperature=0.5"
    result = play_match(game, spec, "random", games=4, seed=1)
    assert len(result.games) == 4
    player = find_player(spec, GAME)
    states = list(_some_states(6))
    together = player.choose(states, [each.actor for each in states], list(range(6)))
    alone = [player.choose([each], [each.actor], [i])[0] for i, each in enumerate(states)]
    assert together == alone
    assert all(each in state.legal() for each, state in zip(together, states, strict=True))


def _some_states(count):
    state = GAME.start(0)
    for _ in range(count):
        yield state
        state = state.play(state.legal()[3])


def test_a_win_is_declared():
    state = GAME.start(sfen="K1+R+R+B+BGGG/PPPPPPPP1/9/9/9/9/9/9/8k b 4L4S 1")
    assert "win" in map(GAME.name, state.legal())
    assert GAME.name(Pair(GAME, Judge(lambda row: 1.0), Chooser())(state, 0, 1)) == "win"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("pair:", "expected pair:FOLDER"),
        ("pair:nowhere", "no prophet can be read"),
        ("pair:{folder},deepness=3", "deepness is no setting"),
        ("pair:{folder},prefetch-depth=-1", "use 0 or more"),
        ("pair:{folder},prefetch-width=many", "many"),
        ("pair:prophet={folder}/prophet.onnx", "expected"),
        ("enforcer:{folder}/prophet.onnx", "is no enforcer"),
        ("prophet:{folder}/enforcer.onnx", "is no prophet"),
    ],
)
def test_texts_that_name_no_player_say_why(tmp_path, text, says):
    folder = write_pair(tmp_path / "pair")
    with pytest.raises(ModelError, match=says):
        find_player(text.format(folder=folder), GAME)


def test_entries_are_where_moves_are_written(samples):
    targets = legal_targets(samples.before)
    assert targets[np.arange(len(samples)), entries_of(samples.before, samples.actions)].all()
