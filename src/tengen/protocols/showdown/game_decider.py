"""Players of the arena in battles: asked about a state of the game that is drawn from what a tracker knows."""

from __future__ import annotations

import copy
import time
from typing import TYPE_CHECKING

from tengen.arena import SearchPlayer
from tengen.games.pokemon import Pokemon
from tengen.games.pokemon.tracked_state import state_of
from tengen.protocols.showdown.deciding import Considered, Decider, Decision, Situation

if TYPE_CHECKING:
    from tengen.arena import Choice, Player

__all__ = ["GAME", "GameDecider"]

GAME = "pokemon"


_SEARCH_SHARE = 0.9
"""Of the time that a choice may take: the rest is for reading the battle and the answer."""


class GameDecider(Decider):
    """A search ends in time, however many visits it was to make."""

    def __init__(self, player: Player) -> None:
        self.name = player.name
        self._game = Pokemon()
        self._player = player
        self._seconds = player.seconds if isinstance(player, SearchPlayer) else None
        self._idle = [player]

    def decide(self, situation: Situation) -> Decision:
        ends = time.monotonic() + _SEARCH_SHARE * situation.seconds
        state = state_of(self._game, situation.tracker, situation.seed)
        seat = situation.tracker.side or 0
        player = self._take()
        try:
            if isinstance(player, SearchPlayer):
                left = max(0.001, ends - time.monotonic())
                player.seconds = left if self._seconds is None else min(left, self._seconds)
            (choice,) = player.consider([state], [seat], [situation.seed])
        finally:
            self._idle.append(player)
        considered = _considered(choice)
        action = choice.action
        if action not in situation.actions:  # whatever the server offers is right
            action = next((one.action for one in considered if one.action in situation.actions), situation.actions[0])
        return Decision(action, _win_rate(None if choice.values is None else choice.values[seat]), considered)

    def close(self) -> None:
        for player in self._idle:
            player.close()

    def _take(self) -> Player:
        """One that nobody asks: a search serves one thread."""
        try:
            return self._idle.pop()
        except IndexError:
            return copy.copy(self._player)


def _win_rate(payoff: float | None) -> float | None:
    """Payoffs are from -1 to 1."""
    return None if payoff is None else (payoff + 1) / 2


def _considered(choice: Choice) -> tuple[Considered, ...]:
    actions = sorted(choice.policy | choice.action_visits, key=lambda action: -choice.policy.get(action, 0.0))
    return tuple(
        Considered(
            action,
            choice.policy.get(action, 0.0),
            _win_rate(choice.action_values.get(action)),
            choice.action_visits.get(action, 0),
        )
        for action in actions
    )
