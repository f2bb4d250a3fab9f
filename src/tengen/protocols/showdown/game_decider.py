"""Players of the arena in battles: asked about a state of the game that is drawn from what a tracker knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.pokemon import Pokemon
from tengen.games.pokemon.tracked_state import state_of
from tengen.protocols.showdown.deciding import Considered, Decider, Decision, Situation

if TYPE_CHECKING:
    from tengen.arena import Choice, Player

__all__ = ["GAME", "GameDecider"]

GAME = "pokemon"


class GameDecider(Decider):
    def __init__(self, player: Player) -> None:
        self.name = player.name
        self._player = player
        self._game = Pokemon()

    def decide(self, situation: Situation) -> Decision:
        state = state_of(self._game, situation.tracker, situation.seed)
        seat = situation.tracker.side or 0
        (choice,) = self._player.consider([state], [seat], [situation.seed])
        considered = _considered(choice)
        action = choice.action
        if action not in situation.actions:  # whatever the server offers is right
            action = next((one.action for one in considered if one.action in situation.actions), situation.actions[0])
        return Decision(action, _win_rate(choice, seat), considered)

    def close(self) -> None:
        self._player.close()


def _win_rate(choice: Choice, seat: int) -> float | None:
    """Payoffs are from -1 to 1."""
    return None if choice.values is None else (choice.values[seat] + 1) / 2


def _considered(choice: Choice) -> tuple[Considered, ...]:
    ranked = sorted(choice.policy, key=lambda action: -choice.policy[action])
    return tuple(Considered(action, choice.policy[action]) for action in ranked)
