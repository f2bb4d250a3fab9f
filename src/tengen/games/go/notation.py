"""Points of a Go board in words: D4, pass, and (3,15) counted from the top left."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from tengen.games.errors import NotationError
from tengen.games.translation import Translation

__all__ = ["OFF_BOARD", "Color", "OffBoard", "VertexError", "format_vertex", "parse_color", "parse_vertex"]

Color: TypeAlias = Literal["black", "white"]

OFF_BOARD: Final = -1
"""Stands for a point that the board does not have, where a list of cells must keep its place."""
_COLUMNS: Final = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_WHITESPACE: Final = " \t\r\n\v\f"
_NUMBER: Final = re.compile(rf"[{_WHITESPACE}]*([+-]?[0-9]+)[{_WHITESPACE}]*")
_VERTEX: Final = re.compile(r"([A-HJ-Za-hj-z]{1,2})([^A-Za-z].*)", re.DOTALL)
_ENGLISH: Final = Translation()


class VertexError(NotationError):
    """A text that names no point of the board."""


class OffBoard(VertexError):  # noqa: N818 - says which of the two it is
    """A pair of numbers that lies outside of the board."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name
        """How KataGo names the point in its errors."""


def parse_color(text: str) -> Color:
    """b, w, black or white, in any case."""
    found = {"b": "black", "black": "black", "w": "white", "white": "white"}.get(text.lower())
    if found is None or not text.isascii():
        raise NotationError(f"Could not parse player: {text}: expected b or w")
    return "black" if found == "black" else "white"


def parse_vertex(text: str, width: int, height: int, words: Translation = _ENGLISH) -> int:
    """The cell, row by row from the top left; width * height is a pass. Raises VertexError, off the board OffBoard.

    `words` are the language in which a pass is read too, and errors are told."""
    plain = text.strip(_WHITESPACE)
    if plain.lower() in ("pass", "pss", words("pass")):
        return width * height
    if plain.startswith("(") and plain.endswith(")") and len(plain) > 1:
        return _parse_pair(plain, width, height, words)
    found = _VERTEX.fullmatch(plain)
    row = _parse_number(found[2]) if found else None
    if found is None or row is None:
        raise VertexError(
            words("Could not parse board location: {text}: expected a point such as D4, or pass", text=text)
        )
    x = 0
    for letter in found[1].upper():
        x = x * 25 + _COLUMNS.index(letter) + 1
    x, y = x - 1, height - row
    if not (0 <= x < width and 0 <= y < height):
        last = format_vertex(width - 1, width, height)
        told = "Could not parse board location: {text}: expected a point from A1 to {last}, or pass"
        raise VertexError(words(told, text=text, last=last))
    return y * width + x


@lru_cache(maxsize=4096)
def format_vertex(cell: int, width: int, height: int) -> str:
    """The name of a cell that parse_vertex reads."""
    if cell == width * height:
        return "pass"
    if not 0 <= cell < width * height:
        raise VertexError(f"cell {cell} is none of a board of {width}x{height}: 0 to {width * height}, the last a pass")
    y, x = divmod(cell, width)
    first = _COLUMNS[x // 25 - 1] if x >= 25 else ""
    return f"{first}{_COLUMNS[x % 25]}{height - y}"


def _parse_number(text: str) -> int | None:
    """A decimal number of 32 bits."""
    found = _NUMBER.fullmatch(text) if len(text) < 100 else None
    number = int(found[1]) if found else None
    return number if number is not None and -(2**31) <= number < 2**31 else None


def _parse_pair(text: str, width: int, height: int, words: Translation) -> int:
    # A comma may follow the last number, but nothing may follow it.
    parts = text[1:-1].removesuffix(",").split(",")
    x, y = (_parse_number(part) for part in parts) if len(parts) == 2 else (None, None)
    name = "" if x is None or y is None else _wrapped_name(x, y, width, height)
    if x is None or y is None or not name:
        raise VertexError(
            words("Could not parse board location: {text}: expected two numbers such as (3,15)", text=text)
        )
    if not (0 <= x < width and 0 <= y < height):
        told = "{text!r} is off the board: x is 0 to {right}, y from the top 0 to {bottom}"
        raise OffBoard(words(told, text=text, right=width - 1, bottom=height - 1), name)
    return y * width + x


def _wrapped_name(x: int, y: int, width: int, height: int) -> str:
    """KataGo keeps points in rows of width + 1 places of 16 bits, of which the first means none at all."""
    stride = width + 1
    place = ((x + 1) + (y + 1) * stride + 2**15) % 2**16 - 2**15
    # Division as C does it, towards zero.
    row = abs(place) // stride * (1 if place >= 0 else -1)
    shown_x, shown_y = place - row * stride - 1, row - 1
    # The second place stands for a pass; that and places on the board would be played there, and never here.
    is_playable = place == 1 or (0 <= shown_x < width and 0 <= shown_y < height)
    return "" if place == 0 else f"({x},{y})" if is_playable else f"({shown_x},{shown_y})"
