"""Laboratories: packages with what only one game has, above the arena and found by the game's id."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from tengen.arena.player_kinds import registered

if TYPE_CHECKING:
    from types import ModuleType

    from tengen.games import Game

__all__ = ["LABORATORIES", "find_laboratory"]

LABORATORIES: Final = "tengen.labs"
"""The group of entry points that are modules with players and logs of a game, by the game's id."""


def find_laboratory(game: Game) -> ModuleType | None:
    """Return the game's laboratory, or None if it has none."""
    return _load(game.id) if game.id in registered(LABORATORIES) else None


@cache
def _load(name: str) -> ModuleType:
    module: ModuleType = registered(LABORATORIES)[name].load()
    return module
