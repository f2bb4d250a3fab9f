"""A program whose processor time is counted with that of its child processes, for benchmarks on Linux."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_GRACE_S = 30.0
_TICKS = os.sysconf("SC_CLK_TCK")
_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


@dataclass(frozen=True)
class Spent:
    """Time that a program has used, over all of its starts."""

    processor_s: float = 0.0
    wall_s: float = 0.0


class TimedProgram:
    """A running program. The time that it and its earlier starts in the same folder have used is kept in `spent.json`.

    The program is killed if this process dies, so that a benchmark can be stopped and continued at any time.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._file = folder / "spent.json"
        self._before = read_spent(folder)
        self._paused_s = 0.0
        self._last = 0.0
        self._begun = time.monotonic()
        with (folder / "learn.log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | dict(environment or {}),
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - no thread has been started here
            )

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    def spent(self) -> Spent:
        """Return the time used by now and write it to the file."""
        # The time of processes that have ended in the meantime may be missing for a moment.
        self._last = max(self._last, _processor_s(self._process.pid))
        wall_s = time.monotonic() - self._begun - self._paused_s
        spent = Spent(self._before.processor_s + self._last, self._before.wall_s + wall_s)
        temporary = self._file.with_suffix(".new")
        temporary.write_text(json.dumps(asdict(spent)) + "\n")
        temporary.replace(self._file)
        return spent

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the program and its child processes for a while."""
        begun = time.monotonic()
        stopped = _family(self._process.pid)
        _send(stopped, signal.SIGSTOP)
        try:
            yield
        finally:
            _send(stopped, signal.SIGCONT)
            self._paused_s += time.monotonic() - begun

    def close(self) -> None:
        """End the program, politely at first."""
        family = _family(self._process.pid)
        self._process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
        _send([pid for pid in family if _session(pid) == self._process.pid], signal.SIGKILL)
        self._process.wait()


def read_spent(folder: Path) -> Spent:
    file = folder / "spent.json"
    return Spent(**json.loads(file.read_text())) if file.exists() else Spent()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


def _stat(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat after the name of the program, or None if the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _family(pid: int) -> list[int]:
    """Return a process and its descendants, parents first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        stat = _stat(int(entry.name)) if entry.name.isdecimal() else None
        if stat is not None:
            children.setdefault(int(stat[1]), []).append(int(entry.name))
    found = [pid]
    for member in found:
        found += children.get(member, [])
    return found


def _processor_s(pid: int) -> float:
    """Return the processor time of a process, its descendants, and their children that have ended."""
    stats = filter(None, map(_stat, _family(pid)))
    return sum(int(field) for stat in stats for field in stat[11:15]) / _TICKS


def _session(pid: int) -> int | None:
    stat = _stat(pid)
    return None if stat is None else int(stat[3])


def _send(pids: Sequence[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
