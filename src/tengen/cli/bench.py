"""`tengen bench`: how fast the games and their search are on this machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer
from rich import box
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tengen import __version__
from tengen.cli.bench_runs import measure_memory, measure_perft, measure_random_play, measure_search, search_key
from tengen.console.options import SeedOption, SetOption, TuneOption, position, read_game, read_tuning
from tengen.console.output import UsageError, error_console, guarded, output_console, print_json, usage_errors
from tengen.games import names
from tengen.search import SearchSettings

if TYPE_CHECKING:
    from rich.console import Console

    from tengen.games import State

__all__ = ["bench"]

_ROOTS = (1, 64, 1024)
_EVALUATORS = ("uniform", "rollout")
# Of a root, before it begins anew: what self-play does.
_VISITS = 800

_Facts: TypeAlias = dict[str, float]


class _Job(NamedTuple):
    game: str
    label: str
    run: Callable[[_Facts], _Facts]
    """From what was measured of the game before to what this measures."""


@guarded
def bench(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="GAME", help="By default all that ship.", autocompletion=names, show_default=False),
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time for each measurement.")] = 1.0,
    threads: Annotated[int, typer.Option(metavar="N", min=1, help="Threads of the search.")] = 1,
    tune: TuneOption = None,
    seed: SeedOption = 0,
    settings: SetOption = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Measure random play, move generation and search here."""
    if not seconds > 0:
        raise UsageError(f"--seconds is {seconds:g} and must be above 0")
    with usage_errors():
        search_settings = SearchSettings().replace(**{"visits": _VISITS} | read_tuning(tune))
    jobs: list[_Job] = []
    for name in games or names():
        state = position(read_game(name, settings), seed=seed)
        jobs += _jobs(name, state, search_settings, seconds, threads)
    measured: dict[str, _Facts] = {job.game: {} for job in jobs}
    for job in _with_progress(jobs):
        measured[job.game] |= job.run(measured[job.game])
    if json:
        print_json({"machine": _machine(), "seconds": seconds, "threads": threads, "games": measured})
    else:
        _show(output_console(), measured)


def _jobs(name: str, state: State, settings: SearchSettings, seconds: float, threads: int) -> Iterator[_Job]:
    yield _Job(name, "random play", lambda _: measure_random_play(state, seconds))
    yield _Job(name, "perft", lambda _: measure_perft(state, seconds))
    for evaluator in _EVALUATORS:
        for roots in _ROOTS:
            run = partial(_searched, state, settings, evaluator, roots, seconds, threads)
            yield _Job(name, f"search, {evaluator}, {roots:,} root{'s' if roots > 1 else ''}", run)
    yield _Job(name, "memory", lambda _: measure_memory(state, settings, seconds))


def _searched(
    state: State, settings: SearchSettings, evaluator: str, roots: int, seconds: float, threads: int, before: _Facts
) -> _Facts:
    rate = before.get(search_key(evaluator, 1))
    if rate is not None:  # many roots of a slow game get fewer visits, so that they end in time
        settings = settings.replace(visits=max(2, min(settings.visits, int(rate * seconds / roots))))
    return measure_search(state, settings, evaluator, roots, seconds, threads)


def _with_progress(jobs: list[_Job]) -> Iterator[_Job]:
    console = error_console()
    if not console.is_terminal:
        yield from jobs
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(jobs))
        for job in jobs:
            progress.update(task, description=f"{job.game}: {job.label}")
            yield job
            progress.advance(task)


def _machine() -> dict[str, Any]:
    return {
        "tengen": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
    }


def _show(console: Console, measured: dict[str, _Facts]) -> None:
    rows = {
        "random games/s": "playouts_per_s",
        "plies/s": "plies_per_s",
        "perft nodes/s": "perft_nodes_per_s",
    }
    for evaluator in _EVALUATORS:
        for roots in _ROOTS:
            rows[f"visits/s, {evaluator}, {roots:,} root{'s' if roots > 1 else ''}"] = search_key(evaluator, roots)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in measured:
        table.add_column(name.rpartition("/")[2].replace("_", " "), justify="right")
    for label, key in rows.items():
        table.add_row(label, *(_short(facts[key]) for facts in measured.values()))
    table.add_row("bytes a node", *(f"{facts['bytes_per_node']:.0f}" for facts in measured.values()))
    console.print(table)


def _short(number: float) -> str:
    """Three digits and a unit: 1.25 M."""
    units = ["", " k", " M", " G"]
    while number >= 999.5 and len(units) > 1:
        number /= 1000
        del units[0]
    return f"{number:.3g}{units[0]}"
