"""`tengen shogi workflow`: three pairs, from records to ratings."""

from __future__ import annotations

import signal
import threading
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from tengen.champion.opening import run_settings
from tengen.champion.settings import change_settings
from tengen.console.options import JsonOption, WorkersOption, open_crew
from tengen.console.output import guarded, output_console, print_json, tell, usage_errors, warn
from tengen.console.progress import Bar, rate_text, time_text
from tengen.console.trust import trust_named
from tengen.games.shogi import Shogi
from tengen.labs.shogi.commands.options import DeviceOption, check_devices
from tengen.labs.shogi.final_evaluation import TABLE, verdict
from tengen.labs.shogi.measures import MAIN_FIGURES, TOP1_MOVE, WIN_PREDICTION, main_figure
from tengen.labs.shogi.samples import PHASES
from tengen.labs.shogi.settings import QUICK, WorkflowSettings
from tengen.labs.shogi.workflow import WORKFLOW, Workflow, open_workflow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tengen.runs import Run

__all__ = ["continue_workflow", "workflow"]

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes after Ctrl-C and after SIGTERM, as shells count them."""


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
    device: DeviceOption = None,
    workers: WorkersOption = "local",
    json: JsonOption = False,
) -> None:
    """Grow three pairs, from records to ratings.

    Prophets and enforcers are pre-trained, then learn from matches of the pairs with each other; enforcers also without
    prophets. The table at the end shows every model on held-out games, and the leading pair in the arena.
    """
    with usage_errors():
        given = change_settings(WorkflowSettings(), QUICK if quick else {})
        given = change_settings(given, _tables(settings or []))
        if device is not None:
            given = change_settings(given, {"train": {"device": device}})
        is_new = quick or settings or records or device is not None
        if is_new:
            check_devices(given.train)  # before a folder is made
        opened = open_workflow(run, given if is_new else None, records or [])
    trust_named(Shogi(), [_tables(settings or [])], run)
    continue_workflow(opened, workers, as_json=json)


def continue_workflow(run: Run, workers: str, *, as_json: bool = False) -> None:
    """Continue to the end with the run's own settings, and print the table."""
    with usage_errors("train.device: "):
        check_devices(run_settings(run, WorkflowSettings, WORKFLOW).train)
    crew = open_crew(workers)
    try:
        with _termination(), run.lock(), crew, Bar(has_lines=True) as bar:
            crew.watch(bar.note)
            step = Workflow(run, crew, _View(bar, quiet=as_json)).go()
    except KeyboardInterrupt as interrupt:
        warn("stopped; run the same command again to go on")
        raise typer.Exit(TERMINATED if isinstance(interrupt, _Terminated) else INTERRUPTED) from None
    table = step.read_json(TABLE)
    if as_json:
        print_json({"run": str(run.path), **table})
    else:
        _print(table)


class _Terminated(KeyboardInterrupt):
    """A termination signal, which ends a run as Ctrl-C does."""


@contextmanager
def _termination() -> Iterator[None]:
    """Raise _Terminated on SIGTERM, so that workers are ended and the exit code is set."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _tables(pairs: Sequence[str]) -> dict[str, Any]:
    """Return settings such as `size.channels=32` as nested tables."""
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
    for name in ("model on held-out games", "pair", "measure", *PHASES, "all", "top 5", "legal"):
        models.add_column(name, no_wrap=True, justify="left" if name.startswith("model") else "right")
    for row in table["models"]:
        test = row["test"]
        measure = WIN_PREDICTION if "prophet-with" in row["step"] else TOP1_MOVE
        cells = [f"{row['step']} {row['number']}", row["pair"], MAIN_FIGURES[measure]]
        cells += [_percent(main_figure(test.get(phase, {}))) for phase in (*PHASES, "all")]
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
    tell(verdict(table))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


class _View:
    """Prints the progress and the results of steps."""

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
            seconds = time.monotonic() - self._began
            parts += [f"{figures['plies']:,.0f} plies", rate_text(figures["plies"], seconds, "plies")]
        self._bar.advance(done, ", ".join(parts))

    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None:  # noqa: ARG002
        self._bar.end()
        if not self._quiet:
            self._bar.say(
                f"{phase} {iteration or ''}".strip() + f": {text} ({time_text(time.monotonic() - self._began)})"
            )
