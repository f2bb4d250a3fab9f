"""What each move is worth, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from tengen.cli.search import line_text
from tengen.play.game_text import amount_text
from tengen.play.translation import translate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games import Game
    from tengen.play.advice import Advice

__all__ = ["hints_note", "hints_table"]

_ERRORS = "± is one standard error."


def hints_table(game: Game, advice: Sequence[Advice]) -> Table:
    """Only the columns that the advice has numbers for."""
    has_unit = bool(game.payoff_unit)
    has_wins = all(move.win_rate is not None for move in advice)
    unit = game.words(game.payoff_unit)
    columns: dict[str, list[str | None]] = {
        translate(game, "share"): [None if move.share is None else f"{move.share:.0%}" for move in advice],
        translate(game, "expected {unit}", unit=unit) if has_unit else translate(game, "value"): [
            None if has_wins and not has_unit else amount_text(game, move.value) for move in advice
        ],
        "±": [_error(game, move) if has_unit else None for move in advice],
        translate(game, "wins"): [
            None if move.win_rate is None else _wins(game, move.win_rate, proven=move.proven) for move in advice
        ],
        translate(game, "points"): [None if move.lead is None else f"{move.lead:+.1f}" for move in advice],
        translate(game, "visits"): [None if move.visits is None else f"{move.visits:,}" for move in advice],
    }
    shown = {heading: cells for heading, cells in columns.items() if any(cell is not None for cell in cells)}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(translate(game, "move"), style="bold", no_wrap=True)
    for heading in shown:
        table.add_column(heading, justify="right", no_wrap=True)
    has_lines = any(move.line for move in advice) and not has_unit
    if has_lines:
        table.add_column(translate(game, "line"), style="dim")
    for row, move in enumerate(advice):
        cells = [Text(column[row] or "") for column in shown.values()]
        table.add_row(Text(move.name), *cells, *([line_text(move.line)] if has_lines else []))
    return table


def hints_note(game: Game, how: str) -> str:
    """What is to be known of the numbers; `how` they came about."""
    return " ".join(filter(None, (how, translate(game, _ERRORS) if game.payoff_unit else "")))


def _wins(game: Game, share: float, *, proven: bool) -> str:
    if not proven:
        return f"{share:.0%}"
    fate = {0.0: "lost", 0.5: "drawn", 1.0: "won"}.get(share)
    return "" if fate is None else translate(game, fate)


def _error(game: Game, move: Advice) -> str | None:
    return None if move.error is None else amount_text(game, move.error).lstrip("+")
