"""Runs whose self-play, training and gates take place at the same time, in the time that they have."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

from tengen.champion.async_loop import AsyncLoop, Clock
from tengen.champion.opening import run_settings
from tengen.champion.plan import total_seconds
from tengen.champion.presets import LEARN, is_run
from tengen.champion.settings import LearnSettings
from tengen.runs import Run, RunError

if TYPE_CHECKING:
    from pathlib import Path

    from tengen.champion.progress import Tracker
    from tengen.champion.schedule import Planned
    from tengen.cluster import Workers
    from tengen.evaluators import DeviceServers
    from tengen.games import Game

__all__ = ["check_mode", "grow"]


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


def grow(
    run: Run,
    game: Game,
    planned: Planned,
    most: int,
    workers: Workers,
    tracker: Tracker,
    servers: DeviceServers | None = None,
) -> None:
    """Carry out a plan, up to `most` iterations and within its time. The caller holds the run's lock.

    The tracker must follow the run already.
    """
    began, plan, speed = time.monotonic(), planned.plan, planned.speed
    phases = [] if speed is None else plan.phases(speed)
    final_s = 0.0 if speed is None else total_seconds(plan.final_phases(speed))
    clock = Clock()
    if planned.limit_s is not None and speed is not None:
        training = next((phase.seconds for phase in phases if phase.name == "train"), 0.0)
        clock = Clock(planned.limit_s - tracker.used_s - final_s, training, used_s=tracker.used_s)
    loop = AsyncLoop(run, game, plan.settings, workers, tracker, clock, servers)
    before = loop.complete

    def estimate() -> float:
        if clock.is_limited:
            return clock.left_s + final_s
        elapsed, done = time.monotonic() - began, loop.complete - before
        if not done:
            return max(0.0, total_seconds(phases) - elapsed)
        return elapsed / done * max(0, most - loop.complete) + final_s

    tracker.replan(0 if planned.is_open else plan.iterations, ())
    tracker.estimate = estimate
    loop.run_until(most)
    tracker.estimate = None
    final = [] if speed is None else dataclasses.replace(plan, iterations=loop.complete).final_phases(speed)
    tracker.replan(loop.complete, final)
