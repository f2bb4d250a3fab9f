"""The costliest decisions of a person."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.analysis.review.verdicts import WORST_FROM, Estimate, judge_move, winrate_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.analysis.review.verdicts import Loss, Verdict
    from tengen.games import Game
    from tengen.play.advice import Advice
    from tengen.play.human_game import Decision, HumanGame

__all__ = ["Mistake", "find_mistakes", "judge_decision"]

_SHOWN = 5
# All decisions together, however long a hint may take.
_SECONDS = 60.0


@dataclass(frozen=True)
class Mistake:
    decision: Decision
    played: Advice
    better: Advice
    loss: Loss
    """The loss of the decision, as in a review."""

    @property
    def cost(self) -> float:
        return self.better.value - self.played.value

    @property
    def error(self) -> float | None:
        """Upper bound of the standard error of the cost; smaller when both moves were evaluated in the same deals."""
        if self.played.error is None or self.better.error is None:
            return None
        return math.hypot(self.played.error, self.better.error)


def find_mistakes(
    table: HumanGame, seconds: float, limit: int = _SHOWN, on_step: Callable[[int], None] = lambda _: None
) -> tuple[list[Mistake], int]:
    """Return the worst decisions, judged by what the person could see at the time, and the number of decisions.

    A search takes at most `seconds`; `on_step` is called with the number of judged decisions.
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


def judge_decision(
    game: Game, decision: Decision, advice: Sequence[Advice], least: Verdict = WORST_FROM
) -> Mistake | None:
    """Judge a decision by the verdicts of a review.

    The result is None if the verdict is milder than `least`, or if there are too few visits for one.
    """
    better = advice[0]
    played = next((move for move in advice if move.action == decision.action), None)
    if played is None or played is better:
        return None
    loss = judge_move(_estimate(game, better), _estimate(game, played), is_best=False)
    if loss is None or not loss.is_at_least(least):
        return None
    return Mistake(decision, played, better, loss)


def _estimate(game: Game, move: Advice) -> Estimate:
    """Return what the search found about a move: by win rates, or by payoffs if others count than wins and losses."""
    error = None if move.error is None else move.error / (2 * game.payoff_scale)
    if move.win_rate is None or game.payoff_unit:
        return Estimate(winrate_of(move.value, game.payoff_scale), None, move.visits, move.proven, error)
    return Estimate(move.win_rate, move.lead, move.visits, move.proven, error)
