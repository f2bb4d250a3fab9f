"""After a game: which decisions of the person cost most, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from tengen import play
from tengen.console.progress import Bar
from tengen.play.game_text import amount_text
from tengen.play.translation import translate

if TYPE_CHECKING:
    from tengen.games import Game
    from tengen.play import Advice, HumanGame, Mistake

__all__ = ["find_mistakes", "mistakes_table"]


def find_mistakes(table: HumanGame, seconds: float) -> tuple[list[Mistake], int]:
    """With a bar."""
    with Bar() as bar:
        bar.begin(translate(table.game, "looking back"), len(table.decisions))
        found = play.find_mistakes(table, seconds, on_step=bar.advance)
        bar.end()
    return found


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
    points = ""
    if played.lead is not None and better.lead is not None:
        points = translate(game, ", {points:+.1f} points", points=played.lead - better.lead)
    return f"{played.win_rate - better.win_rate:+.0%}{points}"
