"""Places of a drawing that can be touched."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Spot"]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of a game's drawing, in the drawing's units."""

    id: str
    """What touches() calls it, such as d4."""
    x: float
    """Its middle."""
    y: float
    width: float
    height: float
    label: str = ""
    """What lies there, for who listens: black stone."""
    is_supply: bool = False
    """A hand or a reserve: an action that begins here is shown where it ends."""
