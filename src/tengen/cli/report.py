"""`tengen report`: a run as a page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.console.output import FailedError, UsageError, guarded, tell, warn
from tengen.console.trust import RunGameOption, find_game_of
from tengen.runs import Run

if TYPE_CHECKING:
    from tengen.champion.report_data import GameMaker

__all__ = ["report"]


@guarded
def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="The page.", show_default="RUN/report.html")
    ] = None,
    game: RunGameOption = None,
) -> None:
    """Write a page about a run: ratings, losses, gates and games.

    It is one HTML file that needs no other. Boards of a game of your own are drawn by the code of the game, which must
    be a file that you have named before or name with --game.
    """
    from tengen.champion.report import write_report

    opened = Run.open(run)
    tell(str(write_report(opened, out or run / "report.html", _game_maker(opened, game))))


def _game_maker(run: Run, named: str | None) -> GameMaker | None:
    """Return how to make the run's game; None if the report should find out by itself."""
    try:
        kind = find_game_of(run, named)
    except FailedError as error:
        warn(f"{error}. No boards are drawn")
        return None
    except UsageError:
        if named is not None:
            raise
        return None  # the page names what is wrong with the game
    return lambda _, settings: kind(**settings)
