"""Laboratories: packages with what only one game has, above the arena and found by the game's id."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from tengen.games import Game

__all__ = ["find_laboratory"]


def find_laboratory(game: Game) -> ModuleType | None:
    """Return the game's laboratory, or None if it has none."""
    name = f"tengen.labs.{game.id}"
    if not game.id.isidentifier() or importlib.util.find_spec(name) is None:
        return None
    return importlib.import_module(name)
