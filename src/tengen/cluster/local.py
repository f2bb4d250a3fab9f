"""Workers on this machine."""

from __future__ import annotations

import reprlib
import traceback
from collections import deque
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tengen.cluster.errors import WorkerError, WorkerLost
from tengen.cluster.process import WorkerProcess
from tengen.cluster.task_reports import heard_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from tengen.cluster.base import Listener

A = TypeVar("A")
T = TypeVar("T")
_FAILED_STARTS = 3


@dataclass
class _Task:
    id: int
    function: Callable[..., object]
    args: tuple[object, ...]
    payload: bytes
    losses: int = 0

    def __str__(self) -> str:
        return f"task {self.id}: {_call_text(self.function, self.args)}"


class LocalWorkers:
    """`processes` processes of one thread each, started when there is something to do. See Workers.

    A worker that dies is replaced and its task run again, at most `retries` times. With `inline`, which is the only way
    for 0 processes and allowed for 1, tasks run here, one after the other, when their results are asked for.
    """

    def __init__(self, processes: int, *, inline: bool = False, retries: int = 2) -> None:
        if processes < 0 or retries < 0:
            raise ValueError(f"there cannot be {processes} processes with {retries} retries")
        if inline and processes > 1:
            raise ValueError(f"inline is one worker, not {processes}")
        self._inline = inline or processes == 0
        self._processes = processes
        self._retries = retries
        self._last_id = -1
        self._waiting: deque[_Task] = deque()
        self._running: dict[int, _Task] = {}
        self._finished: dict[int, Any] = {}
        """By id, in the order of completion; a WorkerError for a task that failed."""
        self._dropped: set[int] = set()
        self._workers: list[WorkerProcess] = []
        self._failed_starts = 0
        self._is_closed = False
        self._listener: Listener | None = None

    @property
    def size(self) -> int:
        return 1 if self._inline else self._processes

    def submit(self, function: Callable[..., object], *args: object) -> int:
        if self._is_closed:
            raise RuntimeError("these workers are closed")
        payload = b"" if self._inline else _pack(function, args)
        self._last_id += 1
        self._waiting.append(_Task(self._last_id, function, args, payload))
        if not self._inline:
            self._hand_out()
        return self._last_id

    def results(self, listener: Listener | None = None) -> Iterator[tuple[int, Any]]:
        while self._finished or self._waiting or self._running.keys() - self._dropped:
            if not self._finished:
                self._listener = listener
                self._advance()
                self._listener = None
                continue
            task = next(iter(self._finished))
            yield task, self._take(task)

    def map(self, function: Callable[[A], T], items: Iterable[A]) -> list[T]:
        tasks = [self.submit(function, item) for item in items]
        values: list[T] = []
        try:
            for task in tasks:
                while task not in self._finished:
                    self._advance()
                values.append(self._take(task))
        finally:
            self._drop(tasks[len(values) :])
        return values

    def close(self) -> None:
        self._is_closed = True
        self._waiting.clear()
        self._running.clear()
        for worker in self._workers:
            worker.connection.close()  # all of them at once: an idle worker ends when its pipe does
        for worker in self._workers:
            worker.end(now=worker.task is not None or not worker.is_ready)
        self._workers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, task: int) -> Any:
        value = self._finished.pop(task)
        if isinstance(value, WorkerError):
            raise value
        return value

    def _drop(self, tasks: Iterable[int]) -> None:
        gone = set(tasks)
        self._waiting = deque(task for task in self._waiting if task.id not in gone)
        self._finished = {task: value for task, value in self._finished.items() if task not in gone}
        self._dropped |= gone & self._running.keys()

    def _advance(self) -> None:
        """Waits until something has happened, which need not be a result."""
        if self._inline:
            self._run_here(self._waiting.popleft())
            return
        self._hand_out()
        by_handle: dict[Any, WorkerProcess] = {
            handle: worker for worker in self._workers for handle in (worker.connection, worker.sentinel)
        }
        for worker in dict.fromkeys(by_handle[handle] for handle in connection.wait(list(by_handle))):
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
            value = ForkingPickler.loads(payload)
        except Exception:  # noqa: BLE001 - a value's own way to be rebuilt may raise anything
            value = WorkerError(f"{task}: its value cannot be read", task=task.id, traceback=traceback.format_exc())
        self._keep(task, value)

    def _keep(self, task: _Task, value: object) -> None:
        if task.id in self._dropped:
            self._dropped.remove(task.id)
        else:
            self._finished[task.id] = value

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

    def _pass_on(self, task: int | None, news: object) -> None:
        if self._listener is not None and task is not None and task not in self._dropped:
            self._listener(task, news)

    def _run_here(self, task: _Task) -> None:
        try:
            with heard_by(lambda news: self._pass_on(task.id, news)):
                value: object = task.function(*task.args)
        except Exception as error:  # noqa: BLE001 - as in a worker process
            value = WorkerError(f"{task} failed", task=task.id, traceback=traceback.format_exc())
            value.__cause__ = error
        self._keep(task, value)


class _Short(reprlib.Repr):
    def repr_bytes(self, value: bytes, _level: int) -> str:
        """Never of all of it: it may be a network."""
        return repr(value[: self.maxstring]) + ("…" if len(value) > self.maxstring else "")


def _call_text(function: Callable[..., object], args: tuple[object, ...]) -> str:
    short = _Short().repr
    return f"{getattr(function, '__qualname__', short(function))}({', '.join(map(short, args))})"


def _pack(function: Callable[..., object], args: tuple[object, ...]) -> bytes:
    try:
        return bytes(ForkingPickler.dumps((function, args)))
    except Exception as error:
        raise ValueError(
            f"{_call_text(function, args)} cannot be sent to a worker ({error}); "
            "the function must be a module's own, and its arguments must be picklable"
        ) from error
