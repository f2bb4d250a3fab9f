"""Shogi by two networks that teach each other: a prophet that foretells who wins, an enforcer that names moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tengen.games import BuiltinPlayer
    from tengen.games.shogi import Shogi

__all__ = ["find_builtin_player"]


def find_builtin_player(name: str, game: Shogi) -> BuiltinPlayer | None:
    """Players of networks: `pair:FOLDER`, `enforcer:FILE`, `prophet:FILE`; None: no such name."""
    from tengen.labs.shogi.players import read_player

    return read_player(game, name)
