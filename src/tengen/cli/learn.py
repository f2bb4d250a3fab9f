"""`tengen learn`: grow a champion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.champion import open_run
from tengen.champion.gates import GATES
from tengen.champion.learner import Learner, check_training, request_for
from tengen.champion.planning import FINAL_GAMES, ITERATIONS, PlanRequest
from tengen.champion.presets import Tables, merge
from tengen.champion.progress import Tracker
from tengen.champion.ratings import elo_text
from tengen.champion.settings import RECORDS_TEACHER
from tengen.cli.run_progress import View
from tengen.cli.run_settings import game_of, read_file, read_pairs, resolve_named
from tengen.console.option_names import VISITS_NAMES
from tengen.console.options import GameArgument, WorkersOption, open_crew
from tengen.console.output import UsageError, guarded, tell, usage_errors, warn
from tengen.console.progress import Bar
from tengen.console.trust import trust_named
from tengen.runs import Run, RunError

if TYPE_CHECKING:
    from tengen.champion import LearnSettings
    from tengen.games import Game

__all__ = ["ConfigOption", "RunSetOption", "continue_run", "learn", "need_training"]

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.toml",
        help="Settings of the run, in the form of `tengen config show`.",
        exists=True,
        dir_okay=False,
        show_default=False,
    ),
]
RunSetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Any setting that `tengen config show` lists, such as net.channels=64; the game's own as game.KEY=VALUE. "
        "May be repeated.",
        show_default=False,
    ),
]

QuickOption = Annotated[
    bool, typer.Option("--quick", help="Train a small network in a few minutes; games too slow for that are refused.")
]
MinutesOption = Annotated[
    float | None,
    typer.Option(
        metavar="M",
        help="Plan a new run for so long and keep to it: as many iterations as fit, and smaller ones if need be. A "
        "game that is too slow to learn anything in twice the time is refused.",
        show_default=False,
    ),
]
AsyncOption = Annotated[
    bool | None,
    typer.Option(
        "--async/--no-async",
        help="Play, train and decide gates at the same time. Runs with equal settings then differ. A run that exists "
        "keeps its mode.",
        show_default="--no-async",
    ),
]
_VISITS_NAMES = (*VISITS_NAMES, "--mcts-sims-sp")
FinalGamesOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=2,
        help="Games of each match at the end of the run.",
        show_default=f"{FINAL_GAMES}, or what time allows",
    ),
]


def _flag(text: str, metavar: str | None = "N", *names: str) -> Any:
    """Declare an option for one of the run's settings."""
    panel = "The most used settings"
    return typer.Option(*names, metavar=metavar, help=text, show_default=False, rich_help_panel=panel)


TeacherOption = Annotated[
    str | None, _flag("Player of the first games, such as policy:NETWORK of another program.", "PLAYER")
]
RecordsOption = Annotated[
    list[Path] | None, _flag("Games to learn from, or with --teacher to begin from. May be repeated.", "FILE")
]

DeviceOption = Annotated[
    str | None,
    _flag("Device for training and for evaluating games: cpu, cuda, or several such as cuda:0,cuda:1.", "NAME"),
]


@guarded
def learn(
    game: GameArgument,
    run: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the run; a run that exists is continued.")],
    iters: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Number of iterations in all.", show_default=f"{ITERATIONS}, or as last time"
        ),
    ] = None,
    workers: WorkersOption = "local",
    quick: QuickOption = False,
    minutes: MinutesOption = None,
    asynchronous: AsyncOption = None,
    config: ConfigOption = None,
    changes: RunSetOption = None,
    final_match: Annotated[bool, typer.Option(help="Measure the champion in two matches at the end.")] = True,
    final_games: FinalGamesOption = None,
    teacher: TeacherOption = None,
    records: RecordsOption = None,
    games_per_iter: Annotated[int | None, _flag("Number of self-play games in an iteration.")] = None,
    visits: Annotated[int | None, _flag("Visits of a self-play search.", "N", *_VISITS_NAMES)] = None,
    eval_games: Annotated[int | None, _flag("Most games of a challenger against the champion.")] = None,
    gate: Annotated[str | None, _flag(f"Test of a challenger: {', '.join(GATES)}.", "NAME")] = None,
    accept_rate: Annotated[float | None, _flag("Score that a challenger must reach; draws count half.", "RATE")] = None,
    temperature: Annotated[float | None, _flag("Temperature of early moves in self-play.", "T")] = None,
    temp_moves: Annotated[int | None, _flag("Number of plies that are early.")] = None,
    no_dirichlet: Annotated[bool, _flag("Search without noise at the root.", None, "--no-dirichlet")] = False,
    seed: Annotated[int | None, _flag("Seed of the run; equal seeds give equal runs.")] = None,
    lr: Annotated[float | None, _flag("Learning rate.", "RATE")] = None,
    batch_size: Annotated[int | None, _flag("Number of positions in a batch.")] = None,
    weight_decay: Annotated[float | None, _flag("Weight decay of AdamW.", "X")] = None,
    grad_clip: Annotated[float | None, _flag("Largest norm of a gradient.", "X")] = None,
    no_amp: Annotated[bool, _flag("Train without mixed precision, also on a GPU.", None, "--no-amp")] = False,
    device: DeviceOption = None,
) -> None:
    """Grow a champion from nothing, or go on where a run stopped.

    Settings without an option below have the game's own defaults: `tengen config show GAME` lists every setting.
    """
    named = _without_none(
        {
            "minutes": minutes,
            "asynchronous": asynchronous,
            "teacher": teacher or (RECORDS_TEACHER if records else None),
            "records": [str(path) for path in records] if records else None,
            "selfplay": {"temperature": temperature, "temp_moves": temp_moves}
            | {"search": {"visits": visits, "noise_fraction": 0.0 if no_dirichlet else None}},
            "train": {"lr": lr, "batch_size": batch_size, "weight_decay": weight_decay, "grad_clip": grad_clip}
            | {"amp": False if no_amp else None, "device": device},
        }
        | {"games_per_iter": games_per_iter, "eval_games": eval_games, "gate": gate}
        | {"accept_rate": accept_rate, "seed": seed}
    )
    if final_games is not None and final_games % 2:
        raise UsageError(f"--final-games is {final_games} and must be even: each opening is played from both seats")
    given = merge(read_file(config) if config else {}, named, read_pairs(changes))
    rules, settings = resolve_named(game, given, run, quick=quick)
    trust_named(rules, [given], run)
    games = final_games if final_match else 0
    grow(run, rules, settings, request_for(given, iters, games, quick=quick, minutes=minutes), workers)


def _without_none(tables: Tables) -> Tables:
    kept = {key: _without_none(value) if isinstance(value, dict) else value for key, value in tables.items()}
    return {key: value for key, value in kept.items() if value is not None and value != {}}


def need_training(device: str) -> None:
    """Raise an error now if training could not start later."""
    with usage_errors("--device: ", passing=RunError):
        check_training(device)


def grow(path: Path, game: Game, settings: LearnSettings, request: PlanRequest, workers: str) -> None:
    """Carry out a run with a bar and lines in the terminal."""
    need_training(settings.train.device)
    with usage_errors(passing=RunError):
        learner = Learner(path, game, settings, request)
    try:
        with open_crew(workers) as crew, Bar(has_lines=True) as bar:
            crew.watch(bar.note)
            run = learner.run(crew, workers, Tracker(View(bar)))
    except KeyboardInterrupt:
        warn("stopped; run the same command again to go on")
        raise typer.Exit(130) from None
    champion = next(network for network in reversed(run.networks) if network.is_champion)
    tell(f"\nchampion  {champion.onnx.parent}")
    rating = elo_text(champion.rating)
    if rating:
        tell(f"Elo       {rating}, the first network being 0")
    tell(f"play it   tengen play {_game_name(game)} --net {path}")
    tell(f"see it    tengen report {path}")


def continue_run(path: Path, request: PlanRequest, workers: str, named: str | None = None) -> None:
    """Continue a run with its own settings; `named` is its game if the user gave it."""
    run = Run.open(path)
    game = game_of(run, named)
    _, settings = open_run(path, game, None)
    grow(path, game, settings, request, workers)


def _game_name(game: Game) -> str:
    return str(getattr(type(game), "source", game.id))
