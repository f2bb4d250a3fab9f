"""Mixed precision of training: where it is used, and the scale of the loss."""

import dataclasses
import math

import pytest
from learning_helpers import few_samples, tiny

import tengen
from tengen.learning import TrainSettings

torch = pytest.importorskip("torch")

from tengen.learning import Breaker, TrainingStopped, train, training  # noqa: E402 - only where PyTorch is

FEW = TrainSettings(steps=4, batch_size=16, threads=1, warmup=0.0, schedule="constant", average=0.9)


@pytest.fixture(scope="module")
def pyrga():
    return tengen.game("pyrga")


@pytest.fixture(scope="module")
def samples(pyrga):
    return few_samples(pyrga)


def is_same(one, other):
    mine, theirs = one.state_dict(), other.state_dict()
    return all(torch.equal(mine[name], theirs[name]) for name in mine)


def test_mixed_precision_is_left_out_on_a_cpu(pyrga, samples):
    """Without a word: a warning would be an error here."""
    one, other = (train(pyrga, tiny(pyrga), samples, dataclasses.replace(FEW, amp=amp)) for amp in (True, False))
    assert is_same(one.network, other.network)


def test_a_scaled_loss_gives_the_same_weights(pyrga, samples, monkeypatch):
    """The scale is a power of two: where nothing overflows, steps of the fused optimizer do not depend on it."""
    settings = dataclasses.replace(FEW, grad_clip=0.5)
    plain = train(pyrga, tiny(pyrga), samples, settings)
    scales = []
    update = torch.amp.GradScaler.update

    def watched(self):
        scales.append(self.get_scale())
        update(self)

    monkeypatch.setattr(torch.amp.GradScaler, "update", watched)
    monkeypatch.setattr(training, "_MIXED", frozenset({"cpu"}))
    scaled = train(pyrga, tiny(pyrga), samples, settings)
    assert scales == [2.0**16] * settings.steps
    assert scaled.state == plain.state
    assert scaled.metrics == plain.metrics
    assert is_same(scaled.network, plain.network)


def test_mixed_precision_may_look_for_its_scale_but_not_forever():
    breaker = Breaker(1e4)
    for step in range(20):
        breaker.check_gradient(step, math.inf, is_scaled=True)
    breaker.check_gradient(20, 1.0, is_scaled=True)
    for step in range(20):
        breaker.check_gradient(step, math.nan, is_scaled=True)
    with pytest.raises(TrainingStopped, match="gradient"):
        breaker.check_gradient(20, math.nan, is_scaled=True)
    with pytest.raises(TrainingStopped, match="exploded"):
        breaker.check_gradient(21, 1e5, is_scaled=True)
