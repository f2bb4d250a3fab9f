"""Learning runs from their plan to their final matches: what `tengen learn` and `tengen.learn()` share."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen._install import how_to_install
from tengen._text import time_text
from tengen.arena import SearchPlayer, find_player
from tengen.arena.named_programs import programs_in, programs_of
from tengen.champion.async_run import check_mode, grow
from tengen.champion.final_matches import play_final_matches
from tengen.champion.forks import check_forks
from tengen.champion.learning_run import LearningRun
from tengen.champion.loop import Loop, open_run
from tengen.champion.planning import PlanRequest, count_done, plan_again, plan_run, remember
from tengen.champion.presets import (
    QUICK_ITERATIONS,
    QUICK_SLACK,
    Tables,
    flat_names,
    is_run,
    merge,
    quick_settings,
    resolve,
)
from tengen.champion.progress import Tracker
from tengen.champion.schedule import Schedule
from tengen.champion.settings import RECORDS_TEACHER, LearnSettings, format_settings, settings_for
from tengen.champion.teacher_games import check_files
from tengen.cluster import LocalWorkers, open_workers
from tengen.evaluators import DeviceServers
from tengen.games import Game, find, trust_game
from tengen.games import game as make_game
from tengen.games.trust import is_trusted_program, trust_program
from tengen.nets.devices import is_cpu
from tengen.runs import Run, RunError
from tengen.search import Pool

if TYPE_CHECKING:
    from tengen.champion.progress import OnProgress
    from tengen.champion.schedule import Planned
    from tengen.cluster import Workers

__all__ = ["Learner", "LearningUnavailable", "check_fit", "check_training", "learn", "request_for"]

_INTERVAL_S = 1.0


class LearningUnavailable(RunError):  # noqa: N818 - says what is the matter
    """A package that training needs is not installed."""


def learn(
    game: Game | str,
    *,
    out: str | Path | None = None,
    minutes: float | None = None,
    iterations: int | None = None,
    quick: bool = False,
    settings: LearnSettings | Mapping[str, Any] | None = None,
    workers: str | int = "local",
    asynchronous: bool | None = None,
    final_games: int | None = None,
    on_progress: OnProgress | None = None,
) -> LearningRun:
    """Grow a champion from nothing, or continue a run, as `tengen learn` does, and return the run.

    `out` is the folder of the run, by default `runs/` with the game's name; a run that exists there is continued.
    `minutes` plans a new run for that time, `quick` trains a small network in a few minutes, and `iterations` is the
    number of iterations in all. `settings` are LearnSettings, or nested dictionaries such as {"net": {"channels": 64}}
    that change the game's defaults; the dictionary "game" in them has settings of the game. `workers` are those of
    open_workers(): "local" for one process on each core, a number, or "inline" for this process. With `asynchronous`,
    games are played, the network is trained and gates are decided at the same time; None keeps the mode of a run that
    exists. `final_games` is the number of games of each match at the end, 0 for none.

    `on_progress` gets a LearnProgress when a phase begins and ends, about once a second in between, and for every note
    and warning; `print` will do. Without it nothing is printed. An interrupt or an exception of `on_progress` ends the
    call; the next call with the same folder continues.

    A script must call this function under `if __name__ == "__main__":` unless `workers` is "inline".
    """
    if final_games is not None and (final_games < 0 or final_games % 2):
        raise ValueError(f"final_games is {final_games} and must be an even number: each opening is played twice")
    if iterations is not None and iterations < 1:
        raise ValueError(f"iterations is {iterations} and must be at least 1")
    kind = find(game) if isinstance(game, str) else type(game)
    path = Path(out) if out is not None else Path("runs") / kind.id
    of_game: Tables
    named: Tables = {} if minutes is None else {"minutes": float(minutes)}
    if asynchronous is not None:
        named["asynchronous"] = asynchronous
    preset = quick_settings(kind) if quick else None
    if isinstance(settings, LearnSettings):
        given = merge(_differences(settings, settings_for(kind)), named)
        chosen, of_game = dataclasses.replace(settings, **named), {}
    else:
        given = merge(settings or {}, named)
        of_game, chosen = resolve(kind, given, path, preset)
    rules = make_game(game, **of_game) if isinstance(game, str) else _checked(game, of_game)
    _trust(rules, given, path)
    learner = Learner(path, rules, chosen, request_for(given, iterations, final_games, quick=quick, minutes=minutes))
    with open_workers(workers) as crew:
        return learner.run(crew, str(workers), Tracker(on_progress, _INTERVAL_S))


def request_for(
    given: Mapping[str, Any], iterations: int | None, final_games: int | None, *, quick: bool, minutes: float | None
) -> PlanRequest:
    """Return what a call asks of the plan: settings that were given are not changed."""
    asked = {"iterations": iterations or (QUICK_ITERATIONS if quick else None), "final_games": final_games}
    fixed = flat_names(given) | {name for name, number in asked.items() if number is not None}
    # A plan whose result is known is worth waiting for, up to a point.
    slack = QUICK_SLACK if quick and minutes is None else 1.0
    return PlanRequest(asked["iterations"], final_games, frozenset(fixed), slack)


def _differences(settings: LearnSettings, base: LearnSettings) -> dict[str, Any]:
    """Return the settings that differ from others, as nested tables."""
    return _differing(format_settings(settings), format_settings(base))


def _differing(tables: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in tables.items():
        other = others.get(name)
        if isinstance(value, dict) and isinstance(other, dict):
            below = _differing(value, other)
            if below:
                found[name] = below
        elif value != other:
            found[name] = value
    return found


def _checked(game: Game, of_game: Mapping[str, Any]) -> Game:
    """Return the game if settings in a dictionary or in a run are its own."""
    wrong = [name for name, value in of_game.items() if game.settings.get(name) != value]
    if wrong:
        raise ValueError(
            f"{game!r} differs in {', '.join(sorted(wrong))} from the settings of the run: set them when you make the "
            "game"
        )
    return game


def _trust(game: Game, given: Mapping[str, Any], path: Path) -> None:
    """Remember the code that the caller has named, and refuse a run that would start programs nobody named."""
    trust_game(type(game))
    for text in programs_in(given):
        trust_program(text)
    if is_run(path):
        for text in programs_of(Run.open(path)):
            if not is_trusted_program(text):
                raise RunError(
                    f"{path}: it would start the program {text}, which was never named before by this user. If you "
                    "trust it, continue the run by `tengen series resume` in a terminal, which asks"
                )


def check_training(device: str) -> None:
    """Raise an error now if training could not start later."""
    for package in ("torch", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise LearningUnavailable(f"learning needs {package}, which is not installed: {how_to_install('train')}")
    from tengen.nets.devices import check_device

    check_device(device)


def check_fit(game: Game, settings: LearnSettings) -> None:
    """Raise a ValueError if no network can learn this game, or if its matches cannot be played."""
    from tengen.nets import Architecture

    Architecture.of(game, **settings.net_choices(game))
    if game.players != 2:
        raise ValueError(f"{game.id} has {game.players} players, and champions are found in matches of two")
    # The search may refuse the game; there is no network yet to try it with.
    player = find_player(settings.player, game, network=lambda _state, _player: 0.0)
    if isinstance(player, SearchPlayer):
        Pool(game, settings.selfplay.laid_over(player.settings).search, player.evaluator)
    check_forks(game, player, settings.selfplay)
    check_files(settings.records)
    if settings.bootstrap_games and settings.teacher != RECORDS_TEACHER:
        find_player(settings.teacher, game)
    if settings.anchor:
        find_player(settings.anchor, game)


class Learner:
    """A learning run that is about to begin or to continue."""

    def __init__(self, path: Path, game: Game, settings: LearnSettings, request: PlanRequest) -> None:
        """Raise an error if the run could not go to its end; nothing is written."""
        check_training(settings.train.device)
        check_fit(game, settings)
        Run.check_free(path)
        check_mode(path, settings)
        self.path = path
        self.game = game
        self.settings = settings
        self.request = request

    def run(self, workers: Workers, workers_spec: str, tracker: Tracker) -> LearningRun:
        """Plan, play, train and match until the run is complete."""
        introduction = self._introduction(workers.size)
        with ExitStack() as stack:
            servers = self._start_servers(stack, workers, tracker)
            if is_run(self.path):
                run, _ = open_run(self.path, self.game, self.settings)
                stack.enter_context(run.lock())
                tracker.note(introduction)
                planned = plan_again(run, self.game, self.settings, self.request, workers, tracker, servers)
            else:
                tracker.note(introduction)
                planned = plan_run(self.game, self.settings, self.request, workers, tracker, servers)
                run, _ = open_run(self.path, self.game, planned.plan.settings)
                stack.enter_context(run.lock())
            remember(run, planned, workers_spec)
            self._carry_out(run, planned, workers, tracker, servers)
        return LearningRun(self.path, self.game)

    def _start_servers(self, stack: ExitStack, workers: Workers, tracker: Tracker) -> DeviceServers | None:
        """Start an evaluation server on each device if games are to be evaluated there."""
        train = self.settings.train
        if is_cpu(train.device):
            return None
        if not isinstance(workers, LocalWorkers):
            tracker.note("games are evaluated by the workers: only those of this machine use its evaluation servers")
            return None
        return stack.enter_context(DeviceServers(train.device, str(self.path.resolve()), half=train.amp))

    def _carry_out(
        self, run: Run, planned: Planned, workers: Workers, tracker: Tracker, servers: DeviceServers | None
    ) -> None:
        plan = planned.plan
        tracker.follow(run, plan.iterations, ())
        stack = ExitStack()
        stack.callback(tracker.save_used_time)
        with stack:
            schedule = Schedule(run, planned, tracker)
            if plan.settings.asynchronous:
                grow(run, self.game, planned, schedule.most, workers, tracker, servers)
            else:
                loop = Loop(run, self.game, plan.settings, workers, tracker, servers)
                loop.find_place = schedule.find_place
                loop.run_until(schedule.most, schedule.fits)
            done = count_done(run)
            if planned.speed is not None:
                tracker.note(f"complete: {done} iterations ({time_text(tracker.used_s)})")
            if plan.final_games:
                # A run that has gone further than this call asked for is judged where it is.
                last = done if planned.limit_s is not None else max(plan.iterations, done)
                games = schedule.final_games(last)
                play_final_matches(run, self.game, plan.settings, last, games, workers, tracker)

    def _introduction(self, size: int) -> str:
        rules = "".join(f", {key} {value}" for key, value in self.game.settings.items() if value)
        net = f"{self.settings.net.channels} channels × {self.settings.net.blocks} blocks"
        many = "s" if size > 1 else ""
        return f"{self.game.id}{rules} in {self.path}: a network of {net}, {size} worker{many}"
