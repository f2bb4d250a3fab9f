"""Trainings that continue others: weights, averages and the optimizer live on."""

import dataclasses
import itertools
import threading

import numpy as np
import pytest
from learning_helpers import few_samples, tiny

import tengen
from tengen.learning import TrainSettings

torch = pytest.importorskip("torch")

from tengen.learning import Trained, train, training  # noqa: E402 - only where PyTorch is
from tengen.learning.batches import SampleData, Symmetries  # noqa: E402
from tengen.learning.targets import targets_of  # noqa: E402
from tengen.learning.training import train_network  # noqa: E402
from tengen.nets import CheckpointError  # noqa: E402
from tengen.nets.tensor_files import parse_file  # noqa: E402

FEW = TrainSettings(steps=4, batch_size=16, threads=1, warmup=0.0, schedule="constant")


@pytest.fixture(scope="module")
def pyrga():
    return tengen.game("pyrga")


@pytest.fixture(scope="module")
def samples(pyrga):
    return few_samples(pyrga)


def is_same(one, other):
    mine, theirs = one.state_dict(), other.state_dict()
    return mine.keys() == theirs.keys() and all(torch.equal(mine[name], theirs[name]) for name in mine)


@pytest.mark.parametrize("average", [0.0, 0.9])
def test_a_training_continues_with_its_optimizer_and_weights(average, pyrga, samples, monkeypatch):
    """Two trainings of four steps on equal batches are one of eight: weights, averages and moments live on."""
    monkeypatch.setattr(training.RowOrder, "draw", lambda self, size: np.arange(size))
    four = dataclasses.replace(FEW, average=average, symmetries=False)
    eight = dataclasses.replace(four, steps=8)
    first = train(pyrga, tiny(pyrga), samples, four)
    second = train(pyrga, first.network, samples, four, state=first.state)
    whole = train(pyrga, tiny(pyrga), samples, eight)
    assert is_same(second.network, whole.network)
    assert second.state == whole.state
    anew = train(pyrga, first.network, samples, four)
    assert not is_same(anew.network, whole.network)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_training_in_parts_ends_as_one_without(threads, pyrga, samples):
    """With averaged weights and random symmetries, also if the training continues another one."""
    settings = TrainSettings(steps=7, batch_size=64, threads=threads, average=0.9, warmup=0.5)
    targets, network = targets_of(pyrga, settings), tiny(pyrga)
    data = SampleData(samples, settings, Symmetries(pyrga))
    state = None
    for total in (7, 14):
        begin, steps = state, []
        whole = train_network(network, data, targets, settings, state=begin)
        part = Trained(network, {}, begin, is_complete=False)
        while not part.is_complete:
            part = train_network(network, data, targets, settings, state=part.state, until=len(steps) * 3 + 3)
            steps.append(restored_header(part.state)["step"])
        assert steps == [total - 4, total - 1, total]
        assert part.state == whole.state
        assert is_same(part.network, whole.network)
        assert part.metrics == pytest.approx(whole.metrics)
        network, state = whole.network, whole.state


def restored_header(state):
    return parse_file(state)[0]["header"]


def test_a_continued_training_does_not_warm_up_again():
    settings = TrainSettings(warmup=0.5, schedule="constant")
    assert training._rate(0, 10, settings, is_continued=False) < 1
    assert training._rate(0, 10, settings, is_continued=True) == 1


def test_the_state_of_another_network_is_refused(pyrga, samples):
    state = train(pyrga, tiny(pyrga), samples, FEW).state
    for wrong in (state[:-9], b"", bytes(100), state.replace(b"stem", b"stam")):
        with pytest.raises(CheckpointError, match="the state of the training"):
            train(pyrga, tiny(pyrga), samples, FEW, state=wrong)
    with pytest.raises(CheckpointError, match="of another network"):
        train(pyrga, tiny(pyrga, channels=16), samples, FEW, state=state)


# The schedule of a run.


def test_the_rate_of_a_run_is_constant_and_falls_at_its_end():
    """Five trainings of ten steps are one schedule of fifty."""
    found = []
    for i in range(5):
        settings = TrainSettings(schedule="run", decay=0.4, last_rate=0.1, run_begin=i / 5, run_end=(i + 1) / 5)
        found += [training._rate(step, 10, settings, is_continued=True) for step in range(10)]
    assert found[:30] == [1.0] * 30
    assert all(later < earlier for earlier, later in itertools.pairwise(found[30:]))
    assert found[40] == pytest.approx(0.55)
    assert found[-1] == pytest.approx(0.1, abs=0.01)
    first = TrainSettings(schedule="run", warmup=0.5, run_end=0.2)
    assert training._rate(0, 10, first, is_continued=False) < training._rate(5, 10, first, is_continued=False) == 1
    constant = TrainSettings(schedule="run", decay=0.0)
    assert training._rate(9, 10, constant, is_continued=True) == 1


# Threads.


def test_threads_have_parts_of_every_batch(pyrga, samples):
    """Without batch normalization's statistics, the gradient is that of the whole batch."""
    from tengen.learning.replicas import Replicas

    network = tiny(pyrga).eval()
    batch = {name: torch.from_numpy(array) for name, array in samples.arrays.items()}
    # Means over parts are means over the whole if every row counts alike.
    batch = {name: rows for name, rows in batch.items() if name in ("features", "result")}

    def losses(model, part):
        value = torch.softmax(model(part["features"]).value, dim=1)
        return {"loss": ((value[:, 0] - value[:, 2] - part["result"]) ** 2).mean()}

    found = []
    for count in (1, 4):
        replicas = Replicas(network, count, losses)
        figures = replicas.compute(batch, lambda loss: loss)
        replicas.close()
        found.append((figures["loss"], [p.grad.clone() for p in network.parameters() if p.grad is not None]))
    (one, gradients), (other, again) = found
    assert one == pytest.approx(other, rel=1e-5)
    for mine, theirs in zip(gradients, again, strict=True):
        assert torch.allclose(mine, theirs, atol=1e-6)


def test_training_by_threads_is_the_same_every_time(pyrga, samples):
    settings = dataclasses.replace(FEW, batch_size=64, threads=2, average=0.9, steps=6)
    one, other = (train(pyrga, tiny(pyrga), samples, settings) for _ in range(2))
    assert one.state == other.state
    assert is_same(one.network, other.network)
    alone = train(pyrga, tiny(pyrga), samples, dataclasses.replace(settings, threads=1))
    assert not is_same(one.network, alone.network)
    assert one.metrics["loss"] == pytest.approx(alone.metrics["loss"], rel=0.1)


def test_a_failure_in_a_thread_ends_the_training(pyrga, samples, monkeypatch):
    compute = training.compute_losses
    parts = []

    def failing(batch, targets):
        parts.append(len(batch.arrays["features"]))
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("no more")
        return compute(batch, targets)

    monkeypatch.setattr(training, "compute_losses", failing)
    with pytest.raises(RuntimeError, match="no more"):
        train(pyrga, tiny(pyrga), samples, dataclasses.replace(FEW, batch_size=64, threads=2))
    assert parts == [32, 32]
