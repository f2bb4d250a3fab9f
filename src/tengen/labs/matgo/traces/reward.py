"""The immediate reward of an action, `ir`: a hint for learning, in no unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.matgo.cards import kind_of, pi_value

if TYPE_CHECKING:
    from tengen.labs.matgo.traces.steps import Step

__all__ = ["MAX_PER_GAME", "MAX_PER_TURN", "Rewards", "reward"]

MAX_PER_TURN = 0.3
MAX_PER_GAME = 1.0
_KINDS = {"gwang": 0.12, "yeol": 0.08, "ribbon": 0.05}
_PI = {1: 0.05, 2: 0.08, 3: 0.10}
_RISKS = (0.10, 0.12, 0.11)
"""Of pi-bak, gwang-bak, mong-bak."""
_WHOLE = 3
_DIGITS = 6


def reward(step: Step) -> float:
    """Before clipping."""
    before, after = step.before, step.after
    own, then = before.progress[0], after.progress[0]
    worth = min(0.2, 0.1 * step.pi_stolen) + min(0.1, step.gold_stolen / 1000)
    worth += sum(map(_card, (*step.by_hand, *step.by_flip)))
    worth += min(0.14, 0.05 * max(0, sum(then) - sum(own)))
    worth += 0.2 * sum(old < _WHOLE <= new for old, new in zip(own[:4], then[:4], strict=True))
    worth += min(0.15, 0.25 * max(0.0, before.threats[1].total - after.threats[1].total))
    worth += sum(weight * (old - new) for weight, old, new in zip(_RISKS, before.risks, after.risks, strict=True))
    return worth - (0.22 if "ppuk" in step.events else 0.0)


class Rewards:
    """The clipped rewards of one round, action by action.

    The rewards of a turn add up to at most MAX_PER_TURN either way, those of a player to at most MAX_PER_GAME.
    """

    def __init__(self) -> None:
        self._games = [0.0, 0.0]
        self._turn = 0
        self._in_turn = 0.0

    def give(self, step: Step) -> float:
        if step.turn != self._turn:
            self._turn, self._in_turn = step.turn, 0.0
        in_turn = _clip(self._in_turn + reward(step), MAX_PER_TURN)
        in_game = _clip(self._games[step.seat] + in_turn - self._in_turn, MAX_PER_GAME)
        given = in_game - self._games[step.seat]
        self._in_turn, self._games[step.seat] = in_turn, in_game
        return round(given, _DIGITS)


def _card(card: int) -> float:
    kind = kind_of(card)
    return _PI[pi_value(card)] if kind == "pi" else _KINDS[kind]


def _clip(value: float, bound: float) -> float:
    return max(-bound, min(bound, value))
