"""Matgo's own way of learning: traces of its decisions, small models made of them, and the players that ask these."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tengen.games import BuiltinPlayer
    from tengen.games.matgo import Matgo

__all__ = ["find_builtin_player"]


def find_builtin_player(name: str, game: Matgo) -> BuiltinPlayer | None:
    """Players that ask a model: `frequency:FILE`, `linear:FILE`, `mix:attack=FILE,defense=FILE`; None: no such name."""
    from tengen.labs.matgo.models import model_player

    return model_player(game, name)
