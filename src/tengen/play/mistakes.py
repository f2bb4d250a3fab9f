"""Which decisions of a person cost most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.games import Game
    from tengen.play.advice import Advice
    from tengen.play.human_game import Decision, HumanGame

__all__ = ["Mistake", "find_mistakes", "judge_decision"]

_SHOWN = 5
# All decisions together, however long a hint may take.
_SECONDS = 60.0
# A difference of fewer standard errors may be chance.
_LEAST_ERRORS = 2.0
# What is within rounding of the best move cost nothing; of a full win.
_LEAST_LOSS = 1e-3


@dataclass(frozen=True)
class Mistake:
    decision: Decision
    played: Advice
    better: Advice

    @property
    def cost(self) -> float:
        return self.better.value - self.played.value

    @property
    def error(self) -> float | None:
        """Of the cost, at most: where moves were played out in the same deals, less."""
        if self.played.error is None or self.better.error is None:
            return None
        return math.hypot(self.played.error, self.better.error)


def find_mistakes(
    table: HumanGame, seconds: float, limit: int = _SHOWN, on_step: Callable[[int], None] = lambda _: None
) -> tuple[list[Mistake], int]:
    """The worst decisions, by what the person could see at the time, and how many decisions there were.

    `seconds` are what a search may take at most; `on_step` hears how many decisions are judged.
    """
    decisions = table.decisions
    each = min(seconds, _SECONDS / max(1, len(decisions)))
    found = []
    for number, decision in enumerate(decisions):
        on_step(number)
        mistake = judge_decision(table.game, decision, table.judge(decision, each))
        if mistake is not None:
            found.append(mistake)
    return sorted(found, key=lambda mistake: -mistake.cost)[:limit], len(decisions)


def judge_decision(game: Game, decision: Decision, advice: Sequence[Advice]) -> Mistake | None:
    """By what each move was worth there; None: it was none, or none that is beyond chance."""
    better = max(advice, key=lambda move: move.value)
    played = next((move for move in advice if move.action == decision.action), None)
    if played is None or played is better:
        return None
    mistake = Mistake(decision, played, better)
    least = max(_LEAST_ERRORS * (mistake.error or 0.0), _LEAST_LOSS * game.payoff_scale)
    return mistake if mistake.cost > least else None
