"""The connection to a CSA server: lines out, lines in, signs of life."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from typing import TYPE_CHECKING, Final

from tengen.protocols.csa.errors import ServerLost

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MAX_LINE_BYTES", "Connection", "LineSplitter"]

_log = logging.getLogger(__name__)

MAX_LINE_BYTES: Final = 64 * 1024
"""The longest line that is read; the rest of a longer one is dropped. The protocol's own are below 200."""
_SILENCE_S: Final = 60
"""After so long without a byte the kernel asks whether the server is still there …"""
_PROBE_S: Final = 15
_PROBES: Final = 4
"""… so often, at this distance."""
_UNHEARD_S: Final = 60
"""What was sent and is not acknowledged after so long is lost, and the connection with it."""


class LineSplitter:
    """Bytes, however they come in, to lines of printable ASCII. Other characters become question marks."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> list[str]:
        *ended, rest = data.split(b"\n")
        lines = []
        for part in ended:
            self._keep(part)
            lines.append(_printable(bytes(self._rest)))
            self._rest.clear()
            self._dropping = False
        self._keep(rest)
        return lines

    def _keep(self, part: bytes) -> None:
        room = MAX_LINE_BYTES - len(self._rest)
        self._rest += part[:room]
        if len(part) > room and not self._dropping:
            self._dropping = True
            _log.warning("the server sent a line of more than %d bytes; the rest of it is dropped", MAX_LINE_BYTES)

    @property
    def rest(self) -> str:
        """A line that has no end yet."""
        return _printable(bytes(self._rest))


def _printable(line: bytes) -> str:
    text = line.decode("ascii", "replace").rstrip("\r")
    return "".join(sign if " " <= sign <= "~" else "?" for sign in text)


class Connection:
    """A socket with a thread that reads it: it calls `on_line(text)` for every line, then `on_end(reason)` once.

    Sending is for any thread.
    """

    def __init__(
        self,
        host: str,
        port: int,
        on_line: Callable[[str], None],
        on_end: Callable[[str], None],
        *,
        timeout_s: float = 20.0,
    ) -> None:
        """Blocks until connected, at most `timeout_s`. Raises ServerLost."""
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout_s)
        except (OSError, UnicodeError) as error:
            raise ServerLost(f"{host}:{port} can't be reached: {error}") from error
        # Sending blocks only when the server has stopped reading for long.
        self._socket.settimeout(None)
        _watch(self._socket)
        self._on_line, self._on_end = on_line, on_end
        self._sending = threading.Lock()
        self._is_closed = False
        self.sent_at = time.monotonic()
        """When something was last sent."""
        self._reader = threading.Thread(target=self._read, name="csa-reader", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        splitter = LineSplitter()
        reason = "the server closed the connection"
        while True:
            try:
                data = self._socket.recv(4096)
            except OSError as error:
                reason = f"the connection broke: {error.strerror or error}"
                break
            if not data:
                break
            for line in splitter.feed(data):
                self._on_line(line)
        if splitter.rest:
            _log.warning("the connection ended within a line: %r", splitter.rest)
        self._on_end("closed by us" if self._is_closed else reason)

    def send(self, line: str, shown: str | None = None) -> None:
        """One line; `shown` is what the log says instead. Raises ServerLost."""
        if not line.isascii() or "\n" in line or "\r" in line:
            raise ValueError(f"{shown or line!r} can't be sent: a line is ASCII")
        _log.info("> %s", line if shown is None else shown)
        try:
            with self._sending:
                self._socket.sendall(line.encode("ascii") + b"\n")
        except OSError as error:
            raise ServerLost(f"the connection broke: {error.strerror or error}") from error
        self.sent_at = time.monotonic()

    def close(self) -> None:
        self._is_closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(timeout=5)
        self._socket.close()


def _watch(connection: socket.socket) -> None:
    """Moves go out at once; a server that vanishes without a word is noticed."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    settings = {"TCP_KEEPIDLE": _SILENCE_S, "TCP_KEEPINTVL": _PROBE_S, "TCP_KEEPCNT": _PROBES}
    settings["TCP_USER_TIMEOUT"] = _UNHEARD_S * 1000
    for name, value in settings.items():
        # Not every system has all of them.
        if hasattr(socket, name):
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
