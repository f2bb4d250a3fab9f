"""Go's board as text and as SVG."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from tengen.games.drawing import Canvas, page_color, paint_faint, paint_seat
from tengen.games.go.notation import format_vertex
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games.translation import Translation

__all__ = ["Board", "Mark", "draw_svg", "draw_text", "find_spots"]

_GLYPHS = ("●", "○")
_NAMES = ("black", "white")


@dataclass(frozen=True, slots=True)
class Board:
    """What a drawing shows. Cells are numbered row by row from the top left."""

    width: int
    height: int
    stones: bytes  # a byte a cell: 0 empty, 1 Black, 2 White
    player: int
    captured: tuple[int, int]  # stones taken from Black, from White
    komi: float
    last: int | None  # an action; width * height is a pass
    phase: int = 0  # 1 and 2 are clean-ups
    result: str | None = None  # such as "B+3.5", when the game is over

    def status(self, words: Translation) -> tuple[str, int | None]:
        """How the game stands, and the seat it is about."""
        colors = [words(name) for name in _NAMES]
        if self.result is None:
            told = [words("{color} to move", color=colors[self.player])]
            if self.last == self.width * self.height:
                told.append(words("{color} passed", color=colors[1 - self.player]))
            if self.phase:
                told.append(words("clean-up {number}", number=self.phase))
            return words(", ").join(told), self.player
        if self.result[:2] not in ("B+", "W+"):
            return words("draw" if self.result == "0" else self.result), None
        winner = int(self.result[0] == "W")
        return words("{color} wins by {points}", color=colors[winner], points=self.result[2:]), winner

    def stars(self) -> set[int]:
        """The points that are marked on a board, to find one's way."""
        columns, rows = _star_lines(self.width), _star_lines(self.height)
        cells = {row * self.width + column for row in rows for column in columns}
        if self.width % 2 == self.height % 2 == 1 and min(self.width, self.height) >= 5:
            cells.add(self.height // 2 * self.width + self.width // 2)
        return cells


@dataclass(frozen=True, slots=True)
class Mark:
    """Something to be shown on a point of an SVG board, over its stone."""

    label: str = ""
    """Lines of text, separated by newlines."""
    color: str = "#2468a8"
    shape: Literal["disc", "square", "ring", "none"] = "disc"
    opacity: float = 0.85
    size: float = 0.9
    """Of the distance between lines."""
    text_color: str = field(default="#ffffff")


def _star_lines(side: int) -> list[int]:
    if side < 7:
        return []
    edge = 3 if side >= 13 else 2
    middle = [side // 2] if side >= 15 and side % 2 == 1 else []
    return [edge, *middle, side - 1 - edge]


def draw_text(board: Board, words: Translation, color: bool = False) -> str:
    """With coordinates; the last stone is between brackets."""
    names = [format_vertex(x, board.width, 1)[:-1] for x in range(board.width)]
    edge = "   " + "".join(f"{name:>2}" for name in names)
    lines = [edge]
    stars = board.stars()
    for row in range(board.height):
        text = ""
        for column in range(board.width + 1):
            cell = row * board.width + column
            before = column > 0 and cell - 1 == board.last
            here = column < board.width and cell == board.last
            text += ")" if before else "(" if here else " "
            if column < board.width:
                stone = board.stones[cell]
                empty = paint_faint("+" if cell in stars else "·", color)
                text += paint_seat(_GLYPHS[stone - 1], stone - 1, color) if stone else empty
        number = str(board.height - row)
        lines.append(f"{number:>3}{text}{number}")
    lines.append(edge)
    status, seat = board.status(words)
    mark = "" if seat is None else paint_seat(_GLYPHS[seat], seat, color) + " "
    lines.append(f"   {mark}{status}")
    taken = words(", ").join(f"{words(name)} {count}" for name, count in zip(_NAMES, board.captured, strict=True))
    lines.append(f"   {words('captured: {stones}; komi {komi:g}', stones=taken, komi=board.komi)}")
    return "\n".join(lines)


_CELL = 34.0
_MARGIN = 46.0
_WOOD = "#deb466"
_GRAIN = "#b98a3c"
_LINE = "#4c3716"
_FACE = page_color("paper", "#f4efe4")
_FAINT = page_color("faint", _LINE)
_RADIUS = 0.48 * _CELL


def draw_svg(board: Board, words: Translation, marks: Mapping[int, Mark] | None = None) -> str:
    """`marks` are shown over their cells."""
    width, height = _size(board.width, board.height)
    canvas = _new_canvas(width, height, words("A position of Go"))
    canvas.add_lines(_ground(board.width, board.height))
    for cell, stone in enumerate(board.stones):
        if stone:
            canvas.add_lines(_stone(*_place(board, cell), stone - 1, _RADIUS))
    if board.last is not None and board.last < board.width * board.height and board.stones[board.last]:
        ink = "#ffffff" if board.stones[board.last] == 1 else "#1b1b1b"
        canvas.circle(*_place(board, board.last), 0.23 * _CELL, fill="none", stroke=ink, stroke_width=2.2)
    for cell, mark in sorted((marks or {}).items()):
        _draw_mark(canvas, *_place(board, cell), mark)
    _draw_status(canvas, board, words, width, height + 18)
    return canvas.svg()


def find_spots(board: Board, words: Translation) -> list[Spot]:
    """The points, which are named as moves are."""
    black, white = (words("{color} stone", color=words(name)) for name in _NAMES)
    points = _point_spots(board.width, board.height, black, white)
    return [spots[stone] for spots, stone in zip(points, board.stones, strict=True)]


def _size(columns: int, rows: int) -> tuple[float, float]:
    return (columns - 1) * _CELL + 2 * _MARGIN, (rows - 1) * _CELL + 2 * _MARGIN


def _new_canvas(width: float, height: float, title: str = "") -> Canvas:
    return Canvas(width, height + 44, title, _FACE)


# Drawings are asked for at every move; what they have in common is written once.


@lru_cache(maxsize=64)
def _point_spots(columns: int, rows: int, black: str, white: str) -> list[tuple[Spot, ...]]:
    """Of every point: empty, with a stone of the first player, of the second, by what these are called."""
    board = Board(columns, rows, b"", 0, (0, 0), 0.0, None)
    lying = ("", black, white)
    return [
        tuple(Spot(format_vertex(cell, columns, rows), *_place(board, cell), _CELL, _CELL, label) for label in lying)
        for cell in range(columns * rows)
    ]


@lru_cache(maxsize=64)
def _ground(columns: int, rows: int) -> list[str]:
    width, height = _size(columns, rows)
    canvas = _new_canvas(width, height)
    _draw_wood(canvas, width, height)
    _draw_lines(canvas, Board(columns, rows, b"", 0, (0, 0), 0.0, None))
    return canvas.lines()


@lru_cache(maxsize=4096)
def _stone(x: float, y: float, seat: int, radius: float) -> list[str]:
    canvas = _new_canvas(0, 0)
    _draw_stone(canvas, x, y, seat, radius)
    return canvas.lines()


def _place(board: Board, cell: int) -> tuple[float, float]:
    return _MARGIN + cell % board.width * _CELL, _MARGIN + cell // board.width * _CELL


def _draw_wood(canvas: Canvas, width: float, height: float) -> None:
    canvas.rect(3, 4, width - 4, height - 4, rx=8, fill="#8a6a34", fill_opacity=0.35)
    canvas.rect(1, 1, width - 4, height - 4, rx=8, fill=_WOOD, stroke="#a87d36", stroke_width=1.2)
    # Grain: lines that wander a little, always the same.
    count = int(width / 15)
    for i in range(1, count):
        x = i * (width - 4) / count + 3 * ((i * 7) % 5 - 2)
        sway = ((i * 13) % 9 - 4) * 1.6
        path = f"M{x:g},4 C{x + sway:g},{height / 3:g} {x - sway:g},{2 * height / 3:g} {x + sway / 2:g},{height - 6:g}"
        shade = 0.1 + 0.04 * (i % 4)
        canvas.add("path", d=path, fill="none", stroke=_GRAIN, stroke_width=1 + 5 * i % 3, stroke_opacity=shade)


def _draw_lines(canvas: Canvas, board: Board) -> None:
    right, bottom = _place(board, board.width * board.height - 1)
    for column in range(board.width):
        x, _ = _place(board, column)
        is_edge = column in (0, board.width - 1)
        canvas.add("line", x1=x, y1=_MARGIN, x2=x, y2=bottom, stroke=_LINE, stroke_width=1.6 if is_edge else 1)
        name = format_vertex(column, board.width, 1)[:-1]
        for y in (_MARGIN - 28, bottom + 28):
            canvas.text(x, y, name, 13, fill=_LINE)
    for row in range(board.height):
        _, y = _place(board, row * board.width)
        is_edge = row in (0, board.height - 1)
        canvas.add("line", x1=_MARGIN, y1=y, x2=right, y2=y, stroke=_LINE, stroke_width=1.6 if is_edge else 1)
        for x in (_MARGIN - 29, right + 29):
            canvas.text(x, y, str(board.height - row), 13, fill=_LINE)
    for cell in sorted(board.stars()):
        canvas.circle(*_place(board, cell), 3.6, fill=_LINE)


def _draw_stone(canvas: Canvas, x: float, y: float, seat: int, radius: float) -> None:
    """Shadow, body and three lights; a gradient would need references, which embedded drawings share by mistake."""
    canvas.circle(x + 0.07 * radius, y + 0.1 * radius, radius, fill="#000000", fill_opacity=0.28)
    if seat == 0:
        canvas.circle(x, y, radius, fill="#17181a", stroke="#000000", stroke_width=0.6)
        for shift, size, light in ((0.22, 0.62, 0.07), (0.28, 0.42, 0.1), (0.33, 0.2, 0.22)):
            canvas.circle(x - shift * radius, y - shift * radius, size * radius, fill="#ffffff", fill_opacity=light)
    else:
        canvas.circle(x, y, radius, fill="#e4e1da", stroke="#8f8a7e", stroke_width=0.7)
        for shift, size, light in ((0.06, 0.86, 0.45), (0.14, 0.66, 0.5), (0.24, 0.36, 0.8)):
            canvas.circle(x - shift * radius, y - shift * radius, size * radius, fill="#ffffff", fill_opacity=light)


def _draw_mark(canvas: Canvas, x: float, y: float, mark: Mark) -> None:
    size = mark.size * _CELL
    if mark.shape == "disc":
        canvas.circle(x, y, size / 2, fill=mark.color, fill_opacity=mark.opacity)
    elif mark.shape == "square":
        canvas.rect(x - size / 2, y - size / 2, size, size, fill=mark.color, fill_opacity=mark.opacity)
    elif mark.shape == "ring":
        canvas.circle(x, y, size / 2, fill="none", stroke=mark.color, stroke_width=2.6, stroke_opacity=mark.opacity)
    lines = mark.label.split("\n") if mark.label else []
    letters = max(map(len, lines), default=1)
    height = min(15.0, 1.5 * _CELL / max(letters, 2), 0.8 * _CELL / max(len(lines), 1))
    for i, line in enumerate(lines):
        canvas.text(x, y + (i - (len(lines) - 1) / 2) * height, line, height, fill=mark.text_color, font_weight="bold")


def _draw_status(canvas: Canvas, board: Board, words: Translation, width: float, y: float) -> None:
    status, seat = board.status(words)
    left = 18.0
    if seat is not None:
        canvas.add_lines(_stone(left + 8, y, seat, 9))
        left += 28
    canvas.text(left, y, status, 15, text_anchor="start")
    if width > 240:
        taken = words(", ").join(f"{glyph} {count}" for glyph, count in zip(_GLYPHS, board.captured, strict=True))
        told = words("captured {stones} · komi {komi:g}", stones=taken, komi=board.komi)
        canvas.text(width - 16, y, told, 13, text_anchor="end", fill=_FAINT)
