"""Training with several threads: each computes the gradient of its part of a batch with a copy of the network."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor, nn

__all__ = ["Losses", "Replicas", "count_replicas"]

Losses: TypeAlias = "Callable[[Any, dict[str, Tensor]], dict[str, Tensor]]"
"""Returns the losses of a network for a batch by name; "loss" is minimized."""

_LEAST_ROWS = 32
"""Smallest part of a batch: batch normalization needs a sample of some size."""


def count_replicas(threads: int, batch_size: int) -> int:
    """Return the number of parts into which batches are divided for so many threads."""
    return max(1, min(threads, batch_size // _LEAST_ROWS))


class Replicas:
    """A network and copies of it.

    Operations on a small board are too short to be divided: threads that share each of them wait for each other
    hundreds of times in a step, and on a busy machine for long. Threads with a network of their own wait once. Results
    depend on the number of copies only.
    """

    def __init__(self, model: nn.Module, count: int, losses: Losses) -> None:
        self._model = model
        self._losses = losses
        self._copies = [copy.deepcopy(model) for _ in range(count - 1)]
        self._pool = ThreadPoolExecutor(max(1, count - 1), initializer=torch.set_num_threads, initargs=(1,))

    def compute(self, batch: dict[str, Tensor], scale: Callable[[Tensor], Tensor]) -> dict[str, float]:
        """Set the gradients of the network, the mean over all parts of the batch, and return the mean losses.

        The loss is scaled before the gradient is computed.
        """
        count = 1 + len(self._copies)
        parts = [{name: rows[i::count] for name, rows in batch.items()} for i in range(count)] if count > 1 else [batch]
        for other in self._copies:
            other.load_state_dict(self._model.state_dict())
        waiting = [
            self._pool.submit(self._backward, other, part, scale)
            for other, part in zip(self._copies, parts[1:], strict=True)
        ]
        found = [self._backward(self._model, parts[0], scale), *(each.result() for each in waiting)]
        self._average()
        return {name: sum(figures[name] for figures in found) / count for name in found[0]}

    def close(self) -> None:
        self._pool.shutdown()

    def _backward(
        self, model: nn.Module, batch: dict[str, Tensor], scale: Callable[[Tensor], Tensor]
    ) -> dict[str, float]:
        losses = self._losses(model, batch)
        model.zero_grad(set_to_none=True)
        scale(losses["loss"]).backward()  # type: ignore[no-untyped-call]
        # One transfer for all figures: each waits for the device.
        figures = torch.stack([value.detach().float() for value in losses.values()]).cpu().tolist()
        return dict(zip(losses, figures, strict=True))

    @torch.no_grad()
    def _average(self) -> None:
        """Average gradients, and the means and variances that each copy has taken of its part."""
        count = 1 + len(self._copies)
        if count == 1:
            return
        for own, *others in zip(self._model.parameters(), *(each.parameters() for each in self._copies), strict=True):
            for other in others:
                if own.grad is not None and other.grad is not None:
                    own.grad += other.grad
            if own.grad is not None:
                own.grad /= count
        for mine, *theirs in zip(self._model.buffers(), *(each.buffers() for each in self._copies), strict=True):
            if mine.is_floating_point():
                mine.copy_(torch.stack([mine, *theirs]).mean(dim=0))
