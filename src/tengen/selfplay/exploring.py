"""How often a player tries something at random, and how that fades over a run."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Exploration"]


@dataclass(frozen=True)
class Exploration:
    """A rate is min + (base - min) · exp(-decay_k · progress), with progress from 0 to 1 over the run."""

    rate: float = 0.0
    """At the beginning, of all decisions."""
    rate_comeback: float = 0.0
    """The same for decisions of a player who is far behind."""
    decay_k: float = 0.0
    """0 keeps the rates as they are."""
    minimum: float = 0.0
    comeback_minimum: float = 0.0

    def __post_init__(self) -> None:
        for name in ("rate", "rate_comeback", "minimum", "comeback_minimum"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"the exploration's {name} is {getattr(self, name)} and must be from 0 to 1")
        if not (0 <= self.decay_k < math.inf):
            raise ValueError(f"the exploration's decay_k is {self.decay_k} and must be at least 0")

    def at(self, progress: float, *, is_comeback: bool = False) -> float:
        base, least = (self.rate_comeback, self.comeback_minimum) if is_comeback else (self.rate, self.minimum)
        return least + (base - least) * math.exp(-self.decay_k * progress)
