"""A table of Matgo as SVG, as one player sees it or as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.games.drawing import HIGHLIGHT, SEAT_COLORS, SEAT_TINTS, Canvas
from tengen.games.matgo.card_svg import HEIGHT, WIDTH, draw_back, draw_card
from tengen.games.matgo.cards import CODES, FIRST_BONUS, cards_in
from tengen.games.matgo.drawing import MATCH_FLIP, MATCH_HAND, OVER, groups, pi_count, question, result, seat_name, tags
from tengen.games.matgo.lettering import write
from tengen.games.matgo.notation import DUMMY, format_action
from tengen.games.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tengen import _core
    from tengen.games.matgo.translation import MatgoTranslation

__all__ = ["draw_svg", "find_spots"]

_W = 840
_H = 534
_EDGE = 20
_STEP = WIDTH + 5
_SMALL = 0.72
_OVERLAP = 15  # of captured cards
_LABEL = 50  # the width of a group's name
_SLOT_W = 104
_SLOT_H = HEIGHT + 12
_FLOOR_TOP = 198
_FAR_HAND = 42
_NEAR_HAND = _H - 42 - HEIGHT
_ON_FELT = "#ffffff"
_EDGE_COLOR = "#7a2a20"


def draw_svg(
    words: MatgoTranslation, view: _core.MatgoView, viewer: int | None = None, hands: Sequence[int] | None = None
) -> str:
    """`hands`: what is shown of them, if not what the view has."""
    near = 0 if viewer is None else viewer
    canvas = Canvas(_W, _H, words("A round of Matgo"))
    canvas.rect(_EDGE, _FLOOR_TOP - 14, _W - 2 * _EDGE, 2 * _SLOT_H + 20, rx=18, fill="#3f7d5a")
    table = _Table(canvas, words, view, view.hands if hands is None else hands)
    table.floor()
    table.stock()
    table.seat(1 - near, name_y=22, hand_y=_FAR_HAND, taken_y=110)
    table.seat(near, name_y=_H - 22, hand_y=_NEAR_HAND, taken_y=360)
    return canvas.svg()


def find_spots(
    words: MatgoTranslation, view: _core.MatgoView, viewer: int | None = None, hands: Sequence[int] | None = None
) -> list[Spot]:
    """The cards of hands that are known and of the floor, by their codes, and the first dummy of who is near."""
    near = 0 if viewer is None else viewer
    spots = []
    for _, cards, x, y, step in _floor_slots(view):
        for i, card in enumerate(cards):
            # A card that another one covers can be touched where it is seen.
            width = WIDTH if i == len(cards) - 1 else min(step, WIDTH)
            label = f"{words.describe_card(card)}, {words('floor')}"
            spots.append(Spot(CODES[card], x + i * step + width / 2, y + HEIGHT / 2, width, HEIGHT, label))
    for seat, y in ((1 - near, _FAR_HAND), (near, _NEAR_HAND)):
        known = cards_in((view.hands if hands is None else hands)[seat])
        places = [(CODES[card], words.describe_card(card), i) for i, card in enumerate(known)]
        if seat == near and view.dummies[seat]:
            places.append((format_action(DUMMY), words("dummy"), view.cards[seat]))
        for name, label, i in places:
            spots.append(Spot(name, _EDGE + i * _STEP + WIDTH / 2, y + HEIGHT / 2, WIDTH, HEIGHT, label))
    return spots


def _floor_slots(view: _core.MatgoView) -> Iterator[tuple[int, list[int], float, float, float]]:
    """Month, cards, where the first lies, and how far it is to the next."""
    for slot, month in enumerate(month for month in range(13) if view.floor >> 4 * month & 15):
        cards = cards_in(view.floor & 15 << 4 * month)
        step = min(26, (_SLOT_W - WIDTH - 8) / max(1, len(cards) - 1))
        yield month, cards, _EDGE + 14 + slot % 7 * _SLOT_W, _FLOOR_TOP + slot // 7 * _SLOT_H, step


@dataclass(frozen=True)
class _Table:
    canvas: Canvas
    words: MatgoTranslation
    view: _core.MatgoView
    hands: Sequence[int]

    def card(self, card: int, x: float, y: float, scale: float = 1, edge: str = _EDGE_COLOR) -> None:
        draw_card(self.canvas, self.words, card, x, y, scale, edge)

    def seat(self, seat: int, name_y: float, hand_y: float, taken_y: float) -> None:
        canvas, words, view = self.canvas, self.words, self.view
        color = SEAT_COLORS[seat]
        is_over = view.phase == OVER
        is_marked = view.winner == seat if is_over else view.mover == seat
        text = f"{seat_name(words, seat, None)} · {', '.join(tags(words, view, seat))}"
        if is_marked:
            text += f" · {result(words, view) if is_over else question(words, view)}"
            canvas.rect(_EDGE - 8, name_y - 13, _W - 2 * _EDGE + 16, 26, rx=13, fill=SEAT_TINTS[seat])
        write(canvas, _EDGE, name_y, text, 14, fill=color, bold=True, start=True)
        known = cards_in(self.hands[seat])
        x = float(_EDGE)
        for card in known:
            self.card(card, x, hand_y, edge=HIGHLIGHT if view.shown[seat] >> card & 1 else _EDGE_COLOR)
            x += _STEP
        for _ in range(view.cards[seat] - len(known)):
            draw_back(canvas, x, hand_y)
            x += _STEP
        for _ in range(view.dummies[seat]):
            more: dict[str, Any] = {"stroke": color, "stroke_width": 1.5, "stroke_dasharray": "4 3"}
            canvas.rect(x, hand_y, WIDTH, HEIGHT, rx=4, fill="none", **more)
            write(canvas, x + WIDTH / 2, hand_y + HEIGHT / 2, words("dummy"), 11, fill=color)
            x += _STEP
        self.captured(seat, taken_y)

    def captured(self, seat: int, y: float) -> None:
        x = float(_EDGE)
        for kind, cards in groups(self.view, seat).items():
            if not cards:
                continue
            count = pi_count(self.view, seat) if kind == "pi" else len(cards)
            write(self.canvas, x + 2, y + 6, f"{self.words(kind)} {count}", 12, start=True)
            for i, card in enumerate(cards):
                self.card(card, x + i * _OVERLAP, y + 16, _SMALL)
            x += max(_LABEL, (len(cards) - 1) * _OVERLAP + WIDTH * _SMALL) + 10

    def floor(self) -> None:
        view = self.view
        chosen = view.hand_card if view.phase == MATCH_HAND else view.flipped if view.phase == MATCH_FLIP else None
        for month, cards, x, y, step in _floor_slots(view):
            is_offered = chosen is not None and chosen // 4 == month
            for i, card in enumerate(cards):
                self.card(card, x + i * step, y, edge=HIGHLIGHT if is_offered else _EDGE_COLOR)
            if month * 4 < FIRST_BONUS and (view.piles[0] | view.piles[1]) >> month & 1:
                self.canvas.rect(x + 30, y + 22, 34, 18, rx=9, fill="#ffffff", fill_opacity=0.9)
                write(self.canvas, x + 47, y + 31, self.words("ppuk"), 11, bold=True)

    def stock(self) -> None:
        view = self.view
        x = _W - _EDGE - WIDTH - 12
        y = _FLOOR_TOP + _SLOT_H
        if view.stock:
            draw_back(self.canvas, x, y)
        write(self.canvas, x + WIDTH / 2, y + HEIGHT / 2, str(view.stock), 18, fill=_ON_FELT, bold=True)
        if view.carry > 1:
            text = self.words("carry {carry}", carry=view.carry)
            write(self.canvas, x + WIDTH / 2, _FLOOR_TOP - 2, text, 12, fill=_ON_FELT)
        for i, card in enumerate(cards_in(view.table)):
            self.card(card, x - 14 * i, _FLOOR_TOP + 4, edge=HIGHLIGHT)
