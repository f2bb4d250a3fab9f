"""How often a player acts at random, and how that fades over a run."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Exploration", "faded"]


@dataclass(frozen=True)
class Exploration:
    """The rate is min + (rate - min) · exp(-decay_k · progress), with progress from 0 to 1 over the run."""

    rate: float = 0.006
    min: float = 0.0
    decay_k: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.min <= self.rate <= 1:
            raise ValueError(
                f"exploration: rate is {self.rate}, min is {self.min}, and they must be from 0 to 1, min the smaller"
            )
        if not (math.isfinite(self.decay_k) and self.decay_k >= 0):
            raise ValueError(f"exploration: decay_k is {self.decay_k} and must be 0 or more")

    def at(self, progress: float) -> float:
        return faded(self.rate, self.min, self.decay_k, progress)


def faded(rate: float, least: float, decay_k: float, progress: float) -> float:
    return least + (rate - least) * math.exp(-decay_k * progress)
