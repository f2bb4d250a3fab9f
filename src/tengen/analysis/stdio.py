"""The engine on standard input and output, started as KataGo's is.

Without poll(), as on Windows, a signal takes effect with the next line of the input only.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from tengen.analysis.jsonlines import MAX_LINE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from tengen.analysis.service import ClientSession, Service

__all__ = ["READY", "InputLines", "OutputLines", "run_stdio", "standard_streams"]

READY = "Started, ready to begin handling requests"
"""The line on standard error for which programs wait."""
MAX_WAITING_BYTES = 64 << 20
"""Limit of unread output, in bytes; beyond it the engine waits for the reader."""
PARTIAL_BYTES = 1 << 20
"""Limit of unread output, in bytes, beyond which partial reports are left out."""
GRACE_S = 10.0
"""Time in seconds without any reading after which, following a signal, the reader is given up."""
_CHECK_S = 0.1
_ATOMIC_BYTES = select.PIPE_BUF if hasattr(select, "PIPE_BUF") else 512
"""Largest line that a pipe which is ready takes as a whole, in bytes."""


def run_stdio(service: Service, *, quit_without_waiting: bool = False) -> int:
    """Serve queries until the input ends or a signal arrives; every open query gets its last response.

    Return the exit code: 1 if responses could not be written to the reader.
    """
    with standard_streams() as (lines, out):
        print(READY, file=sys.stderr, flush=True)
        _serve(service.connect(out.write, out.has_room), lines, quit_without_waiting=quit_without_waiting)
        service.close()
    return out.report()


@contextmanager
def standard_streams() -> Iterator[tuple[InputLines, OutputLines]]:
    """The lines of the standard input, which a signal ends, and the standard output, which is written to the end."""
    lines = InputLines(_file(sys.stdin), _file(sys.stdout))
    out = OutputLines(_file(sys.stdout), lines)

    def end(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            # A second Ctrl-C ends the program immediately.
            signal.signal(number, signal.SIG_DFL)
        lines.interrupt()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield lines, out
        out.close()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _serve(session: ClientSession, lines: InputLines, *, quit_without_waiting: bool) -> None:
    """Returns when everything is answered."""
    for line in lines:
        # A whole file of queries may be piped in: what is too much to hold stays in the pipe.
        while not lines.is_interrupted and not session.wait_for_room(_CHECK_S):
            lines.look_for_reader()
        if lines.is_interrupted:
            break
        session.handle(line)
    if not quit_without_waiting:
        while not lines.is_interrupted and not session.drain(_CHECK_S):
            lines.look_for_reader()
    session.end()
    session.drain()


def _file(stream: IO[Any] | None) -> int | None:
    """A program may be started without it."""
    if stream is None:
        return None
    if stream.writable():
        stream.flush()
    return stream.fileno()


class InputLines:
    """Lines of the input as they come. They end early when interrupted, or when nobody reads the output any more."""

    def __init__(self, file: int | None, output: int | None) -> None:
        self._file = file
        self._output = output
        self._wake, self._waker = os.pipe()
        self.is_interrupted = output is None

    def interrupt(self) -> None:
        """From any thread, or from a signal's handler."""
        self.is_interrupted = True
        os.write(self._waker, b"x")

    def __iter__(self) -> Iterator[bytes]:
        pending = bytearray()
        searched = 0
        is_skipping = False
        while True:
            end = pending.find(b"\n", searched)
            if end >= 0:
                line = bytes(pending[:end])
                del pending[: end + 1]
                searched = 0
                if not is_skipping:
                    yield line
                is_skipping = False
                continue
            if not is_skipping and len(pending) > MAX_LINE_BYTES:
                # As much as shows that it is too long; the rest is thrown away.
                is_skipping = True
                yield bytes(pending)
            if is_skipping:
                pending.clear()
            searched = len(pending)
            data = self._more()
            if not data:
                if pending and not self.is_interrupted:
                    yield bytes(pending)
                return
            pending += data

    def _more(self) -> bytes:
        """Nothing at the end of the input, or when interrupted."""
        if self._file is None:
            return b""
        if not self.is_interrupted and hasattr(select, "poll"):
            poll = select.poll()
            poll.register(self._file, select.POLLIN)
            poll.register(self._wake, select.POLLIN)
            if self._output is not None:
                poll.register(self._output, 0)  # reports errors only
            if any(file == self._output for file, _ in poll.poll()):
                self.interrupt()
        try:
            return b"" if self.is_interrupted else os.read(self._file, 1 << 16)
        except OSError:  # a terminal that was closed
            return b""

    def look_for_reader(self) -> None:
        """An engine that writes nothing for long does not notice that nobody would read it."""
        if self._output is not None and hasattr(select, "poll"):
            poll = select.poll()
            poll.register(self._output, 0)
            if poll.poll(0):
                self.interrupt()


class OutputLines:
    """Whole lines, from any thread; a thread of its own writes them, so that a slow reader stops no search.

    A reader that has gone away is no error. Every other failure is kept as `failure`.
    """

    def __init__(self, file: int | None, lines: InputLines) -> None:
        self._file = file
        self._lines = lines
        self._changed = threading.Condition()
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._is_over = False
        self._is_broken = file is None
        self._moved = 0.0
        self.failure: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="answers", daemon=True)
        self._thread.start()

    def has_room(self) -> bool:
        return self._bytes < PARTIAL_BYTES

    def write(self, line: str) -> None:
        """Waits for the reader only when very much is waiting."""
        data = line.encode("utf-8", "surrogatepass") + b"\n"
        with self._changed:
            self._wait(lambda: self._bytes < MAX_WAITING_BYTES)
            if self._is_broken:
                return
            if not self._bytes:
                data = self._put_now(data)
            if data:
                self._waiting.append(data)
                self._bytes += len(data)
                self._changed.notify_all()

    def report(self) -> int:
        """Return the exit code after close(), and print the reason if it is 1."""
        if self.failure is None:
            return 0
        print(f"Answers could not be written: {self.failure}", file=sys.stderr, flush=True)
        return 1

    def close(self) -> None:
        """Returns when all is written, or can't be."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
            self._wait(lambda: not self._bytes)

    def _wait(self, is_met: Callable[[], bool]) -> None:
        """Until then, or until the reader is given up: who was asked to end does not wait for it forever."""
        hurried = None
        while not self._changed.wait_for(lambda: self._is_broken or is_met(), _CHECK_S):
            if self._lines.is_interrupted:
                hurried = hurried or time.monotonic()
                if time.monotonic() - max(hurried, self._moved) > GRACE_S:
                    self._give_up(TimeoutError(f"nobody read for {GRACE_S:.0f} seconds"))

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_over or self._is_broken)
                if not self._waiting or self._is_broken:
                    return
                # Small ones together.
                batch = [self._waiting.popleft()]
                while self._waiting and len(batch) < 64 and len(batch[-1]) < 4096:
                    batch.append(self._waiting.popleft())
            data = b"".join(batch)
            try:
                self._put(data)
            except OSError as error:
                with self._changed:
                    self._give_up(None if isinstance(error, BrokenPipeError) else error)
                self._lines.interrupt()
                return
            with self._changed:
                self._bytes -= len(data)
                self._changed.notify_all()

    def _put_now(self, data: bytes) -> bytes:
        """Write what the reader can take without waiting and return the rest.

        On a busy machine, a line that another thread writes comes much later.
        """
        if self._file is None or not hasattr(select, "poll") or len(data) > _ATOMIC_BYTES:
            return data
        poll = select.poll()
        poll.register(self._file, select.POLLOUT)
        try:
            if [event for _, event in poll.poll(0)] != [select.POLLOUT]:
                return data
            written = os.write(self._file, data)
        except OSError:  # the thread meets it, too, and deals with it
            return data
        self._moved = time.monotonic()
        return data[written:]

    def _put(self, data: bytes) -> None:
        # Not through a buffer: a thread that still waits inside one would keep the program from ending.
        assert self._file is not None
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._file, left) :]
            except BlockingIOError:  # the other end may have made it so
                select.select([], [self._file], [], _CHECK_S)
            else:
                self._moved = time.monotonic()

    def _give_up(self, why: OSError | None) -> None:
        self._is_broken = True
        self.failure = why
        self._waiting.clear()
        self._bytes = 0
        self._changed.notify_all()
