"""What a task tells while it runs."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["heard_by", "report"]

_EVERY_S = 0.2

_listener: Callable[[object], None] | None = None
_next_s = 0.0


def report(*news: object) -> None:
    """Called by a task: tells how far it has come. Whoever asked `results()` to listen gets the tuple of arguments, or
    not: what follows a task's first report too soon is dropped, so it may be called often. Where no task runs, nobody
    hears it."""
    global _next_s  # noqa: PLW0603 - one task runs in a process at a time
    if _listener is not None and time.monotonic() >= _next_s:
        _next_s = time.monotonic() + _EVERY_S
        _listener(news)


@contextmanager
def heard_by(listener: Callable[[object], None]) -> Iterator[None]:
    """While a task runs in the block, the listener gets its reports; the first one whatever the task before told."""
    global _listener, _next_s  # noqa: PLW0603
    before, _listener = _listener, listener
    _next_s = 0.0
    try:
        yield
    finally:
        _listener = before
