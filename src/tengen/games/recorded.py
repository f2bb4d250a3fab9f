"""Games that others have played, as files of a game's formats tell of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["RecordedGame"]


@dataclass(frozen=True)
class RecordedGame:
    actions: tuple[int, ...]
    payoffs: tuple[float, ...] | None
    """What each seat got; None: the file does not say."""
    start: dict[str, Any] = field(default_factory=dict)
    """Options of the game's start."""
