"""`tengen learn`: grow a champion."""

from __future__ import annotations

import dataclasses
import importlib.util
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.arena import find_player
from tengen.champion import Loop, open_run
from tengen.cli.console import FailedError, OutsideError, from_outside, guarded, tell, warn
from tengen.cli.options import GameArgument, WorkersOption, open_crew
from tengen.cli.proof import prove
from tengen.cli.run_settings import (
    QUICK_ITERATIONS,
    Tables,
    game_of,
    is_run,
    merge,
    quick_settings,
    read_file,
    read_pairs,
    resolve,
)
from tengen.cli.standings import elo_text, rate_champion
from tengen.cli.watching import Bar, View, time_text
from tengen.search import Pool
from tengen.series import Run

if TYPE_CHECKING:
    from tengen.champion import LearnSettings
    from tengen.games import Game

__all__ = ["FINAL_GAMES", "ConfigOption", "RunSetOption", "continue_run", "learn", "need_training"]

_ITERATIONS = 20
FINAL_GAMES = 64
_BEGAN = "learn"

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


def _flag(text: str, metavar: str | None = "N", name: str = "") -> Any:
    """One of the run's settings by a short name."""
    names = [name] if name else []
    panel = "The most used settings"
    return typer.Option(*names, metavar=metavar, help=text, show_default=False, rich_help_panel=panel)


@guarded
def learn(
    game: GameArgument,
    run: Annotated[Path, typer.Option(metavar="DIR", help="The run's folder; one that is there goes on.")],
    iters: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Iterations in all.", show_default=f"{_ITERATIONS}, or as last time"),
    ] = None,
    workers: WorkersOption = "local",
    quick: Annotated[bool, typer.Option("--quick", help="A small network and a few minutes.")] = False,
    config: ConfigOption = None,
    changes: RunSetOption = None,
    final_match: Annotated[bool, typer.Option(help="Show at the end how strong the champion is.")] = True,
    final_games: Annotated[int, typer.Option(metavar="N", min=2, help="Games of each match then.")] = FINAL_GAMES,
    games_per_iter: Annotated[int | None, _flag("Self-play games of an iteration.")] = None,
    mcts_sims_sp: Annotated[int | None, _flag("Visits of a self-play search.")] = None,
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
    """Grow a champion from nothing. The same command again goes on where it stopped."""
    named = _without_none(
        {
            "games_per_iter": games_per_iter,
            "eval_games": eval_games,
            "accept_rate": accept_rate,
            "seed": seed,
            "selfplay": {"temperature": temperature, "temp_moves": temp_moves}
            | {"search": {"visits": mcts_sims_sp, "noise_fraction": 0.0 if no_dirichlet else None}},
            "train": {"lr": lr, "batch_size": batch_size, "weight_decay": weight_decay, "grad_clip": grad_clip}
            | {"amp": False if no_amp else None, "device": device},
        }
    )
    if final_games % 2:
        raise OutsideError(f"--final-games is {final_games} and must be even: each opening is played from both seats")
    preset = quick_settings(game) if quick else {}
    given = merge(preset, read_file(config) if config else {}, named, read_pairs(changes))
    rules, settings = resolve(game, given, run)
    goal = iters or (QUICK_ITERATIONS if quick else None)
    grow(run, rules, settings, goal, workers, final_games if final_match else 0)


def _without_none(tables: Tables) -> Tables:
    kept = {key: _without_none(value) if isinstance(value, dict) else value for key, value in tables.items()}
    return {key: value for key, value in kept.items() if value is not None and value != {}}


def need_training(device: str) -> None:
    """Says so now if training could not begin later."""
    for package in ("torch", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise FailedError(f"learning needs {package}, which is not installed: pip install 'tengen[train]'")
    from tengen.learning.devices import check_device

    with from_outside("--device: "):
        check_device(device)


def grow(path: Path, game: Game, settings: LearnSettings, goal: int | None, workers: str, games: int) -> None:
    need_training(settings.train.device)
    _check_fit(game, settings)
    is_new = not is_run(path)
    crew = open_crew(workers)
    run, settings = open_run(path, game, settings)
    try:
        with run.lock(), crew, Bar() as bar:
            goal = goal or _last_goal(run) or _ITERATIONS
            run.log({"event": _BEGAN, "iterations": goal, "workers": workers})
            done = _done(run)
            bar.say(_introduction(path, game, settings, crew.size))
            if not is_new:
                more = "going on" if done < goal else "a larger --iters goes on"
                bar.say(f"{done} of {goal} iterations are complete; {more}")
            began = time.monotonic()
            champion = Loop(run, game, settings, crew, View(bar, run, goal)).run_until(goal)
            if done < goal:
                bar.say(f"complete: {goal} iterations ({time_text(time.monotonic() - began)})")
            if games:
                prove(run, game, settings, max(goal, done), games, crew, bar)
            rating = elo_text(rate_champion(run))
    except KeyboardInterrupt:
        warn("stopped; run the same command again to go on")
        raise typer.Exit(130) from None
    tell(f"\nchampion  {champion.path}")
    if rating:
        tell(f"Elo       {rating}, the first network being 0")
    tell(f"play it   tengen play {_game_name(game)} --evaluator {path}")


def continue_run(path: Path, goal: int | None, workers: str, games: int) -> None:
    """Goes on with the run's own settings."""
    run = Run.open(path)
    game = game_of(run)
    _, settings = open_run(path, game, None)
    grow(path, game, settings, goal, workers, games)


def _check_fit(game: Game, settings: LearnSettings) -> None:
    """Before anything is written: whether a network can learn this game, and whether matches can be played."""
    from tengen.nets import Architecture

    with from_outside():
        Architecture.of(game, **dataclasses.asdict(settings.net))
        if game.players != 2:
            raise OutsideError(f"{game.id} has {game.players} players, and champions are found in matches of two")
        # The search may refuse the game; a network is not there yet to ask with.
        Pool(game, settings.selfplay.search, lambda _state, _player: 0.0)
        if settings.anchor:
            find_player(settings.anchor, game)


def _last_goal(run: Run) -> int | None:
    goals = [event["iterations"] for event in run.events() if event.get("event") == _BEGAN]
    return int(goals[-1]) if goals else None


def _done(run: Run) -> int:
    """Iterations that have come to their end."""
    ended = {step.iteration or 0 for step in run.steps() if step.name in ("arena", "train-stopped")}
    return max(ended, default=0)


def _introduction(path: Path, game: Game, settings: LearnSettings, size: int) -> str:
    house_rules = "".join(f", {key} {value}" for key, value in game.settings.items() if value)
    net = f"{settings.net.channels} channels × {settings.net.blocks} blocks"
    return f"{game.id}{house_rules} in {path}: a network of {net}, {size} worker{'s' if size > 1 else ''}"


def _game_name(game: Game) -> str:
    return str(getattr(type(game), "source", game.id))
