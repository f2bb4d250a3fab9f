"""uvicorn's HTTP protocol with deadlines for requests and limits on connections."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from tengen.analysis.connections import ConnectionGuard

__all__ = ["guarded_protocol", "transport_of"]

_TRANSPORT = "tengen.transport"


def transport_of(scope: MutableMapping[str, Any]) -> asyncio.Transport | None:
    """Return the connection that an ASGI scope belongs to, None if the server is not ours."""
    found: asyncio.Transport | None = scope.get("state", {}).get(_TRANSPORT)
    return found


def guarded_protocol(guard: ConnectionGuard) -> type[H11Protocol]:
    """Return a protocol whose connections are closed when a request takes too long to arrive."""
    waits = {h11.IDLE: guard.limits.header_s, h11.SEND_BODY: guard.limits.body_s}

    class GuardedProtocol(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None
        _awaited: object = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            self.app_state = self.app_state | {_TRANSPORT: transport}
            super().connection_made(transport)
            guard.enter(transport)
            self._set_deadline(h11.IDLE)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            is_http = self.transport.get_protocol() is self
            self._set_deadline(self.conn.their_state if is_http else None)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._set_deadline(None)

        def send_400_response(self, msg: str) -> None:
            """Refuse a damaged request. The application cannot respond to its headers any more."""
            if self.cycle is not None:
                self.cycle.disconnected = True
                self.cycle.message_event.set()
            if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                super().send_400_response(msg)
            else:
                self.transport.close()

        def _set_deadline(self, awaited: object) -> None:
            """Start the time for headers or a body when it begins, not again with each byte; stop it at the end."""
            awaited = awaited if awaited in waits else None
            if awaited is self._awaited:
                return
            self._awaited = awaited
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None
            if awaited is not None:
                self._deadline = self.loop.call_later(waits[awaited], self.transport.abort)

    return GuardedProtocol
