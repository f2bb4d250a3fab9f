"""`tengen series`: what run directories hold."""

from __future__ import annotations

import json as json_module
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from tengen.champion.cycle import fallbacks_note
from tengen.champion.planning import PlanRequest
from tengen.champion.presets import is_run
from tengen.champion.ratings import elo_text, rate_champion, rate_run
from tengen.cli.cycle import continue_cycle, is_cycle
from tengen.cli.league import continue_league, is_league
from tengen.cli.learn import continue_run
from tengen.cli.tensorboard import export
from tengen.console.options import JsonOption, WorkersOption
from tengen.console.output import UsageError, guarded, output_console, print_json, tell, warn
from tengen.console.progress import time_text
from tengen.console.trust import RunGameOption, check_programs
from tengen.labs import resume as resume_lab_run
from tengen.runs import DamagedStep, Run, read_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tengen.runs import Step

__all__ = ["list_runs", "resume", "show", "tensorboard", "verify"]

RunArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A run's folder.", show_default=False)]

_SHOWN = (
    *("games", "plies", "samples", "policy", "value", "policy_change", "value_change"),
    *("score", "wins", "draws", "losses", "passed", "reason"),
)


@guarded
def list_runs(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Runs, or folders of runs.", show_default=False)],
    json: JsonOption = False,
) -> None:
    """List runs: game, iterations, champion and its Elo.

    Elo counts from the first network.
    """
    facts = [_facts(path) for folder in folders for path in _runs_in(folder)]
    if json:
        print_json({"runs": facts})
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("run", "game", "iterations", "steps", "champion", "Elo"):
        table.add_column(name, no_wrap=True, justify="right" if name in ("iterations", "steps") else "left")
    for fact in facts:
        table.add_row(*(Text(str(fact[key])) for key in ("run", "game", "iterations", "steps", "champion", "elo")))
    output_console().print(table)


def _runs_in(folder: Path) -> list[Path]:
    if is_run(folder):
        return [folder]
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    found = [path for path in sorted(folder.iterdir()) if is_run(path)]
    if not found:
        raise UsageError(f"{folder} is not a run and holds none")
    return found


def _facts(path: Path) -> dict[str, Any]:
    run = Run.open(path)
    steps = run.steps()
    champion = _champion(run)
    return {
        "run": str(path),
        "game": str(run.settings.get("game", {}).get("name", "?")),
        "iterations": max((step.iteration or 0 for step in steps), default=0),
        "steps": len(steps),
        "champion": champion.id if champion else "",
        "elo": elo_text(rate_champion(run)) if champion else "",
        "under_way": _under_way(path),
    }


def _under_way(path: Path) -> str:
    """The step that somebody is at, in words."""
    now = read_progress(path)
    if now is None or not now.is_active(path):
        return ""
    parts = [f"iteration {now.iteration} {now.step}", f"{now.done} of {now.total}"]
    if now.wins or now.draws or now.losses:
        parts.append(f"+{now.wins} ={now.draws} -{now.losses}")
    if now.left_s is not None:
        parts.append(f"about {time_text(now.left_s)} left")
    return ", ".join(parts)


def _champion(run: Run) -> Step | None:
    try:
        return run.champion
    except DamagedStep as error:
        warn(f"the champion is damaged: {error}")
        return None


@guarded
def show(
    run: RunArgument,
    step: Annotated[
        str | None, typer.Argument(metavar="STEP", help="A step's folder, or a part of its name.", show_default=False)
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show a run's steps and ratings, or all about one step."""
    opened = Run.open(run)
    if step is not None:
        print_manifest(_pick(opened, step))
        return
    if json:
        print_json(_facts(run) | {"all_steps": [dict(each.manifest) for each in opened.steps()]})
        return
    fact = _facts(run)
    steps = opened.steps()
    names = _names(steps)
    champion = names.get(fact["champion"], fact["champion"]) or "none"
    tell(f"{run}: a run of {fact['game']}, {fact['iterations']} iterations, champion {champion}")
    if fact["under_way"]:
        tell(f"under way: {fact['under_way']}")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("step", "iteration", "time", "figures"):
        table.add_column(name, no_wrap=name != "figures", justify="right" if name in ("iteration", "time") else "left")
    for each in steps:
        iteration = "" if each.iteration is None else str(each.iteration)
        table.add_row(*map(Text, (each.id, iteration, time_text(each.duration_s), _figures(each, names))))
    output_console().print(table)
    ratings = rate_run(opened)
    if ratings is not None:
        tell(f"\n{ratings.table(names)}")


def print_manifest(step: Step) -> None:
    tell(json_module.dumps({"path": str(step.path), "sha256": step.sha256, **step.manifest}, indent=1))


def _pick(run: Run, text: str) -> Step:
    name = Path(text).name
    champion = _champion(run) if name == "champion" else None
    found = [champion] if champion else [step for step in run.steps() if name in step.id]
    exact = [step for step in found if step.id == name]
    if len(exact or found) != 1:
        which = "none" if not found else ", ".join(step.id for step in found[:10])
        raise UsageError(f"{run.path} has no single step called {text!r}; found {which}")
    return (exact or found)[0]


def _names(steps: Sequence[Step]) -> dict[str, str]:
    """Return the players of steps that keep one, by the step's id. Steps with the same player have their ids added."""
    players = {step.id: str(step.metrics["player"]) for step in steps if "player" in step.metrics}
    count = Counter(players.values())
    return {id_: name if count[name] == 1 else f"{name} ({id_})" for id_, name in players.items()}


def _figures(step: Step, names: Mapping[str, str]) -> str:
    metrics = step.metrics
    parts = [_who(step, names)]
    if "reason" in metrics:
        parts.append(f"{metrics['reason']}{fallbacks_note(step)}")
    else:
        shown = (key for key in _SHOWN if isinstance(metrics.get(key), int | float))
        parts.append(", ".join(f"{key} {metrics[key]:.4g}" for key in shown))
    return ": ".join(part for part in parts if part)


def _who(step: Step, names: Mapping[str, str]) -> str:
    """Return the player that a step keeps or the players that met in it, or nothing if there are none."""
    metrics = step.metrics
    if "player" in metrics:
        return names[step.id]
    first, second = metrics.get("first"), metrics.get("second")
    if "opponent" in metrics:
        first, second = step.manifest["settings"].get("focal"), metrics["opponent"]
    if not isinstance(first, str) or not isinstance(second, str):
        return ""
    return f"{names.get(first, first)} against {names.get(second, second)}"


@guarded
def verify(run: RunArgument) -> None:
    """Read every byte of a run and compare it with what was written.

    Exit code 1 if something differs.
    """
    opened = Run.open(run)
    problems = opened.verify()
    for problem in problems:
        tell(f"{problem.kind}: {problem}")
    if problems:
        raise typer.Exit(1)
    steps = opened.steps()
    tell(f"{run}: {len(steps)} steps with {sum(len(step.files) for step in steps)} files, all as written")


@guarded
def resume(
    run: RunArgument,
    iters: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Iterations in all.", show_default="as last time")
    ] = None,
    workers: WorkersOption = "local",
    final_match: Annotated[bool, typer.Option(help="Show at the end how strong the champion is.")] = True,
    game: RunGameOption = None,
) -> None:
    """Go on with a run, a cycle or a league, with its own settings.

    Code that the run names, a game of one's own or programs that play, is run only if you named it before; in a
    terminal you are asked.
    """
    opened = Run.open(run)
    check_programs(opened)
    if is_cycle(opened):
        continue_cycle(run, workers, game)
        return
    if is_league(opened):
        continue_league(run, workers, game)
        return
    if resume_lab_run(opened, workers):
        return
    continue_run(run, PlanRequest(iters, None if final_match else 0), workers, game)


@guarded
def tensorboard(
    run: RunArgument,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A folder for TensorBoard's files.", show_default=False)],
) -> None:
    """Write a run's metrics for TensorBoard.

    Needs the extra train.
    """
    count = export(Run.open(run), out)
    tell(f"{count:,} numbers in {out}; look with: tensorboard --logdir {out}")
