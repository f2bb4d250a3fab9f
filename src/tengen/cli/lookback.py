"""After a game: which decisions of the person cost most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from tengen.cli.watching import Bar
from tengen.cli.wording import amount_text

if TYPE_CHECKING:
    from tengen.cli.advice import Advice
    from tengen.cli.session import Decision, Session
    from tengen.games import Game

__all__ = ["Mistake", "find_mistakes", "mistakes_table"]

_MOST = 5
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


def find_mistakes(session: Session, seconds: float, most: int = _MOST) -> tuple[list[Mistake], int]:
    """The worst decisions, by what the person could see at the time, and how many decisions there were.

    `seconds` are what a search may take at most.
    """
    decisions = session.decisions
    each = min(seconds, _SECONDS / max(1, len(decisions)))
    found = []
    with Bar() as bar:
        bar.begin("looking back", len(decisions))
        for number, decision in enumerate(decisions):
            bar.advance(number)
            mistake = _judge(session, decision, each)
            if mistake is not None:
                found.append(mistake)
        bar.end()
    return sorted(found, key=lambda mistake: -mistake.cost)[:most], len(decisions)


def _judge(session: Session, decision: Decision, seconds: float) -> Mistake | None:
    advice = session.judge(decision, seconds)
    better = max(advice, key=lambda move: move.value)
    played = next((move for move in advice if move.action == decision.action), None)
    if played is None or played is better:
        return None
    mistake = Mistake(decision, played, better)
    least = max(_LEAST_ERRORS * (played.error or 0.0), _LEAST_LOSS * session.game.payoff_scale)
    return mistake if mistake.cost > least else None


def mistakes_table(game: Game, mistakes: list[Mistake]) -> Table:
    unit = f" in {game.payoff_unit}" if game.payoff_unit else ""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("your move", justify="right", no_wrap=True)
    table.add_column("you played", style="bold", no_wrap=True)
    table.add_column("worth", justify="right", no_wrap=True)
    table.add_column("better", style="bold", no_wrap=True)
    table.add_column("worth", justify="right", no_wrap=True)
    table.add_column(f"cost{unit}", justify="right", no_wrap=True)
    for mistake in mistakes:
        values = [amount_text(game, value) for value in (mistake.played.value, mistake.better.value, -mistake.cost)]
        error = mistake.played.error
        cost = values[2] + (f" ± {amount_text(game, error).lstrip('+')}" if error else "")
        number = str(mistake.decision.number)
        table.add_row(*map(Text, (number, mistake.played.name, values[0], mistake.better.name, values[1], cost)))
    return table
