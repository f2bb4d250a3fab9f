"""The steps of a training: batches, losses, gradients. What is trained on what is up to the caller."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from tengen.learning.prefetch import prepared_ahead
from tengen.learning.replicas import Losses, Replicas
from tengen.nets.devices import CPU, pin, upload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor, nn

    from tengen.learning.breaker import Breaker
    from tengen.learning.processes import Group

__all__ = ["TrainingLoop", "warm_cosine"]

_AHEAD = 2
"""Batches that are prepared while another device than the processor computes."""


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
    """Returns the next batch, the same one in every process of a group. A thread calls it ahead of time unless the
    network is on the processor; the loop transfers the batch to the network's device."""
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
        count = (self.steps if until is None else min(until, self.steps)) - self.step
        losses = self.group.with_mean_gradients(self.model, self.losses)
        with (
            closing(Replicas(self.model, self.replicas, losses)) as replicas,
            prepared_ahead(self._prepare, count, _ahead(self._device)) as batches,
        ):
            self._run(replicas, batches, progress)
        if self.is_done:
            self.breaker.check_weights(self.steps, self.model)

    @property
    def _device(self) -> torch.device:
        return next(self.model.parameters()).device

    def _prepare(self) -> dict[str, Tensor]:
        """Return this process's share of the next batch, in memory from which it can be transferred."""
        return {name: pin(rows, self._device) for name, rows in self.group.share(self.draw()).items()}

    def _run(
        self,
        replicas: Replicas,
        batches: Iterator[dict[str, Tensor]],
        progress: Callable[[int, int, dict[str, float]], None] | None,
    ) -> None:
        scaler = torch.amp.GradScaler(self._device.type, enabled=self.is_scaled)
        for step, prepared in enumerate(batches, self.step):
            batch = {name: upload(rows, self._device) for name, rows in prepared.items()}
            for parameters in self.optimizer.param_groups:
                parameters["lr"] = self.lr * self.rate(step)
            figures = self.group.mean(replicas.compute(batch, scaler.scale))
            self.breaker.check_loss(step, figures)
            scaler.unscale_(self.optimizer)
            norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip))
            self.breaker.check_gradient(step, norm, is_scaled=self.is_scaled)
            scaler.step(self.optimizer)
            scaler.update()
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


def _ahead(device: torch.device) -> int:
    """Return how many batches are prepared ahead. On a processor, training itself uses all cores."""
    return 0 if device.type == CPU else _AHEAD


def warm_cosine(step: int, steps: int, *, warmup: float, last_rate: float) -> float:
    """Return the factor of a learning rate that rises in a share of the steps and then falls by a cosine."""
    warm = warmup * steps
    if step < warm:
        return (step + 1) / (warm + 1)
    done = (step - warm) / max(1.0, steps - warm)
    return last_rate + (1 - last_rate) * 0.5 * (1 + math.cos(math.pi * done))
