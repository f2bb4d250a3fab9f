"""Why an action is not possible, by what its player sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.matgo.cards import cards_in
from tengen.games.matgo.drawing import ASK_GUKJIN, GO_STOP, MATCH_HAND, PLAY, PRESIDENT
from tengen.games.matgo.notation import BOMB, DUMMY, SHAKE, TAKE, THIRD_BONUS, card_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen import _core
    from tengen.games.matgo.translation import MatgoTranslation

__all__ = ["why_illegal"]

_QUESTIONS = {
    GO_STOP: "you are asked to go or to stop",
    PRESIDENT: "you are asked about four of a month: president stop or president hold",
    ASK_GUKJIN: "you are asked what gukjin shall count as: gukjin yeol or gukjin pi",
}
# What answers a question, by its first action.
_ANSWERS = {
    TAKE + 50: "you are not asked to go or to stop: that takes {go_min} points after a turn, more than at a go before",
    TAKE + 52: "you are not asked about four of a month in your hand",
    TAKE + 54: "you are not asked what gukjin shall count as",
}


_BOMB = "a bomb takes three cards of a month from your hand with the fourth on the floor"
_HELD = ": of month {month} you hold {held}, and the floor has {there}"


def why_illegal(
    words: MatgoTranslation, view: _core.MatgoView, settings: Mapping[str, Any], player: int, action: int
) -> str:
    """`view` is what the player sees, who is to act."""
    if view.phase in _QUESTIONS:
        return words(_QUESTIONS[view.phase])
    if view.phase != PLAY:
        card = view.hand_card if view.phase == MATCH_HAND else view.flipped
        assert card is not None
        first, second = map(words.card, cards_in(view.floor & _month(card // 4)))
        text = "you are asked what {card} shall take: {first} or {second}"
        return words(text, card=words.card(card), first=first, second=second)
    hand = view.hands[player]
    if action == DUMMY:
        return words("you have no dummy left: a bomb gives two")
    if BOMB <= action < SHAKE:
        month = action - BOMB
        held, there = ((cards & _month(month)).bit_count() for cards in (hand, view.floor))
        also = ", or two with two" if settings["two_card_bomb"] else ""
        return words(_BOMB + also + _HELD, month=month + 1, held=held, there=there)
    if TAKE <= action < TAKE + 50:
        return words("no card of the floor is to be chosen: play a card of your hand")
    if SHAKE <= action < TAKE:
        return _why_no_shake(words, hand, view.floor, action - SHAKE)
    if action < DUMMY or action == THIRD_BONUS:
        return _not_held(words, view.floor, action)
    return words(next(text for start, text in _ANSWERS.items() if action in (start, start + 1)), **settings)


def _month(month: int) -> int:
    """The cards of a month from 0, as a set."""
    return 0b1111 << 4 * month


def _not_held(words: MatgoTranslation, floor: int, action: int) -> str:
    card = card_of(action)
    assert card is not None
    lies = floor >> card & 1
    text = "{card} is not in your hand but lies on the floor" if lies else "{card} is not in your hand"
    return words(text, card=words.card(card))


def _why_no_shake(words: MatgoTranslation, hand: int, floor: int, card: int) -> str:
    if not hand >> card & 1:
        return _not_held(words, floor, card)
    month = card // 4
    held = (hand & _month(month)).bit_count()
    if held < 3:
        text = "a shake shows three cards of a month, and you hold {held} of month {month}"
    elif floor & _month(month):
        text = "the fourth card of month {month} lies on the floor: you could bomb"
    else:
        text = "you have shaken month {month} already"
    return words(text, held=held, month=month + 1)
