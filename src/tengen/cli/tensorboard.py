"""A run's metrics as TensorBoard reads them."""

from __future__ import annotations

import importlib.util
import math
from typing import TYPE_CHECKING, Any

from tengen._install import how_to_install
from tengen.console.output import FailedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tengen.runs import Run

__all__ = ["export"]


def export(run: Run, out: Path) -> int:
    """Every number of every step, by iteration; answers how many."""
    if importlib.util.find_spec("tensorboard") is None:
        raise FailedError(f"this needs tensorboard, which is not installed: {how_to_install('train')}")
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    out.mkdir(parents=True, exist_ok=True)
    writer: Any = EventFileWriter(str(out))
    count = 0
    for wall_time, iteration, tag, value in _scalars(run):
        summary = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
        writer.add_event(Event(wall_time=wall_time, step=iteration, summary=summary))
        count += 1
    writer.close()
    return count


def _scalars(run: Run) -> Iterator[tuple[float, int, str, float]]:
    for step in run.steps():
        when = step.created.timestamp()
        for key, value in step.metrics.items():
            if isinstance(value, int | float) and math.isfinite(value):
                yield when, step.iteration or 0, f"{step.name}/{key}", float(value)
        yield when, step.iteration or 0, f"{step.name}/seconds", step.duration_s
