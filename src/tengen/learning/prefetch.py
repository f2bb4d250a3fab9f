"""Batches that a thread prepares while the device computes."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["prepared_ahead"]

T = TypeVar("T")


@contextmanager
def prepared_ahead(prepare: Callable[[], T], count: int, ahead: int) -> Iterator[Iterator[T]]:
    """Yield an iterator over the results of `count` calls of a function, in their order.

    A thread makes the calls, up to `ahead` of them before their results are needed; if that is 0, the iterator makes
    them. There are never more calls than `count`, so that random numbers are left as they would be without a thread.
    An exception of a call is raised in its place. At the end of the context, the thread has ended.
    """
    if not ahead:
        yield (prepare() for _ in range(count))
        return
    with ThreadPoolExecutor(1, thread_name_prefix="prefetch") as pool:
        calls = deque(pool.submit(prepare) for _ in range(min(ahead, count)))

        def results() -> Iterator[T]:
            for done in range(count):
                found = calls.popleft().result()
                if done + ahead < count:
                    calls.append(pool.submit(prepare))
                yield found

        yield results()
