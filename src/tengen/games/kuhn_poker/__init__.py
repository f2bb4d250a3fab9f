"""Kuhn poker: three cards, one bet, the smallest game in which bluffing pays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.games.action_names import look_up, name_of
from tengen.games.errors import GameError, NotationError
from tengen.games.kuhn_poker.drawing import CARDS, Table, draw_svg, draw_text, find_spots, read_history
from tengen.games.kuhn_poker.texts import GUIDES, LANGUAGES
from tengen.games.native import NativeGame
from tengen.games.registry import register

if TYPE_CHECKING:
    import random

    from tengen.games.spots import Spot

__all__ = ["KuhnPoker"]

_NAMES = ("pass", "bet")
_WORDS = {"pass": 0, "check": 0, "fold": 0, "bet": 1, "call": 1}
# These say more than pass and bet: whether there is a bet to answer.
_ANSWERS_A_BET = {"check": False, "fold": True, "call": True}


@register
class KuhnPoker(NativeGame):
    """Each player has one card of J Q K and has paid 1 chip. A bet is 1 more; the higher card wins a called one.

    start(cards="KJ") deals the first player the king and the second the jack.
    """

    title = "Kuhn poker"
    languages = LANGUAGES

    def __init__(self) -> None:
        self._rules = _core.KuhnPoker()
        super().__init__(self._rules)

    def initial(self, rng: random.Random, *, cards: str | None = None) -> Any:
        if cards is None:
            return super().initial(rng)
        dealt = [CARDS.find(card) for card in cards.upper()]
        if len(dealt) != 2 or -1 in dealt or dealt[0] == dealt[1]:
            raise GameError(f"cards={cards!r} is no deal: name two different cards of J, Q and K, such as 'KJ'")
        return self._rules.start_with(*dealt)

    @property
    def guide(self) -> str:
        return GUIDES[self.lang]

    def format_action(self, action: int) -> str:
        return name_of(_NAMES, action)

    def display_name(self, action: int) -> str:
        return self.words(self.format_action(action))

    def parse_action(self, text: str, position: Any) -> int:
        told = "{text!r} is not an action of Kuhn poker: pass (or check, fold) or bet (or call)"
        english = {self.words(word): word for word in _WORDS}
        plain = text.strip().casefold()
        word = english.get(plain, plain)
        action = look_up(_WORDS, word, self.words(told, text=text))
        if action not in self._choices(position):
            raise self.illegal(position, self.actor(position), action)
        is_bet = 1 in read_history(self.encode(position, 0))
        if _ANSWERS_A_BET.get(word, is_bet) != is_bet:
            told = "{text!r} does not fit: there is no bet to answer, so it is check or bet"
            if is_bet:
                told = "{text!r} does not fit: there is a bet to answer, so it is fold or call"
            raise NotationError(self.words(told, text=text))
        return action

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:
        return draw_text(self._table(position, viewer), self.words, color)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:
        return draw_svg(self._table(position, viewer), self.words)

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:
        return find_spots(self._table(position, viewer), self.words)

    def touches(self, action: int, position: Any) -> tuple[str, ...]:  # noqa: ARG002 - the same in any position
        return (self.display_name(action),)

    def draw_public_svg(self, position: Any) -> str:
        return draw_svg(self._public_table(position), self.words)

    def public_spots(self, position: Any) -> list[Spot]:
        return find_spots(self._public_table(position), self.words)

    def _public_table(self, position: Any) -> Table:
        """Cards that nobody has shown lie there face down."""
        seen = [self._table(position, viewer) for viewer in (0, 1)]
        return replace(seen[0], cards=(seen[1].cards[0], seen[0].cards[1]))

    def _table(self, position: Any, viewer: int | None) -> Table:
        seats = (0, 1) if viewer is None else (viewer,)
        actor = self.actor(position)
        assert actor is None or isinstance(actor, int)
        payoffs = self.payoff(position) if actor is None else None
        return Table.read({seat: self.encode(position, seat) for seat in seats}, actor, payoffs)
