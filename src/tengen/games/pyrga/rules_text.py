"""Pyrga's rules in words: for a newcomer, and why an action is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.pyrga.notation import CELLS, DIRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["guide", "why_illegal"]

_SQUARE, _CIRCLE, _ARROW = range(3)
_KINDS = ("square", "circle", "arrow")

_GUIDE = """\
Each player has 5 squares, 5 circles and 5 arrows. The piece just placed says
where the next one may go; the board shows those cells by dots:
  after a square   to the cells above, below, left and right of it
  after a circle   to the same cell
  after an arrow   to any cell that it points to, as far as the edge
A cell holds at most one piece of each kind, whoever placed them. If none of
those cells takes a piece that you still have, or the arrow points off the
board, you may go to any empty cell; with none left, the game is over.
A cell with all three kinds is a tower of the player with more pieces in it.
Who has more towers wins.{house}

To move, type square b2, circle b2 or arrow b2 up (right, down, left), in short
Sb2, Cb2, Ab2^ (> v <); columns a to d from the left, rows 1 to 4 from the top."""

_HOUSE = {
    "arrows_stay_on_board": "An arrow may not point off the board.",
    "second_square_ban": "Who opened with a square may not place a square on the next move.",
    "tie_break": "Equal towers: cells with two pieces decide, then with one, else the second wins.",
}


def guide(settings: Mapping[str, Any]) -> str:
    return _GUIDE.format(house="".join(f"\n{text}" for name, text in _HOUSE.items() if settings[name]))


def why_illegal(planes: NDArray[np.float32], settings: Mapping[str, Any], action: int) -> str:
    """`planes` are what the player to move sees."""
    flat = planes.reshape(planes.shape[0], 16)
    kind, cell = divmod(action, 16) if action < 32 else (_ARROW, (action - 32) // 4)
    own, taken = flat[:3], flat[:3] + flat[3:6]
    if not flat[10 + kind, 0]:
        return f"you have no {_KINDS[kind]}s left"
    # Each player has made one move, and the own one was a square.
    if settings["second_square_ban"] and kind == _SQUARE and own.sum() == taken.sum() - 1 == 1 and own[_SQUARE].any():
        return "who opened with a square may not place a square on the next move"
    pointed, is_open = set(flat[16].nonzero()[0]), set(flat[17].nonzero()[0])
    if not is_open <= pointed:
        stuck = ", and no piece of yours fits there" if pointed else ""
        return f"{_last_piece(flat, pointed)}{stuck}, so you go to an empty cell, which {CELLS[cell]} is not"
    if cell not in pointed:
        return f"{_last_piece(flat, pointed)}, so the next piece goes to {_listed(is_open)}"
    if taken[kind, cell]:
        return f"{CELLS[cell]} holds {_a(kind)} already, and a cell takes one piece of each kind"
    return f"an arrow may not point off the board, as this one at {CELLS[cell]} would"


def _last_piece(flat: NDArray[np.float32], pointed: set[int]) -> str:
    """By the cells that it points to: its own, those around it, or a ray."""
    [last] = flat[19].nonzero()[0]
    rows, columns = {cell // 4 for cell in pointed}, {cell % 4 for cell in pointed}
    if pointed == {last}:
        return f"the last piece is a circle at {CELLS[last]}"
    if len(rows) > 1 and len(columns) > 1:
        return f"the last piece is a square at {CELLS[last]}"
    direction = DIRECTIONS[next(d for d in range(4) if flat[6 + d, last])]
    return f"the arrow at {CELLS[last]} points {direction}{'' if pointed else ' off the board'}"


def _a(kind: int) -> str:
    return f"{'an' if kind == _ARROW else 'a'} {_KINDS[kind]}"


def _listed(cells: Iterable[int]) -> str:
    *most, last = (CELLS[cell] for cell in sorted(cells))
    return f"{', '.join(most)} or {last}" if most else last
