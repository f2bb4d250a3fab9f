"""What an action did, in words: the cards that were turned and taken, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.matgo.cards import CODES, cards_in

if TYPE_CHECKING:
    from tengen import _core

__all__ = ["account"]


def account(before: _core.MatgoView, after: _core.MatgoView, name: str) -> str:
    """`before` and `after` are what one player saw; `name` is who acted, such as you or they. Empty: nothing to add."""
    mover = before.mover
    open_before = before.floor | before.table | before.captured[0] | before.captured[1]
    open_after = after.floor | after.table | after.captured[0] | after.captured[1]
    played = after.played[mover] & ~before.played[mover]
    turned = open_after & ~open_before & ~played
    stolen = after.captured[mover] & before.captured[1 - mover]
    taken = after.captured[mover] & ~before.captured[mover] & ~stolen
    parts = []
    if turned:
        parts.append(f"turn {_names(turned)}")
    if after.ppuks[mover] > before.ppuks[mover]:
        parts.append("leave a ppuk (뻑)")
    if taken:
        parts.append(f"take {_names(taken)}")
    if stolen:
        parts.append(f"steal {_names(stolen)}")
    drawn = after.cards[mover] - before.cards[mover] + played.bit_count()
    if drawn:
        own = after.hands[mover] & ~before.hands[mover]
        parts.append(f"draw {_names(own) if own and name == 'you' else 'a card'}")
    paid = after.gold[mover] - before.gold[mover]
    if paid and after.ending == before.ending:
        parts.append(f"get {paid:,} gold")
    return f"{name} {', '.join(parts)}" if parts else ""


def _names(cards: int) -> str:
    return " ".join(CODES[card] for card in cards_in(cards))
