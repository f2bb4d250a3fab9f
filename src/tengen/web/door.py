"""Who may come in: hosts, origins, the token, and what browsers are told about what pages may do."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tengen.analysis.websocket import is_loopback

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

__all__ = ["HEADERS", "PROTOCOL", "Door", "DoorSettings"]

PROTOCOL = "tengen"
"""The socket's; a session is a second one, SESSION_PREFIX and its key: pages can send no headers with a socket."""
SESSION_PREFIX = "session."
MAX_BODY_BYTES = 6 << 20
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
    """What the owner must show; needed on any address but loopback."""
    names: tuple[str, ...] = ()
    """Further host names by which this machine is called."""

    def __post_init__(self) -> None:
        if self.token is not None and not self.token.strip():
            raise ValueError("the token is empty: anyone could show it")
        if self.token is None and not is_loopback(self.host):
            raise ValueError(f"{self.host or 'every address'} is not this machine alone: listening there needs a token")


@dataclass
class Door:
    """Around an ASGI application: it sees only what may come in, and `scope["tengen.is_owner"]`."""

    app: Callable[..., Awaitable[None]]
    settings: DoorSettings
    sessions: list[str] = field(default_factory=list)

    def open_session(self, token: str) -> str | None:
        """For the token, or None."""
        wanted = self.settings.token
        if wanted is not None and not hmac.compare_digest(token.encode(), wanted.encode()):
            return None
        session = secrets.token_urlsafe(24)
        self.sessions.append(session)
        del self.sessions[:-_MOST_SESSIONS]
        return session

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        problem = self._find_problem(scope, headers)
        if problem is not None:
            await _refuse(scope, receive, send, *problem)
            return
        scope["tengen.is_owner"] = self._is_owner(scope, headers)
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
        if len(sizes) != 1 or not sizes[0].isdecimal() or int(sizes[0]) > MAX_BODY_BYTES:
            return 413, f"a request must say its length, of at most {MAX_BODY_BYTES} bytes"
        return None

    def _is_own(self, host: str) -> bool:
        """Names can be made to lead here, addresses can't."""
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


def _limited(receive: Any) -> Any:
    """What says a small length and sends more ends there."""
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
