"""Trainings that continue others: weights, averages and the optimizer live on."""

import dataclasses

import numpy as np
import pytest
from learning_helpers import quick_games, tiny

import tengen
from tengen.learning import TrainSettings, samples_of

torch = pytest.importorskip("torch")

from tengen.learning import train, training  # noqa: E402 - only where PyTorch is
from tengen.nets import CheckpointError  # noqa: E402

FEW = TrainSettings(steps=4, batch_size=16, threads=1, warmup=0.0, schedule="constant")


@pytest.fixture(scope="module")
def pyrga():
    return tengen.game("pyrga")


@pytest.fixture(scope="module")
def samples(pyrga):
    return samples_of(pyrga, quick_games(pyrga, 4, visits=12)).take(np.arange(64))


def is_same(one, other):
    mine, theirs = one.state_dict(), other.state_dict()
    return mine.keys() == theirs.keys() and all(torch.equal(mine[name], theirs[name]) for name in mine)


@pytest.mark.parametrize("average", [0.0, 0.9])
def test_a_training_continues_with_its_optimizer_and_weights(average, pyrga, samples, monkeypatch):
    """Two trainings of four steps on equal batches are one of eight: weights, averages and moments live on."""
    monkeypatch.setattr(training.Sampler, "draw", lambda self, size: np.arange(size))
    four = dataclasses.replace(FEW, average=average, symmetries=False)
    eight = dataclasses.replace(four, steps=8)
    first = train(pyrga, tiny(pyrga), samples, four)
    second = train(pyrga, first.network, samples, four, state=first.state)
    whole = train(pyrga, tiny(pyrga), samples, eight)
    assert is_same(second.network, whole.network)
    assert second.state == whole.state
    anew = train(pyrga, first.network, samples, four)
    assert not is_same(anew.network, whole.network)


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
