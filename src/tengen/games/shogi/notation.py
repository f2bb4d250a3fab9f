"""Moves as texts: USI, by which actions are named. Japanese texts: records/japanese_moves.py."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tengen import _core
from tengen.games.action_names import name_of
from tengen.games.shogi.pieces import LETTERS, drop_name, square_name

__all__ = [
    "WIN",
    "Move",
    "action_of_usi",
    "format_usi",
    "move_of",
    "square_text",
    "touches",
]

_RANKS = "一二三四五六七八九"
_FILES = "１２３４５６７８９"


@dataclass(frozen=True, slots=True)
class Move:
    """A move of a piece, or, with `dropped`, a drop."""

    to: int
    origin: int | None = None
    dropped: int | None = None
    promotes: bool = False


WIN = len(_core.Shogi.moves())
"""The action that declares a win."""


@cache
def _moves() -> tuple[Move, ...]:
    return tuple(
        Move(to, dropped=origin - 81) if origin >= 81 else Move(to, origin, promotes=promotes)
        for origin, to, promotes in _core.Shogi.moves()
    )


@cache
def _names() -> tuple[str, ...]:
    return (*map(_format, _moves()), "win")


@cache
def _actions() -> dict[str, int]:
    return {name: action for action, name in enumerate(_names())}


def _format(move: Move) -> str:
    if move.dropped is not None:
        return f"{LETTERS[move.dropped]}*{square_name(move.to)}"
    assert move.origin is not None
    return square_name(move.origin) + square_name(move.to) + "+" * move.promotes


def format_usi(action: int) -> str:
    return name_of(_names(), action)


def action_of_usi(text: str) -> int | None:
    """None: it is no move that any piece can make."""
    return _actions().get(text)


def move_of(action: int) -> Move:
    """Of any action but WIN."""
    return _moves()[action]


def touches(action: int, side: int) -> tuple[str, ...]:
    """From, to, and whether it promotes; of a drop the piece in hand, and to."""
    if action == WIN:
        return ("declare a win",)
    move = _moves()[action]
    if move.dropped is not None:
        return drop_name(side, move.dropped), square_name(move.to)
    assert move.origin is not None
    return square_name(move.origin), square_name(move.to), "promote" if move.promotes else "stay"


def square_text(square: int) -> str:
    """７六."""
    file, rank = divmod(square, 9)
    return _FILES[file] + _RANKS[rank]
