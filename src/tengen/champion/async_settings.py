"""Settings of runs in which self-play, training and gates take place at the same time."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["ActorSettings"]


@dataclass(frozen=True)
class ActorSettings:
    """Workers that play all the time, in a run with `asynchronous`; other runs ignore these settings."""

    chunk_games: int = 0
    """Games that a worker plays with one network before it takes the newest one; 0: as many as selfplay.parallel."""
    gate_share: float = 0.2
    """Largest share of the workers' time that gates and ratings take while games are played to learn from; 0: they are
    played at the end."""
    stale_after: int = 2
    """Number of newer networks that may be trained while a chunk is played before its games count as stale."""
    stale_weight: float = 0.5
    """Share of the samples of stale games that is trained on, drawn at random; 0 drops them all."""
    backlog: float = 2.0
    """Workers pause when the games of so many further iterations are waiting for training."""

    def __post_init__(self) -> None:
        if self.chunk_games < 0:
            raise ValueError(f"learning: actors.chunk_games is {self.chunk_games} and must be at least 0")
        if self.stale_after < 0:
            raise ValueError(f"learning: actors.stale_after is {self.stale_after} and must be at least 0")
        if not 0 <= self.gate_share <= 1:
            raise ValueError(f"learning: actors.gate_share is {self.gate_share} and must be from 0 to 1")
        if not 0 <= self.stale_weight <= 1:
            raise ValueError(f"learning: actors.stale_weight is {self.stale_weight} and must be from 0 to 1")
        if not 0 < self.backlog < math.inf:
            raise ValueError(f"learning: actors.backlog is {self.backlog} and must be above 0")
