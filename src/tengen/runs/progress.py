"""How far the step under way is, in a small file beside the steps: for who watches, and for nothing else."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.runs.disk import TEMPORARY
from tengen.runs.lock import LOCK, find_writer, is_alive

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["PROGRESS", "Progress", "ProgressFile", "read_progress"]

PROGRESS = "progress.json"
_INTERVAL_S = 1.0
_SILENCE_S = 60.0
"""So long may a process on another machine be silent until it counts as gone."""
_MAX_BYTES = 1 << 16
_RESULTS = ("wins", "draws", "losses")


@dataclass(frozen=True)
class Progress:
    """What is done of a step. Games and their results are those of the first player."""

    step: str
    iteration: int = 0
    done: int = 0
    total: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    title: str = ""
    """In words; of a match, who plays."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """What else is told of it on the way, such as losses of training."""
    began: float = 0.0
    """In seconds since 1970, as `updated`."""
    updated: float = 0.0
    is_over: bool = False
    run_left_s: float = -1.0
    """How long the whole run takes still; below 0: nobody knows."""
    pid: int = 0
    host: str = ""

    @property
    def left_s(self) -> float | None:
        """How long it takes still, if it goes on as it went; None: nobody knows."""
        spent = self.updated - self.began
        if self.is_over or self.done <= 0 or self.total < self.done or spent < 0:
            return None
        return spent / self.done * (self.total - self.done)

    def is_active(self, folder: Path, now: float | None = None) -> bool:
        """Whether somebody is at it, also between two steps of a run."""
        if find_writer(folder) is not None:
            return True
        if self.is_over:
            return False
        if self.host != socket.gethostname():
            return (time.time() if now is None else now) - self.updated < _SILENCE_S
        return is_alive(self.pid) and not (folder / LOCK).exists()


class ProgressFile:
    """Writes it, replacing it at most once a second. Trouble with the disk is left to those whose files matter."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / PROGRESS
        self._lock = threading.Lock()
        self._now = Progress("")
        self._written = -math.inf
        self._later: threading.Timer | None = None

    def begin(self, step: str, iteration: int, total: int, title: str = "") -> None:
        now = time.time()
        self._set(
            Progress(step, iteration, 0, total, title=title, began=now, pid=os.getpid(), host=socket.gethostname())
        )

    def advance(self, done: int, figures: Mapping[str, float], run_left_s: float | None = None) -> None:
        """Of the figures, `wins`, `draws` and `losses` are the results so far."""
        wins, draws, losses = (int(figures.get(name, 0)) for name in _RESULTS)
        more = {name: float(value) for name, value in figures.items() if name not in _RESULTS}
        now = dataclasses.replace(self._now, done=done, wins=wins, draws=draws, losses=losses, figures=more)
        self._set(dataclasses.replace(now, run_left_s=-1.0 if run_left_s is None else run_left_s))

    def end(self) -> None:
        """Nothing more comes."""
        self._set(dataclasses.replace(self._now, is_over=True))
        with self._lock:
            later, self._later = self._later, None
            if later is not None:
                later.cancel()
                self._write()

    def _set(self, now: Progress) -> None:
        with self._lock:
            self._now = dataclasses.replace(now, updated=time.time())
            wait = self._written + _INTERVAL_S - time.monotonic()
            if wait <= 0:
                self._write()
            elif self._later is None:
                self._later = threading.Timer(wait, self._catch_up)
                self._later.daemon = True
                self._later.start()

    def _catch_up(self) -> None:
        with self._lock:
            if self._later is not None:
                self._later = None
                self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        new = self._path.with_name(f"{TEMPORARY}{os.getpid()}-progress")
        with suppress(OSError):
            new.write_text(json.dumps(dataclasses.asdict(self._now)), encoding="utf-8")
            new.replace(self._path)


_EMPTY = Progress("")


def read_progress(folder: Path) -> Progress | None:
    """None: nothing was told there, or it does not read."""
    try:
        with (folder / PROGRESS).open("rb") as file:
            plain = json.loads(file.read(_MAX_BYTES))
        return _read(plain)
    except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None


def _read(plain: Any) -> Progress:
    values: dict[str, Any] = {}
    for part in dataclasses.fields(Progress):
        if part.name == "figures":
            figures = {str(name): float(value) for name, value in dict(plain["figures"]).items()}
            values["figures"] = {name: value for name, value in figures.items() if math.isfinite(value)}
            continue
        # Runs of before did not tell it.
        value = plain.get(part.name, -1.0) if part.name == "run_left_s" else plain[part.name]
        kind = type(getattr(_EMPTY, part.name))
        is_right = isinstance(value, kind | int if kind is float else kind) and (kind is bool or value is not True)
        if not is_right or (kind is not str and not math.isfinite(value)):
            raise ValueError(f"{part.name} is {value!r}")
        values[part.name] = value
    return Progress(**values)
