"""Settings of one pass of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["OPTIMIZERS", "TARGETS", "TrainSettings"]

OPTIMIZERS: Final = ("adamw", "adam", "rmsprop", "adagrad", "sgd", "momentum")
TARGETS: Final = ("move", "candidates")


@dataclass(frozen=True)
class TrainSettings:
    """One pass of training, of a prophet or an enforcer."""

    optimizer: str = "adamw"
    """One of OPTIMIZERS."""
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
