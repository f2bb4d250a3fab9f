"""Pyrga's board as text and as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tengen.games.drawing import (
    CELL,
    EDGE,
    FAINT,
    HIGHLIGHT,
    INK,
    SEAT_COLORS,
    SEAT_NAMES,
    SEAT_TINTS,
    Canvas,
    pad,
    paint_faint,
    paint_seat,
)
from tengen.games.pyrga.notation import CELLS, DIRECTIONS, KINDS
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games.translation import Translation

SQUARE, CIRCLE, ARROW = range(3)
_RESERVE = 5
# By seat: square, circle, then the arrow up, right, down, left. The first player's pieces are filled.
_GLYPHS = (("■", "●", "▲", "▶", "▼", "◀"), ("□", "○", "△", "▷", "▽", "◁"))


class Piece(NamedTuple):
    kind: int
    seat: int
    direction: int  # 0 up, 1 right, 2 down, 3 left; 0 for squares and circles

    @property
    def glyph(self) -> str:
        return _GLYPHS[self.seat][self.kind + self.direction]

    @property
    def name(self) -> tuple[str, ...]:
        """In English, a word each: arrow, up."""
        return (KINDS[self.kind], DIRECTIONS[self.direction]) if self.kind == ARROW else (KINDS[self.kind],)


@dataclass(frozen=True, slots=True)
class Board:
    """A position, read from the feature planes that seat 0 sees."""

    cells: tuple[tuple[Piece, ...], ...]  # 16, row-major; pieces in the order of their kinds
    reserves: tuple[tuple[int, int, int], tuple[int, int, int]]
    open: frozenset[tuple[int, int]]  # (kind, cell) where the player to move may place
    actor: int | None
    last: int | None  # the cell of the last piece
    payoffs: tuple[float, ...] | None  # when the game is over

    @classmethod
    def read(
        cls, planes: NDArray[np.float32], actor: int | None, legal: Iterable[int], payoffs: Iterable[float] | None
    ) -> Board:
        flat = planes.reshape(planes.shape[0], 16)
        cells = []
        for cell in range(16):
            here = flat[:, cell]
            direction = next((d for d in range(4) if here[6 + d]), 0)
            cells.append(
                tuple(
                    Piece(kind, seat, direction if kind == ARROW else 0)
                    for kind in (SQUARE, CIRCLE, ARROW)
                    for seat in (0, 1)
                    if here[3 * seat + kind]
                )
            )
        left = [round(float(flat[plane, 0]) * _RESERVE) for plane in range(10, 16)]
        return cls(
            tuple(cells),
            ((left[0], left[1], left[2]), (left[3], left[4], left[5])),
            frozenset((a // 16, a % 16) if a < 32 else (ARROW, (a - 32) // 4) for a in legal),
            actor,
            next((cell for cell in range(16) if flat[19, cell]), None),
            None if payoffs is None else tuple(payoffs),
        )

    def tower(self, cell: int) -> int | None:
        """The seat that owns the tower on a cell."""
        pieces = self.cells[cell]
        if len(pieces) < 3:
            return None
        return int(sum(piece.seat for piece in pieces) >= 2)

    def standing(self, seat: int) -> str:
        """What is to be said of a player: to move, or how the game ended."""
        if self.payoffs is not None:
            return "draw" if self.payoffs[seat] == 0 else "wins" if self.payoffs[seat] > 0 else ""
        return "to move" if self.actor == seat else ""

    def towers(self, seat: int) -> int:
        return sum(self.tower(cell) == seat for cell in range(16))


def draw_text(board: Board, words: Translation, color: bool = False) -> str:
    """A dot marks where a piece of that kind may go; brackets mark towers."""
    lines = ["     a     b     c     d", "  ┌─────┬─────┬─────┬─────┐"]
    for row in range(4):
        cells = "│".join(_cell_text(board, 4 * row + column, color) for column in range(4))
        lines.append(f"{row + 1} │{cells}│")
        lines.append("  ├─────┼─────┼─────┼─────┤" if row < 3 else "  └─────┴─────┴─────┴─────┘")
    for seat, name in enumerate(SEAT_NAMES):
        left = "  ".join(f"{_GLYPHS[seat][kind]} {board.reserves[seat][kind]}" for kind in range(3))
        towers, standing = words("towers {count}", count=board.towers(seat)), words(board.standing(seat))
        line = f"  {pad(words(name), 6)}  {paint_seat(left, seat, color)}   {towers}  {standing}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def _cell_text(board: Board, cell: int, color: bool) -> str:
    slots = [paint_faint("·", color) if (kind, cell) in board.open else " " for kind in range(3)]
    for piece in board.cells[cell]:
        slots[piece.kind] = paint_seat(piece.glyph, piece.seat, color)
    owner = board.tower(cell)
    if owner is None:
        return f" {''.join(slots)} "
    return paint_seat("[", owner, color) + "".join(slots) + paint_seat("]", owner, color)


_SIZE = 100  # of a cell
_GAP = 8
_LEFT = 44
_TOP = 44
_BOARD = 4 * _SIZE + 3 * _GAP
_PANEL = 232
_RESERVE_SIZES = (34, 48, 60)  # by kind, so that the icons look equally large


def draw_svg(board: Board, words: Translation) -> str:
    canvas = Canvas(_LEFT + _BOARD + 28 + _PANEL, _TOP + _BOARD + 28, words("A position of Pyrga"))
    for i, (letter, number) in enumerate(zip("abcd", "1234", strict=True)):
        middle = i * (_SIZE + _GAP) + _SIZE / 2
        canvas.text(_LEFT + middle, _TOP / 2, letter, fill=FAINT)
        canvas.text(_LEFT / 2, _TOP + middle, number, fill=FAINT)
    for cell in range(16):
        _draw_cell(canvas, board, cell)
    for seat in (0, 1):
        _draw_panel(canvas, board, words, seat)
    return canvas.svg()


def find_spots(board: Board, words: Translation) -> list[Spot]:
    def owned(seat: int, *what: str) -> str:
        return words("{player} player's {piece}", player=words(SEAT_NAMES[seat]), piece=" ".join(map(words, what)))

    spots = []
    for cell, name in enumerate(CELLS):
        x, y = _corner(cell)
        owner = board.tower(cell)
        lying = [owned(piece.seat, *piece.name) for piece in board.cells[cell]]
        lying += [] if owner is None else [owned(owner, "tower")]
        spots.append(Spot(name, x + _SIZE / 2, y + _SIZE / 2, _SIZE, _SIZE, ", ".join(lying)))
    return spots


def _corner(cell: int) -> tuple[int, int]:
    return _LEFT + cell % 4 * (_SIZE + _GAP), _TOP + cell // 4 * (_SIZE + _GAP)


def _draw_cell(canvas: Canvas, board: Board, cell: int) -> None:
    x, y = _corner(cell)
    owner = board.tower(cell)
    fill, edge, width = CELL, EDGE, 1.5
    if owner is not None:
        fill, edge, width = SEAT_TINTS[owner], SEAT_COLORS[owner], 3.0
    canvas.rect(x, y, _SIZE, _SIZE, rx=12, fill=fill, stroke=edge, stroke_width=width)
    if any((kind, cell) in board.open for kind in range(3)):
        canvas.rect(x, y, _SIZE, _SIZE, rx=12, fill=HIGHLIGHT, fill_opacity=0.16, stroke=HIGHLIGHT, stroke_width=2.5)
    for piece in board.cells[cell]:
        _draw_piece(canvas, piece, x + _SIZE / 2, y + _SIZE / 2, _SIZE)
    if cell == board.last:
        canvas.circle(x + _SIZE - 9, y + 9, 4.5, fill=INK)


def _draw_piece(canvas: Canvas, piece: Piece, x: float, y: float, size: float, opacity: float = 1) -> None:
    """The three kinds nest: an arrow inside a circle inside a square."""
    color = SEAT_COLORS[piece.seat]
    if piece.kind == SQUARE:
        side = 0.74 * size
        canvas.rect(
            x - side / 2, y - side / 2, side, side, rx=0.05 * size, fill="none", stroke=color,
            stroke_width=0.085 * size, stroke_opacity=opacity,
        )  # fmt: skip
    elif piece.kind == CIRCLE:
        canvas.circle(x, y, 0.265 * size, fill="none", stroke=color, stroke_width=0.085 * size, stroke_opacity=opacity)
    else:
        canvas.add(
            "path", d="M0,-17 L13,-1 L5,-1 L5,15 L-5,15 L-5,-1 L-13,-1 Z", fill=color, stroke=color, stroke_width=2,
            stroke_linejoin="round", opacity=opacity,
            transform=f"translate({x:g} {y:g}) rotate({90 * piece.direction}) scale({size / 100:g})",
        )  # fmt: skip


def _draw_panel(canvas: Canvas, board: Board, words: Translation, seat: int) -> None:
    height = (_BOARD - _GAP) / 2
    x = _LEFT + _BOARD + 28
    y = _TOP + seat * (height + _GAP)
    standing = words(board.standing(seat))
    canvas.rect(
        x, y, _PANEL - 28, height, rx=12, fill=SEAT_TINTS[seat] if standing else CELL,
        stroke=SEAT_COLORS[seat] if standing else EDGE, stroke_width=2.5 if standing else 1.5,
    )  # fmt: skip
    canvas.text(
        x + 18, y + 28, words(("First player", "Second player")[seat]), 17, text_anchor="start", font_weight="bold",
        fill=SEAT_COLORS[seat],
    )  # fmt: skip
    if standing:
        canvas.text(x + 18, y + 50, standing, 14, text_anchor="start", fill=SEAT_COLORS[seat])
    for kind in range(3):
        for i in range(_RESERVE):
            left = i < board.reserves[seat][kind]
            _draw_piece(
                canvas, Piece(kind, seat, 0), x + 32 + 35 * i, y + 84 + 38 * kind, _RESERVE_SIZES[kind],
                1 if left else 0.14,
            )  # fmt: skip
    towers = board.towers(seat)
    told = words("{count} tower" if towers == 1 else "{count} towers", count=towers)
    canvas.text(x + 18, y + height - 18, told, 15, text_anchor="start")
