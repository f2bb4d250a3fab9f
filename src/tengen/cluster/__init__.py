"""The same workers on one machine or on many: `submit` tasks, take their `results`."""

from __future__ import annotations

import os
import re

from tengen.cluster.base import Workers
from tengen.cluster.errors import WorkerError, WorkerLost
from tengen.cluster.local import LocalWorkers
from tengen.cluster.task_reports import report

__all__ = ["LocalWorkers", "WorkerError", "WorkerLost", "Workers", "open_workers", "report"]


def open_workers(spec: str | int) -> Workers:
    """ "inline" or 0: in this process, one task after the other. A number, "local:2" or "local" (one for each core):
    processes on this machine."""
    text = str(spec).strip()
    if text in ("inline", "0", "local:0"):
        return LocalWorkers(0)
    if text == "local":
        return LocalWorkers(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    number = re.fullmatch(r"(?:local:)?([0-9]{1,4})", text)
    if number:
        return LocalWorkers(int(number[1]))
    if text == "auto" or text.startswith("ray:"):
        raise ValueError(
            f"workers on {text!r} need Ray, which this version does not drive yet; it will come with the extra "
            "cluster. Until then: a number of processes, or 'inline'"
        )
    raise ValueError(f"{spec!r} names no workers; there are a number, 'local', 'local:<number>' and 'inline'")
