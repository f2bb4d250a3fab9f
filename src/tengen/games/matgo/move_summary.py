"""What an action did, in words: the cards that were turned and taken, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.matgo.drawing import seat_name

if TYPE_CHECKING:
    from tengen import _core
    from tengen.games.matgo.translation import MatgoTranslation

__all__ = ["summarize_move"]


def summarize_move(words: MatgoTranslation, before: _core.MatgoView, after: _core.MatgoView, viewer: int | None) -> str:
    """`before` and `after` are what the viewer saw, None: what both did. Empty: there is nothing to add."""
    mover = before.mover
    open_before = before.floor | before.table | before.captured[0] | before.captured[1]
    open_after = after.floor | after.table | after.captured[0] | after.captured[1]
    played = after.played[mover] & ~before.played[mover]
    turned = open_after & ~open_before & ~played
    stolen = after.captured[mover] & before.captured[1 - mover]
    taken = after.captured[mover] & ~before.captured[mover] & ~stolen
    parts = []
    if turned:
        parts.append(words("turn {cards}", cards=words.cards(turned)))
    if after.ppuks[mover] > before.ppuks[mover]:
        parts.append(words("leave a ppuk"))
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
    if not parts:
        return ""
    who, what = seat_name(words, mover, viewer), ", ".join(parts)
    return f"{who}: {what}" if viewer is None else words("{who} {what}", who=who, what=what)
