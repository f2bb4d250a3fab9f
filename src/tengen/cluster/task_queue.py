"""The common part of all workers: tasks by their ids, results as they come, and the journal."""

from __future__ import annotations

import reprlib
import time
from abc import ABC, abstractmethod
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tengen.cluster.errors import WorkerError
from tengen.cluster.journal import Journal, task_key
from tengen.cluster.values import ValuesError, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    from tengen.cluster.base import Listener

__all__ = ["Task", "TaskQueue", "call_text"]

A = TypeVar("A")
T = TypeVar("T")


@dataclass
class Task:
    id: int
    function: Callable[..., object]
    args: tuple[object, ...]
    payload: Any
    """The form in which the task is sent."""
    journal: Journal | None = None
    key: str = ""
    """In the journal."""
    losses: int = 0

    def __str__(self) -> str:
        return f"task {self.id}: {call_text(self.function, self.args)}"


class TaskQueue(ABC):
    """See Workers."""

    def __init__(self) -> None:
        self._last_id = -1
        self._waiting: deque[Task] = deque()
        self._running: dict[int, Task] = {}
        self._finished: dict[int, Any] = {}
        """By id, in the order of completion; a WorkerError for a task that failed."""
        self._dropped: set[int] = set()
        self._is_closed = False
        self._listener: Listener | None = None
        self._journal: Journal | None = None
        self._watcher: Callable[[str], None] | None = None

    @property
    @abstractmethod
    def size(self) -> int: ...

    def watch(self, watcher: Callable[[str], None]) -> None:
        self._watcher = watcher

    def summary(self) -> dict[str, dict[str, float]]:
        return {}

    @contextmanager
    def journal(self, folder: Path | None) -> Iterator[None]:
        before, self._journal = self._journal, None if folder is None else Journal(folder)
        try:
            yield
        finally:
            self._journal = before

    def submit(self, function: Callable[..., object], *args: object) -> int:
        if self._is_closed:
            raise RuntimeError("these workers are closed")
        task = Task(self._last_id + 1, function, args, self._pack(function, args), self._journal)
        self._last_id = task.id
        if task.journal is not None:
            task.key = task_key(function, args)
            found = task.journal.read(task.key)
            if found is not None:
                self._finished[task.id] = found[0]
                return task.id
        self._waiting.append(task)
        self._start_some()
        return task.id

    def results(self, listener: Listener | None = None) -> Iterator[tuple[int, Any]]:
        while self._finished or self._waiting or self._running.keys() - self._dropped:
            if not self._finished:
                self._listener = listener
                self._advance()
                self._listener = None
                continue
            task = next(iter(self._finished))
            yield task, self._take(task)

    def poll(self, timeout_s: float, listener: Listener | None = None) -> list[tuple[int, Any]]:
        end = time.monotonic() + timeout_s
        while not self._finished and (self._waiting or self._running.keys() - self._dropped):
            self._listener = listener
            self._advance(max(0.0, end - time.monotonic()))
            self._listener = None
            if time.monotonic() >= end:
                break
        found: list[tuple[int, Any]] = []
        for task in list(self._finished):
            if found and isinstance(self._finished[task], WorkerError):
                break
            found.append((task, self._take(task)))
        return found

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

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # Hooks of subclasses.

    @abstractmethod
    def _pack(self, function: Callable[..., object], args: tuple[object, ...]) -> Any:
        """Return the form in which a call is sent. Raises a ValueError that names what cannot be sent."""

    @abstractmethod
    def _advance(self, timeout_s: float | None = None) -> None:
        """Wait until something has happened, which need not be a result, or until the time is up."""

    def _start_some(self) -> None:
        """Called when a task was added; must not block."""

    # Ends of tasks.

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

    def _keep(self, task: Task, value: object, encoded: bytes | None = None) -> None:
        """Keep the value of a task that has ended. `encoded` is its form for the journal if the worker has made it."""
        if task.id in self._dropped:
            self._dropped.remove(task.id)
            return
        if task.journal is not None and not isinstance(value, WorkerError):
            with suppress(ValuesError):  # a value without such a form is made again after a kill
                task.journal.write(task.key, encode(value) if encoded is None else encoded)
        self._finished[task.id] = value

    def _pass_on(self, task: int | None, news: object) -> None:
        if self._listener is not None and task is not None and task not in self._dropped:
            self._listener(task, news)


class _Short(reprlib.Repr):
    def repr_bytes(self, value: bytes, _level: int) -> str:
        """Never of all of it: it may be a network."""
        return repr(value[: self.maxstring]) + ("…" if len(value) > self.maxstring else "")


def call_text(function: Callable[..., object], args: tuple[object, ...]) -> str:
    short = _Short().repr
    return f"{getattr(function, '__qualname__', short(function))}({', '.join(map(short, args))})"
