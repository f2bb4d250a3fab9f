"""What workers are, wherever they run."""

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
        """How many tasks run at once."""

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
        """Tasks that are submitted in the block are kept in the folder as soon as they are finished, under a hash of
        their function, their arguments and the code. A task that is there already is not run again. Whoever has used
        the values removes the folder. A path among the arguments that should count by its content is a `File`."""

    def watch(self, watcher: Callable[[str], None]) -> None:
        """While results are waited for, the watcher hears how the machines do; of workers on this one, nothing."""

    def summary(self) -> dict[str, dict[str, float]]:
        """What each machine has done, by its address: `slots`, `tasks`, their `seconds`, `losses`. Empty if there is
        but this one."""

    def close(self) -> None:
        """Ends the workers and drops what is unfinished."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
