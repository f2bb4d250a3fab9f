"""Training of prophet and enforcer: devices, several processes, and trainings in parts."""

import dataclasses

import numpy as np
import pytest
import torch
from cli_runner import runner
from prophet_helpers import GAME, TINY, random_games, write_records

from tengen.labs.shogi.networks import build
from tengen.labs.shogi.planes import actions_of
from tengen.labs.shogi.samples import random_samples, samples_of
from tengen.labs.shogi.train_settings import TrainSettings
from tengen.labs.shogi.training import candidates_data, count_steps, moves_data, prophet_data, step_of, train
from tengen.learning.settings import OPTIMIZERS

SETTINGS = TrainSettings(batch_size=16, epochs=2, lr=0.01)


@pytest.fixture(name="samples", scope="module")
def _samples():
    return samples_of(GAME, random_games(4, plies=16))


def weights(network):
    return torch.cat([tensor.flatten().double() for tensor in network.state_dict().values()])


def train_in_parts(network, data, settings, length):
    state, steps = None, []
    while True:
        trained = train(network, data, settings, None, state, step_of(state) + length)
        state = trained.state
        steps.append(step_of(state))
        if trained.is_complete:
            return trained, steps


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_training_in_parts_ends_as_one_without(samples, optimizer):
    settings = dataclasses.replace(SETTINGS, optimizer=optimizer, lr=0.002)
    fresh = build("prophet", TINY, 1)
    whole = train(fresh, prophet_data(samples), settings)
    parts, steps = train_in_parts(fresh, prophet_data(samples), settings, 3)
    assert steps == [3, 6, 8]
    assert torch.equal(weights(parts.network), weights(whole.network))
    assert parts.metrics == pytest.approx(whole.metrics)


def test_enforcers_are_trained_in_parts_too(samples):
    fresh = build("enforcer", TINY, 1)
    for data in (moves_data(samples, SETTINGS), candidates_data(random_samples(GAME, 40, 1))):
        whole = train(fresh, data, SETTINGS)
        parts, _ = train_in_parts(fresh, data, SETTINGS, 2)
        assert torch.equal(weights(parts.network), weights(whole.network))


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 100])
def test_the_number_of_batches_is_known_before(count):
    data = candidates_data(random_samples(GAME, count, 1))
    assert train(build("enforcer", TINY, 1), data, SETTINGS).metrics["steps"] == count_steps(count, SETTINGS)


def test_mirrored_positions_have_mirrored_labels(samples):
    class Drawn:
        def __init__(self, *numbers):
            self.random = lambda size: np.array(numbers)

    rows = np.array([3, 3])
    won = samples.of_winners()
    arrays = moves_data(samples, SETTINGS).batch(rows, Drawn(0.9, 0.1))
    (move, mirrored_move), legal = arrays["move"], arrays["legal"].reshape(2, -1, 9, 9)
    assert actions_of(won.before[rows[:1]], arrays["move"][:1].astype(np.int32)) == won.actions[3]
    assert mirrored_move % 9 == 8 - move % 9
    assert np.array_equal(legal[0].sum(axis=0), legal[1].sum(axis=0)[:, ::-1])
    arrays = prophet_data(samples).batch(rows, Drawn(0.9, 0.1))
    stands = arrays["features"][:, 0::2].sum(axis=1)
    assert not np.array_equal(stands[0], stands[1])
    assert np.array_equal(stands[0], stands[1][:, ::-1])
    assert arrays["result"].tolist() == samples.result[rows].tolist()


def test_threads_train_the_same_network_every_time(samples):
    """Dropout of a prophet is drawn in one thread."""
    for kind, data in (("prophet", prophet_data(samples)), ("enforcer", candidates_data(samples.before))):
        settings = TrainSettings(batch_size=64, threads=2, epochs=2)
        one, other = (train(build(kind, TINY, 1), data, settings) for _ in range(2))
        assert torch.equal(weights(one.network), weights(other.network))


@pytest.mark.slow
def test_several_processes_train_one_network(samples):
    settings = dataclasses.replace(SETTINGS, processes=2, epochs=2)
    fresh, data = build("prophet", TINY, 1), prophet_data(samples)
    told = []
    whole = train(fresh, data, settings, lambda *news: told.append(news))
    assert [news[:2] for news in told] == [(step, 8) for step in range(1, 9)]
    assert not torch.equal(weights(whole.network), weights(fresh))
    parts, steps = train_in_parts(fresh, data, settings, 5)
    assert steps == [5, 8]
    assert torch.allclose(weights(parts.network), weights(whole.network), atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"processes": 0}, "processes is 0"),
        ({"processes": 17}, "from 1 to batch_size, 16"),
        ({"threads": 0}, "threads"),
    ],
)
def test_settings_that_can_not_be(changes, says):
    with pytest.raises(ValueError, match=says):
        dataclasses.replace(SETTINGS, **changes)


@pytest.fixture
def tengen_command(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def test_commands_train_on_a_device(tmp_path, tengen_command):
    out = tmp_path / "enforcer.ckpt"
    small = ("--channels", 4, "--blocks", 1, "--batch-size", 16, "--num", 20)
    ran = tengen_command("shogi", "train-enforcer-with-random", "--out", out, *small, "--device", "cpu")
    assert ran.code == 0, ran.err
    assert out.exists()


@pytest.mark.parametrize("device", ["nowhere", "meta", "cuda:99"])
def test_a_device_that_can_not_be_used_is_refused_before_anything_is_made(tmp_path, tengen_command, device):
    records = write_records(tmp_path, count=4, plies=4)
    for words in (
        ("train-enforcer-with-random", "--out", tmp_path / "x.ckpt", "--num", 20),
        ("workflow", "--run", tmp_path / "run", "--records", records),
    ):
        ran = tengen_command("shogi", *words, "--device", device)
        assert ran.code == 2
        assert f"PyTorch can't compute on '{device}'" in ran.err
    assert not (tmp_path / "run").exists()
    assert not (tmp_path / "x.ckpt").exists()
