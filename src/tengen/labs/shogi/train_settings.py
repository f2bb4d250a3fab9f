"""Settings of one pass of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tengen.learning import settings as learning
from tengen.learning.settings import OPTIMIZERS, Optimizer

__all__ = ["TARGETS", "TrainSettings"]

_SHARED: Final = ("optimizer", "lr", "weight_decay", "epochs", "seed", "device", "threads", "processes")
_CLIP: Final = 5.0
TARGETS: Final = ("move", "candidates")


@dataclass(frozen=True)
class TrainSettings:
    """One pass of training, of a prophet or an enforcer."""

    optimizer: Optimizer = "adamw"
    lr: float = 2e-3
    """Largest learning rate: it is warmed up, then falls to a tenth by a cosine."""
    weight_decay: float = 0.05
    batch_size: int = 64
    epochs: float = 1.0
    """How often each position is trained on."""
    target: str = "move"
    """Target of an enforcer that learns from records: `move`, the move that was played, or `candidates`, all legal
    moves alike."""
    candidates_weight: float = 0.2
    """Weight of the loss that keeps legal moves above 0 and others below while an enforcer learns moves."""
    seed: int = 1
    device: str = "cpu"
    """Device of PyTorch that trains: cpu, cuda, mps or another one."""
    threads: int = 1
    """Threads of each process."""
    processes: int = 1
    """Processes that train one network together, each on a device of its own if `device` is cuda."""

    def __post_init__(self) -> None:
        if self.optimizer not in OPTIMIZERS:
            raise ValueError(f"optimizer is {self.optimizer!r}; there are {', '.join(OPTIMIZERS)}")
        if self.target not in TARGETS:
            raise ValueError(f"target is {self.target!r}; there are {', '.join(TARGETS)}")
        for name in ("lr", "batch_size", "epochs", "threads"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)} and must be above 0")
        if not 1 <= self.processes <= self.batch_size:
            raise ValueError(f"processes is {self.processes} and must be from 1 to batch_size, {self.batch_size}")

    def of_trainer(self, count: int) -> learning.TrainSettings:
        """Return the trainer's settings for so many positions."""
        shared = {name: getattr(self, name) for name in _SHARED}
        # A batch of one has no variance to normalize by.
        size = max(2, min(self.batch_size, count))
        return learning.TrainSettings(batch_size=size, grad_clip=_CLIP, amp=False, **shared)
