"""Protection of a server from clients that have not shown a token: limits on connections and guesses, quiet logs."""

from __future__ import annotations

import ipaddress
import logging
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

__all__ = [
    "MIN_TOKEN",
    "ConnectionGuard",
    "ConnectionLimits",
    "GuessLimit",
    "QuietFilter",
    "check_token",
    "is_loopback",
    "quiet_accept_errors",
]

MIN_TOKEN = 12
"""Fewest characters of a token."""
_ADDRESSES = 1000
_QUIET_S = 60.0


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_token(host: str, token: str | None) -> None:
    """Raise a ValueError if a token is missing or too easily guessed."""
    if token is None:
        if not is_loopback(host):
            raise ValueError(f"{host or 'every address'} is not this machine alone: listening there needs a token")
    elif not token.isprintable():
        raise ValueError("the token has characters that can't be printed, or is no UTF-8")
    elif len(token.strip()) < MIN_TOKEN:
        told = f"the token has {len(token.strip())} characters and must have at least {MIN_TOKEN}"
        raise ValueError(f"{told}, as others could guess it")


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits for connections of strangers: clients that have not shown a token or a key."""

    total: int = 256
    per_address: int = 64
    """Connections from one address, or from one /64 network of IPv6, that are older than `grace_s`."""
    grace_s: float = 1.0
    """Time in which connections of one address may come in a burst, as after a restart of the server, in seconds."""
    header_s: float = 10.0
    """Time that the headers of a request may take, in seconds."""
    body_s: float = 60.0
    """Time that the body of a request may take, in seconds."""
    key_s: float = 10.0
    """Time after which a socket without a token or a key is closed, in seconds."""


def address_of(transport: asyncio.BaseTransport) -> str:
    """Return the address that a connection counts for."""
    peer = transport.get_extra_info("peername")
    return network_of(str(peer[0]) if isinstance(peer, tuple) else "")


def network_of(host: str) -> str:
    """Return the address, or the /64 network of an IPv6 address, all of which a single machine may use."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


def _open_files() -> int:
    """Return how many files this process may open."""
    if sys.platform == "win32":
        return 1024
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft


class ConnectionGuard:
    """The connections of strangers to a server. If there are too many, the oldest one of the same address is closed.

    The newest ones stay, so that a client that sends its request immediately is served during a flood. All methods must
    be called in the thread of the event loop.
    """

    def __init__(self, limits: ConnectionLimits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        limits = limits or ConnectionLimits()
        # Strangers must not use up the files that the process may open.
        total = min(limits.total, _open_files() // 4)
        self.limits = replace(limits, total=total, per_address=min(limits.per_address, total))
        self._clock = clock
        self._strangers: dict[asyncio.Transport, tuple[str, float]] = {}
        """The address and the time of arrival of each, oldest first."""

    def enter(self, transport: asyncio.Transport) -> None:
        """Add a new connection, and close another one if it is one too many."""
        self._strangers = {one: known for one, known in self._strangers.items() if not one.is_closing()}
        address, now = address_of(transport), self._clock()
        old = sum(place == address and now - at >= self.limits.grace_s for place, at in self._strangers.values())
        crowded = address if old >= self.limits.per_address else None
        if crowded is None and len(self._strangers) >= self.limits.total:
            crowded = Counter(place for place, _ in self._strangers.values()).most_common(1)[0][0]
        if crowded is not None:
            oldest = next(one for one, (place, _) in self._strangers.items() if place == crowded)
            del self._strangers[oldest]
            oldest.abort()
        self._strangers[transport] = address, now

    def admit(self, transport: Any) -> None:
        """Exempt a connection, whose client has shown a token or a key, from the limits."""
        self._strangers.pop(transport, None)


class GuessLimit:
    """A limit on wrong tokens for each address: a short burst, then one every few seconds."""

    def __init__(self, burst: int = 5, every_s: float = 5.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._every_s = every_s
        self._clock = clock
        self._free_at: dict[str, float] = {}
        """When all wrong tokens of an address will be forgotten."""

    def wait_s(self, host: str) -> float:
        """Return how long an address must wait before its next token is read, in seconds."""
        left = self._free_at.get(network_of(host), 0.0) - self._clock()
        return max(0.0, left - (self._burst - 1) * self._every_s)

    def note_wrong(self, host: str) -> None:
        address = network_of(host)
        free_at = max(self._clock(), self._free_at.pop(address, 0.0)) + self._every_s
        self._free_at[address] = free_at
        while len(self._free_at) > _ADDRESSES:
            del self._free_at[next(iter(self._free_at))]


class QuietFilter(logging.Filter):
    """A filter that lets a warning pass once in a minute, whatever its values are. Errors always pass."""

    def __init__(self, every_s: float = _QUIET_S, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._every_s = every_s
        self._clock = clock
        self._next: dict[object, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now = self._clock()
        if record.levelno >= logging.ERROR:
            return True
        if now < self._next.get(record.msg, now):
            return False
        if len(self._next) > _ADDRESSES:
            self._next.clear()
        self._next[record.msg] = now + self._every_s
        return True


def quiet_accept_errors(loop: asyncio.AbstractEventLoop) -> None:
    """Log once in a minute, in one line, that connections can't be accepted. asyncio logs a traceback for each try."""
    quiet = logging.getLogger(f"{__name__}.accept")
    quiet.filters[:] = [QuietFilter()]

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError) and "accept" in str(context.get("message", "")):
            quiet.warning("new connections can't be accepted: %s; `ulimit -n` raises the limit", error.strerror)
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)
