"""The engine on standard input and output, as KataGo's is started."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import IO, TYPE_CHECKING

from tengen.analysis.jsonlines import MAX_LINE_BYTES

if TYPE_CHECKING:
    from types import FrameType

    from tengen.analysis.service import Service

__all__ = ["READY", "InputLines", "OutputLines", "run_stdio"]

READY = "Started, ready to begin handling requests"
"""The line on standard error that programs wait for."""


def run_stdio(service: Service, *, quit_without_waiting: bool = False) -> int:
    """Answers until the input ends, or until a signal asks to end; every open query gets its last answer."""
    lines = InputLines(sys.stdin.buffer)
    out = OutputLines(sys.stdout.buffer)
    session = service.connect(out.write)
    ended_early = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended_early.set()
        # A read that waits does not return by itself: closing what it reads from makes it.
        lines.interrupt()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    print(READY, file=sys.stderr, flush=True)
    for line in lines:
        if ended_early.is_set() or out.is_broken:
            break
        session.handle(line)
    if ended_early.is_set() or quit_without_waiting or out.is_broken:
        session.end()
        service.close(finish=False)
    else:
        session.drain()
        service.close(finish=True)
    return 0


class OutputLines:
    """Writes whole lines from any thread. A reader that has gone away ends the program quietly."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self.is_broken = False

    def write(self, line: str) -> None:
        with self._lock:
            if self.is_broken:
                return
            try:
                self._stream.write(line.encode("utf-8", "surrogatepass") + b"\n")
                self._stream.flush()
            except (BrokenPipeError, ValueError):
                self.is_broken = True
                # What is still in the buffer would fail again when the interpreter ends.
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


class InputLines:
    """Lines of the input as they come; can be made to end from a signal's handler."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._file = stream.fileno()
        self._read, self._write = os.pipe()

    def interrupt(self) -> None:
        os.write(self._write, b"x")

    def __iter__(self) -> InputLines:
        self._pending = bytearray()
        self._searched = 0
        self._is_over = False
        self._skipping = False
        return self

    def __next__(self) -> bytes:
        while True:
            end = self._pending.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._pending[:end])
                del self._pending[: end + 1]
                self._searched = 0
                if self._skipping:
                    self._skipping = False
                    continue
                return line
            self._searched = len(self._pending)
            if len(self._pending) > MAX_LINE_BYTES:
                # As much as shows that it is too long; the rest is thrown away.
                line, self._skipping = bytes(self._pending), True
                self._pending.clear()
                self._searched = 0
                return line
            if self._is_over:
                if not self._pending:
                    raise StopIteration
                line = bytes(self._pending)
                self._pending.clear()
                self._searched = 0
                return line
            self._more()

    def _more(self) -> None:
        import select

        ready, _, _ = select.select([self._file, self._read], [], [])
        if self._read in ready:
            self._is_over = True
            self._pending.clear()
            return
        data = os.read(self._file, 1 << 16)
        self._is_over = not data
        self._pending += data
