"""The used time of a run, in a small file beside the steps."""

from __future__ import annotations

import json
import math
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tengen.runs.disk import atomic_write
from tengen.runs.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.runs.run import Run

__all__ = ["USED_TIME", "UsedTime", "read_used_s"]

USED_TIME = "time.json"
_INTERVAL_S = 10.0


def read_used_s(run: Run) -> float:
    """Return the seconds that were spent on a run; those of its steps if the file is missing or damaged."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        stored = float(json.loads((run.path / USED_TIME).read_bytes())["used_s"])
        if 0 <= stored < math.inf:
            return stored
    return sum(max(0.0, step.duration_s) for step in run.steps())


class UsedTime:
    """The time of a run, continued by this process: a run that is resumed counts what was used before."""

    def __init__(self, run: Run, clock: Callable[[], float] = time.monotonic, began: float | None = None) -> None:
        """`began` is when this process started to work on the run, by the same clock; now by default."""
        self._path = run.path / USED_TIME
        self._before_s = read_used_s(run)
        self._clock = clock
        self._began = clock() if began is None else began
        self._next = clock() + _INTERVAL_S

    @property
    def seconds(self) -> float:
        return self._before_s + self._clock() - self._began

    def save(self, *, now: bool = True) -> None:
        """Write the file; unless `now`, at most every ten seconds. A disk that refuses it does not stop the run."""
        if not now and self._clock() < self._next:
            return
        self._next = self._clock() + _INTERVAL_S
        with suppress(RunError, OSError):
            atomic_write(self._path, json.dumps({"used_s": round(self.seconds, 3)}).encode() + b"\n")
