"""Pyrga's actions in words: `square b2`, `circle b2`, `arrow b2 up`, or in short `Sb2`, `Cb2`, `Ab2^`."""

from __future__ import annotations

import re

from tengen.games.action_names import name_of
from tengen.games.errors import NotationError
from tengen.games.translation import Translation

__all__ = ["CELLS", "DIRECTIONS", "KINDS", "display_name", "format_action", "format_short", "parse_action", "touches"]

KINDS = ("square", "circle", "arrow")
DIRECTIONS = ("up", "right", "down", "left")
_SIGNS = "^>v<"
CELLS = tuple(f"{column}{row}" for row in "1234" for column in "abcd")

_NAMES = (
    *(f"square {cell}" for cell in CELLS),
    *(f"circle {cell}" for cell in CELLS),
    *(f"arrow {cell} {direction}" for cell in CELLS for direction in DIRECTIONS),
)
_SHORT_NAMES = (
    *(f"S{cell}" for cell in CELLS),
    *(f"C{cell}" for cell in CELLS),
    *(f"A{cell}{sign}" for cell in CELLS for sign in _SIGNS),
)

_PATTERN = re.compile(
    r"(?P<kind>square|circle|arrow|[sca])\s*(?P<cell>[a-z]\d+)(?:\s*(?P<direction>up|right|down|left|[\^>v<]))?",
    re.ASCII | re.IGNORECASE,
)
_ENGLISH = Translation()
_EXPECTED = "expected 'square b2', 'circle b2' or 'arrow b2 up', in short Sb2, Cb2 or Ab2^ (^ > v <)"


def format_action(action: int) -> str:
    return name_of(_NAMES, action)


def format_short(action: int) -> str:
    return name_of(_SHORT_NAMES, action)


def display_name(words: Translation, action: int) -> str:
    """The long name in the reader's language."""
    kind, cell, *direction = format_action(action).split()
    return " ".join([words(kind), cell, *map(words, direction)])


def touches(words: Translation, action: int) -> tuple[str, str]:
    """The cell, and what is put there: `b2`, `arrow up`."""
    kind, cell, *direction = format_action(action).split()
    return cell, " ".join(map(words, [kind, *direction]))


def parse_action(text: str, words: Translation = _ENGLISH) -> int:
    """An action from its long or short name, also in the reader's language; case does not matter. Whether it is legal
    is another question."""
    plain = text.strip()
    for name in (*KINDS, *DIRECTIONS):
        plain = plain.replace(words(name), name)
    found = _PATTERN.fullmatch(plain)
    if found is None:
        raise NotationError(words("{text!r} is no action of Pyrga: {expected}", text=text, expected=words(_EXPECTED)))
    kind = found["kind"][0].lower()
    if found["cell"].lower() not in CELLS:
        told = "{text!r} names the cell {cell!r}: cells are a1 (top left) to d4"
        raise NotationError(words(told, text=text, cell=found["cell"]))
    cell = CELLS.index(found["cell"].lower())
    if kind != "a":
        if found["direction"] is not None:
            told = "{text!r} gives a direction, which only arrows have: {expected}"
            raise NotationError(words(told, text=text, expected=words(_EXPECTED)))
        return cell if kind == "s" else 16 + cell
    if found["direction"] is None:
        told = "{text!r} lacks the arrow's direction: up, right, down or left, in short ^ > v <"
        raise NotationError(words(told, text=text))
    direction = found["direction"].lower()
    return 32 + 4 * cell + (_SIGNS.index(direction) if direction in _SIGNS else DIRECTIONS.index(direction))
