"""Pyrga's actions in words: `square b2`, `circle b2`, `arrow b2 up`, or in short `Sb2`, `Cb2`, `Ab2^`."""

from __future__ import annotations

import re

from tengen.games.action_names import name_of
from tengen.games.errors import NotationError

__all__ = ["CELLS", "DIRECTIONS", "format_action", "format_short", "parse_action", "touches"]

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
_EXPECTED = "expected 'square b2', 'circle b2' or 'arrow b2 up', in short Sb2, Cb2 or Ab2^ (^ > v <)"


def format_action(action: int) -> str:
    return name_of(_NAMES, action)


def format_short(action: int) -> str:
    return name_of(_SHORT_NAMES, action)


def touches(action: int) -> tuple[str, str]:
    """The cell, and what is put there: `b2`, `arrow up`."""
    kind, cell, *direction = format_action(action).split()
    return cell, " ".join([kind, *direction])


def parse_action(text: str) -> int:
    """An action from its long or short name; case does not matter. Whether it is legal is another question."""
    found = _PATTERN.fullmatch(text.strip())
    if found is None:
        raise NotationError(f"{text!r} is no action of Pyrga: {_EXPECTED}")
    kind = found["kind"][0].lower()
    if found["cell"].lower() not in CELLS:
        raise NotationError(f"{text!r} names the cell {found['cell']!r}: cells are a1 (top left) to d4")
    cell = CELLS.index(found["cell"].lower())
    if kind != "a":
        if found["direction"] is not None:
            raise NotationError(f"{text!r} gives a direction, which only arrows have: {_EXPECTED}")
        return cell if kind == "s" else 16 + cell
    if found["direction"] is None:
        raise NotationError(f"{text!r} lacks the arrow's direction: up, right, down or left, in short ^ > v <")
    direction = found["direction"].lower()
    return 32 + 4 * cell + (_SIGNS.index(direction) if direction in _SIGNS else DIRECTIONS.index(direction))
