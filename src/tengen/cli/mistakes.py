"""After a game: which decisions of the person cost most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from tengen.cli.game_text import amount_text
from tengen.cli.translation import translate
from tengen.console.progress import Bar

if TYPE_CHECKING:
    from tengen.cli.advice import Advice
    from tengen.cli.human_game import Decision, HumanGame
    from tengen.games import Game

__all__ = ["Mistake", "find_mistakes", "mistakes_table"]

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


def find_mistakes(table: HumanGame, seconds: float, limit: int = _SHOWN) -> tuple[list[Mistake], int]:
    """The worst decisions, by what the person could see at the time, and how many decisions there were.

    `seconds` are what a search may take at most.
    """
    decisions = table.decisions
    each = min(seconds, _SECONDS / max(1, len(decisions)))
    found = []
    with Bar() as bar:
        bar.begin(translate(table.game, "looking back"), len(decisions))
        for number, decision in enumerate(decisions):
            bar.advance(number)
            mistake = _judge(table, decision, each)
            if mistake is not None:
                found.append(mistake)
        bar.end()
    return sorted(found, key=lambda mistake: -mistake.cost)[:limit], len(decisions)


def _judge(table: HumanGame, decision: Decision, seconds: float) -> Mistake | None:
    advice = table.judge(decision, seconds)
    better = max(advice, key=lambda move: move.value)
    played = next((move for move in advice if move.action == decision.action), None)
    if played is None or played is better:
        return None
    mistake = Mistake(decision, played, better)
    least = max(_LEAST_ERRORS * (mistake.error or 0.0), _LEAST_LOSS * table.game.payoff_scale)
    return mistake if mistake.cost > least else None


def mistakes_table(game: Game, mistakes: list[Mistake]) -> Table:
    cost_of = (
        translate(game, "cost in {unit}", unit=game.words(game.payoff_unit))
        if game.payoff_unit
        else translate(game, "cost")
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(translate(game, "your move"), justify="right", no_wrap=True)
    table.add_column(translate(game, "you played"), style="bold", no_wrap=True)
    table.add_column(translate(game, "worth"), justify="right", no_wrap=True)
    table.add_column(translate(game, "better"), style="bold", no_wrap=True)
    table.add_column(translate(game, "worth"), justify="right", no_wrap=True)
    table.add_column(cost_of, justify="right", no_wrap=True)
    for mistake in mistakes:
        number = str(mistake.decision.number)
        played, better = mistake.played, mistake.better
        cells = (number, played.name, _worth(game, played), better.name, _worth(game, better), _cost(game, mistake))
        table.add_row(*map(Text, cells))
    return table


def _worth(game: Game, move: Advice) -> str:
    if move.win_rate is None or game.payoff_unit:
        return amount_text(game, move.value)
    return f"{move.win_rate:.0%}" + ("" if move.lead is None else f", {move.lead:+.1f}")


def _cost(game: Game, mistake: Mistake) -> str:
    played, better = mistake.played, mistake.better
    if played.win_rate is None or better.win_rate is None or game.payoff_unit:
        error = "" if not mistake.error else f" ± {amount_text(game, mistake.error).lstrip('+')}"
        return amount_text(game, -mistake.cost) + error
    points = "" if played.lead is None or better.lead is None else f", {played.lead - better.lead:+.1f} points"
    return f"{played.win_rate - better.win_rate:+.0%}{points}"
