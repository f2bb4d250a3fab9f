"""Connect Four's board as text and as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.games.drawing import FAINT, INK, SEAT_NAMES, Canvas, paint_faint, paint_seat
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games.translation import Translation

COLUMNS = "abcdefg"
_ROWS = 6
_GLYPHS = ("●", "○")
_DISCS = ("#d8453a", "#f2c230")
_RIMS = ("#a52f27", "#c79a12")
_FRAME = "#2a5ca8"
_HOLE = "#e9eef6"


@dataclass(frozen=True, slots=True)
class Board:
    """A position, read from the feature planes that seat 0 sees. Cells are (row, column), row 0 at the top."""

    stones: dict[tuple[int, int], int]  # cell -> seat
    actor: int | None
    payoffs: tuple[float, ...] | None  # when the game is over
    last: tuple[int, int] | None = None

    @classmethod
    def read(
        cls,
        planes: NDArray[np.float32],
        actor: int | None,
        payoffs: Iterable[float] | None,
        last_column: int | None = None,
    ) -> Board:
        cells = [(row, column) for row in range(_ROWS) for column in range(len(COLUMNS))]
        stones = {cell: seat for seat in (0, 1) for cell in cells if planes[(seat, *cell)]}
        last = min((cell for cell in stones if cell[1] == last_column), default=None)
        return cls(stones, actor, None if payoffs is None else tuple(payoffs), last)

    def winning_cells(self) -> set[tuple[int, int]]:
        """Every cell of a line of four."""
        found = set()
        for (row, column), seat in self.stones.items():
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + i * down, column + i * right) for i in range(4)]
                if all(self.stones.get(cell) == seat for cell in line):
                    found.update(line)
        return found

    def status(self, words: Translation) -> tuple[str, int | None]:
        """How the game stands, and the seat it is about."""
        if self.payoffs is None:
            if self.actor is None:
                return "", None
            return words("{player} to move", player=words(SEAT_NAMES[self.actor])), self.actor
        if self.payoffs[0] == 0:
            return words("draw"), None
        winner = int(self.payoffs[1] > 0)
        return words("{player} wins", player=words(SEAT_NAMES[winner])), winner


def draw_text(board: Board, words: Translation, color: bool = False) -> str:
    # The winning line, or the last stone, goes between brackets.
    marked = board.winning_cells() or ({board.last} if board.last else set())
    lines = ["  " + " ".join(COLUMNS)]
    for row in range(_ROWS):
        text = ""
        for column in range(len(COLUMNS) + 1):
            before, here = (row, column - 1) in marked, (row, column) in marked
            text += " " if before == here else "[" if here else "]"
            if column < len(COLUMNS):
                seat = board.stones.get((row, column))
                text += paint_faint("·", color) if seat is None else paint_seat(_GLYPHS[seat], seat, color)
        lines.append(f"│{text}│")
    lines.append("└" + "─" * (2 * len(COLUMNS) + 1) + "┘")
    status, seat = board.status(words)
    mark = "" if seat is None else paint_seat(_GLYPHS[seat], seat, color) + " "
    lines.append(f"  {mark}{status}".rstrip())
    return "\n".join(lines)


_CELL = 64
_LEFT = 28
_TOP = 52


def draw_svg(board: Board, words: Translation) -> str:
    width = len(COLUMNS) * _CELL
    height = _ROWS * _CELL
    canvas = Canvas(width + 2 * _LEFT, height + _TOP + 66, words("A position of Connect Four"))
    for column, letter in enumerate(COLUMNS):
        canvas.text(_LEFT + (column + 0.5) * _CELL, 26, letter, fill=FAINT)
    canvas.rect(_LEFT - 8, _TOP - 8, width + 16, height + 16, rx=16, fill=_FRAME)
    winning = board.winning_cells()
    for row in range(_ROWS):
        for column in range(len(COLUMNS)):
            x = _LEFT + (column + 0.5) * _CELL
            y = _TOP + (row + 0.5) * _CELL
            seat = board.stones.get((row, column))
            if seat is None:
                canvas.circle(x, y, 25, fill=_HOLE, stroke="#1d447f", stroke_width=2)
                continue
            _draw_disc(canvas, x, y, seat, 25)
            if (row, column) in winning:
                canvas.circle(x, y, 27, fill="none", stroke="#ffffff", stroke_width=4.5)
            if (row, column) == board.last:
                canvas.circle(x, y, 6, fill="#ffffff", stroke=INK, stroke_width=1.5)
    status, seat = board.status(words)
    y = _TOP + height + 38
    if seat is not None:
        _draw_disc(canvas, _LEFT + 12, y, seat, 11)
    canvas.text(_LEFT + 34, y, status, 17, text_anchor="start")
    return canvas.svg()


def find_spots(board: Board, words: Translation) -> list[Spot]:
    """The columns; their stones from the bottom on, for who listens."""
    spots = []
    height = _ROWS * _CELL
    for column, letter in enumerate(COLUMNS):
        stones = [board.stones[row, column] for row in reversed(range(_ROWS)) if (row, column) in board.stones]
        label = words(", ").join(words(SEAT_NAMES[seat]) for seat in stones)
        spots.append(Spot(letter, _LEFT + (column + 0.5) * _CELL, _TOP + height / 2, _CELL, height, label))
    return spots


def _draw_disc(canvas: Canvas, x: float, y: float, seat: int, radius: float) -> None:
    canvas.circle(x, y, radius, fill=_DISCS[seat], stroke=_RIMS[seat], stroke_width=0.08 * radius)
    canvas.circle(x, y, 0.68 * radius, fill="none", stroke=_RIMS[seat], stroke_width=0.07 * radius)
