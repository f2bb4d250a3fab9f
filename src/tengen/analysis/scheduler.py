"""Many positions analyzed together: which jobs wait, which run, and whose turn it is."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

from tengen.analysis.job_queue import JobQueue
from tengen.analysis.search_runner import RunningJob, SearchRunner
from tengen.analysis.tree_cache import room_for_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from tengen.analysis.job import Job

__all__ = ["ClosedError", "Scheduler"]


class ClosedError(RuntimeError):
    """Nothing more is taken."""


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
        self._wake = threading.Condition()
        # Under the lock; only the thread changes which jobs run.
        self._queue = JobQueue()
        self._running: list[RunningJob] = []
        self._held: set[Hashable] = set()
        self._gone: list[Hashable] = []
        self._clear = False
        self._closing = False
        # The thread's own.
        tree_bytes = room_for_trees() if tree_bytes is None else tree_bytes
        self._runner = SearchRunner(self._running, self._remove, batch=batch, tree_bytes=tree_bytes)
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

    def withdraw(self, match: Callable[[Any], bool], client: Hashable | None = None) -> list[Job]:
        """Takes out jobs that have not started, of one client or of all; their functions are never called."""
        with self._wake:
            taken = self._queue.remove(match, client)
            self._wake.notify_all()
            return taken

    def stop(self, match: Callable[[Any], bool], client: Hashable | None = None) -> None:
        """Ends running jobs soon, of one client or of all, with what they have."""
        with self._wake:
            for running in self._running:
                if client in (None, running.job.client) and match(running.job):
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
                self._running += [RunningJob(job) for job in self._queue.remove(lambda _: True)]
            self._runner.fail(list(self._running), RuntimeError(f"the analysis ended: {error!r}"))
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
            self._runner.forget(clear, gone)
            if closing:
                self._end_all()
                return
            for running in started:
                self._runner.start(running)
            self._runner.step()

    def _take(self) -> list[RunningJob]:
        """Jobs to start now; they count as running from here on."""
        taken = []
        busy = Counter(running.job.client for running in self._running)
        while self._queue:
            job = self._queue.take(busy, self._held, is_full=len(self._running) >= self._max_active)
            if job is None:
                break
            busy[job.client] += 1
            taken.append(RunningJob(job))
            self._running.append(taken[-1])
        return taken

    def _remove(self, running: RunningJob) -> None:
        """Only now: who waits for all to be done is to find all answered."""
        with self._wake:
            self._running.remove(running)
            self._wake.notify_all()

    def _end_all(self) -> None:
        with self._wake:
            # From here on they run, so that drain() waits until they are told.
            self._running += [RunningJob(job) for job in self._queue.remove(lambda _: True)]
        for running in list(self._running):
            self._runner.end(running)
