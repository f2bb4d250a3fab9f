"""Lines of USI: parsing and formatting."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tengen.games import State

__all__ = ["ascii_line", "format_position", "words_of_line"]

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_CONTROL: Final = re.compile(r"[^\x20-\x7e]+")
_LONGEST: Final = 1 << 18


def words_of_line(line: bytes) -> list[str]:
    """Return the words of a line, without a byte order mark, a carriage return and bytes that are no text."""
    text = line[:_LONGEST].removeprefix(_BYTE_ORDER_MARK).decode("utf-8", "replace")
    return text.replace("\x00", "").split()


def ascii_line(text: str) -> str:
    """Return a text as one line of 7-bit ASCII."""
    return _CONTROL.sub("?", text.replace("\t", " "))


def format_position(state: State) -> str:
    """Return the arguments of `position`: the start of the game and its moves."""
    from tengen.games.shogi import Shogi

    game, first = state.game, state.initial
    assert isinstance(game, Shogi)
    begun = "startpos" if first == game.start() else f"sfen {game.sfen(first)}"
    return " ".join([begun, "moves", *state.names]) if state.history else begun
