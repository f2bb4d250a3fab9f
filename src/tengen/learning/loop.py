"""The steps of a training: batches, losses, gradients. What is trained on what is up to the caller."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from tengen.learning.replicas import Losses, Replicas

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor, nn

    from tengen.learning.breaker import Breaker
    from tengen.learning.processes import Group

__all__ = ["TrainingLoop", "warm_cosine"]


@dataclass
class TrainingLoop:
    """Steps of an optimizer, in one process or in a group of processes that share every batch."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    group: Group
    breaker: Breaker
    steps: int
    """Number of all steps, which the learning rate depends on."""
    lr: float
    rate: Callable[[int], float]
    """Factor of the learning rate in a step."""
    draw: Callable[[], dict[str, Tensor]]
    """Returns the next batch, the same one in every process of a group."""
    losses: Losses
    clip: float = math.inf
    """Largest norm of the gradient."""
    is_scaled: bool = False
    """True for mixed precision with a scaled loss."""
    after_step: Callable[[int], None] | None = None
    replicas: int = 1
    """Number of threads, each of which has a copy of the network and a part of every batch."""
    step: int = 0
    """Number of steps that are done."""
    sums: dict[str, float] = field(default_factory=dict)
    """Sums of the losses over the steps that are done."""

    def run(
        self, until: int | None = None, progress: Callable[[int, int, dict[str, float]], None] | None = None
    ) -> None:
        """Make all steps, or those before the step `until`. `progress` gets the step, all steps and the mean losses.

        Raises a TrainingStopped if the breaker trips.
        """
        replicas = Replicas(self.model, self.replicas, self.losses)
        try:
            self._run(replicas, until, progress)
        finally:
            replicas.close()
        if self.is_done:
            self.breaker.check_weights(self.steps, self.model)

    def _run(
        self, replicas: Replicas, until: int | None, progress: Callable[[int, int, dict[str, float]], None] | None
    ) -> None:
        scaler = torch.amp.GradScaler(enabled=self.is_scaled)
        for step in range(self.step, self.steps if until is None else min(until, self.steps)):
            for parameters in self.optimizer.param_groups:
                parameters["lr"] = self.lr * self.rate(step)
            figures = self.group.mean(replicas.compute(self.group.share(self.draw()), scaler.scale))
            self.breaker.check_loss(step, figures)
            self.group.average_gradients(self.model)
            scaler.unscale_(self.optimizer)
            norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip))
            self.breaker.check_gradient(step, norm, is_scaled=self.is_scaled)
            scaler.step(self.optimizer)
            scaler.update()
            self.group.average_buffers(self.model)
            if self.after_step is not None:
                self.after_step(step)
            for name, value in figures.items():
                self.sums[name] = self.sums.get(name, 0.0) + value
            self.step = step + 1
            if progress is not None:
                progress(self.step, self.steps, self.means())

    @property
    def is_done(self) -> bool:
        return self.step >= self.steps

    def means(self) -> dict[str, float]:
        return {name: value / max(1, self.step) for name, value in self.sums.items()}


def warm_cosine(step: int, steps: int, *, warmup: float, last_rate: float) -> float:
    """Return the factor of a learning rate that rises in a share of the steps and then falls by a cosine."""
    warm = warmup * steps
    if step < warm:
        return (step + 1) / (warm + 1)
    done = (step - warm) / max(1.0, steps - warm)
    return last_rate + (1 - last_rate) * 0.5 * (1 + math.cos(math.pi * done))
