"""Biased rock-paper-scissors as text and as SVG: the table of stakes, with the round that was played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.drawing import (
    CELL,
    EDGE,
    FAINT,
    HIGHLIGHT,
    INK,
    SEAT_COLORS,
    SEAT_NAMES,
    Canvas,
    count_columns,
    pad,
    paint_faint,
    paint_seat,
)
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from tengen.games.translation import Translation

CHOICES = ("rock", "paper", "scissors")
# What the first player wins: rows are the first player's choice, columns the second's.
STAKES = ((0, -25, 50), (25, 0, -5), (-50, 5, 0))

Round = tuple[int, int] | None  # the two choices, once made


def draw_text(played: Round, words: Translation, color: bool = False) -> str:
    """Rows are the first player's choices, columns the second's; the round played is between brackets."""
    row_played, column_played = played or (None, None)
    names = [words(name) for name in CHOICES]
    heads = (" " * (10 - count_columns(name)) + name for name in names)
    line = "".join(paint_seat(head, 1, color and column == column_played) for column, head in enumerate(heads))
    lines = [" " * 10 + line]
    for row, name in enumerate(names):
        line = "  " + paint_seat(pad(name, 8), 0, color and row == row_played)
        for column, stake in enumerate(STAKES[row]):
            if played == (row, column):
                line += f"{f'[{stake}]':>10}"
            else:
                line += paint_faint(f"{stake:>9}", color) + " "
        lines.append(line.rstrip())
    lines.append(f"  {_caption(played, words)}")
    return "\n".join(lines)


def _caption(played: Round, words: Translation) -> str:
    if played is None:
        return words("both choose")
    stake = STAKES[played[0]][played[1]]
    if stake == 0:
        return words("a tie")
    return words("{player} wins {stake}", player=words(SEAT_NAMES[stake < 0]), stake=abs(stake))


_SIZE = 84
_LEFT = 120
_TOP = 108


def draw_svg(played: Round, words: Translation) -> str:
    canvas = Canvas(_LEFT + 3 * _SIZE + 30, _TOP + 3 * _SIZE + 62, words("Rock, paper, scissors"))
    row_played, column_played = played or (None, None)
    canvas.text(_LEFT + 1.5 * _SIZE, 24, words("second player"), 15, fill=SEAT_COLORS[1], font_weight="bold")
    side_y = _TOP + 1.5 * _SIZE
    canvas.text(
        24, side_y, words("first player"), 15, fill=SEAT_COLORS[0], font_weight="bold",
        transform=f"rotate(-90 24 {side_y:g})",
    )  # fmt: skip
    for i in range(3):
        _draw_hand(canvas, i, _LEFT + (i + 0.5) * _SIZE, _TOP - 38, SEAT_COLORS[1] if i == column_played else FAINT)
        _draw_hand(canvas, i, _LEFT - 48, _TOP + (i + 0.5) * _SIZE, SEAT_COLORS[0] if i == row_played else FAINT)
    for row in range(3):
        for column in range(3):
            _draw_stake(canvas, row, column, played == (row, column))
    canvas.text(_LEFT + 1.5 * _SIZE, _TOP + 3 * _SIZE + 30, _caption(played, words), 16)
    return canvas.svg()


def find_spots(viewer: int | None, words: Translation) -> list[Spot]:
    """The viewer's hands, at its side of the table."""
    if viewer is None:
        return []
    places = [
        (_LEFT - 48, _TOP + (i + 0.5) * _SIZE) if viewer == 0 else (_LEFT + (i + 0.5) * _SIZE, _TOP - 38)
        for i in range(len(CHOICES))
    ]
    return [Spot(words(name), x, y, 60, 60) for name, (x, y) in zip(CHOICES, places, strict=True)]


def _draw_stake(canvas: Canvas, row: int, column: int, is_played: bool) -> None:
    stake = STAKES[row][column]
    x = _LEFT + column * _SIZE
    y = _TOP + row * _SIZE
    edge, width = (HIGHLIGHT, 4) if is_played else (EDGE, 1.5)
    canvas.rect(x + 4, y + 4, _SIZE - 8, _SIZE - 8, rx=10, fill=CELL, stroke=edge, stroke_width=width)
    color = SEAT_COLORS[stake < 0] if stake else INK
    canvas.text(x + _SIZE / 2, y + _SIZE / 2, str(abs(stake)), 24, fill=color, font_weight="bold")


def _draw_hand(canvas: Canvas, choice: int, x: float, y: float, color: str) -> None:
    """A stone, a sheet, or a pair of blades, about 40 pixels wide."""
    place = f"translate({x:g} {y:g})"
    if choice == 0:
        canvas.add("path", d="M-18,8 L-14,-8 L-3,-15 L10,-12 L18,0 L14,12 L-6,15 Z", fill=color, transform=place)
    elif choice == 1:
        canvas.add("path", d="M-13,-17 L7,-17 L14,-10 L14,17 L-13,17 Z", fill=color, transform=place)
        lines = "M-7,-7 L7,-7 M-7,0 L8,0 M-7,7 L8,7"
        canvas.add("path", d=lines, stroke=CELL, stroke_width=2.5, fill="none", transform=place)
    else:
        blades = "M-9,9 L11,-17 M9,9 L-11,-17"
        canvas.add("path", d=blades, stroke=color, stroke_width=4, stroke_linecap="round", transform=place)
        for side in (-1, 1):
            canvas.circle(x + 10 * side, y + 13, 5.5, fill="none", stroke=color, stroke_width=3.5)
