"""Many positions analyzed together: whose turn it is, when to report, when to end."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.analysis.confidence import confidence, prune
from tengen.analysis.job_queue import JobQueue
from tengen.analysis.tree_cache import TreeCache, room_for_trees
from tengen.evaluators import CoreEvaluator, Evaluator, RawEvaluator
from tengen.search import Pool, Restriction, SearchResult, SearchSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from tengen.games import Game, State
    from tengen.games.state import Played

__all__ = ["ClosedError", "Confidence", "Job", "Scheduler", "Snapshot"]

_log = logging.getLogger(__name__)

SLICE_S = 0.02
"""How long an evaluator inside the core may work before the scheduler looks around."""
REPORT_COST = 10
"""Between two reports of a job there is at least so many times what the last one took."""
TIMED_S = 2.0
"""After so long the speed of a search is taken."""
SLOW_S = 3600.0
"""Longer searches are warned of."""


class ClosedError(RuntimeError):
    """Nothing more is taken."""


@dataclass(frozen=True)
class Confidence:
    """When the best move counts as settled."""

    level: float
    """The probability, by the spread of the evaluations, that no other move is worth more."""
    min_visits: int = 1


@dataclass(frozen=True)
class Snapshot:
    """What is known of a position so far."""

    result: SearchResult
    """Its weights are what policy and value together support."""
    raw: Any
    """The evaluator's raw answer, where it has one."""
    is_last: bool


@dataclass(eq=False, slots=True)
class Job:
    """A position to analyze. The scheduler's thread calls its functions, one at a time.

    Whatever happens, on_end or on_error is called once; where on_end raises, on_error hears of that.
    """

    game: Game
    evaluator: Evaluator | CoreEvaluator
    open: Callable[[], State]
    """Makes the position, when the job starts."""
    settings: SearchSettings
    on_report: Callable[[Job, Snapshot], None]
    """While the search goes on."""
    on_end: Callable[[Job, Snapshot | None], None]
    """Once, at the end; None when nothing was searched."""
    on_error: Callable[[Job, Exception], None]
    """Instead of on_end."""
    on_slow: Callable[[Job, float], None] = lambda _job, _seconds: None
    """Once, if the search is to take longer than SLOW_S, with the seconds that it is to take."""
    ready: Callable[[State, Any], State] = lambda state, _raw: state
    """The position to search, once the raw answer to it is known."""
    prune: Callable[[State], Sequence[int]] = lambda _state: ()
    """Actions at the root that stand for others and need no visits."""
    include: Sequence[int] = ()
    include_visits: int = 1
    allow: Sequence[Restriction] | None = None
    avoid: Sequence[Restriction] | None = None
    seconds: float = math.inf
    report_every_s: float = math.inf
    first_report_s: float = math.inf
    confidence: Confidence | None = None
    aux: int = 0
    """How many of the game's auxiliary values its answers need."""
    deviations: bool = False
    seed: int | None = None
    priority: int = 0
    client: Hashable = None
    tree_key: Hashable | None = None
    """Of a game whose trees are to be cached: equal for jobs whose trees can go on with each other along its moves."""
    tag: Any = None
    """Whatever the owner wants to find it by."""


@dataclass(eq=False)
class _Running:
    job: Job
    pool: Pool = None  # type: ignore[assignment]
    state: State = None  # type: ignore[assignment]
    root: int = -1
    played: tuple[Played, ...] = ()
    """Before the position that is searched, where its tree is to be cached."""
    raw: Any = None
    began: float = field(default_factory=time.monotonic)
    next_report: float = math.inf
    next_check: int = 1
    next_size_check: int = 4096
    is_timed: bool = False
    bytes: int = 0
    is_stopped: bool = False
    is_over: bool = False


class Scheduler:
    """Runs jobs in a thread of its own: a few at a time, with their positions in shared batches.

    Clients take turns; within a client the highest priority comes first, then who came first. A client of which nothing
    runs need not wait for the others to end.
    """

    def __init__(self, *, active: int = 4, batch: int = 16, tree_bytes: int | None = None) -> None:
        """`active` jobs run at once, or one of each client if that is more; at most `batch` positions are evaluated
        together. When all trees together take more than `tree_bytes`, the largest search ends with what it has."""
        if active < 1 or batch < 1:
            raise ValueError(f"active is {active} and batch is {batch}: both must be at least 1")
        self._max_active = active
        self._batch = batch
        self._tree_bytes = room_for_trees() if tree_bytes is None else tree_bytes
        self._wake = threading.Condition()
        # Under the lock; only the thread changes which jobs run.
        self._queue = JobQueue()
        self._running: list[_Running] = []
        self._held: set[Hashable] = set()
        self._gone: list[Hashable] = []
        self._clear = False
        self._closing = False
        # The thread's own.
        self._pools: dict[tuple[Game, int], Pool] = {}
        self._cache = TreeCache()
        self._slice = 64
        self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)
        self._thread.start()

    # What other threads call.

    def submit(self, *jobs: Job) -> None:
        """All of them, or, when it is closed, none."""
        with self._wake:
            if self._closing:
                raise ClosedError("the analysis engine is closed")
            for job in jobs:
                self._queue.add(job)
            self._wake.notify_all()

    def queued(self, client: Hashable) -> int:
        """How many of a client's jobs wait for their start."""
        with self._wake:
            return self._queue.count(client)

    def withdraw(self, match: Callable[[Job], bool], client: Hashable | None = None) -> list[Job]:
        """Takes out jobs that have not started, of one client or of all; their functions are never called."""
        with self._wake:
            taken = self._queue.remove(match, client)
            self._wake.notify_all()
            return taken

    def stop(self, match: Callable[[Job], bool]) -> None:
        """Ends running jobs soon, with what they have."""
        with self._wake:
            for running in self._running:
                if match(running.job):
                    running.is_stopped = True
            self._wake.notify_all()

    def hold(self, client: Hashable) -> None:
        """No more jobs of the client start until it is released."""
        with self._wake:
            self._held.add(client)

    def release(self, client: Hashable) -> None:
        with self._wake:
            self._held.discard(client)
            self._wake.notify_all()

    def forget(self, client: Hashable) -> None:
        """The client won't come back: what was kept for it goes."""
        with self._wake:
            self._held.discard(client)
            self._queue.forget(client)
            self._gone.append(client)
            self._wake.notify_all()

    def clear_cache(self) -> None:
        """Forgets evaluations and kept trees, before anything else is done."""
        with self._wake:
            self._clear = True
            self._wake.notify_all()

    def drain(self, timeout: float | None = None) -> bool:
        """Waits until nothing is left to do."""
        with self._wake:
            return self._wake.wait_for(lambda: not self._queue and not self._running, timeout)

    def close(self, *, finish: bool = True) -> None:
        """Ends the thread: with `finish` after all that was asked for, else at once, with what jobs have."""
        if finish:
            self.drain()
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    # The thread.

    def _run(self) -> None:
        try:
            self._loop()
        except BaseException as error:
            # A game that ends the program, or a fault of ours: nobody may wait for answers that never come.
            with self._wake:
                self._closing = True
                self._running += [_Running(job) for job in self._queue.remove(lambda _: True)]
            self._fail(list(self._running), RuntimeError(f"the analysis ended: {error!r}"))
            raise

    def _loop(self) -> None:
        while True:
            with self._wake:
                started = [] if self._closing else self._take()
                while not (started or self._running or self._clear or self._gone or self._closing):
                    self._wake.wait()
                    started = [] if self._closing else self._take()
                clear, self._clear = self._clear, False
                gone, self._gone = self._gone, []
                closing = self._closing
            self._guard([], lambda clear=clear, gone=gone: self._forget(clear, gone))  # type: ignore[misc]
            if closing:
                self._end_all()
                return
            for running in started:
                self._guard([running], lambda running=running: self._start(running))  # type: ignore[misc]
            for pool in {id(running.pool): running.pool for running in self._running}.values():
                self._step(pool)

    def _take(self) -> list[_Running]:
        """Jobs to start now; they count as running from here on."""
        taken = []
        busy = Counter(running.job.client for running in self._running)
        while self._queue:
            job = self._queue.take(busy, self._held, is_full=len(self._running) >= self._max_active)
            if job is None:
                break
            busy[job.client] += 1
            taken.append(_Running(job))
            self._running.append(taken[-1])
        return taken

    def _start(self, running: _Running) -> None:
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

    def _open(self, running: _Running) -> None:
        """Gives a job its root."""
        job, pool = running.job, running.pool
        running.state = job.ready(running.state, running.raw)
        avoid = list(job.avoid or ())
        pruned = [action for action in job.prune(running.state) if action not in job.include]
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
        else:
            running.root = pool.add(running.state, seed=job.seed, settings=job.settings, aux=job.aux, **asked)

    def _step(self, pool: Pool) -> None:
        """One batch of a pool, and what follows from it."""
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

    def _evaluate_batch(self, pool: Pool, here: list[_Running]) -> None:
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

    def _retry_alone(self, pool: Pool, here: list[_Running], error: Exception) -> None:
        """A batch failed: its jobs begin again, each by itself, so that only those end which fail alone."""
        if len(here) == 1:
            self._fail(here, error)
            return
        _log.warning("a batch of %d searches failed, each is tried alone: %s", len(here), error)
        for running in here:
            root, running.root = running.root, -1
            if root >= 0:
                self._guard([], lambda root=root: pool.remove(root))  # type: ignore[misc]
            self._guard([running], lambda running=running: self._open_alone(running))  # type: ignore[misc]

    def _open_alone(self, running: _Running) -> None:
        running.pool = self._make_pool(running.job)
        if not isinstance(running.job.evaluator, RawEvaluator):
            self._open(running)

    def _check_progress(self, running: _Running, now: float) -> None:
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
        if is_done or is_late or running.is_stopped or self._is_settled(running, visits):
            self._end(running)
        elif now >= running.next_report and visits > 0:
            job.on_report(job, self._snapshot(running, is_last=False))
            # A report looks at the whole tree: a large one is reported less often, or nothing else would be done.
            took = time.monotonic() - now
            running.next_report = max(running.next_report + job.report_every_s, now + REPORT_COST * took)

    def _warn_if_slow(self, running: _Running, visits: int, took: float) -> None:
        """Warns of a search that is to last, by the speed of its first seconds."""
        if running.is_timed or not visits or took < TIMED_S:
            return
        running.is_timed = True
        job = running.job
        expected = min(job.seconds, took * job.settings.visits / visits)
        if expected > SLOW_S:
            job.on_slow(job, expected)

    def _limit_memory(self, running: _Running, visits: int) -> None:
        """Ends the largest search when trees take too much memory, after those that are only kept."""
        if visits < running.next_size_check:
            return
        running.next_size_check = visits + max(4096, visits // 8)
        running.bytes = running.pool.report(running.root).bytes
        while sum(other.bytes for other in self._running) + self._cache.bytes > self._tree_bytes:
            if not self._cache.drop_oldest():
                largest = max(self._running, key=lambda other: other.bytes)
                _log.warning("a search of %d bytes ends early: trees may take %d", largest.bytes, self._tree_bytes)
                largest.is_stopped = True
                return

    def _is_settled(self, running: _Running, visits: int) -> bool:
        wanted = running.job.confidence
        if wanted is None or visits < max(running.next_check, wanted.min_visits):
            return False
        running.next_check = visits + max(4, visits // 8)
        return confidence(running.pool.result(running.root, spread=True)) >= wanted.level

    def _snapshot(self, running: _Running, *, is_last: bool) -> Snapshot:
        job = running.job
        result = running.pool.result(
            running.root,
            spread=True,
            aux=job.aux > 0,
            deviations=job.deviations,
            elapsed_s=time.monotonic() - running.began,
        )
        return Snapshot(prune(result, job.settings), running.raw, is_last)

    def _end(self, running: _Running) -> None:
        """With what it has."""
        has_visits = running.root >= 0 and running.pool.progress(running.root)[0] > 0
        snapshot = self._snapshot(running, is_last=True) if has_visits else None
        self._drop(running, keep=has_visits and running.job.tree_key is not None)
        try:
            running.job.on_end(running.job, snapshot)
        except Exception as error:  # noqa: BLE001 - the others go on
            _log.exception("the answer of a search failed")
            self._report_error(running.job, error)
        self._remove(running)

    def _drop(self, running: _Running, *, keep: bool = False) -> None:
        """Nothing of its tree is left in the pool but what is kept."""
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

    def _remove(self, running: _Running) -> None:
        """Only now: who waits for all to be done is to find all answered."""
        with self._wake:
            self._running.remove(running)
            self._wake.notify_all()

    def _guard(self, concerned: list[_Running], work: Callable[[], None]) -> None:
        """A job whose game or evaluator fails ends with an error; the others go on."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the outermost loop: whatever it is, its jobs hear of it
            self._fail(concerned, error)

    def _fail(self, concerned: list[_Running], error: Exception) -> None:
        _log.error("analysis failed", exc_info=error)
        for running in concerned:
            if not running.is_over:
                self._drop(running)
                self._report_error(running.job, error)
                self._remove(running)

    def _report_error(self, job: Job, error: Exception) -> None:
        try:
            job.on_error(job, error)
        except Exception:  # noqa: BLE001 - there is nobody left to tell
            _log.exception("an error could not be told")

    def _forget(self, clear: bool, gone: list[Hashable]) -> None:
        for client in gone:
            self._cache.clear(client)
        if clear:
            self._cache.clear()
            for pool in self._pools.values():
                if isinstance(pool.evaluator, Evaluator):
                    pool.evaluator.clear_cache()

    def _end_all(self) -> None:
        with self._wake:
            # From here on they run, so that drain() waits until they are told.
            self._running += [_Running(job) for job in self._queue.remove(lambda _: True)]
        for running in list(self._running):
            self._guard([running], lambda running=running: self._end(running))  # type: ignore[misc]
