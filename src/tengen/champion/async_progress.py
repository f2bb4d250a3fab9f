"""The progress of a run in which several things take place at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.champion.report_machines import WORKERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.champion.watchers import Recorded
    from tengen.cluster import Workers
    from tengen.runs import Run, Step

__all__ = ["Activity"]


class Activity:
    """Reports the progress of one phase, and the end of every phase."""

    def __init__(self, run: Run, workers: Workers, watcher: Recorded) -> None:
        self._run = run
        self._workers = workers
        self._watcher = watcher
        self._shown: tuple[str, int] | None = None

    def show(self, phase: str, iteration: int, total: int, done: int, figures: Mapping[str, float]) -> None:
        """Report the progress of the phase that matters most now."""
        if self._shown != (phase, iteration):
            self._shown = (phase, iteration)
            self._watcher.begin(phase, iteration, total)
        self._watcher.advance(done, figures)

    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any], done: int, spent_s: float) -> Step:
        """Log the step of a phase that has ended, report the phase, and return the step.

        `done` is the number of its games or batches, and `spent_s` the seconds that it took.
        """
        step = self._run.find(phase, iteration)
        assert step is not None
        self._run.log({"event": phase, "iteration": iteration, "step": step.id, "text": text, **figures})
        nodes = self._workers.summary()
        if nodes:
            self._run.log({"event": WORKERS, "iteration": iteration, "step": step.id, "nodes": nodes})
        if self._shown == (phase, iteration):
            self._shown = None
            self._watcher.end(phase, iteration, text, figures)
        else:
            self._watcher.end_beside(phase, iteration, text, figures, done, spent_s)
        return step
