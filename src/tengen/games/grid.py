"""Boards of squares for one's own game: their drawing, and the spots to touch."""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tengen.games.drawing import CELL, EDGE, FAINT, HIGHLIGHT, INK, SEAT_COLORS, Canvas
from tengen.games.errors import GameError
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Grid"]

_MARGIN = 34.0
_NOTE = 34.0
"""The height of the line below the board."""


@dataclass(frozen=True)
class Grid:
    """Cells are named as on most boards: columns a, b, … from the left, then rows 1, 2, … from the top, or with
    `from_bottom` from there."""

    columns: int
    rows: int
    size: float = 64.0
    """Of a cell."""
    from_bottom: bool = False

    def __post_init__(self) -> None:
        if not (1 <= self.columns <= len(string.ascii_lowercase) and self.rows >= 1 and self.size > 0):
            raise GameError(
                f"no board: {self.columns} columns, {self.rows} rows, cells of {self.size:g}: expected 1 to 26 "
                "columns, a row or more, and cells of some size"
            )

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Names, row by row from the top."""
        numbers = range(self.rows, 0, -1) if self.from_bottom else range(1, self.rows + 1)
        letters = string.ascii_lowercase[: self.columns]
        return tuple(f"{letter}{number}" for number in numbers for letter in letters)

    def svg(
        self,
        pieces: Mapping[str, str],
        *,
        seats: Mapping[str, int] | None = None,
        last: str | None = None,
        title: str = "A board",
        note: str = "",
    ) -> str:
        """`pieces` are letters, or any short texts, by cell; `seats` gives them the colors of players. `last` is a cell
        to be marked, and `note` stands below."""
        self._check((*pieces, *(seats or ()), *([] if last is None else [last])))
        width = self.columns * self.size + 2 * _MARGIN
        canvas = Canvas(width, self.rows * self.size + 2 * _MARGIN + (_NOTE if note else 0), title)
        for column in range(self.columns):
            canvas.text(self._x(column), _MARGIN / 2, string.ascii_lowercase[column], 15, fill=FAINT)
        for row in range(self.rows):
            canvas.text(_MARGIN / 2, self._y(row), self.cells[row * self.columns][1:], 15, fill=FAINT)
        for index, cell in enumerate(self.cells):
            self._draw_cell(canvas, index, cell == last)
            if cell in pieces:
                color = INK if seats is None or cell not in seats else SEAT_COLORS[seats[cell] % len(SEAT_COLORS)]
                text = pieces[cell]
                large = 0.62 * self.size / max(1.0, 0.55 * len(text))
                canvas.text(*self._middle(index), text, large, fill=color, font_weight="bold")
        if note:
            canvas.text(width / 2, self.rows * self.size + 2 * _MARGIN + _NOTE / 2 - 8, note, 16)
        return canvas.svg()

    def spots(self, labels: Mapping[str, str] | None = None) -> list[Spot]:
        """One a cell, named as it is; `labels` say what lies there, for who listens."""
        self._check(labels or ())
        told = labels or {}
        return [
            Spot(cell, *self._middle(index), self.size, self.size, told.get(cell, ""))
            for index, cell in enumerate(self.cells)
        ]

    def _x(self, column: int) -> float:
        return _MARGIN + (column + 0.5) * self.size

    def _y(self, row: int) -> float:
        return _MARGIN + (row + 0.5) * self.size

    def _middle(self, index: int) -> tuple[float, float]:
        row, column = divmod(index, self.columns)
        return self._x(column), self._y(row)

    def _draw_cell(self, canvas: Canvas, index: int, is_last: bool) -> None:
        x, y = self._middle(index)
        edge, width = (HIGHLIGHT, 3) if is_last else (EDGE, 1.5)
        side = self.size - 6
        canvas.rect(x - side / 2, y - side / 2, side, side, rx=8, fill=CELL, stroke=edge, stroke_width=width)

    def _check(self, cells: Iterable[str]) -> None:
        wrong = sorted(set(cells) - set(self.cells))
        if wrong:
            raise GameError(f"the board has no cell {wrong[0]!r}: there are {self.cells[0]} to {self.cells[-1]}")
