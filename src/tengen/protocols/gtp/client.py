"""The other side of GTP: a program that is started and told what to do."""

from __future__ import annotations

import contextlib
import queue
import shlex
import subprocess
import threading
import time
from typing import TYPE_CHECKING

from tengen.protocols.gtp.wire import GtpError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GtpFailure", "GtpProgram"]


class GtpFailure(RuntimeError):  # noqa: N818 - says what happened
    """A program that has died, or does not answer."""


class GtpProgram:
    """A program that speaks GTP on its standard input and output; its standard error goes where ours does.

    with GtpProgram("gnugo --mode gtp") as program:
        program.ask("genmove", "black")
    """

    def __init__(self, command: str | Sequence[str], *, timeout_s: float = 600.0, quiet: bool = False) -> None:
        self.command = command if isinstance(command, str) else shlex.join(command)
        self.timeout_s = timeout_s
        self.spent_s = 0.0
        """Waited for answers so far."""
        try:
            self._process = subprocess.Popen(
                shlex.split(self.command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if quiet else None,
            )
        except (OSError, ValueError) as error:
            raise GtpFailure(f"{self.command}: can't be started: {error}") from error
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._known: set[str] | None = None

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def ask(self, *words: object) -> str:
        """The answer's text. Raises GtpError where the program says that the command failed."""
        self.send(*words)
        began = time.monotonic()
        try:
            return self._answer(" ".join(map(str, words)))
        finally:
            self.spent_s += time.monotonic() - began

    def send(self, *words: object) -> None:
        """Without waiting for the answer."""
        text = " ".join(map(str, words))
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise GtpFailure(f"{self.command}: has ended, so it can't be told {text!r}") from error

    def line(self) -> str:
        """The next line as it comes, for answers that take their time."""
        try:
            line = self._lines.get(timeout=self.timeout_s)
        except queue.Empty as error:
            raise GtpFailure(f"{self.command}: no answer within {self.timeout_s:g} s") from error
        if line is None:
            self._lines.put(None)
            raise GtpFailure(f"{self.command}: has ended")
        return line.decode("utf-8", "replace").rstrip("\r\n")

    def _answer(self, asked: str) -> str:
        line = self.line()
        while not line.startswith(("=", "?")):
            line = self.line()
        lines = [line[1:].lstrip("0123456789").strip()]
        while more := self.line():
            lines.append(more)
        text = "\n".join(lines).strip()
        if line.startswith("?"):
            raise GtpError(f"{self.command}: {asked!r} failed: {text}")
        return text

    def knows(self, command: str) -> bool:
        if self._known is None:
            self._known = set(self.ask("list_commands").split())
        return command in self._known

    def close(self) -> None:
        with contextlib.suppress(GtpFailure):
            self.send("quit")
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def __enter__(self) -> GtpProgram:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
