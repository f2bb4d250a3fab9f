"""`tengen shogi workflow`: three pairs, from records to ratings."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from tengen.champion.settings import change_settings
from tengen.console.options import JsonOption, WorkersOption, open_crew
from tengen.console.output import guarded, output_console, print_json, tell, usage_errors, warn
from tengen.console.progress import Bar, rate_text, time_text
from tengen.labs.shogi.final_evaluation import TABLE
from tengen.labs.shogi.samples import PHASES
from tengen.labs.shogi.settings import QUICK, WorkflowSettings
from tengen.labs.shogi.workflow import Workflow, open_workflow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tengen.runs import Run

__all__ = ["continue_workflow", "workflow"]


@guarded
def workflow(
    run: Annotated[Path, typer.Option(metavar="DIR", help="The run's folder; one that is there goes on.")],
    records: Annotated[
        list[Path] | None,
        typer.Option(
            "--records",
            metavar="FILE",
            help="Games in any format, or a folder of them; may be repeated. A run that is there has its own.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="All of it, small: a quarter of an hour on two cores.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the run; may be repeated.", show_default=False),
    ] = None,
    workers: WorkersOption = "local",
    json: JsonOption = False,
) -> None:
    """Grow three pairs, from records to ratings.

    Prophets and enforcers are pre-trained, then learn from matches of the pairs with each other; enforcers also without
    prophets. In the end the table says what every model is worth on held-out games, and the best pair in the arena.
    """
    with usage_errors():
        given = change_settings(WorkflowSettings(), QUICK if quick else {})
        given = change_settings(given, _tables(settings or []))
        opened = open_workflow(run, given if quick or settings or records else None, records or [])
    continue_workflow(opened, workers, as_json=json)


def continue_workflow(run: Run, workers: str, *, as_json: bool = False) -> None:
    """Goes on to the end with the run's own settings, and tells what came of it."""
    crew = open_crew(workers)
    try:
        with run.lock(), crew, Bar(has_lines=True) as bar:
            crew.watch(bar.note)
            step = Workflow(run, crew, _View(bar, quiet=as_json)).go()
    except KeyboardInterrupt:
        warn("stopped; run the same command again to go on")
        raise typer.Exit(130) from None
    table = step.read_json(TABLE)
    if as_json:
        print_json({"run": str(run.path), **table})
    else:
        _print(table)


def _tables(pairs: Sequence[str]) -> dict[str, Any]:
    """`size.channels=32` as nested tables."""
    tables: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise ValueError(f"--set {pair}: expected KEY=VALUE")
        *places, last = name.split(".")
        at = tables
        for place in places:
            at = at.setdefault(place, {})
        try:
            at[last] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            at[last] = text
    return tables


def _print(table: Mapping[str, Any]) -> None:
    console = output_console()
    models = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("model on held-out games", "pair", *PHASES, "all", "top 5", "legal"):
        models.add_column(name, no_wrap=True, justify="left" if name.startswith("model") else "right")
    for row in table["models"]:
        test = row["test"]
        cells = [f"{row['step']} {row['number']}", row["pair"]]
        cells += [_percent(test.get(phase, {}).get("accuracy")) for phase in (*PHASES, "all")]
        cells += [_percent(test.get("all", {}).get(name)) for name in ("top5", "legal")]
        models.add_row(*map(Text, cells))
    console.print(models)
    tell("")
    matches = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("match", "games", "won", "drawn", "lost", "score", "95 %"):
        matches.add_column(name, no_wrap=True, justify="left" if name == "match" else "right")
    for row in table["matches"]:
        interval = " … ".join(_percent(row[name]) for name in ("score_low", "score_high"))
        cells = [f"{row['first']} against {row['second']}", f"{row['games']:g}"]
        cells += [f"{row[name]:g}" for name in ("wins", "draws", "losses")]
        matches.add_row(*map(Text, [*cells, _percent(row["score"]), interval]))
    console.print(matches)
    tell("")
    for row in table["ratings"]:
        tell(f"{row['player']:<36} Elo {row['elo']:+.0f} ({row['low']:+.0f} … {row['high']:+.0f})")
    tell(f"the best of the three: pair {table['best']}")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


class _View:
    """Tells of steps as they go."""

    def __init__(self, bar: Bar, *, quiet: bool) -> None:
        self._bar = bar
        self._quiet = quiet
        self._began = time.monotonic()

    def begin(self, phase: str, iteration: int, total: int) -> None:
        self._began = time.monotonic()
        self._bar.begin(f"{phase} {iteration or ''}".strip(), total)

    def advance(self, done: int, figures: Mapping[str, float]) -> None:
        parts = [f"loss {figures['loss']:.3f}"] if "loss" in figures else []
        if "plies" in figures:
            parts.append(rate_text(figures["plies"], time.monotonic() - self._began, "plies"))
        self._bar.advance(done, ", ".join(parts))

    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None:  # noqa: ARG002
        self._bar.end()
        if not self._quiet:
            self._bar.say(
                f"{phase} {iteration or ''}".strip() + f": {text} ({time_text(time.monotonic() - self._began)})"
            )
