"""What a learning run will do and how long that takes, told before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.arena import visits_of
from tengen.champion.plan import Plan, fit_plan, mean_visits, total_seconds
from tengen.champion.speed import measure_speed
from tengen.console.progress import rate_text, time_text

if TYPE_CHECKING:
    from tengen.champion import LearnSettings
    from tengen.champion.plan import Phase
    from tengen.champion.speed import Speed
    from tengen.cluster import Workers
    from tengen.console.progress import Bar
    from tengen.games import Game
    from tengen.runs import Run

__all__ = ["FINAL_GAMES", "ITERATIONS", "PlanRequest", "plan_again", "plan_run", "remember"]

ITERATIONS = 20
FINAL_GAMES = 64
_LONG_S = 3600
_OVER = 1.05
_BEGAN = "learn"


@dataclass(frozen=True)
class PlanRequest:
    """What was asked for beside a run's settings. None is what the run did last time, or the default."""

    iterations: int | None = None
    final_games: int | None = None
    fixed: frozenset[str] = frozenset()
    """What a plan must not change."""
    slack: float = 1.0
    """How much longer than its minutes a plan may take before it is made smaller."""


def plan_run(
    game: Game, settings: LearnSettings, request: PlanRequest, crew: Workers, bar: Bar
) -> tuple[Plan, list[Phase]]:
    """For a new run: a plan that fits into its time, if it has one."""
    games = FINAL_GAMES if request.final_games is None else request.final_games
    asked = Plan(settings, request.iterations or ITERATIONS, games)
    speed = _measure(game, settings, crew, bar)
    plan = fit_plan(asked, speed, request.fixed, slack=request.slack) if settings.minutes else asked
    phases = plan.phases(speed)
    bar.say(f"plan      {_plan_text(plan, phases)}")
    if plan.settings != settings:
        whole = total_seconds(Plan(settings, plan.iterations, games).phases(speed))
        size = (
            "as large as time allows" if total_seconds(phases) < _OVER * 60 * settings.minutes else "as small as helps"
        )
        bar.say(f"          {size}: with the settings as they were it would take {time_text(whole)}")
    elif total_seconds(phases) > _LONG_S and not settings.minutes:
        bar.say("          --quick or --minutes plans a shorter one")
    return plan, phases


def plan_again(
    run: Run, game: Game, settings: LearnSettings, request: PlanRequest, crew: Workers, bar: Bar
) -> tuple[Plan, list[Phase]]:
    """For a run that goes on: what is left of its own plan."""
    goal = request.iterations or _last(run, "iterations") or ITERATIONS
    games = request.final_games
    if games is None:
        games = _last(run, "final_games") or FINAL_GAMES
    plan = Plan(settings, goal, games)
    done = _done(run)
    bar.say(f"{done} of {goal} iterations are complete; {'going on' if done < goal else 'a larger --iters goes on'}")
    if done >= goal:
        return plan, []
    phases = [p for p in plan.phases(_measure(game, settings, crew, bar)) if run.find(p.name, p.iteration) is None]
    bar.say(f"left      about {time_text(total_seconds(phases))}")
    return plan, phases


def remember(run: Run, plan: Plan, workers: str) -> None:
    """So that the same run goes on to the same end."""
    run.log({"event": _BEGAN, "iterations": plan.iterations, "final_games": plan.final_games, "workers": workers})


def _measure(game: Game, settings: LearnSettings, crew: Workers, bar: Bar) -> Speed:
    bar.begin("measuring how fast the game is here", 1)
    speed = measure_speed(game, settings, crew)
    bar.end()
    parts = [
        f"{speed.plies:.0f} plies a game",
        f"{rate_text(speed.workers, speed.teacher_visit_s, _unit(settings.teacher))} by {_kind(settings.teacher)}",
        f"{rate_text(speed.workers, speed.player_visit_s, _unit(settings.player))} by the network",
    ]
    bar.say(f"speed     {', '.join(parts)}")
    return speed


def _plan_text(plan: Plan, phases: list[Phase]) -> str:
    s = plan.settings
    games = f"{s.games_per_iter} games of {mean_visits(s):.0f} {_unit(s.player)} a move in each"
    if s.bootstrap_games:
        visits = visits_of(s.teacher)
        each = f"of {visits} {_unit(s.teacher)} a move" if visits else f"by {s.teacher}"
        games = f"{s.bootstrap_games} games {each} in the first, {games} other"
    count = f"{plan.iterations} iteration{'s' if plan.iterations > 1 else ''}"
    return f"{count}, about {time_text(total_seconds(phases))}: {games}"


def _kind(spec: str) -> str:
    """How people know a player that teaches."""
    return {"rollout": "rollouts", "pimc": "flat Monte Carlo"}.get(spec.partition(":")[0], spec)


def _unit(spec: str) -> str:
    return "worlds" if spec.startswith("pimc:") else "visits"


def _last(run: Run, name: str) -> int | None:
    found = [event[name] for event in run.events() if event.get("event") == _BEGAN and name in event]
    return int(found[-1]) if found else None


def _done(run: Run) -> int:
    """Iterations that have come to their end."""
    ended = {step.iteration or 0 for step in run.steps() if step.name in ("arena", "train-stopped")}
    return max(ended, default=0)
