"""The engine over WebSocket: one JSON object a message, many clients."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import http
import importlib.util
import logging
import signal
import struct
import sys
import threading
from collections import deque
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from socket import SO_LINGER, SOL_SOCKET
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from tengen._install import how_to_install
from tengen.analysis.connections import (
    ConnectionGuard,
    ConnectionLimits,
    GuessLimit,
    check_token,
    is_loopback,
    quiet_accept_errors,
)
from tengen.analysis.jsonlines import MAX_LINE_BYTES
from tengen.analysis.stdio import READY
from tengen.nets.runtimes import MissingPackage

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.analysis.service import Service

__all__ = [
    "MAX_OPEN",
    "MAX_OPEN_BYTES",
    "ListenSettings",
    "check_websockets",
    "run_websocket",
    "serve_websocket",
]

MAX_OPEN = 10_000
"""Most open positions of a client; further requests are refused."""
MAX_OPEN_BYTES = 4 << 20
"""Most bytes of the messages that requested these positions."""
HELD_BYTES = 4 << 20
"""Unsent bytes above which no further request of a client is started or read."""
PARTIAL_BYTES = 1 << 18
"""Unsent bytes above which partial reports are skipped."""
_READERS = 4
_CHECKS = 10
"""Checks in a row that must find a client stuck before it is disconnected; together they take its patience."""


@dataclass(frozen=True)
class ListenSettings:
    host: str = "127.0.0.1"
    port: int = 8765
    """0 takes any free one."""
    token: str | None = None
    """The token that clients must show; required on any address but loopback."""
    origins: tuple[str, ...] = ()
    """Web pages that may connect, besides those of this machine."""
    max_clients: int = 256
    """Further ones are turned away."""
    patience_s: float = 30.0
    """A client that takes no bytes for so long is cut off."""
    parting_s: float = 5.0
    """Time limit at shutdown for sending the last responses, and again for closing the connection, in seconds."""

    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    """Limits for clients that have not shown the token."""

    def __post_init__(self) -> None:
        check_token(self.host, self.token)


def check_websockets() -> None:
    """Raise a MissingPackage with the command that installs it if the package is missing."""
    if importlib.util.find_spec("websockets") is None:
        raise MissingPackage(f"serving needs the package websockets, which is not installed: {how_to_install('web')}")


def run_websocket(service: Service, settings: ListenSettings) -> int:
    """Serves until a signal asks to end; every open query gets its last answer."""
    check_websockets()

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                loop.add_signal_handler(number, ended.set)
            except NotImplementedError:  # Windows
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(ended.set))
        await serve_websocket(service, settings, ended, _announce)

    try:
        asyncio.run(serve())
    finally:
        service.close()
    return 0


def _announce(addresses: list[str]) -> None:
    for address in addresses:
        print(f"Listening on {address}", file=sys.stderr)
    print(READY, file=sys.stderr, flush=True)


async def serve_websocket(
    service: Service, settings: ListenSettings, ended: asyncio.Event, on_ready: Callable[[list[str]], None]
) -> None:
    """Serve until `ended` is set. `on_ready` is called with the addresses. The service is not closed."""
    from websockets.asyncio.server import ServerConnection, serve

    clients: set[_Client] = set()
    guard = ConnectionGuard(settings.limits)
    quiet_accept_errors(asyncio.get_running_loop())

    class Connection(ServerConnection):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            guard.enter(transport)

    # Faults of clients are not worth a traceback.
    quiet = logging.getLogger(f"{__name__}.library")
    quiet.setLevel(logging.CRITICAL)
    with ThreadPoolExecutor(_READERS, thread_name_prefix="requests") as readers:

        async def handle(connection: Any) -> None:
            client = _Client(service, connection, readers, settings.patience_s)
            clients.add(client)
            try:
                await client.run()
            finally:
                clients.discard(client)

        server = await serve(
            handle,
            settings.host,
            settings.port,
            process_request=_Door(settings, clients, guard).check,
            create_connection=Connection,
            open_timeout=settings.limits.header_s,
            logger=quiet,
            max_size=MAX_LINE_BYTES,
            max_queue=2,
            ping_timeout=60,
        )
        try:
            on_ready([_address(socket) for socket in server.sockets])
            await ended.wait()
        finally:
            server.close(close_connections=False)
            await _part(clients, readers, settings.parting_s)
            await server.wait_closed()


async def _part(clients: set[_Client], readers: Executor, patience_s: float) -> None:
    """Every open query is answered with what it has before the doors close."""
    loop = asyncio.get_running_loop()
    for client in list(clients):
        await loop.run_in_executor(readers, client.session.end)
    while not all(client.session.is_done for client in clients):
        await asyncio.sleep(0.01)
    while clients:
        # Again, for those whose handshake was not over yet.
        await asyncio.gather(*(client.part(patience_s) for client in list(clients)), return_exceptions=True)
        await asyncio.sleep(0.01)


def _address(socket: Any) -> str:
    host, port, *_ = socket.getsockname()
    return f"ws://[{host}]:{port}" if ":" in host else f"ws://{host}:{port}"


class _Door:
    """Access control for new connections."""

    def __init__(self, settings: ListenSettings, clients: set[_Client], guard: ConnectionGuard) -> None:
        self._settings = settings
        self._clients = clients
        self._guard = guard
        self._guesses = GuessLimit()

    def check(self, connection: Any, request: Any) -> Any:
        """Return None to let the client in, or the response that turns it away."""
        status = http.HTTPStatus
        if self._settings.token is not None:
            host = str((connection.remote_address or ("",))[0])
            if self._guesses.wait_s(host):
                return connection.respond(status.TOO_MANY_REQUESTS, "too many wrong tokens: wait some seconds\n")
            given = _tokens_in(request)
            wanted = self._settings.token.encode()
            if not any(hmac.compare_digest(one.encode("utf-8", "surrogateescape"), wanted) for one in given):
                if given:
                    self._guesses.note_wrong(host)
                return connection.respond(status.UNAUTHORIZED, "the token is missing or wrong\n")
        origins = request.headers.get_all("Origin")
        if not all(self._is_known(origin, request) for origin in origins):
            return connection.respond(status.FORBIDDEN, f"pages of {', '.join(origins)} may not connect\n")
        if len(self._clients) >= self._settings.max_clients:
            return connection.respond(status.SERVICE_UNAVAILABLE, "too many clients\n")
        self._guard.admit(connection.transport)
        return None

    def _is_known(self, origin: str, request: Any) -> bool:
        """Programs that are no browsers may say that they come from the server itself. Of a browser that proves
        nothing, as names can be made to lead anywhere; but a strange page does not know the token."""
        if origin in self._settings.origins:
            return True
        try:
            parts = urlsplit(origin)
            host = parts.hostname
        except ValueError:
            return False
        if parts.scheme not in ("http", "https") or host is None:
            return False
        is_own = self._settings.token is not None and request.headers.get_all("Host") == [parts.netloc]
        return is_loopback(host) or is_own


def _tokens_in(request: Any) -> list[str]:
    given = parse_qs(urlsplit(request.path).query).get("token", [])
    for value in request.headers.get_all("Authorization"):
        kind, _, credentials = value.partition(" ")
        if kind.casefold() == "bearer":
            given.append(credentials.strip())
    return given


class _Client:
    """A connection with a session of the service and a queue of unsent responses.

    The queue is bounded: if it is long, no request is started or read until the client has received some responses.
    """

    def __init__(self, service: Service, connection: Any, readers: Executor, patience_s: float) -> None:
        self._connection = connection
        self._readers = readers
        self._patience_s = patience_s
        self._loop = asyncio.get_running_loop()
        self._more = asyncio.Event()
        self._room = asyncio.Event()
        # Under the lock.
        self._lock = threading.Lock()
        self._waiting: deque[str] = deque()
        self._bytes = 0
        self._sent = 0
        self._is_held = False
        self._is_woken = False
        self._is_over = False
        self.session = service.connect(self._put, self._has_room)

    async def run(self) -> None:
        """Until the client has gone."""
        from websockets.exceptions import ConnectionClosed

        helpers = [asyncio.create_task(self._send()), asyncio.create_task(self._watch())]
        try:
            async for message in self._connection:
                await self._loop.run_in_executor(self._readers, self.session.handle, message)
                while self._is_held:
                    self._room.clear()
                    await self._room.wait()
        except ConnectionClosed:
            pass
        finally:
            for helper in helpers:
                helper.cancel()
            self._stop()
            # Cancel the queries of a client that is gone, so that others get their turn.
            await self._loop.run_in_executor(self._readers, self.session.drop)

    async def part(self, patience_s: float) -> None:
        """Send the last responses and close the connection."""
        from websockets.frames import CloseCode

        for _ in range(round(patience_s / 0.02)):
            if not self._waiting and not self._connection.transport.get_write_buffer_size():
                break
            await asyncio.sleep(0.02)
        try:
            await asyncio.wait_for(self._connection.close(CloseCode.GOING_AWAY), patience_s)
        except TimeoutError:
            self._cut_off()

    def _has_room(self) -> bool:
        return self._bytes < PARTIAL_BYTES

    def _put(self, line: str) -> None:
        """From any thread."""
        with self._lock:
            if self._is_over:
                return
            self._waiting.append(line)
            self._bytes += len(line)
            if self._bytes > HELD_BYTES and not self._is_held:
                self._is_held = True
                self.session.hold()
            if self._is_woken:
                return
            self._is_woken = True
        try:
            self._loop.call_soon_threadsafe(self._more.set)
        except RuntimeError:  # the loop has ended, and the client with it
            self._stop()

    def _next(self) -> str | None:
        """Return the next line to send. It stays in the queue until _done()."""
        with self._lock:
            if self._waiting:
                return self._waiting[0]
            self._is_woken = False
            return None

    def _done(self) -> None:
        with self._lock:
            self._sent += 1
            if self._is_over:
                return
            self._bytes -= len(self._waiting.popleft())
            if self._is_held and self._bytes <= HELD_BYTES // 2:
                self._is_held = False
                self.session.release()
                self._room.set()

    async def _send(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                await self._more.wait()
                self._more.clear()
                while (line := self._next()) is not None:
                    await self._connection.send(line)
                    self._done()
        except ConnectionClosed:
            self._stop()

    async def _watch(self) -> None:
        """Disconnect a client that takes nothing while responses wait for it: it holds memory.

        Patience is counted in checks, and responses can be sent between two of them. A response that was queued a
        moment ago does not count against a client, and neither does a delay of the server itself.
        """
        stuck = 0
        while stuck < _CHECKS:
            before = self._progress()
            await asyncio.sleep(self._patience_s / _CHECKS)
            stuck = stuck + 1 if self._waiting and self._progress() == before else 0
        self._cut_off()

    def _progress(self) -> tuple[int, int]:
        return self._sent, self._connection.transport.get_write_buffer_size()

    def _cut_off(self) -> None:
        self._stop()
        transport = self._connection.transport
        if transport.is_closing():
            return
        # Discard unsent data immediately; otherwise the system would wait for a reader.
        with contextlib.suppress(OSError):
            transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()

    def _stop(self) -> None:
        """Nothing more is sent."""
        with self._lock:
            self._is_over = True
            self._is_held = False
            self._waiting.clear()
            self._bytes = 0
        self._room.set()
