"""What workers are, wherever they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
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

        While it waits, the listener gets the ids of tasks with what they `report`.
        A task that failed raises WorkerError in its turn; the others go on, and another `results()` gives them.
        """

    def map(self, function: Callable[[A], T], items: Iterable[A]) -> list[T]:
        """The values in the items' order. The first failure is raised and the rest dropped."""

    def close(self) -> None:
        """Ends the workers and drops what is unfinished."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
