"""A hand of Kuhn poker as text and as SVG, as one player sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.games.drawing import CELL, EDGE, SEAT_COLORS, SEAT_NAMES, SEAT_TINTS, Canvas, pad, paint_faint, paint_seat
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games.translation import Translation

CARDS = "JQK"


def read_history(planes: NDArray[np.float32]) -> list[int]:
    """The actions so far, 0 pass and 1 bet, from either player's feature planes."""
    flat = planes.reshape(-1)
    return [int(flat[9 + i]) for i in range(3) if flat[6 + i] or flat[9 + i]]


def spoken(history: Sequence[int]) -> list[str]:
    """The actions under their names at the table: a pass is a check or a fold, a bet may be a call."""
    return [(("check", "bet"), ("fold", "call"))[1 in history[:i]][action] for i, action in enumerate(history)]


@dataclass(frozen=True, slots=True)
class Table:
    cards: tuple[int | None, int | None]  # None: not seen
    history: tuple[int, ...]
    actor: int | None
    payoffs: tuple[float, ...] | None  # when the hand is over

    @classmethod
    def read(cls, views: dict[int, NDArray[np.float32]], actor: int | None, payoffs: Iterable[float] | None) -> Table:
        """From the feature planes of one seat or of both."""
        cards: list[int | None] = [None, None]
        for seat, planes in views.items():
            flat = planes.reshape(-1)
            for owner, first in ((seat, 0), (1 - seat, 3)):
                cards[owner] = next((card for card in range(3) if flat[first + card]), cards[owner])
        history = read_history(next(iter(views.values())))
        return cls((cards[0], cards[1]), tuple(history), actor, None if payoffs is None else tuple(payoffs))

    def stake(self, seat: int) -> int:
        """The chips that a player has put in: the ante and perhaps a bet."""
        return 1 + sum(self.history[seat::2])

    def face(self, seat: int) -> str:
        card = self.cards[seat]
        return "?" if card is None else CARDS[card]

    def standing(self, seat: int) -> str:
        if self.payoffs is not None:
            return f"{self.payoffs[seat]:+g}"
        return "to act" if self.actor == seat else ""

    def actions(self, seat: int, words: Translation) -> str:
        return words(", ").join(map(words, spoken(self.history)[seat::2]))


def draw_text(table: Table, words: Translation, color: bool = False) -> str:
    lines = []
    for seat, name in enumerate(SEAT_NAMES):
        card = f"[{table.face(seat)}]"
        card = paint_faint(card, color) if table.cards[seat] is None else paint_seat(card, seat, color)
        chips = "●" * table.stake(seat)
        line = f"  {pad(words(name), 6)}  {card}  {chips:<2}  {pad(table.actions(seat, words), 11)}"
        lines.append(f"{line}  {words(table.standing(seat))}".rstrip())
    return "\n".join(lines)


_WIDTH = 420
_HEIGHT = 300


def draw_svg(table: Table, words: Translation) -> str:
    canvas = Canvas(_WIDTH, _HEIGHT, words("A hand of Kuhn poker"))
    canvas.rect(14, 14, _WIDTH - 28, _HEIGHT - 28, rx=56, fill="#3f7d5a", stroke="#2c5a40", stroke_width=6)
    for seat in (0, 1):
        x = 122 + 176 * seat
        _draw_card(canvas, table, seat, x, 128)
        _draw_chips(canvas, x, 212, table.stake(seat))
        standing = words(table.standing(seat))
        canvas.rect(x - 62, 30, 124, 28, rx=14, fill=SEAT_TINTS[seat] if standing else CELL, fill_opacity=0.95)
        label = words(SEAT_NAMES[seat]) + (f" · {standing}" if standing else "")
        canvas.text(x, 44, label, 15, fill=SEAT_COLORS[seat], font_weight="bold")
        canvas.text(x, 252, table.actions(seat, words), 15, fill="#ffffff")
    return canvas.svg()


def find_spots(table: Table, words: Translation) -> list[Spot]:
    """The cards, for who listens: nothing is done with them."""
    told = ((words("a hidden card") if card is None else CARDS[card]) for card in table.cards)
    return [
        Spot(words(name), 122 + 176 * seat, 128, 72, 104, label)
        for seat, (name, label) in enumerate(zip(("first card", "second card"), told, strict=True))
    ]


def _draw_card(canvas: Canvas, table: Table, seat: int, x: float, y: float) -> None:
    left, top = x - 36, y - 52
    if table.cards[seat] is None:
        canvas.rect(left, top, 72, 104, rx=9, fill="#ffffff", stroke=EDGE, stroke_width=1)
        canvas.rect(left + 6, top + 6, 60, 92, rx=5, fill="#7a8fb5")
        for row in range(5):
            for column in range(3):
                canvas.add(
                    "path", d="M0,-7 L7,0 L0,7 L-7,0 Z", fill="none", stroke="#ffffff", stroke_opacity=0.7,
                    transform=f"translate({left + 18 + 18 * column:g} {top + 17 + 17.5 * row:g})",
                )  # fmt: skip
        return
    canvas.rect(left, top, 72, 104, rx=9, fill=CELL, stroke=EDGE, stroke_width=1)
    face = table.face(seat)
    color = SEAT_COLORS[seat]
    canvas.text(x, y, face, 50, fill=color, font_weight="bold", font_family="Georgia, serif")
    canvas.text(left + 13, top + 16, face, 15, fill=color, font_weight="bold", font_family="Georgia, serif")
    canvas.text(left + 59, top + 88, face, 15, fill=color, font_weight="bold", font_family="Georgia, serif")


def _draw_chips(canvas: Canvas, x: float, y: float, count: int) -> None:
    for i in range(count):
        chip = x + (i - (count - 1) / 2) * 30
        canvas.circle(chip, y, 12, fill="#f3ead0", stroke="#b08d2f", stroke_width=2)
        canvas.circle(chip, y, 7.5, fill="none", stroke="#b08d2f", stroke_width=1.5, stroke_dasharray="3 2.5")
