"""Where a battle stands, as requests tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.analysis.adapters import GamePosition
from tengen.games.pokemon.tracker import Tracker

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BattlePosition", "track"]


@dataclass(frozen=True)
class BattlePosition(GamePosition):
    viewer: int = 0
    """Who asks where both choose."""
    log: tuple[str, ...] = ()
    """What the viewer was sent, where the battle is not one of ours."""


def track(lines: Sequence[str]) -> Tracker:
    tracker = Tracker()
    tracker.feed_all(lines)
    return tracker
