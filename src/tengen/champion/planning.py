"""The plan of a learning run, and how long it takes, shown before the run starts."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen._text import rate_text, time_text
from tengen.champion.plan import Plan, fit_plan, is_smallest, mean_visits, total_seconds, useful_minutes
from tengen.champion.speed import measure_speed
from tengen.runs import RunError

if TYPE_CHECKING:
    from tengen.arena import PlayerSpec
    from tengen.champion.plan import Phase
    from tengen.champion.progress import Tracker
    from tengen.champion.settings import LearnSettings
    from tengen.champion.speed import Speed
    from tengen.cluster import Workers
    from tengen.games import Game
    from tengen.runs import Run

__all__ = ["FINAL_GAMES", "ITERATIONS", "PlanRequest", "TooSlowError", "plan_again", "plan_run", "remember"]

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
    game: Game, settings: LearnSettings, request: PlanRequest, workers: Workers, tracker: Tracker
) -> tuple[Plan, list[Phase]]:
    """Plan a new run, so that it fits into its time if it has one; refuse if no useful plan does."""
    games = FINAL_GAMES if request.final_games is None else request.final_games
    asked = Plan(settings, request.iterations or ITERATIONS, games)
    load = _load()
    speed = _measure(game, settings, workers, tracker)
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
    return plan, phases


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
    run: Run, game: Game, settings: LearnSettings, request: PlanRequest, workers: Workers, tracker: Tracker
) -> tuple[Plan, list[Phase]]:
    """Return the plan of a run that is continued, and the phases that are left."""
    goal = request.iterations or _last(run, "iterations") or ITERATIONS
    games = request.final_games
    if games is None:
        games = _last(run, "final_games") or FINAL_GAMES
    plan = Plan(settings, goal, games)
    done = _done(run)
    tracker.note(
        f"{done} of {goal} iterations are complete; {'going on' if done < goal else 'a larger --iters goes on'}"
    )
    if done >= goal:
        return plan, []
    phases = [
        p for p in plan.phases(_measure(game, settings, workers, tracker)) if run.find(p.name, p.iteration) is None
    ]
    tracker.note(f"left      about {time_text(total_seconds(phases))}")
    return plan, phases


def remember(run: Run, plan: Plan, workers: str) -> None:
    """Log the plan, so that a continued run has the same goal."""
    run.log({"event": _BEGAN, "iterations": plan.iterations, "final_games": plan.final_games, "workers": workers})


def _measure(game: Game, settings: LearnSettings, workers: Workers, tracker: Tracker) -> Speed:
    tracker.begin("speed", 0, 1)
    speed = measure_speed(game, settings, workers)
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


def _last(run: Run, name: str) -> int | None:
    found = [event[name] for event in run.events() if event.get("event") == _BEGAN and name in event]
    return int(found[-1]) if found else None


def _done(run: Run) -> int:
    """Iterations that have come to their end."""
    ended = {step.iteration or 0 for step in run.steps() if step.name in ("arena", "train-stopped")}
    return max(ended, default=0)
