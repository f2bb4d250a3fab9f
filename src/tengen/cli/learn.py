"""`tengen learn`: grow a champion."""

from __future__ import annotations

import importlib.util
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen._install import how_to_install
from tengen.arena import find_player
from tengen.champion import Loop, open_run
from tengen.champion.plan import Timeline
from tengen.champion.ratings import elo_text, rate_champion
from tengen.champion.settings import RECORDS_TEACHER
from tengen.champion.teacher_games import check_files
from tengen.cli.final_matches import play_final_matches
from tengen.cli.learn_plan import FINAL_GAMES, ITERATIONS, PlanRequest, plan_again, plan_run, remember
from tengen.cli.run_progress import View
from tengen.cli.run_settings import (
    QUICK_ITERATIONS,
    QUICK_SLACK,
    Tables,
    flat_names,
    game_of,
    is_run,
    merge,
    quick_settings,
    read_file,
    read_pairs,
    resolve,
)
from tengen.console.option_names import VISITS_NAMES
from tengen.console.options import GameArgument, WorkersOption, open_crew
from tengen.console.output import FailedError, UsageError, guarded, tell, usage_errors, warn
from tengen.console.progress import Bar, time_text
from tengen.console.trust import trust_named
from tengen.runs import Run
from tengen.search import Pool

if TYPE_CHECKING:
    from tengen.champion import LearnSettings
    from tengen.champion.plan import Phase, Plan
    from tengen.cluster import Workers
    from tengen.games import Game
    from tengen.runs import Step

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
        help="Plan a new run for about so long: as many iterations as fit, and smaller ones if need be. A game that is "
        "too slow to learn anything in twice the time is refused.",
        show_default=False,
    ),
]
_VISITS_NAMES = (*VISITS_NAMES, "--mcts-sims-sp")
FinalGamesOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=2, help="Games of each match then.", show_default=f"{FINAL_GAMES}, or what time allows"
    ),
]


def _flag(text: str, metavar: str | None = "N", *names: str) -> Any:
    """Declare an option for one of the run's settings."""
    panel = "The most used settings"
    return typer.Option(*names, metavar=metavar, help=text, show_default=False, rich_help_panel=panel)


TeacherOption = Annotated[
    str | None, _flag("Who plays the first games: any player, such as policy:NETWORK of another program.", "PLAYER")
]
RecordsOption = Annotated[
    list[Path] | None, _flag("Games to learn from, or with --teacher to begin from. May be repeated.", "FILE")
]


@guarded
def learn(
    game: GameArgument,
    run: Annotated[Path, typer.Option(metavar="DIR", help="The run's folder; one that is there goes on.")],
    iters: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Iterations in all.", show_default=f"{ITERATIONS}, or as last time"),
    ] = None,
    workers: WorkersOption = "local",
    quick: QuickOption = False,
    minutes: MinutesOption = None,
    config: ConfigOption = None,
    changes: RunSetOption = None,
    final_match: Annotated[bool, typer.Option(help="Show at the end how strong the champion is.")] = True,
    final_games: FinalGamesOption = None,
    teacher: TeacherOption = None,
    records: RecordsOption = None,
    games_per_iter: Annotated[int | None, _flag("Self-play games of an iteration.")] = None,
    visits: Annotated[int | None, _flag("Visits of a self-play search.", "N", *_VISITS_NAMES)] = None,
    eval_games: Annotated[int | None, _flag("Games against the champion.")] = None,
    accept_rate: Annotated[float | None, _flag("What a challenger must score; draws count half.", "RATE")] = None,
    temperature: Annotated[float | None, _flag("Of early moves in self-play.", "T")] = None,
    temp_moves: Annotated[int | None, _flag("How many plies are early.")] = None,
    no_dirichlet: Annotated[bool, _flag("No noise at the root.", None, "--no-dirichlet")] = False,
    seed: Annotated[int | None, _flag("Equal seeds give equal runs.")] = None,
    lr: Annotated[float | None, _flag("The learning rate.", "RATE")] = None,
    batch_size: Annotated[int | None, _flag("Positions of a batch.")] = None,
    weight_decay: Annotated[float | None, _flag("Of AdamW.", "X")] = None,
    grad_clip: Annotated[float | None, _flag("The largest norm of a gradient.", "X")] = None,
    no_amp: Annotated[bool, _flag("No mixed precision, on a GPU either.", None, "--no-amp")] = False,
    device: Annotated[str | None, _flag("Where PyTorch trains: cpu, cuda, …", "NAME")] = None,
) -> None:
    """Grow a champion from nothing, or go on where a run stopped.

    Settings without an option below have the game's own defaults: `tengen config show GAME` lists every setting.
    """
    named = _without_none(
        {
            "minutes": minutes,
            "teacher": teacher or (RECORDS_TEACHER if records else None),
            "records": [str(path) for path in records] if records else None,
            "selfplay": {"temperature": temperature, "temp_moves": temp_moves}
            | {"search": {"visits": visits, "noise_fraction": 0.0 if no_dirichlet else None}},
            "train": {"lr": lr, "batch_size": batch_size, "weight_decay": weight_decay, "grad_clip": grad_clip}
            | {"amp": False if no_amp else None, "device": device},
        }
        | {"games_per_iter": games_per_iter, "eval_games": eval_games, "accept_rate": accept_rate, "seed": seed}
    )
    if final_games is not None and final_games % 2:
        raise UsageError(f"--final-games is {final_games} and must be even: each opening is played from both seats")
    given = merge(read_file(config) if config else {}, named, read_pairs(changes))
    rules, settings = resolve(game, given, run, quick_settings(game) if quick else None)
    trust_named(rules, [given], run)
    goal = iters or (QUICK_ITERATIONS if quick else None)
    asked = {"iterations": goal, "final_games": final_games if final_match else 0}
    fixed = flat_names(given) | {name for name, number in asked.items() if number is not None}
    # A plan whose result is known is worth waiting for, up to a point.
    slack = QUICK_SLACK if quick and minutes is None else 1.0
    grow(run, rules, settings, PlanRequest(goal, asked["final_games"], frozenset(fixed), slack), workers)


def _without_none(tables: Tables) -> Tables:
    kept = {key: _without_none(value) if isinstance(value, dict) else value for key, value in tables.items()}
    return {key: value for key, value in kept.items() if value is not None and value != {}}


def need_training(device: str) -> None:
    """Raise FailedError now if training could not start later."""
    for package in ("torch", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise FailedError(f"learning needs {package}, which is not installed: {how_to_install('train')}")
    from tengen.learning.devices import check_device

    with usage_errors("--device: "):
        check_device(device)


def grow(path: Path, game: Game, settings: LearnSettings, request: PlanRequest, workers: str) -> None:
    need_training(settings.train.device)
    _check_fit(game, settings)
    Run.check_free(path)
    try:
        with open_crew(workers) as crew, Bar(has_lines=True) as bar, ExitStack() as stack:
            crew.watch(bar.note)
            introduction = _introduction(path, game, settings, crew.size)
            if is_run(path):
                run, _ = open_run(path, game, settings)
                stack.enter_context(run.lock())
                bar.say(introduction)
                plan, phases = plan_again(run, game, settings, request, crew, bar)
            else:
                bar.say(introduction)
                plan, phases = plan_run(game, settings, request, crew, bar)
                run, _ = open_run(path, game, plan.settings)
                stack.enter_context(run.lock())
            remember(run, plan, workers)
            champion = _carry_out(run, game, plan, phases, crew, bar)
            rating = elo_text(rate_champion(run))
    except KeyboardInterrupt:
        warn("stopped; run the same command again to go on")
        raise typer.Exit(130) from None
    tell(f"\nchampion  {champion.path}")
    if rating:
        tell(f"Elo       {rating}, the first network being 0")
    tell(f"play it   tengen play {_game_name(game)} --net {path}")
    tell(f"see it    tengen report {path}")


def _carry_out(run: Run, game: Game, plan: Plan, phases: list[Phase], crew: Workers, bar: Bar) -> Step:
    began = time.monotonic()
    view = View(bar, run, plan.iterations, Timeline(phases))
    champion = Loop(run, game, plan.settings, crew, view).run_until(plan.iterations)
    if phases:
        bar.say(f"complete: {plan.iterations} iterations ({time_text(time.monotonic() - began)})")
    if plan.final_games:
        # A run that has gone further than it was asked to is judged where it is.
        last = max((step.iteration or 0 for step in run.steps("arena")), default=plan.iterations)
        play_final_matches(run, game, plan.settings, max(plan.iterations, last), plan.final_games, crew, view)
    return champion


def continue_run(path: Path, request: PlanRequest, workers: str, named: str | None = None) -> None:
    """Continue a run with its own settings; `named` is its game if the user gave it."""
    run = Run.open(path)
    game = game_of(run, named)
    _, settings = open_run(path, game, None)
    grow(path, game, settings, request, workers)


def _check_fit(game: Game, settings: LearnSettings) -> None:
    """Before anything is written: whether a network can learn this game, and whether matches can be played."""
    from tengen.nets import Architecture

    with usage_errors():
        Architecture.of(game, **settings.net_choices(game))
        if game.players != 2:
            raise UsageError(f"{game.id} has {game.players} players, and champions are found in matches of two")
        # The search may refuse the game; a network is not there yet to ask with.
        Pool(game, settings.selfplay.search, lambda _state, _player: 0.0)
        find_player(settings.player, game, network=lambda _state, _player: 0.0)
        check_files(settings.records)
        if settings.bootstrap_games and settings.teacher != RECORDS_TEACHER:
            find_player(settings.teacher, game)
        if settings.anchor:
            find_player(settings.anchor, game)


def _introduction(path: Path, game: Game, settings: LearnSettings, size: int) -> str:
    house_rules = "".join(f", {key} {value}" for key, value in game.settings.items() if value)
    net = f"{settings.net.channels} channels × {settings.net.blocks} blocks"
    return f"{game.id}{house_rules} in {path}: a network of {net}, {size} worker{'s' if size > 1 else ''}"


def _game_name(game: Game) -> str:
    return str(getattr(type(game), "source", game.id))
