"""The progress of a learning run, as the command and `on_progress` of `tengen.learn()` receive it."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tengen._text import time_text
from tengen.champion.plan import Timeline
from tengen.champion.presets import LEARN
from tengen.champion.ratings import elo_text, rate_champion
from tengen.champion.standstill import find_standstill
from tengen.runs.used_time import UsedTime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tengen.arena import Rating
    from tengen.champion.plan import Phase
    from tengen.runs import Run

__all__ = ["LearnProgress", "OnProgress", "Tracker"]


@dataclass(frozen=True)
class LearnProgress:
    """An event of a learning run. `str()` of it is a line for people."""

    event: Literal["begin", "advance", "end", "note", "warning"]
    """The beginning, the progress or the end of a phase, or a line that belongs to none."""
    phase: str = ""
    """speed, self-play, reanalyze, train, arena, rate, match-initial or match-anchor."""
    iteration: int = 0
    iterations: int = 0
    """Number of planned iterations; 0 if the run ends by the clock."""
    done: int = 0
    """Games, or batches of training, that are done in this phase."""
    total: int = 0
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Figures of the phase so far: visits, plies, losses, results."""
    text: str = ""
    """The result of a phase that has ended, or the line."""
    title: str = ""
    """The two players, if the phase is a final match."""
    phase_s: float = 0.0
    """Seconds since the phase began."""
    elapsed_s: float = 0.0
    """Seconds since the call began."""
    left_s: float | None = None
    """Estimated seconds to the end of the run; None without an estimate."""
    elo: Rating | None = None
    """The rating of the champion when the phase began; the first network is 0."""

    @property
    def position(self) -> str:
        """The iteration, and the number of planned ones."""
        return f"iteration {self.iteration}" + (f"/{self.iterations}" if self.iterations else "")

    def __str__(self) -> str:
        if self.event in ("note", "warning"):
            return self.text
        name = self.title or f"{self.position} · {self.phase}"
        left = "" if self.left_s is None else f", about {time_text(self.left_s)} left"
        if self.event == "end":
            return f"{name}: {self.text} ({time_text(self.phase_s)}{left})"
        elo = f", Elo {elo_text(self.elo)}" if self.elo is not None else ""
        return f"{name}: {self.done} of {self.total}{elo}{left}"


_WARN_EVERY = 8
"""Iterations between warnings of a standstill in a run without ratings."""

OnProgress: TypeAlias = "Callable[[LearnProgress], object]"


class Tracker:
    """A watcher of the loop that turns its calls into LearnProgress values, with times and ratings."""

    def __init__(
        self,
        on_progress: OnProgress | None = None,
        interval_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`on_progress` gets progress within a phase at most once in `interval_s` seconds."""
        self.iterations = 0
        self.estimate: Callable[[], float | None] | None = None
        """Returns the seconds to the end of the run, if its phases do not follow one another as planned."""
        self._on_progress = on_progress or (lambda _: None)
        self._interval_s = interval_s
        self._clock = clock
        self._run: Run | None = None
        self._used: UsedTime | None = None
        self._timeline = Timeline(())
        self._began = self._phase_began = clock()
        self._next = 0.0
        self._now = LearnProgress("begin")

    def follow(self, run: Run, iterations: int, phases: Iterable[Phase]) -> None:
        """Rate the champions of this run, count its time, and estimate the time that is left by these phases."""
        self._run = run
        self._used = UsedTime(run, self._clock, self._began)
        self.replan(iterations, phases)

    def replan(self, iterations: int, phases: Iterable[Phase]) -> None:
        """Change the number of iterations and the phases that are left; how long others took is kept."""
        self.iterations = iterations
        self._timeline.plan(phases)

    def estimate_s(self, phases: Iterable[Phase]) -> float:
        """Return the seconds that phases will take, judged by those that have ended."""
        return self._timeline.estimate(phases)

    @property
    def used_s(self) -> float:
        """Seconds that were spent on the run, with those of earlier calls."""
        return self._used.seconds if self._used is not None else self._clock() - self._began

    def save_used_time(self) -> None:
        if self._used is not None:
            self._used.save()

    def begin(self, phase: str, iteration: int, total: int, title: str = "") -> None:
        self._phase_began, self._next = self._clock(), 0.0
        self._timeline.begin(phase, iteration)
        # Between phases: when a match ends, its winner is not yet champion.
        elo = None if self._run is None else rate_champion(self._run)
        self._now = LearnProgress("begin", phase, iteration, self.iterations, total=total, title=title, elo=elo)
        self._send("begin")

    def advance(self, done: int, figures: Mapping[str, float]) -> None:
        self._set(done=done, figures=figures)
        if self._used is not None:
            self._used.save(now=False)
        if self._clock() >= self._next:
            self._next = self._clock() + self._interval_s
            self._send("advance")

    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None:
        self._timeline.end(self._phase_s())
        self.save_used_time()
        self._set(phase=phase, iteration=iteration)
        self._send("end", text=text, figures=figures)
        if phase in ("rate", "arena"):
            self._warn_of_standstill(phase, iteration)

    def _warn_of_standstill(self, phase: str, iteration: int) -> None:
        """Warn after a rating, or after some gates in a run without ratings."""
        if self._run is None:
            return
        settings = self._run.settings.get(LEARN, {})
        if phase == "arena" and (settings.get("anchor") or iteration % _WARN_EVERY):
            return
        found = find_standstill(self._run.steps(), self._run.events(), settings)
        if found is not None:
            self.warn(str(found))

    def end_beside(
        self, phase: str, iteration: int, text: str, figures: Mapping[str, Any], done: int, spent_s: float
    ) -> None:
        """Report the end of a phase of `done` games or batches during another phase."""
        elapsed_s, left_s = self._clock() - self._began, self.left_s()
        self._on_progress(
            LearnProgress(
                "end",
                phase,
                iteration,
                self.iterations,
                done,
                done,
                figures,
                text,
                phase_s=spent_s,
                elapsed_s=elapsed_s,
                left_s=left_s,
            )
        )

    def note(self, text: str) -> None:
        """Report a line that belongs to no phase."""
        self._send("note", text=text)

    def warn(self, text: str) -> None:
        self._send("warning", text=text)

    def left_s(self) -> float | None:
        """Return the estimated seconds to the end of the run."""
        if self.estimate is not None:
            return self.estimate()
        work = self._now.figures.get("visits", self._now.figures.get("plies", 0.0))
        share = self._timeline.share(self._now.done, self._now.total, work)
        return self._timeline.left(self._phase_s(), share)

    def _phase_s(self) -> float:
        return self._clock() - self._phase_began

    def _set(self, **changes: Any) -> None:
        self._now = dataclasses.replace(self._now, **changes)

    def _send(self, event: Literal["begin", "advance", "end", "note", "warning"], **changes: Any) -> None:
        times: dict[str, Any] = {
            "phase_s": self._phase_s(),
            "elapsed_s": self._clock() - self._began,
            "left_s": self.left_s(),
        }
        self._on_progress(dataclasses.replace(self._now, event=event, **times, **changes))
