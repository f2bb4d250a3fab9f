"""The same workers on one machine or on many: `submit` tasks, take their `results`."""

from __future__ import annotations

import os
import re

from tengen._files import File
from tengen.cluster.base import Workers
from tengen.cluster.errors import WorkerError, WorkerLost
from tengen.cluster.local import LocalWorkers
from tengen.cluster.task_reports import report

__all__ = ["File", "LocalWorkers", "WorkerError", "WorkerLost", "Workers", "open_workers", "report"]


def open_workers(spec: str | int) -> Workers:
    """ "inline" or 0: in this process, one task after the other. A number, "local:2" or "local" (one for each core):
    processes on this machine. "ray:HOST:PORT": the machines of a cluster, see docs/cluster.md."""
    text = str(spec).strip()
    if text in ("inline", "0", "local:0"):
        return LocalWorkers(0)
    if text == "local":
        return LocalWorkers(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    number = re.fullmatch(r"(?:local:)?([0-9]{1,4})", text)
    if number:
        return LocalWorkers(int(number[1]))
    if text.startswith("ray:"):
        from tengen.cluster.ray_spec import open_ray

        return open_ray(text)
    raise ValueError(
        f"{spec!r} names no workers; there are a number, 'local', 'local:<number>', 'inline' and 'ray:<host>:<port>'"
    )
