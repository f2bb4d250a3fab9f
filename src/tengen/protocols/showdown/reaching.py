"""A check that a server can be reached, before anything is started that would wait for it."""

from __future__ import annotations

import asyncio
import socket
from typing import Final
from urllib.parse import urlsplit

from tengen.protocols.showdown.errors import ServerUnreachable

__all__ = ["check_reachable", "unreachable"]

_PORTS: Final = {"ws": 80, "wss": 443}
_LOCAL: Final = ("127.0.0.1", "localhost", "::1")


async def check_reachable(url: str, timeout_s: float) -> None:
    """Raise ServerUnreachable unless a connection to the server's port can be made."""
    host, port = _address(url)
    try:
        async with asyncio.timeout(timeout_s):
            _, writer = await asyncio.open_connection(host, port)
    except OSError as error:
        raise unreachable(url, error) from None
    writer.close()


def unreachable(url: str, error: OSError) -> ServerUnreachable:
    """Return an exception that names the address, the reason, and how to start a server there."""
    host, port = _address(url)
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if isinstance(error, TimeoutError):
        reason = f"{place} does not answer"
    elif isinstance(error, socket.gaierror):
        reason = f"the host {host!r} is not known"
    else:
        reason = f"nobody listens at {place}"
    start = f"Start a server on this machine: tengen showdown --serve {port}" if host in _LOCAL else "Check the address"
    return ServerUnreachable(f"{reason}. {start}; or name another server by --server URL")


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 80)
