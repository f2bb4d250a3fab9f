"""Events of a turn that have names of their own, such as ppuk and jjok."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tengen.games.matgo.cards import FIRST_BONUS, cards_in

if TYPE_CHECKING:
    from tengen import _core

__all__ = ["EVENTS", "Turn", "count_month", "find_events", "turn_between"]

EVENTS = ("ppuk", "jjok", "ddadak", "eat", "pansseul", "bomb")
"""Events of a turn; eat: a pile of three was taken. Only a bomb can happen with the last card of a hand."""

_PLAY, _MATCH_HAND, _MATCH_FLIP = 0, 1, 2
_TWO, _PILE = 2, 3


class Turn(NamedTuple):
    """One action of a turn and its effects."""

    hand_card: int | None
    """Card that was played from the hand; None for dummies, bombs and bonus cards."""
    matches: int
    """Number of floor cards of its month that it found."""
    turned: int | None
    """Month card that was turned from the stock in this action."""
    floor: int
    """Cards on the floor before the action."""
    has_ppuk: bool
    has_bomb: bool
    is_last: bool
    """True if the turn plays the last card of the hand."""
    has_swept: bool
    """True if the turn ended with an empty floor and captured something."""


def find_events(turn: Turn) -> tuple[str, ...]:
    """Return the events of an action, in the order of EVENTS."""
    found = {"bomb"} if turn.has_bomb else set()
    if turn.has_ppuk:
        found.add("ppuk")
    elif not turn.is_last:
        hand, turned = turn.hand_card, turn.turned
        is_same = hand is not None and turned is not None and turned // 4 == hand // 4
        if is_same and turn.matches == 0:
            found.add("jjok")
        if is_same and turn.matches == _TWO:
            found.add("ddadak")
        is_pile_turned = turned is not None and count_month(turn.floor, turned) == _PILE and not is_same
        if turn.matches == _PILE or is_pile_turned:
            found.add("eat")
        if turn.has_swept:
            found.add("pansseul")
    return tuple(event for event in EVENTS if event in found)


def count_month(cards: int, card: int) -> int:
    """Return how many of the cards are of the card's month."""
    return (cards & (15 << 4 * (card // 4))).bit_count()


def turn_between(before: _core.MatgoView, after: _core.MatgoView, *, bomb_last: bool) -> Turn | None:
    """Return the action between two views of one viewer, or None if it played no card and chose none.

    `bomb_last` is the setting `bomb_last_hand`.
    """
    mover = before.mover
    if before.phase not in (_PLAY, _MATCH_HAND, _MATCH_FLIP):
        return None
    played = cards_in(after.played[mover] & ~before.played[mover])
    months = [card for card in played if card < FIRST_BONUS]
    has_bomb = after.bombs[mover] > before.bombs[mover] or len(months) > 1
    if before.phase == _PLAY and played and not months:
        return None
    hand_card = None if has_bomb or before.phase == _MATCH_FLIP else months[0] if months else before.hand_card
    matches = -1
    if hand_card is not None:
        matches = _TWO if before.phase == _MATCH_HAND else count_month(before.floor, hand_card)
    held = before.cards[mover] + before.dummies[mover]
    left = after.cards[mover] + after.dummies[mover]
    is_last = (left == 0 and bomb_last) if has_bomb else held == (before.phase == _PLAY)
    gained = after.captured[mover] & ~(before.captured[0] | before.captured[1])
    turned = _turned(before, after, played)
    return Turn(
        hand_card=hand_card,
        matches=matches,
        turned=turned,
        floor=before.floor,
        has_ppuk=after.ppuks[mover] > before.ppuks[mover],
        has_bomb=has_bomb,
        is_last=is_last,
        has_swept=after.turns[mover] > before.turns[mover] and after.floor == 0 and gained > 0,
    )


def _turned(before: _core.MatgoView, after: _core.MatgoView, played: list[int]) -> int | None:
    """Return the month card that came from the stock; there is one at most in an action."""
    lay, lies = (view.floor | view.table | view.captured[0] | view.captured[1] for view in (before, after))
    new = [card for card in cards_in(lies & ~lay) if card < FIRST_BONUS and card not in played]
    return new[0] if len(new) == 1 else None
