"""The engine over WebSocket: one JSON object a message, many clients."""

from __future__ import annotations

import asyncio
import hmac
import http
import ipaddress
import json
import signal
import sys
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from tengen.analysis.stdio import READY

if TYPE_CHECKING:
    from tengen.analysis.service import Service

__all__ = ["ListenSettings", "is_loopback", "run_websocket"]

MOST_BYTES = 4 << 20
"""Of one message."""
MOST_WAITING = 4096
"""Answers that may wait for a slow client before it is cut off."""
MOST_PARTIAL = 16
"""Partial reports are left out while so many answers wait."""
SEND_TIMEOUT_S = 30.0
"""A client that takes no bytes for so long is cut off."""


@dataclass(frozen=True)
class ListenSettings:
    host: str = "127.0.0.1"
    port: int = 8765
    """0 takes any free one."""
    token: str | None = None
    """What a client must show; needed on any address but loopback."""
    origins: tuple[str, ...] = ()
    """Web pages that may connect, besides those of this machine."""


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def run_websocket(service: Service, settings: ListenSettings) -> int:
    """Serves until a signal asks to end."""
    try:
        import websockets  # noqa: F401 - whether it is there
    except ModuleNotFoundError as error:
        raise ValueError("--listen needs the package websockets: pip install 'tengen[web]'") from error
    if settings.token is None and not is_loopback(settings.host):
        raise ValueError(f"{settings.host} is not this machine alone: listening there needs a token")
    asyncio.run(_serve(service, settings))
    return 0


async def _serve(service: Service, settings: ListenSettings) -> None:
    from websockets.asyncio.server import serve

    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    clients: set[_Client] = set()

    async def handle(connection: Any) -> None:
        client = _Client(service, connection)
        clients.add(client)
        try:
            await client.run()
        finally:
            clients.discard(client)

    door = _Door(settings)
    async with serve(
        handle, settings.host, settings.port, process_request=door.check, max_size=MOST_BYTES, max_queue=16
    ) as server:
        for socket in server.sockets:
            host, port, *_ = socket.getsockname()
            where = f"[{host}]" if ":" in host else host
            print(f"Listening on ws://{where}:{port}", file=sys.stderr, flush=True)
        print(READY, file=sys.stderr, flush=True)
        await ended.wait()
        # Every open query is answered with what it has before the doors close.
        await asyncio.gather(*(client.finish() for client in list(clients)), return_exceptions=True)
    await asyncio.to_thread(service.close, finish=False)


class _Door:
    """Who may come in."""

    def __init__(self, settings: ListenSettings) -> None:
        self._settings = settings

    def check(self, connection: Any, request: Any) -> Any:
        """None lets the client in; a response turns it away."""
        origin = request.headers.get("Origin")
        if origin is not None and not self._is_known(origin):
            return connection.respond(http.HTTPStatus.FORBIDDEN, f"pages of {origin} may not connect\n")
        if self._settings.token is not None and not self._has_token(request):
            return connection.respond(http.HTTPStatus.UNAUTHORIZED, "the token is missing or wrong\n")
        return None

    def _is_known(self, origin: str) -> bool:
        if origin in self._settings.origins:
            return True
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.hostname is not None and is_loopback(parts.hostname)

    def _has_token(self, request: Any) -> bool:
        kind, _, given = request.headers.get("Authorization", "").partition(" ")
        if kind.casefold() != "bearer":
            given = parse_qs(urlsplit(request.path).query).get("token", [""])[0]
        return hmac.compare_digest(given.encode(), str(self._settings.token).encode())


class _Client:
    """One connection: what it asks goes to its session, answers wait for it in a bounded queue."""

    def __init__(self, service: Service, connection: Any) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[str] = deque()
        self._more = asyncio.Event()
        self._is_too_slow = False
        self._session = service.connect(self._put)

    async def run(self) -> None:
        from websockets.exceptions import ConnectionClosed

        sender = asyncio.create_task(self._send())
        try:
            async for message in self._connection:
                line = message if isinstance(message, bytes) else message.encode("utf-8", "surrogatepass")
                await asyncio.to_thread(self._session.handle, line)
        except ConnectionClosed:
            pass
        finally:
            # A client that is gone wants no answers: its queries end, others get their turn.
            await asyncio.to_thread(self._session.drop)
            sender.cancel()

    async def finish(self) -> None:
        """Ends its queries with what they have, and lets the answers out."""
        await asyncio.to_thread(self._session.end)
        for _ in range(100):
            if not self._waiting:
                break
            await asyncio.sleep(0.05)
        await self._connection.close()

    def _put(self, line: str) -> None:
        """From any thread."""
        if self._is_too_slow:
            return
        if len(self._waiting) >= MOST_PARTIAL and _is_partial(line):
            return
        if len(self._waiting) >= MOST_WAITING:
            self._is_too_slow = True
            self._loop.call_soon_threadsafe(self._cut_off)
            return
        self._waiting.append(line)
        try:
            self._loop.call_soon_threadsafe(self._more.set)
        except RuntimeError:  # the loop has ended; so has the client
            self._is_too_slow = True

    async def _send(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                await self._more.wait()
                self._more.clear()
                while self._waiting:
                    await asyncio.wait_for(self._connection.send(self._waiting[0]), SEND_TIMEOUT_S)
                    self._waiting.popleft()
        except (ConnectionClosed, TimeoutError):
            self._is_too_slow = True
            self._cut_off()

    def _cut_off(self) -> None:
        self._waiting.clear()
        self._connection.transport.abort()


def _is_partial(line: str) -> bool:
    try:
        return json.loads(line).get("isDuringSearch") is True
    except (ValueError, AttributeError):
        return False
