"""Players of the arena in battles: asked about a state of the game that is drawn from what a tracker knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games import State
from tengen.games import game as find_game
from tengen.games.pokemon.position import position
from tengen.protocols.showdown.deciding import Considered, Decider, Decision, Situation

if TYPE_CHECKING:
    from tengen.arena import Choice, Player
    from tengen.games.pokemon.tracker import Tracker

__all__ = ["GAME", "GameDecider", "state_of"]

GAME = "pokemon"


def state_of(tracker: Tracker, seed: int) -> State:
    """A battle that fits all that the tracker's side knows; a search deals what is hidden anew."""
    game: Any = find_game(GAME)
    plain, known = position(tracker, seed)
    side = tracker.side or 0
    # Dealt once more: that also works out what each side may choose, which a position does not hold.
    return State(game, game.from_position(plain, known, side=side, luck=seed)).redeal(side, seed)


class GameDecider(Decider):
    def __init__(self, player: Player) -> None:
        self.name = player.name
        self._player = player

    def decide(self, situation: Situation) -> Decision:
        state = state_of(situation.tracker, situation.seed)
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
