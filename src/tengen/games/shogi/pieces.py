"""Squares, pieces and colors as the core numbers them."""

from __future__ import annotations

from typing import Final

__all__ = [
    "BLACK",
    "EMPTY",
    "HAND_KINDS",
    "KINDS",
    "LETTERS",
    "PROMOTED",
    "WHITE",
    "color_of",
    "drop_name",
    "kind_of",
    "make_piece",
    "parse_square",
    "piece_of_letter",
    "square_name",
]

BLACK: Final = 0
WHITE: Final = 1
EMPTY: Final = 0

KINDS: Final = ("P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R")
"""By number; a promoted kind is its kind plus PROMOTED."""
PROMOTED: Final = 8
HAND_KINDS: Final = 7
"""The first of them can be in hand."""
LETTERS: Final = "PLNSBRGK"


def make_piece(color: int, kind: int) -> int:
    return 1 + kind + 16 * color


def color_of(piece: int) -> int:
    return piece >> 4


def kind_of(piece: int) -> int:
    return (piece & 15) - 1


def piece_of_letter(piece: int) -> str:
    """SFEN's: capitals are Black's."""
    letters = KINDS[kind_of(piece)]
    return letters if color_of(piece) == BLACK else letters.lower()


def drop_name(color: int, kind: int) -> str:
    """How a drop begins: USI's P*, and p* where it is White's."""
    return f"{KINDS[kind] if color == BLACK else KINDS[kind].lower()}*"


def square_name(square: int) -> str:
    """USI's: file 1 to 9, rank a to i."""
    file, rank = divmod(square, 9)
    return f"{file + 1}{'abcdefghi'[rank]}"


def parse_square(text: str) -> int | None:
    """None: it is no square."""
    if len(text) != 2 or text[0] not in "123456789" or text[1] not in "abcdefghi":
        return None
    return (ord(text[0]) - ord("1")) * 9 + ord(text[1]) - ord("a")
