"""A table of Matgo in letters, as one player sees it or as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.drawing import SEAT_NAMES, paint_faint, paint_seat
from tengen.games.matgo.cards import CODES, FIRST_BONUS, GUKJIN, Kind, cards_in, kind_of, pi_value, ribbon_set

if TYPE_CHECKING:
    from tengen import _core

__all__ = ["baks", "draw_text", "groups", "pi_count", "question", "result", "seat_name", "tags"]

PLAY, MATCH_HAND, MATCH_FLIP, GO_STOP, PRESIDENT, ASK_GUKJIN, OVER = range(7)
_AS_PI = 2
_BY_STOP, _BY_PRESIDENT, _BY_FLOOR_FOUR, _BY_THREE_PPUKS, _BY_EXHAUSTION = range(1, 6)
_NOBODY = 2
_ENDINGS = {
    _BY_PRESIDENT: "four of a month in hand (총통)",
    _BY_FLOOR_FOUR: "four of a month on the floor",
    _BY_THREE_PPUKS: "three ppuks",
}
_ANSI_OFF = "\x1b[0m"
_ANSI_KINDS: dict[Kind, str] = {"gwang": "\x1b[1;33m", "yeol": "\x1b[35m"}
_ANSI_RIBBONS = {"홍": "\x1b[31m", "청": "\x1b[34m", "초": "\x1b[32m", "띠": "\x1b[31m"}
_ANSI_MANY_PI = "\x1b[1m"
_GROUP_NAMES: dict[Kind, str] = {"gwang": "광", "yeol": "열", "ribbon": "띠", "pi": "피"}


def seat_name(seat: int, viewer: int | None) -> str:
    """To the viewer, who is you; else by the seat."""
    return SEAT_NAMES[seat] if viewer is None else "you" if seat == viewer else "they"


def groups(view: _core.MatgoView, seat: int) -> dict[Kind, list[int]]:
    """Captured cards by what they count as."""
    found: dict[Kind, list[int]] = {"gwang": [], "yeol": [], "ribbon": [], "pi": []}
    for card in cards_in(view.captured[seat]):
        is_pi = card == GUKJIN and view.gukjin == _AS_PI
        found["pi" if is_pi else kind_of(card)].append(card)
    return found


def pi_count(view: _core.MatgoView, seat: int) -> int:
    return sum(pi_value(card) or 2 for card in groups(view, seat)["pi"])


def baks(multipliers: _core.MatgoMultipliers) -> list[str]:
    """What the loser would be made to pay double for."""
    flags = {
        "gwang-bak": multipliers.gwang_bak,
        "pi-bak": multipliers.pi_bak,
        "mong-bak": multipliers.mong_bak,
        "go-bak": multipliers.go_bak,
    }
    return [name for name, is_set in flags.items() if is_set]


def tags(view: _core.MatgoView, seat: int) -> list[str]:
    """What is to be known of a player besides the cards."""
    told = [f"{view.bases[seat]} point{'' if view.bases[seat] == 1 else 's'}"]
    if view.gos[seat]:
        told.append(f"{view.gos[seat]} go")
    shaken = cards_in(view.shaken[seat])
    if shaken:
        told.append("shaken " + " ".join(f"{month + 1}월" for month in shaken))
    counts = {"bomb": view.bombs[seat], "ppuk": view.ppuks[seat]}
    told += [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count]
    if view.held[seat]:
        told.append("holds four")
    if view.phase != OVER:
        told += [f"{name}!" for name in baks(view.multipliers[1 - seat]) if name != "go-bak"]
    if view.funds is not None:
        told.append(f"{view.gold[seat]:,} gold")
    elif view.gold[seat]:
        told.append(f"{view.gold[seat]:+,} gold")
    return told


def question(view: _core.MatgoView) -> str:
    """What the player to act is asked."""
    if view.phase in (MATCH_HAND, MATCH_FLIP):
        card = view.hand_card if view.phase == MATCH_HAND else view.flipped
        assert card is not None
        return f"which card does {CODES[card]} take?"
    words = {
        PLAY: "to play",
        GO_STOP: "go or stop?",
        PRESIDENT: "four of a month: stop or hold?",
        ASK_GUKJIN: "gukjin: yeol or double pi?",
    }
    return words[view.phase]


def result(view: _core.MatgoView, viewer: int | None = None) -> str:
    """How the round ended."""
    if view.winner == _NOBODY:
        return "nagari: nobody wins"
    winner = seat_name(view.winner, viewer)
    began_with = 0 if view.funds is None else view.funds[view.winner]
    verdict = f"{winner} win{'s' if viewer is None else ''} {view.gold[view.winner] - began_with:,} gold"
    if view.ending in _ENDINGS:
        return f"{verdict}: {_ENDINGS[view.ending]}"
    times = view.multipliers[view.winner]
    points = f"{view.bases[view.winner]} points"
    if view.gos[view.winner]:
        points += f" + {view.gos[view.winner]} go"
    doubled = [
        *(["go"] if times.gos else []),
        *(["shaken"] if times.shakes else []),
        *(["bomb"] if times.bombs else []),
    ]
    doubled += [*baks(times), *(["held four"] if times.hold else [])]
    text = f"{verdict}: {points}"
    if times.product > 1:
        text += f", times {times.product} ({', '.join(doubled)})"
    return text + (f", carry {view.carry}" if view.carry > 1 else "")


def draw_text(view: _core.MatgoView, viewer: int | None = None, color: bool = False) -> str:
    head = f"  stock {view.stock}, {seat_name(view.starter, viewer)} began"
    lines = [head + (f", carry {view.carry}" if view.carry > 1 else "")]
    near = 0 if viewer is None else viewer
    lines += _seat_lines(view, 1 - near, viewer, color)
    lines.append(f"  floor   {_floor(view, color)}".rstrip())
    if view.table:
        lines.append(f"  table   {_names(view.table, color)}")
    lines += _seat_lines(view, near, viewer, color)
    if view.phase == OVER:
        lines.append(f"  {result(view, viewer)}")
    return "\n".join(lines)


def _names(cards: int, color: bool) -> str:
    return " ".join(_painted(card, color) for card in cards_in(cards))


def _painted(card: int, color: bool) -> str:
    """By its kind; plain pi as they are."""
    kind = kind_of(card)
    paint = _ANSI_RIBBONS[ribbon_set(card)] if kind == "ribbon" else _ANSI_KINDS.get(kind, "")
    if pi_value(card) > 1:
        paint = _ANSI_MANY_PI
    return f"{paint}{CODES[card]}{_ANSI_OFF}" if color and paint else CODES[card]


def _floor(view: _core.MatgoView, color: bool) -> str:
    months = []
    for month in range(12):
        here = view.floor & 15 << 4 * month
        if here:
            is_pile = (view.piles[0] | view.piles[1]) >> month & 1
            months.append(f"[{_names(here, color)}]" if is_pile else _names(here, color))
    stray = view.floor >> FIRST_BONUS << FIRST_BONUS
    return "  ".join([*months, *([_names(stray, color)] if stray else [])])


def _seat_lines(view: _core.MatgoView, seat: int, viewer: int | None, color: bool) -> list[str]:
    name = seat_name(seat, viewer)
    head = paint_seat(name, seat, color) + " " * (6 - len(name))
    hand = _names(view.hands[seat], color)
    hidden = view.cards[seat] - view.hands[seat].bit_count()
    parts = [part for part in (hand, paint_faint("?" * hidden, color)) if part]
    if view.dummies[seat]:
        parts.append(f"+ {view.dummies[seat]} dumm{'y' if view.dummies[seat] == 1 else 'ies'}")
    if view.shown[seat] and (viewer is None or viewer == seat):
        parts.append(f"(shown: {_names(view.shown[seat], color)})")
    if view.phase != OVER and view.mover == seat:
        parts.append(f"<- {question(view)}")
    lines = [f"  {head}  {' '.join(parts)}".rstrip()]
    taken = [
        f"{_GROUP_NAMES[kind]} {_count(view, seat, kind, cards)}: " + " ".join(_painted(card, color) for card in cards)
        for kind, cards in groups(view, seat).items()
        if cards
    ]
    if taken:
        lines.append(f"          {'  '.join(taken)}")
    lines.append(f"          {', '.join(tags(view, seat))}")
    return lines


def _count(view: _core.MatgoView, seat: int, kind: Kind, cards: list[int]) -> int:
    return pi_count(view, seat) if kind == "pi" else len(cards)
