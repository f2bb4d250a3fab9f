"""Summaries of actions in words: the cards that were turned and taken, and named events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.matgo.drawing import PRESIDENT, baks, seat_name
from tengen.games.matgo.turn_events import find_events, turn_between

if TYPE_CHECKING:
    from tengen import _core
    from tengen.games.matgo.translation import MatgoTranslation

__all__ = ["summarize_move"]


_NAMED = {"jjok": "make a jjok", "ddadak": "make a ddadak", "pansseul": "sweep the floor: pansseul"}


def summarize_move(
    words: MatgoTranslation, before: _core.MatgoView, after: _core.MatgoView, viewer: int | None, *, bomb_last: bool
) -> str:
    """Return what an action did, or nothing if there is nothing to add to its name.

    `before` and `after` are what the viewer saw; if the viewer is None, what both players saw. `bomb_last` is the
    setting `bomb_last_hand`.
    """
    mover = before.mover
    open_before = before.floor | before.table | before.captured[0] | before.captured[1]
    open_after = after.floor | after.table | after.captured[0] | after.captured[1]
    played = after.played[mover] & ~before.played[mover]
    turned = open_after & ~open_before & ~played
    stolen = after.captured[mover] & before.captured[1 - mover]
    taken = after.captured[mover] & ~before.captured[mover] & ~stolen
    turn = turn_between(before, after, bomb_last=bomb_last)
    events = () if turn is None else find_events(turn)
    parts = [words("show four of a month")] if before.phase == PRESIDENT else []
    if turned:
        parts.append(words("turn {cards}", cards=words.cards(turned)))
    if after.ppuks[mover] > before.ppuks[mover]:
        parts.append(words("leave a ppuk"))
    parts += [words(text) for event, text in _NAMED.items() if event in events]
    if taken:
        parts.append(words("take {cards}", cards=words.cards(taken)))
    if stolen:
        parts.append(words("steal {cards}", cards=words.cards(stolen)))
    drawn = after.cards[mover] - before.cards[mover] + played.bit_count()
    if drawn:
        own = after.hands[mover] & ~before.hands[mover] if mover == viewer else 0
        parts.append(words("draw {cards}", cards=words.cards(own)) if own else words("draw a card"))
    paid = after.gold[mover] - before.gold[mover]
    if paid and after.ending == before.ending:
        parts.append(words("get {gold:,} gold", gold=paid))
    threats = [baks(words, view.multipliers[mover], with_go=False) for view in (before, after)]
    parts += [words("threaten {bak}", bak=bak) for bak in threats[1] if bak not in threats[0]]
    if not parts:
        return ""
    who, what = seat_name(words, mover, viewer), ", ".join(parts)
    return f"{who}: {what}" if viewer is None else words("{who} {what}", who=who, what=what)
