"""The interface of workers on one machine or on many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path
    from types import TracebackType

A = TypeVar("A")
T = TypeVar("T")
Listener: TypeAlias = "Callable[[int, Any], None]"


class Workers(Protocol):
    """Runs functions elsewhere. To be used from one thread, as a context manager.

    A function is a module's own (not a lambda, not an inner one), because workers find it by name; its arguments and
    its value travel as copies. A task may run more than once, if its worker is lost, so it must not rely on what an
    earlier attempt left behind.
    """

    @property
    def size(self) -> int:
        """Number of tasks that run at the same time."""

    def submit(self, function: Callable[..., object], *args: object) -> int:
        """Queues a task and returns its id. Does not block."""

    def results(self, listener: Listener | None = None) -> Iterator[tuple[int, Any]]:
        """Ids and values as they come, until no task is left, those submitted on the way included.

        While it waits, the listener gets the ids of tasks with what they `report`, if they run on this machine.
        A task that failed raises WorkerError in its turn; the others go on, and another `results()` gives them.
        """

    def poll(self, timeout_s: float, listener: Listener | None = None) -> list[tuple[int, Any]]:
        """Return the ids and values of tasks that have finished, and wait for the first of them at most about so long.

        Return immediately if no task is left. Values that precede a failed task are returned first; the next call
        raises its WorkerError. Workers in this process run a task to its end, however long it takes.
        """

    def map(self, function: Callable[[A], T], items: Iterable[A]) -> list[T]:
        """The values in the items' order. The first failure is raised and the rest dropped."""

    def journal(self, folder: Path | None) -> AbstractContextManager[None]:
        """Keep the values of tasks that are submitted in the block in a folder, each as soon as it is there.

        Files are named by a hash of the function, the arguments and the code. A task whose file exists is not run
        again. The caller removes the folder when the values have been used. A path among the arguments that should
        count by its content is a `File`.
        """

    def watch(self, watcher: Callable[[str], None]) -> None:
        """Call the watcher with the state of the machines while results are awaited; local workers never call it."""

    def summary(self) -> dict[str, dict[str, float]]:
        """Return the work of each machine by its address: `slots`, `tasks`, their `seconds`, `losses`.

        Workers on this machine return nothing.
        """

    def close(self) -> None:
        """Ends the workers and drops what is unfinished."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
