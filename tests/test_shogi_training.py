"""Training of prophet and enforcer: devices, several processes, and trainings in parts."""

import dataclasses

import numpy as np
import pytest
import torch
from cli_runner import runner
from prophet_helpers import GAME, TINY, random_games, write_records

from tengen.labs.shogi.networks import build
from tengen.labs.shogi.samples import random_samples, samples_of
from tengen.labs.shogi.train_settings import OPTIMIZERS, TrainSettings
from tengen.labs.shogi.training import count_steps, step_of, train_part, train_prophet
from tengen.labs.shogi.training_data import CandidatesData, MovesData, ProphetData, load_data

SETTINGS = TrainSettings(batch_size=16, epochs=2, lr=0.01)


@pytest.fixture(name="samples", scope="module")
def _samples():
    return samples_of(GAME, random_games(4, plies=16))


def weights(network):
    return torch.cat([tensor.flatten().double() for tensor in network.state_dict().values()])


def train_in_parts(network, data, settings, length):
    state, steps = None, []
    while True:
        part = train_part(network, data, settings, None, state, step_of(state) + length)
        steps.append(part.step)
        if part.trained is not None:
            return part.trained, steps
        state = part.state


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_training_in_parts_ends_as_one_without(samples, optimizer):
    settings = dataclasses.replace(SETTINGS, optimizer=optimizer, lr=0.002)
    fresh = build("prophet", TINY, 1)
    whole = train_prophet(fresh, samples, settings)
    parts, steps = train_in_parts(fresh, ProphetData(samples), settings, 3)
    assert steps == [3, 6, 8]
    assert torch.equal(weights(parts.network), weights(whole.network))
    assert parts.metrics == pytest.approx(whole.metrics)


def test_enforcers_are_trained_in_parts_too(samples):
    fresh = build("enforcer", TINY, 1)
    for data in (MovesData(samples, SETTINGS), CandidatesData(random_samples(GAME, 40, 1))):
        whole = train_part(fresh, data, SETTINGS).trained
        parts, _ = train_in_parts(fresh, data, SETTINGS, 2)
        assert torch.equal(weights(parts.network), weights(whole.network))


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 100])
def test_the_number_of_batches_is_known_before(count):
    data = CandidatesData(random_samples(GAME, count, 1))
    assert train_part(build("enforcer", TINY, 1), data, SETTINGS).steps == count_steps(count, SETTINGS)


def test_data_travel_as_files(tmp_path, samples):
    rows, flipped = np.array([3, 0, 5]), np.array([True, False, True])
    positions = random_samples(GAME, 10, 1)
    for data in (ProphetData(samples), MovesData(samples, SETTINGS), CandidatesData(positions)):
        path = tmp_path / data.name
        path.write_bytes(data.to_bytes())
        again = load_data(data.name, path, SETTINGS)
        assert again.count == data.count
        for name, tensor in data.batch(rows, flipped).items():
            assert torch.equal(tensor, again.batch(rows, flipped)[name])


@pytest.mark.slow
def test_several_processes_train_one_network(samples):
    settings = dataclasses.replace(SETTINGS, processes=2, epochs=2)
    fresh, data = build("prophet", TINY, 1), ProphetData(samples)
    told = []
    whole = train_part(fresh, data, settings, lambda *news: told.append(news))
    assert whole.trained is not None
    assert [news[:2] for news in told] == [(step, 8) for step in range(1, 9)]
    assert not torch.equal(weights(whole.trained.network), weights(fresh))
    parts, steps = train_in_parts(fresh, data, settings, 5)
    assert steps == [5, 8]
    assert torch.allclose(weights(parts.network), weights(whole.trained.network), atol=1e-6)


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
