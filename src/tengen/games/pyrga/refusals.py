"""Why an action of Pyrga is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.pyrga.notation import CELLS, DIRECTIONS, KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games.translation import Translation

__all__ = ["why_illegal"]

_SQUARE, _CIRCLE, _ARROW = range(3)
_PIECES = ("a square", "a circle", "an arrow")


def why_illegal(words: Translation, planes: NDArray[np.float32], settings: Mapping[str, Any], action: int) -> str:
    """`planes` are what the player to move sees."""
    flat = planes.reshape(planes.shape[0], 16)
    kind, cell = divmod(action, 16) if action < 32 else (_ARROW, (action - 32) // 4)
    own, taken = flat[:3], flat[:3] + flat[3:6]
    if not flat[10 + kind, 0]:
        return words("you have no {piece}s left", piece=words(KINDS[kind]))
    # Each player has made one move, and the own one was a square.
    if settings["second_square_ban"] and kind == _SQUARE and own.sum() == taken.sum() - 1 == 1 and own[_SQUARE].any():
        return words("who opened with a square may not place a square on the next move")
    pointed, is_open = set(flat[16].nonzero()[0]), set(flat[17].nonzero()[0])
    if not is_open <= pointed:
        told = "{last}, so you go to an empty cell, which {cell} is not"
        if pointed:
            told = "{last}, and no piece of yours fits there, so you go to an empty cell, which {cell} is not"
        return words(told, last=_last_piece(words, flat, pointed), cell=CELLS[cell])
    if cell not in pointed:
        last, cells = _last_piece(words, flat, pointed), _listed(words, is_open)
        return words("{last}, so the next piece goes to {cells}", last=last, cells=cells)
    if taken[kind, cell]:
        told = "{cell} holds {piece} already, and a cell takes one piece of each kind"
        return words(told, cell=CELLS[cell], piece=words(_PIECES[kind]))
    return words("an arrow may not point off the board, as this one at {cell} would", cell=CELLS[cell])


def _last_piece(words: Translation, flat: NDArray[np.float32], pointed: set[int]) -> str:
    """By the cells that it points to: its own, those around it, or a ray."""
    [last] = flat[19].nonzero()[0]
    rows, columns = {cell // 4 for cell in pointed}, {cell % 4 for cell in pointed}
    is_square = len(rows) > 1 and len(columns) > 1
    if is_square or pointed == {last}:
        piece = words(_PIECES[_SQUARE if is_square else _CIRCLE])
        return words("the last piece is {piece} at {cell}", piece=piece, cell=CELLS[last])
    direction = words(DIRECTIONS[next(d for d in range(4) if flat[6 + d, last])])
    told = "the arrow at {cell} points {direction}"
    if not pointed:
        told = "the arrow at {cell} points {direction} off the board"
    return words(told, cell=CELLS[last], direction=direction)


def _listed(words: Translation, cells: Iterable[int]) -> str:
    *most, last = (CELLS[cell] for cell in sorted(cells))
    return f"{', '.join(most)}{words(' or ')}{last}" if most else last
