"""How one pass of training is made."""

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
    """Warmed up, then falling to a tenth by a cosine."""
    weight_decay: float = 0.05
    batch_size: int = 64
    epochs: float = 1.0
    """How often each position is trained on."""
    target: str = "move"
    """What an enforcer learns from records: the move that was played among the candidates, or all legal ones alike."""
    candidates_weight: float = 0.2
    """Of the loss that keeps legal moves above 0 and others below while an enforcer learns moves."""
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        if self.optimizer not in OPTIMIZERS:
            raise ValueError(f"optimizer is {self.optimizer!r}; there are {', '.join(OPTIMIZERS)}")
        if self.target not in TARGETS:
            raise ValueError(f"target is {self.target!r}; there are {', '.join(TARGETS)}")
        for name in ("lr", "batch_size", "epochs"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)} and must be above 0")
