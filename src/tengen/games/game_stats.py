"""What a game counts of a finished game beyond its payoffs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Rate"]


@dataclass(frozen=True)
class Rate:
    """The share of one count in another, both summed over games."""

    part: str
    whole: str
    safe: float | None = None
    """The most that a player should have who is to be promoted; None: no limit."""
