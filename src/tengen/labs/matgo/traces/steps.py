"""One action and what it did, as the player who played it saw it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tengen.games.matgo.cards import FIRST_BONUS, cards_in, pi_value
from tengen.games.matgo.notation import BOMB, DUMMY, SHAKE, TAKE, THIRD_BONUS
from tengen.games.matgo.turn_events import EVENTS, Turn, count_month, find_events
from tengen.labs.matgo.traces.choices import Question, question
from tengen.labs.matgo.traces.context import Sight, sight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.matgo import Matgo
    from tengen.games.state import State

__all__ = ["EVENTS", "Step", "Watcher"]

_DDADAK_MATCHES = 2
_PILE = 3


@dataclass(frozen=True)
class Step:
    seat: int
    turn: int
    """Number of the turn in the round, from 1; a question after a turn belongs to that turn."""
    own_turn: int
    """Number of the turn among this seat's turns."""
    asked: Question
    action: int
    before: Sight
    after: Sight
    pi_stolen: int
    """Cards."""
    gold_stolen: int
    """Gold that was paid during the round; the payment at its end is not included."""
    by_hand: tuple[int, ...]
    """Cards that the hand's card captured, itself included."""
    by_flip: tuple[int, ...]
    """Cards that turned cards captured."""
    events: tuple[str, ...]


class _Hand(NamedTuple):
    """The card that was played from the hand in this turn, and the floor cards of its month that it found."""

    card: int | None
    matches: int


class Watcher:
    """Makes a Step of each action of one round, in their order, from any state on."""

    def __init__(self, game: Matgo, start: State) -> None:
        self._game = game
        self._deck = game.deck(start)
        self._is_bomb_last = bool(game.settings["bomb_last_hand"])
        self._is_last: bool | None = None
        """True if the current turn plays the last card of its hand; None if unknown."""
        self._lies_with: dict[int, int] = {}
        """The months of the piles that bonus cards lie with."""

    def watch(self, state: State, action: int, then: State) -> Step:
        seat = state.actor
        assert isinstance(seat, int)
        game = self._game
        view = game.view(state, seat)
        before = sight(view, seat, game.deck_size)
        after = sight(game.view(then, seat), seat, game.deck_size)
        asked = question(view.phase, state.legal())
        is_after = asked.phase in ("go_stop", "gukjin")
        flips = self._flips(before, after, asked, action)
        hand = _hand_card(before, view.hand_card, asked, action)
        gained = after.captured[0] & ~(before.captured[0] | before.captured[1])
        by_hand, by_flip = _split(gained, hand, flips, before, asked, action)
        by_flip |= self._bonus_of_pile(gained & before.floor, flips, hand)
        if after.ppuks[0] > before.ppuks[0]:
            self._lies_with |= dict.fromkeys(flips[:-1], _month(flips[-1]))
        return Step(
            seat=seat,
            turn=sum(before.turns) + (0 if is_after else 1),
            own_turn=before.turns[0] + (0 if is_after else 1),
            asked=asked,
            action=action,
            before=before,
            after=after,
            pi_stolen=(after.captured[0] & before.captured[1]).bit_count(),
            gold_stolen=0 if then.is_over else after.gold[0] - before.gold[0],
            by_hand=tuple(cards_in(by_hand & ~by_flip)),
            by_flip=tuple(cards_in(by_flip)),
            events=self._events(before, after, hand, flips, gained, asked, action),
        )

    def _bonus_of_pile(self, taken: int, flips: Sequence[int], hand: _Hand) -> int:
        """Return the bonus cards among the taken floor cards that lay with the turned card's pile."""
        turned = _turned(flips)
        if turned is None:
            return 0
        unknown = -1 if hand.matches == _PILE else _month(turned)
        cards = cards_in(taken & -(1 << FIRST_BONUS))
        return sum(1 << card for card in cards if self._lies_with.get(card, unknown) == _month(turned))

    def _flips(self, before: Sight, after: Sight, asked: Question, action: int) -> Sequence[int]:
        """Cards that were turned; a card drawn for a bonus card is not."""
        if asked.dt == "option" or (asked.phase == "play" and _is_bonus(action)):
            return ()
        size = len(self._deck)
        return self._deck[size - before.stock : size - after.stock]

    def _events(
        self,
        before: Sight,
        after: Sight,
        hand: _Hand,
        flips: Sequence[int],
        gained: int,
        asked: Question,
        action: int,
    ) -> tuple[str, ...]:
        has_bomb = asked.phase == "play" and BOMB <= action < SHAKE
        if asked.phase == "play":
            self._is_last = after.hands[0] == 0 and self._is_bomb_last if has_bomb else before.hands[0] == 1
        if asked.dt == "option":
            return ()
        turn = Turn(
            hand_card=hand.card,
            matches=hand.matches,
            turned=_turned(flips),
            floor=before.floor,
            has_ppuk=after.ppuks[0] > before.ppuks[0],
            has_bomb=has_bomb,
            is_last=before.hands[0] == 0 if self._is_last is None else self._is_last,
            has_swept=after.turns[0] > before.turns[0] and after.floor == 0 and gained > 0,
        )
        return find_events(turn)


def _hand_card(before: Sight, waiting: int | None, asked: Question, action: int) -> _Hand:
    if asked.phase == "match_hand":
        return _Hand(waiting, _DDADAK_MATCHES)
    if asked.phase != "play" or _is_bonus(action) or DUMMY <= action < SHAKE:
        return _Hand(None, -1)
    card = action - SHAKE if action >= SHAKE else action
    return _Hand(card, count_month(before.floor, card))


def _split(
    gained: int, hand: _Hand, flips: Sequence[int], before: Sight, asked: Question, action: int
) -> tuple[int, int]:
    """Captured cards by what captured them: the hand's card, turned cards."""
    if asked.phase == "match_flip":
        return 0, gained
    by_flip = gained & sum(1 << card for card in flips)
    turned = _turned(flips)
    if turned is not None:
        month = gained & (15 << 4 * _month(turned))
        if hand.card is None or _month(turned) != _month(hand.card) or hand.matches == 0:
            by_flip |= month
        elif hand.matches == _DDADAK_MATCHES:
            taken = action - TAKE if asked.phase == "match_hand" else _better(before.floor & month)
            by_flip |= month & ~(1 << hand.card | 1 << taken)
    return gained & ~by_flip, by_flip


def _better(cards: int) -> int:
    """Return the floor card that is taken without a question, of two of the same kind."""
    return max(cards_in(cards), key=lambda card: (pi_value(card), -card))


def _turned(flips: Sequence[int]) -> int | None:
    """The card that ended the turning; None if only bonus cards were left."""
    return flips[-1] if flips and flips[-1] < FIRST_BONUS else None


def _month(card: int) -> int:
    return card // 4


def _is_bonus(action: int) -> bool:
    return FIRST_BONUS <= action < DUMMY or action == THIRD_BONUS
