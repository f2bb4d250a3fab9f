"""The searches of running jobs: shared batches of their positions, intermediate reports, and ends."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tengen.analysis.confidence import confidence, prune_weights
from tengen.analysis.job import Job, Snapshot
from tengen.analysis.tree_cache import TreeCache
from tengen.evaluators import CoreEvaluator, Evaluator, RawEvaluator
from tengen.search import Pool, Restriction, SearchSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from tengen.games import Game, State
    from tengen.games.state import Played

__all__ = ["RunningJob", "SearchRunner"]

_log = logging.getLogger(__name__)

SLICE_S = 0.02
"""Time slice of an evaluator inside the core, in seconds."""
REPORT_COST = 5
"""Least time between two reports of a job, as a multiple of the time that the last one took."""
TIMED_S = 2.0
"""Time after which the speed of a search is measured, in seconds."""
SLOW_S = 3600.0
"""Expected duration above which a search causes a warning, in seconds."""


@dataclass(eq=False)
class RunningJob:
    job: Job
    pool: Pool = None  # type: ignore[assignment]
    state: State = None  # type: ignore[assignment]
    root: int = -1
    played: tuple[Played, ...] = ()
    """Actions before the position, if its tree is to be cached."""
    raw: Any = None
    began: float = field(default_factory=time.monotonic)
    next_report: float = math.inf
    next_check: int = 1
    next_size_check: int = 4096
    is_timed: bool = False
    bytes: int = 0
    sure: dict[str, Any] | None = None
    """Constraints of a second search with included actions, which follows if all players act simultaneously."""
    is_stopped: bool = False
    memory_warning: str = ""
    """Why the search ended early, if trees took too much memory."""
    is_over: bool = False


class SearchRunner:
    """Runs the jobs that are started, a batch at a time. For one thread."""

    def __init__(
        self, running: Sequence[RunningJob], on_removed: Callable[[RunningJob], None], *, batch: int, tree_bytes: int
    ) -> None:
        """`running` is the caller's list of jobs that run; `on_removed` takes one out, once it is answered.

        At most `batch` positions are evaluated together. When all trees together take more than `tree_bytes`, the
        largest search ends with what it has.
        """
        self._running = running
        self._on_removed = on_removed
        self._batch = batch
        self._tree_bytes = tree_bytes
        self._pools: dict[tuple[Game, int], Pool] = {}
        self._cache = TreeCache()
        self._slice = 64

    def start(self, running: RunningJob) -> None:
        self._guard([running], lambda: self._start(running))

    def _start(self, running: RunningJob) -> None:
        job = running.job
        key = (job.game, id(job.evaluator))
        if key not in self._pools:
            self._pools[key] = self._make_pool(job)
        running.pool = self._pools[key]
        running.state = job.open()
        if job.tree_key is not None:
            running.played = running.state.history
        running.next_report = running.began + job.first_report_s
        if not isinstance(job.evaluator, RawEvaluator):
            self._open(running)

    def _make_pool(self, job: Job) -> Pool:
        return Pool(job.game, SearchSettings(), job.evaluator)

    def _open(self, running: RunningJob) -> None:
        """Gives a job its root."""
        job, pool = running.job, running.pool
        running.state = job.ready(running.state, running.raw)
        avoid = list(job.avoid or ())
        pruned = [action for action in job.prune_actions(running.state) if action not in job.include]
        if pruned:
            avoid.append(Restriction(pruned))
        asked: dict[str, Any] = {
            "include": job.include,
            "include_visits": job.include_visits,
            "allow": job.allow,
            "avoid": avoid or None,
            "visits": job.settings.visits,
            "must_choose": False,  # KataGo's protocol: a query may leave nothing to choose
        }
        tree = self._cache.take(job, running.played, running.state, asked) if job.tree_key is not None else None
        if tree is not None:
            running.pool, running.root = tree.pool, tree.root
            return
        if running.state.actor == "all" and job.include:
            # Every included action would look good before the other players have learned their replies.
            running.sure, asked = asked, asked | {"include": ()}
        running.root = pool.add(
            running.state, viewer=job.viewer, seed=job.seed, settings=job.settings, aux=job.aux, **asked
        )

    def step(self) -> None:
        """One batch of every pool, and what follows from it."""
        for pool in {id(running.pool): running.pool for running in self._running}.values():
            self._step(pool)

    def _step(self, pool: Pool) -> None:
        here = [running for running in self._running if running.pool is pool]
        try:
            self._evaluate_batch(pool, here)
        except Exception as error:  # noqa: BLE001 - whatever it is, its jobs hear of it
            self._retry_alone(pool, here, error)
            return
        now = time.monotonic()
        for running in here:
            if not running.is_over:
                self._guard([running], lambda running=running: self._check_progress(running, now))  # type: ignore[misc]

    def _evaluate_batch(self, pool: Pool, here: list[RunningJob]) -> None:
        if isinstance(pool.evaluator, CoreEvaluator):
            began = time.monotonic()
            pool.step(self._slice)
            took = time.monotonic() - began
            self._slice = max(16, min(1 << 16, int(self._slice * min(2.0, SLICE_S / max(took, 1e-6)))))
            return
        new = [running for running in here if running.root < 0]
        leaves = None
        if len(new) < len(here):
            leaves = pool.collect(max(1, self._batch - len(new))) or None
        if not new and leaves is None:
            return
        _, raws = pool.evaluate(leaves, [running.state for running in new])
        for running, raw in zip(new, raws, strict=True):
            running.raw = raw
            self._guard([running], lambda running=running: self._open(running))  # type: ignore[misc]

    def _retry_alone(self, pool: Pool, here: list[RunningJob], error: Exception) -> None:
        """A batch failed: its jobs begin again, each by itself, so that only those end which fail alone."""
        if len(here) == 1:
            self.fail(here, error)
            return
        _log.warning("a batch of %d searches failed, each is tried alone: %s", len(here), error)
        for running in here:
            root, running.root = running.root, -1
            if root >= 0:
                self._guard([], lambda root=root: pool.remove(root))  # type: ignore[misc]
            self._guard([running], lambda running=running: self._open_alone(running))  # type: ignore[misc]

    def _open_alone(self, running: RunningJob) -> None:
        running.pool = self._make_pool(running.job)
        if not isinstance(running.job.evaluator, RawEvaluator):
            self._open(running)

    def _check_progress(self, running: RunningJob, now: float) -> None:
        """Reports and ends a job when it is time to."""
        job = running.job
        if running.root < 0:
            if running.is_stopped:
                self._end(running)
            return
        visits, is_done = running.pool.progress(running.root)
        self._limit_memory(running, visits)
        self._warn_if_slow(running, visits, now - running.began)
        is_late = now - running.began >= job.seconds and visits > 0
        is_found = is_done or self._is_settled(running, visits)
        if is_found and running.sure is not None and not (is_late or running.is_stopped):
            running.pool.restart(running.root, **running.sure)
            running.sure = None
        elif is_found or is_late or running.is_stopped:
            self._end(running)
        elif now >= running.next_report and visits > 1:  # the first visit only evaluates the root
            job.on_report(self._snapshot(running, is_last=False))
            # A report walks through the whole tree, so large trees are reported less often.
            took = time.monotonic() - now
            running.next_report = max(running.next_report + job.report_every_s, now + REPORT_COST * took)

    def _warn_if_slow(self, running: RunningJob, visits: int, took: float) -> None:
        """Warns of a search that is to last, by the speed of its first seconds."""
        if running.is_timed or not visits or took < TIMED_S:
            return
        running.is_timed = True
        job = running.job
        expected = min(job.seconds, took * job.settings.visits / visits)
        if expected > SLOW_S:
            job.on_slow(expected)

    def _limit_memory(self, running: RunningJob, visits: int) -> None:
        """Ends the largest search when trees take too much memory, after those that are only kept."""
        if visits < running.next_size_check:
            return
        running.next_size_check = visits + max(4096, visits // 8)
        running.bytes = running.pool.report(running.root).bytes
        while sum(other.bytes for other in self._running) + self._cache.bytes > self._tree_bytes:
            if not self._cache.drop_oldest():
                largest = max(self._running, key=lambda other: other.bytes)
                largest.memory_warning = (
                    f"the search ended early because its tree takes {largest.bytes / 2**20:,.0f} MiB of memory: all "
                    f"trees together may take {self._tree_bytes / 2**20:,.0f} MiB"
                )
                _log.warning("%s", largest.memory_warning)
                largest.is_stopped = True
                return

    def _is_settled(self, running: RunningJob, visits: int) -> bool:
        wanted = running.job.stop_when
        if wanted is None or visits < max(running.next_check, wanted.min_visits):
            return False
        running.next_check = visits + max(4, visits // 8)
        return confidence(running.pool.result(running.root, spread=True)) >= wanted.confidence

    def _snapshot(self, running: RunningJob, *, is_last: bool) -> Snapshot:
        job = running.job
        result = running.pool.result(
            running.root,
            spread=True,
            aux=job.aux > 0,
            deviations=job.deviations,
            elapsed_s=time.monotonic() - running.began,
        )
        if running.memory_warning:
            result = replace(result, is_out_of_memory=True, warnings=(*result.warnings, running.memory_warning))
        return Snapshot(prune_weights(result, job.settings), running.raw, is_last)

    def end(self, running: RunningJob) -> None:
        """End a job with the result so far."""
        self._guard([running], lambda: self._end(running))

    def _end(self, running: RunningJob) -> None:
        has_visits = running.root >= 0 and running.pool.progress(running.root)[0] > 0
        snapshot = self._snapshot(running, is_last=True) if has_visits else None
        self._drop(running, keep=has_visits and running.job.tree_key is not None)
        try:
            if running.memory_warning:
                running.job.on_out_of_memory(running.memory_warning)
            running.job.on_end(snapshot)
        except Exception as error:  # noqa: BLE001 - the others go on
            _log.exception("the answer of a search failed")
            self._report_error(running.job, error)
        self._on_removed(running)

    def _drop(self, running: RunningJob, *, keep: bool = False) -> None:
        """Remove the tree of a job from the pool, unless it is kept in the cache."""
        running.is_over = True
        root, running.root = running.root, -1
        if root < 0:
            return
        try:
            if keep:
                self._cache.add(running.job, running.played, running.pool, root)
            else:
                running.pool.remove(root)
        except Exception:  # noqa: BLE001 - its job is answered all the same
            _log.exception("a pool of searches is broken, the next search gets another")
            self._pools = {key: pool for key, pool in self._pools.items() if pool is not running.pool}

    def _guard(self, concerned: list[RunningJob], work: Callable[[], None]) -> None:
        """A job whose game or evaluator fails ends with an error; the others go on."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the outermost loop: whatever it is, its jobs hear of it
            self.fail(concerned, error)

    def fail(self, concerned: list[RunningJob], error: Exception) -> None:
        _log.error("analysis failed", exc_info=error)
        for running in concerned:
            if not running.is_over:
                self._drop(running)
                self._report_error(running.job, error)
                self._on_removed(running)

    def _report_error(self, job: Job, error: Exception) -> None:
        try:
            job.on_error(error)
        except Exception:  # noqa: BLE001 - there is nobody left to tell
            _log.exception("an error could not be told")

    def forget(self, clear: bool, gone: list[Hashable]) -> None:
        """Drops the trees of clients that are gone, or with `clear` all trees and remembered evaluations."""
        self._guard([], lambda: self._forget(clear, gone))

    def _forget(self, clear: bool, gone: list[Hashable]) -> None:
        for client in gone:
            self._cache.clear(client)
        if clear:
            self._cache.clear()
            for pool in self._pools.values():
                if isinstance(pool.evaluator, Evaluator):
                    pool.evaluator.clear_cache()
