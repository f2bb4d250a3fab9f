"""Stops a training that has gone wrong before it does harm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import nn


_MAX_OVERFLOWS = 20
"""In a row. Each halves the scale, which begins at 2 to the 16th."""


class TrainingStopped(RuntimeError):  # noqa: N818 - it says what happened
    """An error of a training that went wrong. The network from before is untouched."""

    def __init__(self, kind: str, step: int, text: str) -> None:
        super().__init__(f"training stopped at step {step}: {text}")
        self.kind = kind
        self.step = step

    def __reduce__(self) -> tuple[Any, ...]:
        return self._restore, (self.kind, self.step, str(self))

    @classmethod
    def _restore(cls, kind: str, step: int, text: str) -> TrainingStopped:
        """Return an error with the whole text of one that was raised in another process."""
        made = cls(kind, step, "")
        made.args = (text,)
        return made


class Breaker:
    """Watches losses, gradients and weights."""

    def __init__(self, largest_norm: float) -> None:
        self._largest_norm = largest_norm
        self._overflows = 0

    def check_loss(self, step: int, losses: dict[str, float]) -> None:
        for name, value in losses.items():
            if not math.isfinite(value):
                raise TrainingStopped("loss", step, f"the {name} loss is {value}")

    def check_gradient(self, step: int, norm: float, *, is_scaled: bool = False) -> None:
        """`is_scaled`: mixed precision, whose scaler finds its scale by leaving out steps that were too large for it;
        only a gradient that stays so is broken."""
        self._overflows = 0 if math.isfinite(norm) else self._overflows + 1
        if is_scaled and 0 < self._overflows <= _MAX_OVERFLOWS:
            return
        if not math.isfinite(norm):
            raise TrainingStopped("gradient", step, f"the gradient's norm is {norm}")
        if norm > self._largest_norm:
            text = f"the gradient has exploded: its norm is {norm:.3g}, beyond {self._largest_norm:.3g}"
            raise TrainingStopped("explosion", step, text)

    def check_weights(self, step: int, network: nn.Module) -> None:
        for name, tensor in network.state_dict().items():
            if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
                raise TrainingStopped("weights", step, f"{name} has a weight that is no number")
