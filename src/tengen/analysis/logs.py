"""A log that never makes the engine wait."""

from __future__ import annotations

import logging
import os
import select
from typing import IO

__all__ = ["LeakyHandler"]

LONGEST = 4000
"""Bytes of a line: what a pipe that can be written to at all takes without waiting."""


class LeakyHandler(logging.Handler):
    """Writes to a stream's file; while nobody reads it, lines are left out.

    Programs that start an engine and never read its errors would stop it as soon as the pipe is full.
    """

    def __init__(self, stream: IO[str]) -> None:
        super().__init__()
        self._stream = stream
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
            if self._left_out:
                line = f"({self._left_out} lines of the log are left out)\n{line}"
            data = line.encode(errors="replace")
            if len(data) > LONGEST:
                # Of a traceback the end tells most.
                data = data[: LONGEST // 4] + " … ".encode() + data[-LONGEST * 3 // 4 :]
            self._write(data + b"\n")
        except (OSError, ValueError):  # nobody is there any more
            self._left_out += 1

    def _write(self, data: bytes) -> None:
        file = self._stream.fileno()
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(file, select.POLLOUT)
            if not poll.poll(0):
                self._left_out += 1
                return
        self._left_out = 0
        os.write(file, data)
