"""`tengen report`: a run as a page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tengen.console.output import guarded, tell
from tengen.runs import Run

__all__ = ["report"]


@guarded
def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="The page.", show_default="RUN/report.html")
    ] = None,
) -> None:
    """Write a page about a run: ratings, losses, gates and games.

    It is one HTML file that needs no other.
    """
    from tengen.champion.report import write_report

    tell(str(write_report(Run.open(run), out or run / "report.html")))
