"""Many positions analyzed together: whose turn it is, when to report, when to end."""

from __future__ import annotations

import itertools
import logging
import math
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tengen.evaluators import Evaluation, Evaluator, Leaves, NativeEvaluator
from tengen.search import Move, Pool, Restriction, SearchResult, SearchSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from tengen.games import Game, State

__all__ = ["Confidence", "Job", "Looking", "Scheduler", "Snapshot"]

_log = logging.getLogger(__name__)

KEPT_TREES = 8
"""Trees kept for queries that go on with a game."""
SLICE_S = 0.05
"""How long an evaluator inside the core may work before the scheduler looks around."""


class Looking(Protocol):
    """An evaluator that can be asked for its raw answers too, in the same batch."""

    def look(self, leaves: Leaves | None, states: Sequence[State]) -> tuple[Evaluation | None, list[Any]]: ...
    def clear_cache(self) -> None: ...


@dataclass(frozen=True)
class Confidence:
    """When the best move counts as settled."""

    level: float
    """The probability, by the spread of the evaluations, that no other move is worth more."""
    least_visits: int = 1


@dataclass(frozen=True)
class Snapshot:
    """What is known of a position so far."""

    result: SearchResult
    raw: Any
    """The evaluator's raw answer, where it has one."""
    is_last: bool


@dataclass(eq=False)
class Job:
    """A position to analyze. The scheduler's thread calls its functions, one at a time; they must not raise."""

    game: Game
    evaluator: Evaluator | NativeEvaluator
    open: Callable[[], State]
    """Makes the position, when the job starts."""
    settings: SearchSettings
    on_report: Callable[[Job, Snapshot], None]
    """While the search goes on."""
    on_end: Callable[[Job, Snapshot | None], None]
    """Once, at the end; None when nothing was searched."""
    on_error: Callable[[Job, Exception], None]
    """Instead of on_end."""
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
    extras: int = 0
    """How many of the game's extra numbers its answers need."""
    deviations: bool = False
    seed: int | None = None
    priority: int = 0
    client: Hashable = None
    line: tuple[Hashable, tuple[int, ...]] | None = None
    """Where it is in a game whose tree is to be kept: the game, and the actions since its start."""
    tag: Any = None
    """Whatever the owner wants to find it by."""


@dataclass(eq=False)
class _Running:
    job: Job
    pool: Pool
    state: State
    root: int = -1
    raw: Any = None
    began: float = field(default_factory=time.monotonic)
    next_report: float = math.inf
    next_check: int = 1
    is_stopped: bool = False


@dataclass(eq=False)
class _Kept:
    pool: Pool
    root: int
    actions: tuple[int, ...]
    raw: Any


class Scheduler:
    """Runs jobs in a thread of its own: a few at a time, with their positions in shared batches.

    Clients take turns; within a client the highest priority comes first, then who came first.
    """

    def __init__(self, *, active: int = 4, batch: int = 16) -> None:
        """At most `active` jobs run at once, at most `batch` positions are evaluated together."""
        if active < 1 or batch < 1:
            raise ValueError(f"active is {active} and batch is {batch}: both must be at least 1")
        self._most_active = active
        self._batch = batch
        self._numbers = itertools.count()
        self._wake = threading.Condition()
        self._queued: dict[Hashable, list[tuple[int, int, Job]]] = {}
        self._served: dict[Hashable, int] = {}
        self._running: list[_Running] = []
        self._pools: dict[tuple[Game, int], Pool] = {}
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._slice = 64
        self._clear = False
        self._closing = False
        self._thread = threading.Thread(target=self._loop, name="analysis", daemon=True)
        self._thread.start()

    # What other threads call.

    def submit(self, *jobs: Job) -> None:
        with self._wake:
            if self._closing:
                raise RuntimeError("the scheduler is closed")
            for job in jobs:
                self._queued.setdefault(job.client, []).append((-job.priority, next(self._numbers), job))
            for client in {job.client for job in jobs}:
                self._queued[client].sort(key=lambda entry: entry[:2])
            self._wake.notify_all()

    def queued(self, client: Hashable) -> int:
        """How many of a client's jobs wait for their start."""
        with self._wake:
            return len(self._queued.get(client, ()))

    def withdraw(self, match: Callable[[Job], bool]) -> list[Job]:
        """Takes out jobs that have not started; their functions are never called."""
        with self._wake:
            taken = []
            for client, entries in list(self._queued.items()):
                taken += [job for _, _, job in entries if match(job)]
                self._queued[client] = [entry for entry in entries if not match(entry[2])]
                if not self._queued[client]:
                    del self._queued[client]
            self._wake.notify_all()
            return taken

    def stop(self, match: Callable[[Job], bool]) -> None:
        """Ends running jobs soon, with what they have."""
        with self._wake:
            for running in self._running:
                if match(running.job):
                    running.is_stopped = True
            self._wake.notify_all()

    def clear_cache(self) -> None:
        """Forgets evaluations and kept trees, before anything else is done."""
        with self._wake:
            self._clear = True
            self._wake.notify_all()

    def drain(self, timeout: float | None = None) -> bool:
        """Waits until nothing is left to do."""
        with self._wake:
            return self._wake.wait_for(lambda: not self._queued and not self._running, timeout)

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

    def _loop(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._queued or self._running or self._clear or self._closing)
                clear, self._clear = self._clear, False
                closing = self._closing
                started = [] if closing else self._take()
            if clear:
                self._forget()
            if closing:
                self._end_all()
                return
            for running in started:
                self._guard([running], lambda running=running: self._start(running))  # type: ignore[misc]
            for pool in {id(running.pool): running.pool for running in self._running}.values():
                self._step(pool)
            with self._wake:
                self._wake.notify_all()

    def _take(self) -> list[_Running]:
        """Jobs to start now; they count as running from here on."""
        taken = []
        while self._queued and len(self._running) < self._most_active:
            busy = {client: sum(r.job.client == client for r in self._running) for client in self._queued}
            client = min(self._queued, key=lambda c: (busy[c], self._served.get(c, -1), self._queued[c][0][:2]))
            self._served = {c: number for c, number in self._served.items() if c in self._queued}
            self._served[client] = next(self._numbers)
            _, _, job = self._queued[client].pop(0)
            if not self._queued[client]:
                del self._queued[client]
            running = _Running(job, self._pool(job), None)  # type: ignore[arg-type]
            self._running.append(running)
            taken.append(running)
        return taken

    def _pool(self, job: Job) -> Pool:
        key = (job.game, id(job.evaluator))
        if key not in self._pools:
            self._pools[key] = Pool(job.game, SearchSettings(), job.evaluator)
        return self._pools[key]

    def _start(self, running: _Running) -> None:
        job = running.job
        running.state = job.open()
        running.next_report = running.began + job.first_report_s
        if not hasattr(job.evaluator, "look"):
            self._open(running)

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
        }
        kept = self._kept_tree(running) if job.line is not None else None
        if kept is not None:
            running.root = kept.root
            pool.restart(kept.root, **asked)
        else:
            running.root = pool.add(running.state, seed=job.seed, settings=job.settings, extras=job.extras, **asked)

    def _step(self, pool: Pool) -> None:
        """One batch of a pool, and what follows from it."""
        here = [running for running in self._running if running.pool is pool]
        self._guard(here, lambda: self._work(pool, here))
        now = time.monotonic()
        for running in here:
            if running in self._running:
                self._guard([running], lambda running=running: self._look_after(running, now))  # type: ignore[misc]

    def _work(self, pool: Pool, here: list[_Running]) -> None:
        if isinstance(pool.evaluator, NativeEvaluator):
            began = time.monotonic()
            pool.step(self._slice)
            took = time.monotonic() - began
            self._slice = max(16, min(1 << 16, int(self._slice * min(2.0, SLICE_S / max(took, 1e-6)))))
            return
        new = [running for running in here if running.root < 0]
        leaves = None
        if len(new) < len(here):
            leaves = pool.collect(max(1, self._batch - len(new)))
        if not new and (leaves is None or not len(leaves)):
            return
        try:
            if hasattr(pool.evaluator, "look"):
                some = leaves if leaves is not None and len(leaves) else None
                answer, raws = pool.evaluator.look(some, [running.state for running in new])
            else:
                answer, raws = pool.evaluator.evaluate(leaves), []  # type: ignore[arg-type]
        except BaseException:
            pool.abandon()
            raise
        if answer is not None:
            pool.supply(answer)
        for running, raw in zip(new, raws, strict=True):
            running.raw = raw
            self._guard([running], lambda running=running: self._open(running))  # type: ignore[misc]

    def _look_after(self, running: _Running, now: float) -> None:
        """Reports and ends a job when it is time to."""
        job = running.job
        if running.root < 0:
            if running.is_stopped:
                self._end(running, with_result=False)
            return
        visits, is_done = running.pool.progress(running.root)
        is_late = now - running.began >= job.seconds and visits > 0
        if is_done or is_late or running.is_stopped or self._is_settled(running, visits):
            self._end(running, with_result=visits > 0)
        elif now >= running.next_report and visits > 0:
            running.next_report = max(running.next_report + job.report_every_s, now)
            job.on_report(job, self._snapshot(running, is_last=False))

    def _is_settled(self, running: _Running, visits: int) -> bool:
        wanted = running.job.confidence
        if wanted is None or visits < max(running.next_check, wanted.least_visits):
            return False
        running.next_check = visits + max(4, visits // 8)
        return confidence(running.pool.result(running.root, spread=True)) >= wanted.level

    def _snapshot(self, running: _Running, *, is_last: bool) -> Snapshot:
        job = running.job
        result = running.pool.result(
            running.root,
            spread=True,
            extras=job.extras > 0,
            deviations=job.deviations,
            elapsed_s=time.monotonic() - running.began,
        )
        return Snapshot(result, running.raw, is_last)

    def _end(self, running: _Running, *, with_result: bool) -> None:
        snapshot = self._snapshot(running, is_last=True) if with_result else None
        self._drop(running, keep=with_result and running.job.line is not None)
        running.job.on_end(running.job, snapshot)

    def _drop(self, running: _Running, *, keep: bool = False) -> None:
        with self._wake:
            self._running.remove(running)
        if running.root < 0:
            return
        if not keep:
            running.pool.remove(running.root)
            return
        assert running.job.line is not None
        game, actions = running.job.line
        key = self._line_key(running.job, game)
        previous = self._kept.pop(key, None)
        if previous is not None:
            previous.pool.remove(previous.root)
        self._kept[key] = _Kept(running.pool, running.root, actions, running.raw)
        if len(self._kept) > KEPT_TREES:
            _, oldest = self._kept.popitem(last=False)
            oldest.pool.remove(oldest.root)

    @staticmethod
    def _line_key(job: Job, game: Hashable) -> Hashable:
        # A tree goes on only with the settings that it was grown with; how many visits it gets may change.
        return job.client, id(job.evaluator), game, job.settings.replace(visits=1), job.extras

    def _kept_tree(self, running: _Running) -> _Kept | None:
        """The tree of an earlier position of the same game, moved on to this one."""
        assert running.job.line is not None
        game, actions = running.job.line
        kept = self._kept.pop(self._line_key(running.job, game), None)
        if kept is None:
            return None
        if actions[: len(kept.actions)] != kept.actions:
            kept.pool.remove(kept.root)
            return None
        try:
            for action in actions[len(kept.actions) :]:
                kept.pool.advance(kept.root, action)
            kept.pool.restate(kept.root, running.state)
        except ValueError:  # a move that only a tolerant reading of the rules lets pass
            kept.pool.remove(kept.root)
            return None
        return kept

    def _guard(self, concerned: list[_Running], work: Callable[[], None]) -> None:
        """A job whose game or evaluator fails ends with an error; the others go on."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the outermost loop: whatever it is, its jobs hear of it
            _log.exception("analysis failed")
            for running in concerned:
                if running in self._running:
                    self._drop(running)
                    running.job.on_error(running.job, error)

    def _forget(self) -> None:
        for kept in self._kept.values():
            kept.pool.remove(kept.root)
        self._kept.clear()
        for pool in self._pools.values():
            if hasattr(pool.evaluator, "clear_cache"):
                pool.evaluator.clear_cache()

    def _end_all(self) -> None:
        with self._wake:
            queued = [job for entries in self._queued.values() for _, _, job in entries]
            self._queued.clear()
        for running in list(self._running):
            visits = running.pool.progress(running.root)[0] if running.root >= 0 else 0
            self._guard([running], lambda running=running, visits=visits: self._end(running, with_result=visits > 0))  # type: ignore[misc]
        for job in queued:
            job.on_end(job, None)
        with self._wake:
            self._wake.notify_all()


def confidence(result: SearchResult) -> float:
    """The probability that the best move is worth at least as much as every rival.

    The means of their evaluations are taken as normal, each pair by itself. What has less than a twentieth of its
    visits is no rival: the search has dismissed it.
    """
    best = result.best
    if best is None or result.proven:
        return 1.0 if result.proven else 0.0
    least = 1.0
    for move in result.moves:
        if move is best or move.player != best.player or move.visits < max(1.0, best.visits / 20):
            continue
        variance = _variance_of_mean(best) + _variance_of_mean(move)
        z = (best.value - move.value) / math.sqrt(2.0 * variance)
        least = min(least, 0.5 * (1.0 + math.erf(z)))
    return least


def _variance_of_mean(move: Move) -> float:
    # A deviation of the whole range that fades with the visits: few of them prove nothing.
    visits = move.visits
    spread = move.spread or 0.0
    return (spread * spread + 4.0 / (visits * visits)) / visits
