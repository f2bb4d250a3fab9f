"""A game of Pig as text and as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.games.drawing import (
    CELL,
    EDGE,
    FAINT,
    SEAT_COLORS,
    SEAT_NAMES,
    SEAT_TINTS,
    Canvas,
    pad,
    paint_faint,
    paint_seat,
)
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games.translation import Translation

_BAR = 20  # characters


@dataclass(frozen=True, slots=True)
class Scores:
    target: int
    banked: tuple[int, int]
    total: int  # of the turn
    turn: int
    rolling: bool
    payoffs: tuple[float, ...] | None  # when the game is over

    @classmethod
    def read(cls, planes: NDArray[np.float32], target: int, payoffs: Iterable[float] | None) -> Scores:
        """From the feature planes that seat 0 sees."""
        flat = [float(value) for value in planes.reshape(-1)]
        first, second, total = (round(part * target) for part in flat[:3])
        turn = 0 if flat[3] else 1
        return cls(target, (first, second), total, turn, bool(flat[4]), None if payoffs is None else tuple(payoffs))

    def at_risk(self, seat: int) -> int:
        return self.total if self.payoffs is None and seat == self.turn else 0

    def standing(self, seat: int) -> str:
        if self.payoffs is not None:
            return "wins" if self.payoffs[seat] > 0 else ""
        if seat != self.turn:
            return ""
        return "rolling" if self.rolling else "to roll" if self.total == 0 else "to hold or roll"

    def points(self, seat: int) -> str:
        risk = self.at_risk(seat)
        return f"{self.banked[seat]} + {risk}" if risk else f"{self.banked[seat]}"


def draw_text(scores: Scores, words: Translation, color: bool = False) -> str:
    width = min(_BAR, scores.target)
    lines = [f"  {words('Pig to {target}', target=scores.target)}"]
    for seat, name in enumerate(SEAT_NAMES):
        solid = width * scores.banked[seat] // scores.target
        risky = width * (scores.banked[seat] + scores.at_risk(seat)) // scores.target - solid
        rest = width - solid - risky
        bar = paint_seat("█" * solid + "▒" * risky, seat, color) + paint_faint("·" * rest, color)
        standing = words(scores.standing(seat))
        lines.append(f"  {pad(words(name), 6)}  {bar}  {scores.points(seat):<7}  {standing}".rstrip())
    return "\n".join(lines)


_LEFT = 30
_WIDTH = 400
_DIE = (_LEFT + _WIDTH + 65, 114)


def draw_svg(scores: Scores, words: Translation) -> str:
    canvas = Canvas(_WIDTH + 2 * _LEFT + 100, 214, words("A game of Pig"))
    canvas.text(_LEFT, 28, words("Pig to {target}", target=scores.target), 15, text_anchor="start", fill=FAINT)
    for seat in (0, 1):
        y = 62 + 76 * seat
        color = SEAT_COLORS[seat]
        standing = words(scores.standing(seat))
        label = words(("First player", "Second player")[seat]) + (f" · {standing}" if standing else "")
        canvas.text(_LEFT, y, label, 15, text_anchor="start", fill=color, font_weight="bold")
        canvas.text(_LEFT + _WIDTH, y, scores.points(seat), 17, text_anchor="end", font_weight="bold")
        canvas.rect(_LEFT, y + 14, _WIDTH, 26, rx=8, fill=CELL, stroke=EDGE, stroke_width=1.5)
        solid = _WIDTH * scores.banked[seat] / scores.target
        risky = _WIDTH * scores.at_risk(seat) / scores.target
        if risky:
            canvas.rect(
                _LEFT, y + 14, solid + risky, 26, rx=8, fill=SEAT_TINTS[seat], stroke=color, stroke_width=1.5,
                stroke_dasharray="5 4",
            )  # fmt: skip
        if solid:
            canvas.rect(_LEFT, y + 14, solid, 26, rx=8, fill=color)
    _draw_die(canvas, *_DIE, scores, words)
    return canvas.svg()


def find_spots(scores: Scores, words: Translation) -> list[Spot]:
    """The die, and the bar of whose turn it is."""
    banked = words("banked {points}", points=scores.points(scores.turn))
    bar = Spot(words("hold"), _LEFT + _WIDTH / 2, 89 + 76 * scores.turn, _WIDTH, 30, banked)
    return [Spot(words("roll"), *_DIE, 64, 64, words("this turn {total}", total=scores.total)), bar]


def _draw_die(canvas: Canvas, x: float, y: float, scores: Scores, words: Translation) -> None:
    """The die while it rolls; else the total that the turn has so far."""
    color = SEAT_COLORS[scores.turn] if scores.payoffs is None else FAINT
    angle = 14 if scores.rolling else 0
    canvas.text(x, y - 54, words("the die" if scores.rolling else "this turn"), 13, fill=FAINT)
    canvas.rect(
        x - 32, y - 32, 64, 64, rx=13, fill=CELL, stroke=color, stroke_width=3,
        transform=f"rotate({angle} {x:g} {y:g})",
    )  # fmt: skip
    content = "?" if scores.rolling else "" if scores.payoffs is not None else str(scores.total)
    canvas.text(x, y, content, 28, fill=color, font_weight="bold")
