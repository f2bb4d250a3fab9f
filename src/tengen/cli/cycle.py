"""`tengen cycle`: challengers against the champion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.champion import Cycle, CycleSettings, change_settings, open_cycle
from tengen.champion.cycle import CYCLE, fallbacks_note
from tengen.champion.presets import is_run
from tengen.cli.match_runner import check_two, enter
from tengen.cli.run_progress import GamesView
from tengen.cli.run_settings import game_of
from tengen.console.options import (
    GameArgument,
    JsonOption,
    SetOption,
    StartOption,
    WorkersOption,
    open_crew,
    read_game,
    read_start,
)
from tengen.console.output import UsageError, guarded, print_json, tell, usage_errors, warn
from tengen.console.progress import Bar
from tengen.console.trust import trust_named
from tengen.runs import Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tengen.champion import Contestant
    from tengen.games import Game
    from tengen.runs import Step

__all__ = ["continue_cycle", "cycle", "is_cycle"]

_DEFAULTS = CycleSettings()


def _gate(text: str, metavar: str = "X", default: str = "") -> Any:
    return typer.Option(metavar=metavar, help=text, show_default=default, rich_help_panel="The gate")


@guarded
def cycle(
    game: GameArgument,
    run: Annotated[Path, typer.Option(metavar="DIR", help="The run's folder; one that is there goes on.")],
    champion: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="Who reigns at first; needed for a new run.", show_default=False),
    ] = None,
    challenger: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Who meets the champion, one after another; may be repeated. Whoever has had its challenge keeps the "
            "decision; named twice, it has two.",
            show_default=False,
        ),
    ] = None,
    games: Annotated[
        int | None, typer.Option(metavar="N", help="Games of a challenge.", show_default=str(_DEFAULTS.games))
    ] = None,
    chunk_games: Annotated[
        int | None,
        typer.Option(metavar="N", help="Games that make a step.", show_default=str(_DEFAULTS.chunk_games)),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Equal seeds give equal runs.", show_default=str(_DEFAULTS.seed))
    ] = None,
    z: Annotated[float | None, _gate("Standard errors that a difference must be beyond.", default="1.96")] = None,
    epsilon: Annotated[
        float | None, _gate("A mean payoff too small to matter.", default="a hundredth of a full win")
    ] = None,
    edge: Annotated[float | None, _gate("A win-rate edge too small to matter.", default="0.005")] = None,
    least_score: Annotated[float | None, _gate("The score that decides last.", default="0.52")] = None,
    tolerance: Annotated[float | None, _gate("How much worse rates may be.", default="0.01")] = None,
    least_count: Annotated[int | None, _gate("From how many on rates count.", "N", "50")] = None,
    guard_z: Annotated[float | None, _gate("Standard errors that worse rates must be beyond.", default="0")] = None,
    workers: WorkersOption = "local",
    start: StartOption = None,
    settings: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Let challengers meet the champion; a gate decides who reigns.

    Deals are paired, and the gate asks for several figures. The same command continues where it stopped."""
    rules = read_game(game, settings)
    check_two(rules)
    trust_named(rules, [champion, *(challenger or ())], run)
    if not is_run(run) and champion is None:
        raise UsageError(f"{run} is a new run: --champion names who reigns at first")
    with usage_errors():
        share = None if epsilon is None else epsilon / rules.payoff_scale
        gate = {"z": z, "epsilon": share, "edge": edge, "least_score": least_score}
        gate |= {"tolerance": tolerance, "least_count": least_count, "guard_z": guard_z}
        given = _without_none({"games": games, "chunk_games": chunk_games, "seed": seed})
        options = read_start(rules, start)
        chosen = _settings(run, rules, given | {"gate": _without_none(gate)} | ({"start": options} if options else {}))
        chosen.gate.make(rules)
        rules.start(0, **chosen.start)
        first = None if champion is None else enter(champion, rules)
        contestants = [enter(text, rules) for text in challenger or ()]
    _play(run, rules, chosen, first, contestants, workers, as_json=json)


def _without_none(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def _settings(path: Path, game: Game, given: dict[str, Any]) -> CycleSettings:
    """Return the given settings over those of the run, or over the defaults."""
    base = open_cycle(path, game, None, None)[1] if is_run(path) else _DEFAULTS
    settings: CycleSettings = change_settings(base, given)
    return settings


def continue_cycle(path: Path, workers: str, named: str | None = None) -> None:
    """Finish the challenges of a run; `named` is its game if the user gave it."""
    run = Run.open(path)
    game = game_of(run, named)
    _play(path, game, open_cycle(path, game, None, None)[1], None, [], workers, as_json=False)


def _play(
    path: Path,
    game: Game,
    settings: CycleSettings,
    champion: Contestant | None,
    challengers: Sequence[Contestant],
    workers: str,
    *,
    as_json: bool,
) -> None:
    crew = open_crew(workers)
    run, settings = open_cycle(path, game, settings, champion)
    try:
        with run.lock(), crew, Bar() as bar:
            crew.watch(bar.note)
            Cycle(run, game, settings, crew, GamesView(bar, quiet=as_json)).play(champion, challengers)
    except KeyboardInterrupt:
        warn("stopped; run the same command again to go on")
        raise typer.Exit(130) from None
    reigning = run.champion
    assert reigning is not None
    decisions = run.steps("decision")
    if as_json:
        print_json(
            {
                "run": str(path),
                "game": game.id,
                "champion": reigning.metrics["player"],
                "champion_step": reigning.id,
                "decisions": [{"challenge": step.iteration, "step": step.id, **step.metrics} for step in decisions],
            }
        )
        return
    for step in decisions:
        tell(_line(step))
    tell(f"champion  {reigning.metrics['player']} ({reigning.path})")


def _line(step: Step) -> str:
    metrics = step.metrics
    word = "promoted" if metrics["passed"] else "rejected"
    by = f" by {metrics['decided_by']}" if metrics["decided_by"] else ""
    return (
        f"challenge {step.iteration}  {metrics['challenger']} {word} against {metrics['champion']}{by}: "
        f"{metrics['reason']}{fallbacks_note(step)}"
    )


def is_cycle(run: Run) -> bool:
    return CYCLE in run.settings
