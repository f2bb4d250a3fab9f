"""Laboratories: what belongs to one game's way of learning, a package a game, with its commands and players.

A laboratory is an entry point of the group `tengen.labs`, whose name is the game's id. It has
`find_builtin_player(name, game)` for the players that it brings, and the table of `tengen <game>` in `commands`. A
laboratory whose commands begin runs has `resume(run, workers)` to continue them.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tengen.runs import Run

__all__ = ["matgo", "resume", "shogi"]


def resume(run: Run, workers: str) -> bool:
    """Continue a run that a laboratory's command began; return False for other runs."""
    name = str(run.settings.get("game", {}).get("name", ""))
    if not name.isidentifier() or importlib.util.find_spec(f"{__name__}.{name}") is None:
        return False
    lab = importlib.import_module(f"{__name__}.{name}")
    return hasattr(lab, "resume") and bool(lab.resume(run, workers))
