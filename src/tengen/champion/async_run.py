"""Runs whose self-play, training and gates take place at the same time, from their plan to their last iteration."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

from tengen._text import time_text
from tengen.champion.async_loop import AsyncLoop, Clock
from tengen.champion.opening import run_settings
from tengen.champion.plan import Plan, total_seconds
from tengen.champion.planning import FINAL_GAMES
from tengen.champion.presets import LEARN, is_run
from tengen.champion.ratings import FINAL_ANCHOR, FINAL_INITIAL
from tengen.champion.settings import LearnSettings
from tengen.champion.speed import measure_speed
from tengen.runs import Run, RunError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tengen.champion.plan import Phase
    from tengen.champion.progress import Tracker
    from tengen.cluster import Workers
    from tengen.games import Game

__all__ = ["check_mode", "grow", "is_by_clock", "plan_rest", "spent_s"]

_ENDLESS = 1_000_000
"""Iterations of a run that ends by the clock."""
_BEGAN = "learn"
"""The event that a command logs when it begins or continues a run."""


def check_mode(path: Path, settings: LearnSettings) -> None:
    """Raise a RunError if the run at the path was begun in the other mode."""
    if not is_run(path):
        return
    run = Run.open(path)
    if LEARN in run.settings and run_settings(run, LearnSettings, LEARN).asynchronous != settings.asynchronous:
        began, now = ("without", "with") if settings.asynchronous else ("with", "without")
        raise RunError(
            f"{path} was begun {began} --async and cannot be continued {now} it. Leave out the option, or use another "
            "folder"
        )


def is_by_clock(settings: LearnSettings, iterations: int | None) -> bool:
    """Return whether a run ends when its minutes are over. `iterations` is the number that the caller has named."""
    return settings.asynchronous and settings.minutes > 0 and iterations is None


def spent_s(run: Run) -> float:
    """Return the seconds in which the run was worked on, by its log: from the beginning of each command to the last
    event before the next one."""
    total, began, last = 0.0, None, None
    for event in run.events():
        now = datetime.fromisoformat(event["time"]).timestamp()
        if event.get("event") == _BEGAN:
            total += last - began if began is not None and last is not None else 0.0
            began = now
        last = now
    return total + (last - began if began is not None and last is not None else 0.0)


def plan_rest(
    run: Run,
    game: Game,
    settings: LearnSettings,
    final_games: int | None,
    workers: Workers,
    tracker: Tracker,
) -> tuple[Plan, list[Phase], float]:
    """Return the plan of a run that ends by the clock and is continued, its phases, and the seconds that are left.

    `final_games` is None for as many as last time.
    """
    begun = [event for event in run.events() if event.get("event") == _BEGAN]
    games = int(begun[-1].get("final_games", FINAL_GAMES)) if begun and final_games is None else final_games
    done = max((step.iteration or 0 for step in run.steps("train")), default=0)
    plan = Plan(settings, done + 1, FINAL_GAMES if games is None else games)
    left_s = 60 * settings.minutes - spent_s(run)
    many = "" if done == 1 else "s"
    if left_s <= 0:
        tracker.note(f"{done} iteration{many}: its {settings.minutes:g} minutes are over; a larger --iters goes on")
        return plan, [], 0.0
    tracker.note(f"{done} iteration{many}: {time_text(left_s)} of {settings.minutes:g} minutes are left")
    return plan, plan.phases(measure_speed(game, settings, workers)), left_s


def grow(
    run: Run,
    game: Game,
    plan: Plan,
    phases: Sequence[Phase],
    workers: Workers,
    tracker: Tracker,
    left_s: float | None = None,
) -> int:
    """Carry out the plan and return the number of complete iterations. The caller holds the run's lock.

    With `left_s`, the run ends when so many seconds are over, its final matches included, instead of after the plan's
    iterations.
    """
    began = time.monotonic()
    seconds = {(phase.name, phase.iteration): phase.seconds for phase in phases}
    final_s = seconds.get((FINAL_INITIAL, plan.iterations), 0.0) + seconds.get((FINAL_ANCHOR, plan.iterations), 0.0)
    clock = Clock() if left_s is None else Clock(left_s - final_s, seconds.get(("train", 1), 0.0), 0.0)
    goal = plan.iterations if left_s is None else _ENDLESS
    loop = AsyncLoop(run, game, plan.settings, workers, tracker, clock)
    first = loop.complete

    def estimate() -> float:
        if left_s is not None:
            return clock.left_s + final_s
        elapsed, done = time.monotonic() - began, loop.complete - first
        if not done:
            return max(0.0, total_seconds(phases) - elapsed)
        return elapsed / done * max(0, plan.iterations - loop.complete) + final_s

    tracker.follow(run, 0 if left_s is not None else plan.iterations, ())
    tracker.estimate = estimate
    loop.run_until(goal)
    tracker.estimate = None
    if phases:
        tracker.note(f"complete: {loop.complete} iterations ({time_text(time.monotonic() - began)})")
    return loop.complete
