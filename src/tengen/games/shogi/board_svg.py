"""Shogi's board as SVG. Kanji are outlines, so that no Japanese font is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.drawing import Canvas, page_color
from tengen.games.shogi.drawing import BOARD_KANJI, RANKS
from tengen.games.shogi.glyphs import GLYPHS, UNITS
from tengen.games.shogi.pieces import (
    BLACK,
    EMPTY,
    KINDS,
    WHITE,
    color_of,
    drop_name,
    kind_of,
    make_piece,
    square_name,
)
from tengen.games.shogi.texts import PIECE_NAMES
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.games.shogi.drawing import Drawing
    from tengen.games.translation import Translation

__all__ = ["LOOK", "PIECE_GLYPHS", "UNITS", "draw_svg", "find_spots"]

_CELL = 46.0
_HAND = 64.0
"""The width of a stand for pieces in hand."""
_GAP = 26.0
_TOP = 40.0
_SIDE = 9 * _CELL
_LEFT = _HAND + 2 * _GAP
_WIDTH = _SIDE + 2 * _LEFT
_HEIGHT = _TOP + _SIDE + 64.0

_FACE = page_color("paper", "#f4efe4")
_WOOD = "#e7c27d"
_STAND = "#d3a95d"
_LINE = "#4c3716"
_LABEL = page_color("faint", _LINE)
_PIECE = "#fbe7bb"
_PIECE_EDGE = "#8a6a34"
_INK = "#1d1710"
_RED = "#b3261e"
_RIM = page_color("ink", _INK)
_LAST = "#f3d98a"

# Half a piece, from its point to its foot, in shares of a square.
_OUTLINE = ((0.0, -0.44), (0.27, -0.33), (0.38, 0.42), (-0.38, 0.42), (-0.27, -0.33))

LOOK = {
    "outline": _OUTLINE,
    "face": _PIECE,
    "edge": _PIECE_EDGE,
    "ink": _INK,
    "red": _RED,
    "wood": _WOOD,
    "stand": _STAND,
    "line": _LINE,
    "last": _LAST,
}
"""Shapes and colors, for pages that draw boards themselves."""
PIECE_GLYPHS = {kind: GLYPHS[letter] for kind, letter in zip(KINDS, BOARD_KANJI, strict=True)} | {"k": GLYPHS["王"]}
"""Outlines of kanji by kind; the second king has its own. They are of the size UNITS, upwards from a baseline."""


def draw_svg(board: Drawing, words: Translation) -> str:
    canvas = Canvas(_WIDTH, _HEIGHT, words("A position of shogi"), _FACE)
    # Readers of Japanese need no letters in addition to the kanji of the ranks.
    _draw_board(canvas, board, has_letters=words.lang != "ja")
    for file in range(9):
        for rank in range(9):
            piece = board.piece(file, rank)
            if piece != EMPTY:
                _draw_piece(canvas, *_place(file, rank), piece, _CELL)
    _draw_hand(canvas, board, WHITE)
    _draw_hand(canvas, board, BLACK)
    canvas.text(_WIDTH / 2, _HEIGHT - 20, board.status, 16)
    return canvas.svg()


def find_spots(board: Drawing, words: Translation) -> list[Spot]:
    """Squares as USI names them, and the pieces in hand, as drops begin: P*, and p* for White's."""

    def name(piece: int) -> str:
        side = words(("Black", "White")[color_of(piece)])
        return words("{side}'s {piece}", side=side, piece=words(PIECE_NAMES[kind_of(piece)]))

    spots = []
    for rank in range(9):
        for file in range(8, -1, -1):
            piece = board.piece(file, rank)
            label = "" if piece == EMPTY else name(piece)
            spots.append(Spot(square_name(file * 9 + rank), *_place(file, rank), _CELL, _CELL, label))
    for color in (WHITE, BLACK):
        x, _, _ = _stand(color)
        for kind, count, y in _in_hand(board, color):
            label = name(make_piece(color, kind)) + (f" ×{count}" if count > 1 else "")
            spots.append(Spot(drop_name(color, kind), x + _HAND / 2, y, _HAND, _CELL, label, is_supply=True))
    return spots


def _place(file: int, rank: int) -> tuple[float, float]:
    """The middle of a square."""
    return _LEFT + (8 - file + 0.5) * _CELL, _TOP + (rank + 0.5) * _CELL


def _draw_board(canvas: Canvas, board: Drawing, *, has_letters: bool) -> None:
    edge = 10.0
    canvas.rect(_LEFT - edge, _TOP - edge, _SIDE + 2 * edge, _SIDE + 2 * edge, rx=5, fill=_WOOD, stroke="#a87d36")
    if board.last is not None:
        x, y = _place(*divmod(board.last, 9))
        canvas.rect(x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, fill=_LAST)
    for i in range(10):
        at = i * _CELL
        width = 1.8 if i in (0, 9) else 1.0
        line: dict[str, str | float] = {"stroke": _LINE, "stroke_width": width}
        canvas.add("line", x1=_LEFT + at, y1=_TOP, x2=_LEFT + at, y2=_TOP + _SIDE, **line)
        canvas.add("line", x1=_LEFT, y1=_TOP + at, x2=_LEFT + _SIDE, y2=_TOP + at, **line)
    for file in (3, 6):
        for rank in (3, 6):
            canvas.circle(_LEFT + file * _CELL, _TOP + rank * _CELL, 3.4, fill=_LINE)
    for i in range(9):
        x, y = _place(i, i)
        canvas.text(x, _TOP - 21, str(i + 1), 14, fill=_LABEL)
        _draw_kanji(canvas, _LEFT + _SIDE + 21, y, RANKS[i], 14, _LABEL)
        if has_letters:
            canvas.text(_LEFT - 20, y, "abcdefghi"[i], 13, fill=_LABEL)


def _draw_piece(canvas: Canvas, x: float, y: float, piece: int, size: float) -> None:
    color, kind = color_of(piece), kind_of(piece)
    sign = 1 if color == BLACK else -1
    points = " ".join(f"{x + sign * dx * size:.2f},{y + sign * dy * size:.2f}" for dx, dy in _OUTLINE)
    canvas.add("polygon", points=points, fill=_PIECE, stroke=_PIECE_EDGE, stroke_width=1.1, stroke_linejoin="round")
    # The two kings differ, as on real boards.
    letter = "王" if piece == make_piece(WHITE, BOARD_KANJI.index("玉")) else BOARD_KANJI[kind]
    ink = _RED if kind > BOARD_KANJI.index("玉") else _INK
    _draw_kanji(canvas, x, y + sign * 0.06 * size, letter, 0.6 * size, ink, turned=color == WHITE)


def _draw_kanji(canvas: Canvas, x: float, y: float, letter: str, size: float, fill: str, turned: bool = False) -> None:
    """With its middle at (x, y)."""
    scale = size / UNITS
    sign = -1 if turned else 1
    # A kanji's box goes from 0.12 of its size below the baseline to 0.88 above it.
    left, base = x - sign * size / 2, y + sign * 0.38 * size
    place = f"translate({left:.2f} {base:.2f}) scale({sign * scale:.5g} {-sign * scale:.5g})"
    canvas.add("path", d=GLYPHS[letter], fill=fill, transform=place, **{"aria-label": letter})


def _draw_hand(canvas: Canvas, board: Drawing, color: int) -> None:
    """White's stand is at the left top, Black's at the right bottom; pieces from the owner's board edge on."""
    x, top, height = _stand(color)
    canvas.rect(x, top, _HAND, height, rx=4, fill=_STAND, stroke="#a87d36")
    is_to_move = board.layout.side == color
    mark: dict[str, str | float] = {"fill": _INK if color == BLACK else "#ffffff", "stroke": _RIM, "stroke_width": 1.2}
    canvas.circle(x + _HAND / 2, top - 14 if color == BLACK else top + height + 14, 7.0 if is_to_move else 4.0, **mark)
    for kind, count, y in _in_hand(board, color):
        offset = -9.0 if count > 1 else 0.0
        _draw_piece(canvas, x + _HAND / 2 + offset, y, make_piece(color, kind), 0.9 * _CELL)
        if count > 1:
            canvas.text(x + _HAND - 12, y, str(count), 16, fill=_INK, font_weight="bold")


def _stand(color: int) -> tuple[float, float, float]:
    """Left, top, height."""
    height = 7.6 * _CELL
    if color == WHITE:
        return _GAP - 8, _TOP, height
    return _WIDTH - _GAP + 8 - _HAND, _TOP + _SIDE - height, height


def _in_hand(board: Drawing, color: int) -> Iterator[tuple[int, int, float]]:
    """Kind, how many, and how far down its middle is."""
    _, top, height = _stand(color)
    for i, (kind, count) in enumerate(board.hand(color)):
        step = (i + 0.6) * (height / 7.2)
        yield kind, count, top + step if color == BLACK else top + height - step
