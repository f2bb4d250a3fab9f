"""A time limit that the work in a thread checks by itself, so that the thread becomes free when nobody waits for it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TimeLimitError", "check_time", "time_limit"]

_deadline: Final[ContextVar[float | None]] = ContextVar("deadline", default=None)


class TimeLimitError(Exception):
    """Raised when work exceeds its time limit. It is not a ValueError, so that readers do not try another format."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Make check_time() raise in this thread after the given time."""
    token = _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def check_time() -> None:
    """Raise TimeLimitError if a time limit is set and has passed. Loops over the content of files call this."""
    deadline = _deadline.get()
    if deadline is not None and time.monotonic() > deadline:
        raise TimeLimitError("the time limit has passed")
