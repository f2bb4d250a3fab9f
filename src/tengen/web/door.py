"""Access control: hosts, origins, tokens and sessions, and the security headers of responses."""

from __future__ import annotations

import hmac
import ipaddress
import math
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tengen.analysis.connections import ConnectionGuard, GuessLimit, check_token, is_loopback
from tengen.web.http_protocol import transport_of
from tengen.web.request_errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

__all__ = ["HEADERS", "PROTOCOL", "Door", "DoorSettings"]

PROTOCOL = "tengen"
"""The subprotocol of sockets. A session is a second one, with SESSION_PREFIX: sockets of pages have no headers."""
SESSION_PREFIX = "session."
MAX_BODY_BYTES = 6 << 20
"""Most bytes of a request of the owner."""
MAX_STRANGER_BYTES = 1 << 12
"""Most bytes of any other request, which can only hold a token."""
_MOST_SESSIONS = 1000

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}


@dataclass(frozen=True)
class DoorSettings:
    host: str = "127.0.0.1"
    token: str | None = None
    """The token that the owner must show; required on any address but loopback."""
    names: tuple[str, ...] = ()
    """Additional host names of this machine."""

    def __post_init__(self) -> None:
        check_token(self.host, self.token)


@dataclass
class Door:
    """A wrapper of an ASGI application that refuses foreign requests and sets `scope["tengen.is_owner"]`."""

    app: Callable[..., Awaitable[None]]
    settings: DoorSettings
    sessions: list[str] = field(default_factory=list)
    guard: ConnectionGuard = field(default_factory=ConnectionGuard)
    guesses: GuessLimit = field(default_factory=GuessLimit)

    def open_session(self, token: str, host: str) -> str:
        """Return a new session for the token. Raises a RequestError if it is wrong, or if too many wrong ones came."""
        wanted = self.settings.token
        wait_s = self.guesses.wait_s(host)
        if wait_s:
            told = "too many wrong tokens came from your address: wait {seconds:.0f} seconds"
            raise RequestError(429, told, seconds=math.ceil(wait_s))
        if wanted is not None and not hmac.compare_digest(token.encode(), wanted.encode()):
            self.guesses.note_wrong(host)
            raise RequestError(401, "the token is wrong: the command that started this page printed it")
        session = secrets.token_urlsafe(24)
        self.sessions.append(session)
        del self.sessions[:-_MOST_SESSIONS]
        return session

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        is_owner = scope["tengen.is_owner"] = self._is_owner(scope, headers)
        problem = self._find_problem(scope, headers)
        if problem is not None:
            await _refuse(scope, receive, send, *problem)
            return
        if is_owner:
            self.guard.admit(transport_of(scope))
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]
            await send(message)

        await self.app(scope, _limited(receive), send_with_headers)

    def _find_problem(self, scope: MutableMapping[str, Any], headers: list[tuple[str, str]]) -> tuple[int, str] | None:
        hosts = [value for name, value in headers if name == "host"]
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return 421, f"this machine is not called {', '.join(hosts) or 'nothing'}: see --name"
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if not changes:
            return None
        origins = [value for name, value in headers if name == "origin"]
        if len(origins) != 1 or origins[0] not in (f"http://{hosts[0]}", f"https://{hosts[0]}"):
            return 403, f"pages of {', '.join(origins) or 'nowhere'} may not ask for this"
        if scope["type"] == "websocket":
            return None
        kinds = [value.partition(";")[0].strip().lower() for name, value in headers if name == "content-type"]
        if kinds != ["application/json"]:
            return 415, "only application/json is read"
        sizes = [value for name, value in headers if name == "content-length"]
        if len(sizes) != 1 or not _is_size(sizes[0]) or int(sizes[0]) > MAX_BODY_BYTES:
            return 413, f"a request must say its length, of at most {MAX_BODY_BYTES} bytes"
        if int(sizes[0]) > MAX_STRANGER_BYTES and not scope["tengen.is_owner"]:
            return 401, "this needs the token that the command printed"
        return None

    def _is_own(self, host: str) -> bool:
        """Return whether a host is this machine. Foreign names can be made to lead here, addresses can't."""
        try:
            parts = urlsplit(f"//{host}")
            name, _ = parts.hostname, parts.port
        except ValueError:
            return False
        if not name or parts.username is not None or parts.path or parts.query or parts.fragment:
            return False
        if is_loopback(name) or name in (self.settings.host, *self.settings.names):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return not is_loopback(self.settings.host)

    def _is_owner(self, scope: MutableMapping[str, Any], headers: list[tuple[str, str]]) -> bool:
        if self.settings.token is None:
            return True
        if scope["type"] == "websocket":
            shown = [part.removeprefix(SESSION_PREFIX) for part in scope.get("subprotocols", [])]
        else:
            shown = [value.partition(" ")[2] for name, value in headers if name == "authorization"]
        return any(hmac.compare_digest(one.encode(), key.encode()) for one in shown for key in self.sessions)


def _is_size(text: str) -> bool:
    # Longer numbers take long to read, and raise an error.
    return text.isascii() and text.isdecimal() and len(text) < 20


def _limited(receive: Any) -> Any:
    """Disconnect a client that sends more than the length that it declared."""
    taken = 0

    async def limited() -> Any:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return message if taken <= MAX_BODY_BYTES else {"type": "http.disconnect"}

    return limited


async def _refuse(scope: MutableMapping[str, Any], receive: Any, send: Any, status: int, text: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": text[:100]})
        return
    body = f"{text}\n".encode()
    headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
    headers += [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
