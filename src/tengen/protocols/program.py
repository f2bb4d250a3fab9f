"""Programs of others: started, told lines, heard, and ended with whatever they have started themselves."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from typing import IO, TYPE_CHECKING, Final

from tengen.games import GameError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

__all__ = ["Program", "ProgramFailure"]

_GAMES: Final = "/usr/games"
"""Where Debian keeps programs of this kind, and root's PATH does not look."""
_LONGEST_LINE: Final = 1 << 20
_REMARKS: Final = 5
"""Lines of its standard error that are quoted when a program has ended."""
_PATIENCE_S: Final = 5.0
"""After it was told to quit."""


class ProgramFailure(GameError):  # noqa: N818 - says what happened
    """A program that can't be started, has died, does not answer or breaks its protocol."""


class Program:
    """A program that speaks in lines on its standard input and output, in a process group of its own.

    Its standard error goes where ours does; of a `quiet` one it is kept, and quoted when the program has ended. Not to
    be used from two threads at once.
    """

    goodbye: str = "quit"
    """What tells it to end."""

    def __init__(self, command: str | Sequence[str], *, timeout_s: float = 600.0, quiet: bool = False) -> None:
        """`timeout_s` is the longest that it may take to answer."""
        self.command = command if isinstance(command, str) else shlex.join(command)
        self.timeout_s = timeout_s
        self.spent_s = 0.0
        """Waited for answers so far."""
        try:
            self._process = subprocess.Popen(
                _find(shlex.split(self.command)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if quiet else None,
                start_new_session=True,
            )
        except (OSError, ValueError, IndexError) as error:
            raise ProgramFailure(f"{self.command}: can't be started: {error}") from error
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._remarks: deque[str] = deque(maxlen=_REMARKS)
        # Neither thread knows the program itself, so that one which is forgotten can be collected, and ended.
        self._readers = [threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True)]
        if quiet:
            self._readers.append(
                threading.Thread(target=_keep, args=(self._process.stderr, self._remarks), daemon=True)
            )
        for reader in self._readers:
            reader.start()
        self._end = weakref.finalize(self, _kill, self._process)

    def send(self, text: str) -> None:
        """A line, without waiting for an answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise ProgramFailure(f"{self.command}: has ended, so it can't be told {text!r}{self._quoted()}") from error

    def line(self, deadline: float | None = None) -> str:
        """The next line as it comes. `deadline` is a time of time.monotonic(); by default timeout_s from now."""
        began = time.monotonic()
        left_s = self.timeout_s if deadline is None else deadline - began
        late = ProgramFailure(f"{self.command}: no answer within {self.timeout_s:g} s")
        if left_s <= 0:
            raise late  # whatever else has come: a program that talks without end always has a line
        try:
            line = self._lines.get(timeout=left_s)
        except queue.Empty as error:
            raise late from error
        finally:
            self.spent_s += time.monotonic() - began
        if line is None:
            self._lines.put(None)
            raise ProgramFailure(f"{self.command}: has ended{self._quoted()}")
        return line.decode("utf-8", "replace").rstrip("\r\n")

    def deadline(self, more_s: float = 0.0) -> float:
        """Of an answer to what it is told now: timeout_s, and what it was given to think."""
        return time.monotonic() + self.timeout_s + more_s

    def close(self) -> None:
        """Tells it to end, and ends it and its process group if it does not. May be called twice."""
        if self._end.alive:
            with contextlib.suppress(ProgramFailure):
                self.send(self.goodbye)
            with contextlib.suppress(OSError):
                assert self._process.stdin is not None
                self._process.stdin.close()
            _wait(self._process, _PATIENCE_S)
        self.kill()

    def kill(self) -> None:
        """Ends it and its process group at once."""
        self._end()
        for reader in self._readers:
            reader.join(timeout=_PATIENCE_S)

    @property
    def pid(self) -> int:
        return self._process.pid

    def _quoted(self) -> str:
        """What it said last on its standard error."""
        _wait(self._process, 1)
        for reader in self._readers[1:]:
            reader.join(timeout=1)
        return f" after saying {' / '.join(self._remarks)!r}" if self._remarks else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _find(words: list[str]) -> list[str]:
    found = shutil.which(words[0]) or shutil.which(words[0], path=_GAMES)
    return [found or words[0], *words[1:]]


def _read(stream: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while line := stream.readline(_LONGEST_LINE):
            lines.put(line)
    lines.put(None)


def _keep(stream: IO[bytes], remarks: deque[str]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while line := stream.readline(_LONGEST_LINE):
            if text := line.decode("utf-8", "replace").strip():
                remarks.append(text[:300])


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Until it has ended, or so long. It stays a zombie, so that its number is nobody else's."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(ChildProcessError):
            if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                time.sleep(0.002)
                continue
        return


def _kill(process: subprocess.Popen[bytes]) -> None:
    # Also where the program itself has ended: what it started may go on.
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
