"""The plan of a learning run, and how long it takes, shown before the run starts."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen._text import rate_text, time_text
from tengen.champion.gates import NO_GATE
from tengen.champion.plan import Plan, fit_plan, is_smallest, mean_visits, total_seconds, useful_minutes
from tengen.champion.presets import LEARN
from tengen.champion.schedule import Planned
from tengen.champion.speed import measure_speed
from tengen.runs import RunError
from tengen.runs.used_time import read_used_s

if TYPE_CHECKING:
    from tengen.arena import PlayerSpec
    from tengen.champion.plan import Phase
    from tengen.champion.progress import Tracker
    from tengen.champion.settings import LearnSettings
    from tengen.champion.speed import Speed
    from tengen.cluster import Workers
    from tengen.evaluators import DeviceServers
    from tengen.games import Game
    from tengen.runs import Run

__all__ = [
    "FINAL_GAMES",
    "ITERATIONS",
    "PlanRequest",
    "TooSlowError",
    "count_done",
    "plan_again",
    "plan_run",
    "remember",
]

ITERATIONS = 20
FINAL_GAMES = 64
_LONG_S = 3600
_OVER = 1.05
# A plan that takes so many times its minutes is refused.
_TOO_LONG = 2.0
_BEGAN = "learn"


class TooSlowError(RunError):
    """The game is too slow here to learn anything in the given time."""


@dataclass(frozen=True)
class PlanRequest:
    """Requests in addition to a run's settings. None stands for what the run did last time, or for the default."""

    iterations: int | None = None
    final_games: int | None = None
    fixed: frozenset[str] = frozenset()
    """Names of settings that a plan must not change."""
    slack: float = 1.0
    """How much longer than its minutes a plan may take before it is made smaller."""


def plan_run(
    game: Game,
    settings: LearnSettings,
    request: PlanRequest,
    workers: Workers,
    tracker: Tracker,
    servers: DeviceServers | None = None,
) -> Planned:
    """Plan a new run, so that it fits into its time if it has one; refuse if no useful plan does."""
    games = FINAL_GAMES if request.final_games is None else request.final_games
    asked = Plan(settings, request.iterations or ITERATIONS, games)
    load = _load()
    speed = _measure(game, settings, workers, tracker, servers)
    plan = fit_plan(asked, speed, request.fixed, slack=request.slack) if settings.minutes else asked
    phases = plan.phases(speed)
    if settings.minutes:
        _check_size(game, asked, plan, speed, request.fixed, load, tracker)
    tracker.note(f"plan      {_plan_text(plan, phases)}")
    if plan.settings != settings:
        whole = total_seconds(Plan(settings, plan.iterations, games).phases(speed))
        size = (
            "as large as time allows" if total_seconds(phases) < _OVER * 60 * settings.minutes else "as small as helps"
        )
        tracker.note(f"          {size}: with the settings as they were it would take {time_text(whole)}")
    elif total_seconds(phases) > _LONG_S and not settings.minutes:
        tracker.note("          --quick or --minutes plans a shorter one")
    keeps_final_games = "final_games" in request.fixed
    if not settings.minutes:
        return Planned(plan, speed, keeps_final_games=keeps_final_games)
    # A plan that was accepted although it is longer than its minutes may take its planned time.
    limit_s = max(60 * settings.minutes * request.slack, total_seconds(phases))
    return Planned(plan, speed, limit_s, "iterations" not in request.fixed, keeps_final_games)


def _check_size(
    game: Game, asked: Plan, plan: Plan, speed: Speed, fixed: frozenset[str], load: str, tracker: Tracker
) -> None:
    """Refuse a plan that takes much longer than its time, and warn of one that can teach little."""
    minutes, seconds = asked.settings.minutes, total_seconds(plan.phases(speed))
    is_too_long = seconds > _TOO_LONG * 60 * minutes
    if not is_too_long and not is_smallest(plan, asked):
        return
    advice = f"--minutes {useful_minutes(asked, speed, fixed)} is enough at this speed; more workers, faster rules"
    advice += " and a machine without other work need less"
    if load:
        advice += f" (it is busy now: {load})"
    if is_too_long:
        kept = " with the settings that were given" if fixed - {"iterations", "minutes"} else ""
        raise TooSlowError(
            f"{game.id} is too slow here to learn in {minutes:g} minutes: the smallest useful plan{kept} takes about "
            f"{time_text(seconds)}. {advice}"
        )
    tracker.warn(f"a network learns little from the smallest of all plans, which is all that fits. {advice}")


def _load() -> str:
    """Describe how busy the machine is if others use all of it."""
    if not hasattr(os, "getloadavg"):
        return ""
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    return f"a load of {load:.1f} on {processors} processors" if load >= processors else ""


def plan_again(
    run: Run,
    game: Game,
    settings: LearnSettings,
    request: PlanRequest,
    workers: Workers,
    tracker: Tracker,
    servers: DeviceServers | None = None,
) -> Planned:
    """Return the plan of a run that is continued, with the time that it may still take."""
    before = _last_plan(run)
    goal = request.iterations or before.get("iterations") or ITERATIONS
    games = request.final_games
    if games is None:
        games = before.get("final_games") or FINAL_GAMES
    limit_s, is_open = before.get("limit_s"), bool(before.get("is_open"))
    if request.iterations is not None and (is_open or request.iterations > before.get("iterations", 0)):
        # Somebody who wants more iterations than were planned gives them the time that they need.
        limit_s, is_open = None, False
    done, used_s = count_done(run), read_used_s(run)
    is_used_up = limit_s is not None and used_s >= limit_s and done > 0
    if is_open and is_used_up:
        goal = done
    plan = Plan(settings, goal, games)
    if is_open:
        more = "the time is used up, and --iters N goes on" if is_used_up else "going on"
        tracker.note(f"{done} iterations are complete in {time_text(used_s)} of {time_text(limit_s or 0)}; {more}")
    else:
        more = "going on" if done < goal else "a larger --iters goes on"
        tracker.note(f"{done} of {goal} iterations are complete; {more}")
    if done >= goal and (is_used_up or not is_open):
        return Planned(plan, None, limit_s, is_open, "final_games" in request.fixed)
    speed = _measure(game, settings, workers, tracker, servers)
    if limit_s is None:
        made = {(step.name, step.iteration) for step in run.steps()}
        left = [phase for phase in plan.phases(speed) if (phase.name, phase.iteration) not in made]
        tracker.note(f"left      about {time_text(total_seconds(left))}")
    return Planned(plan, speed, limit_s, is_open, "final_games" in request.fixed)


def remember(run: Run, planned: Planned, workers: str) -> None:
    """Log the plan, so that a continued run has the same goal."""
    plan = planned.plan
    about: dict[str, Any] = {"iterations": plan.iterations, "final_games": plan.final_games, "workers": workers}
    if planned.limit_s is not None:
        about |= {"limit_s": planned.limit_s, "is_open": planned.is_open}
    run.log({"event": _BEGAN, **about})


def _measure(
    game: Game, settings: LearnSettings, workers: Workers, tracker: Tracker, servers: DeviceServers | None
) -> Speed:
    tracker.begin("speed", 0, 1)
    speed = measure_speed(game, settings, workers, servers)
    parts = [
        f"{speed.plies:.0f} plies a game",
        f"{rate_text(speed.workers, speed.teacher_visit_s, _unit(settings.teacher))} by {_kind(settings.teacher)}",
        f"{rate_text(speed.workers, speed.player_visit_s, _unit(settings.player))} by the network",
    ]
    tracker.end("speed", 0, ", ".join(parts), dataclasses.asdict(speed))
    return speed


def _plan_text(plan: Plan, phases: list[Phase]) -> str:
    s = plan.settings
    games = f"{s.games_per_iter} games of {mean_visits(s):.0f} {_unit(s.player)} a move in each"
    if s.bootstrap_games:
        visits = s.teacher.visits
        each = f"of {visits} {_unit(s.teacher)} a move" if visits else f"by {s.teacher}"
        games = f"{s.bootstrap_games} games {each} in the first, {games} other"
    count = f"{plan.iterations} iteration{'s' if plan.iterations > 1 else ''}"
    return f"{count}, about {time_text(total_seconds(phases))}: {games}"


def _kind(spec: PlayerSpec) -> str:
    """Return the usual name of a player that teaches."""
    if spec.kind == "flat":
        return "flat Monte Carlo"
    return "rollouts" if spec.searches_tree and spec.name == "rollout" else str(spec)


def _unit(spec: PlayerSpec) -> str:
    return "worlds" if spec.kind == "flat" else "visits"


def _last_plan(run: Run) -> dict[str, Any]:
    """Return what was logged when the run was planned last; empty if nothing was."""
    plans = [event for event in run.events() if event.get("event") == _BEGAN]
    return dict(plans[-1]) if plans else {}


def count_done(run: Run) -> int:
    """Return the number of iterations that have come to their end."""
    settings = run.settings.get(LEARN, {})
    last = "train" if settings.get("gate") == NO_GATE or settings.get("asynchronous") else "arena"
    ended = {step.iteration or 0 for step in run.steps() if step.name in (last, "train-stopped")}
    return max(ended, default=0)
