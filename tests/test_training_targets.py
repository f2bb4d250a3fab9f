"""Training targets: what is stored for each, how symmetries act on it, and that networks learn it."""

import dataclasses

import numpy as np
import pytest
from learning_helpers import losses_of, quick_games, tiny
from toy_games import FullTicTacToe, HighCard

import tengen
from tengen.games import TrainingTarget
from tengen.learning import PackedSamples, TrainSettings, load_samples, samples_of, save_samples
from tengen.selfplay import Decision, GameRecord, load_records, save_records

torch = pytest.importorskip("torch")

from tengen.learning import train  # noqa: E402 - only where PyTorch is
from tengen.nets import Checkpoint, HeadSpec, load_checkpoint, save_checkpoint  # noqa: E402

ALL = TrainSettings(
    **dict.fromkeys(
        ("soft_policy_weight", "reply_weight", "short_term_weight", "ownership_weight", "payoff_weight"), 0.5
    ),
    steps=20,
    batch_size=64,
    lr=5e-3,
    threads=1,
)


def material(played, i):
    """The number of stones on the board, as a share of its cells."""
    return played.decisions[i].ply / 9


class Taught(FullTicTacToe):
    """Tic-tac-toe with targets of its own."""

    id = "taught"
    training_targets = (
        TrainingTarget("material", "numbers", 1, material, weight=1.0),
        TrainingTarget("corner", "distribution", 2, lambda played, i: [i % 2, 1 - i % 2], weight=0.5),
        TrainingTarget(
            "own_loss", "numbers", 1, material, weight=0.5, loss=lambda output, labels: (output - labels) ** 2
        ),
    )


def by_step(game, samples, settings, name):
    """The losses of each step, from the means that training reports."""
    means = []
    train(game, tiny(game), samples, settings, lambda step, _, losses: means.append(losses[name] * step))
    return np.diff([0.0, *means])


@pytest.mark.parametrize("packed", [False, True])
def test_a_target_of_a_game_is_learned(packed):
    """Nothing but this file defines it: its labels are stored, packed, drawn and learned like those of all others."""
    game = Taught()
    samples = samples_of(game, quick_games(game, 24))
    assert samples.further["material"].shape == (len(samples), 1)
    given = PackedSamples.of(samples) if packed else samples
    settings = TrainSettings(steps=40, batch_size=32, lr=1e-2, threads=1)
    for name in ("material", "own_loss"):
        losses = by_step(game, given, settings, name)
        assert losses[-10:].mean() < 0.3 * losses[:3].mean()
    trained = train(game, tiny(game), given, settings)
    assert {"material", "corner", "own_loss"} <= trained.metrics.keys()
    kept = load_checkpoint(save_checkpoint(Checkpoint(trained.network, game.id))).network
    assert [head.name for head in kept.architecture.heads] == ["material", "corner", "own_loss"]


def test_labels_of_a_wrong_length_are_an_error_that_names_them():
    game = Taught()
    game.training_targets = (TrainingTarget("pair", "numbers", 2, lambda played, i: [1.0]),)
    with pytest.raises(ValueError, match="labels pair of taught"):
        samples_of(game, quick_games(game, 1))


@pytest.mark.parametrize("name", ["pyrga", "connect_four", "go", "kuhn_poker", "high_card"])
def test_every_further_target_is_learned(name):
    settings = {"size": 4} if name == "go" else {}
    game = HighCard() if name == "high_card" else tengen.game(name, **settings)
    samples = samples_of(game, quick_games(game, 8, visits=8))
    trained = train(game, tiny(game), samples, ALL)
    wanted = {"soft_policy", "reply", "short_term", "payoffs"} | ({"ownership"} if name in ("pyrga", "go") else set())
    assert {head.name for head in trained.network.architecture.heads} == wanted
    assert wanted <= trained.metrics.keys()
    batch = {name: torch.from_numpy(array) for name, array in samples.arrays.items()}
    fresh = train(game, tiny(game), samples, dataclasses.replace(ALL, steps=1, lr=1e-9)).network
    before, after = (losses_of(game, network.eval(), batch, ALL) for network in (fresh, trained.network))
    # Policies of games without an evaluator are nearly uniform, as those of a fresh network are.
    for head in wanted - {"reply", "soft_policy"}:
        assert float(after[head].detach()) < float(before[head].detach()), head


def test_the_owners_of_cells_are_learned_from_the_last_auxiliary_values():
    game = tengen.game("go", size=3)
    network = tiny(game, heads=(HeadSpec("ownership", "cells", 1),)).eval()
    batch = {name: torch.from_numpy(array) for name, array in samples_of(game, quick_games(game, 2)).arrays.items()}
    assert batch["aux"].shape[1] == 5 + 9
    settings = TrainSettings(ownership_weight=1.0)
    before = losses_of(game, network, batch, settings)["ownership"]
    batch["aux"][:, :5] += 1
    assert losses_of(game, network, batch, settings)["ownership"] == before
    batch["aux"][:, 5] += 1
    assert losses_of(game, network, batch, settings)["ownership"] != before


def test_cell_values_that_are_not_one_for_each_cell_are_an_error():
    game = tengen.game("go", size=3)
    game.cell_aux = 4
    with pytest.raises(ValueError, match="cell_aux is 4; 9 cells leave 5 of 14 auxiliary values"):
        samples_of(game, [])


def test_targets_that_are_off_leave_no_trace():
    game = tengen.game("connect_four")
    samples = samples_of(game, quick_games(game, 2))
    off = dataclasses.replace(ALL, **{n: 0.0 for n in vars(ALL) if n.endswith("_weight")}, steps=2)
    assert train(game, tiny(game), samples, off).network.architecture.heads == ()
    first = train(game, tiny(game), samples, dataclasses.replace(off, reply_weight=1.0))
    second = train(game, first.network, samples, dataclasses.replace(off, reply_weight=1.0), state=first.state)
    assert [head.name for head in second.network.architecture.heads] == ["reply"]
    assert train(game, second.network, samples, off).network.architecture.heads == ()


def test_samples_without_labels_of_further_targets_teach_the_others():
    """As in files of earlier versions."""
    game = tengen.game("connect_four")
    samples = dataclasses.replace(samples_of(game, quick_games(game, 2)), further={})
    metrics = train(game, tiny(game), samples, dataclasses.replace(ALL, steps=2)).metrics
    assert "soft_policy" in metrics
    assert not {"reply", "short_term"} & metrics.keys()


# Labels.


@pytest.fixture(scope="module")
def line():
    """A game of tic-tac-toe that the first player wins, with values that say where they are from."""
    game = FullTicTacToe()
    actions = (0, 3, 1, 4, 2)
    decisions = tuple(
        Decision(i, i % 2, {action: 1.0}, (i / 10, -i / 10), 1, i != 3, surprise=None if i == 0 else i / 4)
        for i, action in enumerate(actions)
    )
    return game, GameRecord(game.id, {}, 0, actions, decisions, (1.0, -1.0))


def test_short_term_values_average_what_comes_next(line):
    game, record = line
    found = samples_of(game, [record]).further["short_term"]
    for row, viewer in enumerate([0, 1, 0, 1, 0]):
        for column, horizon in enumerate((6, 16)):
            later = [i / 10 for i in range(row + 1, 5)]
            weights = [(1 / horizon) * (1 - 1 / horizon) ** k for k in range(len(later))]
            average = float(np.dot(weights, later)) + (1 - sum(weights)) * 1.0
            assert found[row, column] == pytest.approx(-average if viewer else average, abs=1e-6)


def test_a_reply_is_the_next_policy_of_another_player(line):
    game, record = line
    found = samples_of(game, [record]).further["reply"]
    # The fourth search was fast, so its policy is unknown; nobody follows the last one.
    assert [list(np.flatnonzero(row)) for row in found] == [[3], [1], [], [2], []]


def test_the_surprise_of_a_search_is_kept(line):
    game, record = line
    [again] = load_records(save_records([record]))
    assert again == record
    samples = samples_of(game, [again])
    assert np.array_equal(samples.further["surprise"], np.array([np.nan, 0.25, 0.5, 0.75, 1.0], np.float32), True)
    assert np.array_equal(load_samples(save_samples(samples)).further["reply"], samples.further["reply"])


def test_self_play_measures_the_surprise():
    """Without an evaluator, priors are equal: the divergence is that from a uniform policy."""
    game = tengen.game("connect_four")
    for record in quick_games(game, 2, visits=16):
        states = list(record.replay(game))
        for decision in record.decisions:
            shares = np.array(list(decision.policy.values()))
            wanted = np.log(len(states[decision.ply].legal())) + (shares * np.log(shares)).sum()
            assert decision.surprise == pytest.approx(max(0, wanted), abs=2e-3)


@pytest.mark.parametrize("name", ["reply", "cells"])
def test_symmetries_act_on_further_labels(name):
    from tengen.learning.batches import Symmetries

    game = FullTicTacToe()
    game.training_targets = (TrainingTarget("cells", "cells", 2, lambda p, i: [*range(9), *range(9, 18)]),)
    samples = samples_of(game, quick_games(game, 3))
    labels = samples.further[name]
    for symmetry in range(game.symmetry_count):

        class Drawn:
            def integers(self, count, size, symmetry=symmetry):
                return np.full(size, symmetry)

        found = Symmetries(game).apply_random(samples.arrays, Drawn())[name]
        width = 9
        for part in range(labels.shape[1] // width):
            for action in range(width):
                moved = part * width + game.transform_action(action, symmetry)
                assert np.array_equal(found[:, moved], labels[:, part * width + action])


# How often samples are drawn.


def draws(samples, **settings):
    from tengen.learning.batches import Sampler

    sampler = Sampler(samples, TrainSettings(**settings), np.random.default_rng(3))
    return np.bincount(np.concatenate([sampler.draw(50) for _ in range(200)]), minlength=len(samples)) / 10_000


def test_surprising_policies_come_more_often(line):
    game, record = line
    samples = samples_of(game, [record])
    # The mean of those that are known is 0.625; what is unknown counts as the mean.
    wanted = 0.5 + 0.5 * np.array([1.0, 0.4, 0.8, 1.2, 1.6])
    assert draws(samples, policy_surprise=0.5) == pytest.approx(wanted / 5, abs=0.01)
    unknown = dataclasses.replace(samples, further={})
    assert draws(unknown, policy_surprise=1.0) == pytest.approx(np.full(5, 0.2), abs=0.01)


def test_positions_whose_value_was_wrong_come_more_often(line):
    game, record = line
    errors = np.array([1.0, 0.9, 0.8, 0.7, 0.6])
    wanted = 0.25 + 0.75 * errors / errors.mean()
    assert draws(samples_of(game, [record]), value_error=0.75) == pytest.approx(wanted / 5, abs=0.01)


def test_shares_that_are_too_large_are_refused():
    with pytest.raises(ValueError, match="more than 1"):
        TrainSettings(policy_surprise=0.6, value_error=0.6)
    with pytest.raises(ValueError, match="policy_surprise"):
        TrainSettings(policy_surprise=-0.1)
    with pytest.raises(ValueError, match="reply_weight"):
        TrainSettings(reply_weight=-1.0)
