"""A table of Matgo in letters, as one player sees it or as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.games.drawing import SEAT_NAMES, pad, paint_faint, paint_seat
from tengen.games.matgo.cards import FIRST_BONUS, GUKJIN, Kind, cards_in, kind_of, pi_value, ribbon_set

if TYPE_CHECKING:
    from tengen import _core
    from tengen.games.matgo.translation import MatgoTranslation

__all__ = ["baks", "draw_text", "groups", "pi_count", "question", "result", "seat_name", "tags"]

PLAY, MATCH_HAND, MATCH_FLIP, GO_STOP, PRESIDENT, ASK_GUKJIN, OVER = range(7)
_AS_PI = 2
_BY_STOP, _BY_PRESIDENT, _BY_FLOOR_FOUR, _BY_THREE_PPUKS, _BY_EXHAUSTION = range(1, 6)
_NOBODY = 2
_ENDINGS = {
    _BY_PRESIDENT: "four of a month in hand",
    _BY_FLOOR_FOUR: "four of a month on the floor",
    _BY_THREE_PPUKS: "three ppuks",
}
_ANSI_OFF = "\x1b[0m"
_ANSI_KINDS: dict[Kind, str] = {"gwang": "\x1b[1;33m", "yeol": "\x1b[35m"}
_ANSI_RIBBONS = {"홍": "\x1b[31m", "청": "\x1b[34m", "초": "\x1b[32m", "띠": "\x1b[31m"}
_ANSI_MANY_PI = "\x1b[1m"


def seat_name(words: MatgoTranslation, seat: int, viewer: int | None) -> str:
    """To the viewer, who is you; else by the seat."""
    return words(SEAT_NAMES[seat] if viewer is None else "you" if seat == viewer else "they")


def groups(view: _core.MatgoView, seat: int) -> dict[Kind, list[int]]:
    """Captured cards by what they count as."""
    found: dict[Kind, list[int]] = {"gwang": [], "yeol": [], "ribbon": [], "pi": []}
    for card in cards_in(view.captured[seat]):
        is_pi = card == GUKJIN and view.gukjin == _AS_PI
        found["pi" if is_pi else kind_of(card)].append(card)
    return found


def pi_count(view: _core.MatgoView, seat: int) -> int:
    return sum(pi_value(card) or 2 for card in groups(view, seat)["pi"])


def baks(words: MatgoTranslation, multipliers: _core.MatgoMultipliers, *, with_go: bool = True) -> list[str]:
    """What the loser would be made to pay double for."""
    flags = {
        "gwang-bak": multipliers.gwang_bak,
        "pi-bak": multipliers.pi_bak,
        "mong-bak": multipliers.mong_bak,
        "go-bak": multipliers.go_bak and with_go,
    }
    return [words(name) for name, is_set in flags.items() if is_set]


def tags(words: MatgoTranslation, view: _core.MatgoView, seat: int) -> list[str]:
    """What is to be known of a player besides the cards."""
    told = [_counted(words, "{count} point", view.bases[seat])]
    if view.gos[seat]:
        told.append(words("{count} go", count=view.gos[seat]))
    shaken = cards_in(view.shaken[seat])
    if shaken:
        told.append(words("shaken {months}", months=" ".join(words("month {month}", month=m + 1) for m in shaken)))
    counts = {"{count} bomb": view.bombs[seat], "{count} ppuk": view.ppuks[seat]}
    told += [_counted(words, text, count) for text, count in counts.items() if count]
    if view.held[seat]:
        told.append(words("holds four"))
    if view.phase != OVER:
        told += [f"{name}!" for name in baks(words, view.multipliers[1 - seat], with_go=False)]
    if view.funds is not None:
        told.append(words("{gold:,} gold", gold=view.gold[seat]))
    elif view.gold[seat]:
        told.append(words("{gold:+,} gold", gold=view.gold[seat]))
    return told


def _counted(words: MatgoTranslation, text: str, count: int, ending: str = "s") -> str:
    return words(text if count == 1 else text + ending, count=count)


def question(words: MatgoTranslation, view: _core.MatgoView) -> str:
    """What the player to act is asked."""
    if view.phase in (MATCH_HAND, MATCH_FLIP):
        card = view.hand_card if view.phase == MATCH_HAND else view.flipped
        assert card is not None
        return words("which card does {card} take?", card=words.card(card))
    texts = {
        PLAY: "to play",
        GO_STOP: "go or stop?",
        PRESIDENT: "four of a month: stop or hold?",
        ASK_GUKJIN: "gukjin: yeol or double pi?",
    }
    return words(texts[view.phase])


def result(words: MatgoTranslation, view: _core.MatgoView, viewer: int | None = None) -> str:
    """How the round ended."""
    if view.winner == _NOBODY:
        return words("nagari: nobody wins")
    winner = seat_name(words, view.winner, viewer)
    began_with = 0 if view.funds is None else view.funds[view.winner]
    text = "{winner} wins {gold:,} gold" if viewer is None else "{winner} win {gold:,} gold"
    verdict = words(text, winner=winner, gold=view.gold[view.winner] - began_with)
    if view.ending in _ENDINGS:
        return f"{verdict}: {words(_ENDINGS[view.ending])}"
    times = view.multipliers[view.winner]
    points = [_counted(words, "{count} point", view.bases[view.winner])]
    if view.gos[view.winner]:
        points.append(words("{count} go", count=view.gos[view.winner]))
    counted = {"go": times.gos, "shaken": times.shakes, "bomb": times.bombs}
    doubled = [*(words(name) for name, is_set in counted.items() if is_set), *baks(words, times)]
    doubled += [words("held four")] if times.hold else []
    parts = [f"{verdict}: {' + '.join(points)}"]
    if times.product > 1:
        parts.append(words("times {product} ({reasons})", product=times.product, reasons=", ".join(doubled)))
    if view.carry > 1:
        parts.append(words("carry {carry}", carry=view.carry))
    return ", ".join(parts)


def draw_text(words: MatgoTranslation, view: _core.MatgoView, viewer: int | None = None, color: bool = False) -> str:
    began = seat_name(words, view.starter, viewer)
    head = [words("stock {count}, {who} began", count=view.stock, who=began)]
    if view.carry > 1:
        head.append(words("carry {carry}", carry=view.carry))
    near = 0 if viewer is None else viewer
    drawing = _Drawing(words, view, viewer, color)
    lines = [f"  {', '.join(head)}", *drawing.seat(1 - near)]
    lines.append(f"  {pad(words('floor'), 6)}  {drawing.floor()}".rstrip())
    if view.table:
        lines.append(f"  {pad(words('table'), 6)}  {drawing.cards(view.table)}")
    lines += drawing.seat(near)
    if view.phase == OVER:
        lines.append(f"  {result(words, view, viewer)}")
    return "\n".join(lines)


@dataclass(frozen=True)
class _Drawing:
    words: MatgoTranslation
    view: _core.MatgoView
    viewer: int | None
    color: bool

    def cards(self, cards: int) -> str:
        return " ".join(map(self.card, cards_in(cards)))

    def card(self, card: int) -> str:
        """Painted by its kind; plain pi as they are."""
        kind = kind_of(card)
        paint = _ANSI_RIBBONS[ribbon_set(card)] if kind == "ribbon" else _ANSI_KINDS.get(kind, "")
        if pi_value(card) > 1:
            paint = _ANSI_MANY_PI
        name = self.words.card(card)
        return f"{paint}{name}{_ANSI_OFF}" if self.color and paint else name

    def floor(self) -> str:
        view = self.view
        months = []
        for month in range(12):
            here = view.floor & 15 << 4 * month
            if here:
                is_pile = (view.piles[0] | view.piles[1]) >> month & 1
                months.append(f"[{self.cards(here)}]" if is_pile else self.cards(here))
        stray = view.floor >> FIRST_BONUS << FIRST_BONUS
        return "  ".join([*months, *([self.cards(stray)] if stray else [])])

    def seat(self, seat: int) -> list[str]:
        words, view = self.words, self.view
        name = seat_name(words, seat, self.viewer)
        head = paint_seat(name, seat, self.color) + pad(name, 6).removeprefix(name)
        hidden = view.cards[seat] - view.hands[seat].bit_count()
        parts = [part for part in (self.cards(view.hands[seat]), paint_faint("?" * hidden, self.color)) if part]
        if view.dummies[seat]:
            text = "+ {count} dummy" if view.dummies[seat] == 1 else "+ {count} dummies"
            parts.append(words(text, count=view.dummies[seat]))
        if view.shown[seat] and self.viewer in (None, seat):
            parts.append(words("(shown: {cards})", cards=self.cards(view.shown[seat])))
        if view.phase != OVER and view.mover == seat:
            parts.append(f"<- {question(words, view)}")
        lines = [f"  {head}  {' '.join(parts)}".rstrip()]
        taken = [self._group(seat, kind, cards) for kind, cards in groups(view, seat).items() if cards]
        if taken:
            lines.append(f"          {'  '.join(taken)}")
        lines.append(f"          {', '.join(tags(words, view, seat))}")
        return lines

    def _group(self, seat: int, kind: Kind, cards: list[int]) -> str:
        count = pi_count(self.view, seat) if kind == "pi" else len(cards)
        return f"{self.words(kind)} {count}: " + " ".join(map(self.card, cards))
