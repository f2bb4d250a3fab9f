"""Shogi by two networks that teach each other: a prophet that foretells who wins, an enforcer that names moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tengen.games import BuiltinPlayer
    from tengen.games.shogi import Shogi
    from tengen.runs import Run

__all__ = ["find_builtin_player", "resume"]


def find_builtin_player(name: str, game: Shogi) -> BuiltinPlayer | None:
    """Return a player of networks: `pair:FOLDER`, `enforcer:FILE` or `prophet:FILE`; None for other names."""
    from tengen.labs.shogi.players import read_player

    return read_player(game, name)


def resume(run: Run, workers: str) -> bool:
    """Continue a run of `tengen shogi workflow`. Return False if it is another run."""
    from tengen.labs.shogi.workflow import WORKFLOW

    if WORKFLOW not in run.settings:
        return False
    from tengen.labs.shogi.commands.workflow import continue_workflow

    continue_workflow(run, workers)
    return True
