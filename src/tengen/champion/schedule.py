"""The iterations of a run that fit into its time, planned anew before each of them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen._text import time_text
from tengen.champion.plan import FEWEST_FINAL_GAMES, MAX_ITERATIONS
from tengen.champion.ratings import FINAL_ANCHOR, FINAL_INITIAL
from tengen.champion.training_place import Place

if TYPE_CHECKING:
    from tengen.champion.plan import Phase, Plan
    from tengen.champion.progress import Tracker
    from tengen.champion.speed import Speed
    from tengen.runs import Run

__all__ = ["Planned", "Schedule"]


@dataclass(frozen=True)
class Planned:
    """A plan, and how strictly a run keeps to it."""

    plan: Plan
    speed: Speed | None
    """The measured speed; None if nothing is left to do."""
    limit_s: float | None = None
    """Seconds that the whole run may take, with those that were used before; None for as long as it takes."""
    is_open: bool = False
    """The time decides the number of iterations, and the plan's is only an estimate."""
    keeps_final_games: bool = False
    """The number of final games was requested and does not depend on the time."""


class Schedule:
    """The iterations and final matches of a run.

    Before each iteration, its time and that of the final matches are estimated anew by how long phases have taken so
    far. An iteration that does not fit is not begun. What an iteration contains does not depend on the time, except
    for a learning rate that falls over the run.
    """

    def __init__(self, run: Run, planned: Planned, tracker: Tracker) -> None:
        """The tracker must follow the run already."""
        self._run = run
        self._plan = planned.plan
        self._speed = planned.speed
        self._limit_s = planned.limit_s if planned.speed is not None else None
        self._adapts_final_games = planned.limit_s is not None and not planned.keeps_final_games
        self._tracker = tracker
        self.most = MAX_ITERATIONS if planned.is_open and self._limit_s is not None else planned.plan.iterations
        """The largest number of iterations that may be made."""
        self._last = planned.plan.iterations
        """The last iteration, as far as it is known."""
        if self._speed is not None:
            made = self._made()
            phases = [p for p in self._plan.phases(self._speed) if (p.name, p.iteration) not in made]
            tracker.replan(self._plan.iterations, phases)

    def fits(self, iteration: int) -> bool:
        """Return whether there is time for an iteration, and plan the rest of the run anew.

        The first iteration always is: without it there is no network.
        """
        if self._limit_s is None:
            return True
        made = self._made()
        if not self._missing(iteration, made):
            return True
        left_s = self._limit_s - self._tracker.used_s - self._estimate(self._final(iteration))
        phases: list[Phase] = []
        last = iteration - 1
        while last < self.most:
            more = self._missing(last + 1, made)
            left_s -= self._estimate(more)
            if left_s < 0 and last > 0:
                break
            phases += more
            last += 1
        if last < iteration:
            self._tracker.note(
                f"{time_text(self._tracker.used_s)} of {time_text(self._limit_s)} are used, and one more iteration "
                f"does not fit: the run ends after {iteration - 1}"
            )
            return False
        self._last = last
        self._tracker.replan(last, [*phases, *self._final(last)])
        return True

    def find_place(self, iteration: int, before: Place | None) -> Place:
        """Return the place of a training that is about to begin: by iterations, or by the time if it is further."""
        if self._limit_s is None:
            return Place.of(iteration, self._last)
        training = [phase for phase in self._missing(iteration, self._made()) if phase.name == "train"]
        end_s = self._tracker.used_s + self._estimate(training)
        usable_s = self._limit_s - self._estimate(self._final(iteration))
        return Place.of(iteration, self._last, end_s / usable_s if usable_s > 0 else 1.0, before)

    def final_games(self, iteration: int) -> int:
        """Return the number of games of each final match: fewer than planned if the time is short."""
        games = self._plan.final_games
        if not self._adapts_final_games:
            return games
        for name in (FINAL_INITIAL, FINAL_ANCHOR):
            step = self._run.find(name, iteration)
            if step is not None and isinstance(step.metrics.get("games"), int):
                return int(step.metrics["games"])
        if self._limit_s is None or games <= FEWEST_FINAL_GAMES:
            return games
        needed = self._estimate(self._final(iteration))
        share = max(0.0, self._limit_s - self._tracker.used_s) / needed if needed > 0 else 1.0
        if share >= 1:
            return games
        fewer = max(FEWEST_FINAL_GAMES, 2 * int(games * share / 2))
        if fewer < games:
            self._tracker.note(f"the final matches have {fewer} games instead of {games}, because time is short")
        return fewer

    def _missing(self, iteration: int, made: set[tuple[str, int]]) -> list[Phase]:
        """Return the phases of an iteration that follow the last one that was made; nothing makes up for a phase that
        was left out."""
        assert self._speed is not None
        phases = self._plan.phases_of(iteration, self._speed)
        last = 0
        for number, phase in enumerate(phases, start=1):
            was_stopped = phase.name in ("train", "arena") and ("train-stopped", iteration) in made
            if was_stopped or (phase.name, iteration) in made:
                last = number
        return phases[last:]

    def _final(self, iteration: int) -> list[Phase]:
        assert self._speed is not None
        return dataclasses.replace(self._plan, iterations=iteration).final_phases(self._speed)

    def _estimate(self, phases: list[Phase]) -> float:
        return self._tracker.estimate_s(phases)

    def _made(self) -> set[tuple[str, int]]:
        return {(step.name, step.iteration or 0) for step in self._run.steps()}
