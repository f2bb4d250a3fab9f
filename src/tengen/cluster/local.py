"""Workers on this machine."""

from __future__ import annotations

import traceback
from multiprocessing import connection
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

from tengen.cluster.errors import WorkerError, WorkerLost
from tengen.cluster.process import WorkerProcess
from tengen.cluster.task_queue import Task, TaskQueue, call_text
from tengen.cluster.task_reports import heard_by
from tengen.cluster.values import decode

if TYPE_CHECKING:
    from collections.abc import Callable

_FAILED_STARTS = 3


class LocalWorkers(TaskQueue):
    """`processes` processes of one thread each, started when there is something to do. See Workers.

    A worker that dies is replaced and its task run again, at most `retries` times. With `inline`, which is the only way
    for 0 processes and allowed for 1, tasks run here, one after the other, when their results are asked for.
    """

    def __init__(self, processes: int, *, inline: bool = False, retries: int = 2) -> None:
        if processes < 0 or retries < 0:
            raise ValueError(f"there cannot be {processes} processes with {retries} retries")
        if inline and processes > 1:
            raise ValueError(f"inline is one worker, not {processes}")
        super().__init__()
        self._inline = inline or processes == 0
        self._processes = processes
        self._retries = retries
        self._workers: list[WorkerProcess] = []
        self._failed_starts = 0

    @property
    def is_inline(self) -> bool:
        """True if tasks run in this process."""
        return self._inline

    @property
    def size(self) -> int:
        return 1 if self._inline else self._processes

    def close(self) -> None:
        self._is_closed = True
        self._waiting.clear()
        self._running.clear()
        for worker in self._workers:
            worker.connection.close()  # first of all workers: an idle one ends when its pipe does
        for worker in self._workers:
            worker.end(now=worker.task is not None or not worker.is_ready)
        self._workers.clear()

    def _pack(self, function: Callable[..., object], args: tuple[object, ...]) -> bytes:
        if self._inline:
            return b""
        try:
            return bytes(ForkingPickler.dumps((function, args, self._journal is not None)))
        except Exception as error:
            raise ValueError(
                f"{call_text(function, args)} cannot be sent to a worker ({error}); "
                "the function must be a module's own, and its arguments must be picklable"
            ) from error

    def _start_some(self) -> None:
        if not self._inline:
            self._hand_out()

    def _advance(self, timeout_s: float | None = None) -> None:
        if self._inline:
            self._run_here(self._waiting.popleft())
            return
        self._hand_out()
        by_handle: dict[Any, WorkerProcess] = {
            handle: worker for worker in self._workers for handle in (worker.connection, worker.sentinel)
        }
        for worker in dict.fromkeys(by_handle[handle] for handle in connection.wait(list(by_handle), timeout_s)):
            message = worker.receive()
            if message is None:
                self._bury(worker)
            elif message[0] == "ready":
                worker.is_ready, self._failed_starts = True, 0
            elif message[0] == "news":
                self._pass_on(worker.task, ForkingPickler.loads(message[1]))
            else:
                self._finish(worker, *message)
        self._hand_out()

    def _hand_out(self) -> None:
        """Tasks to idle workers; where there are too few workers, more of them."""
        for worker in list(self._workers):
            if self._waiting and worker.is_ready and worker.task is None:
                task = self._waiting.popleft()
                self._running[task.id] = task
                if not worker.send(task.id, task.payload):
                    self._bury(worker)
        starting = sum(not worker.is_ready for worker in self._workers)
        room = self._processes - len(self._workers)
        for _ in range(min(room, len(self._waiting) - starting)):
            self._workers.append(WorkerProcess())

    def _finish(self, worker: WorkerProcess, kind: str, payload: bytes) -> None:
        assert worker.task is not None
        task, worker.task = self._running.pop(worker.task), None
        if kind == "error":
            self._keep(task, WorkerError(f"{task} failed", task=task.id, traceback=payload.decode()))
            return
        try:
            value = decode(payload) if kind == "lines" else ForkingPickler.loads(payload)
        except Exception:  # noqa: BLE001 - a value's own way to be rebuilt may raise anything
            value = WorkerError(f"{task}: its value cannot be read", task=task.id, traceback=traceback.format_exc())
        self._keep(task, value, payload if kind == "lines" else None)

    def _bury(self, worker: WorkerProcess) -> None:
        """Its task goes back to the head of the queue, or is given up."""
        self._workers.remove(worker)
        end = worker.end(now=True)
        if not worker.is_ready:
            self._failed_starts += 1
            if self._failed_starts >= _FAILED_STARTS:
                raise WorkerError(
                    f"workers cannot start ({end}, {self._failed_starts} times in a row); stderr says why. "
                    'A script that starts workers must do so under `if __name__ == "__main__":`'
                )
        if worker.task is None:
            return
        task = self._running.pop(worker.task)
        task.losses += 1
        if task.losses > self._retries:
            text = f"{task} lost its worker {task.losses} times, the last one {end}"
            self._keep(task, WorkerLost(text, task=task.id))
        elif task.id not in self._dropped:
            self._waiting.appendleft(task)
        else:
            self._dropped.remove(task.id)

    def _run_here(self, task: Task) -> None:
        try:
            with heard_by(lambda news: self._pass_on(task.id, news)):
                value: object = task.function(*task.args)
        except Exception as error:  # noqa: BLE001 - as in a worker process
            value = WorkerError(f"{task} failed", task=task.id, traceback=traceback.format_exc())
            value.__cause__ = error
        self._keep(task, value)
