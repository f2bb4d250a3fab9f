"""Errors of connections to a Showdown server."""

from __future__ import annotations

__all__ = ["NameRefused", "ServerLost", "ServerMissing", "ServerUnreachable", "ShowdownFailure"]


class ShowdownFailure(RuntimeError):  # noqa: N818 - says what happened
    """Playing on a server came to an end that nobody wanted."""


class ServerMissing(ShowdownFailure):
    """Node or the server's package is not here, or the server does not start."""


class ServerLost(ShowdownFailure):
    """The connection could not be made, or has ended. Another try may help."""


class ServerUnreachable(ServerLost):
    """No connection could be made at all: the server is not running, or its address is wrong."""


class NameRefused(ShowdownFailure):
    """The server does not let us play under that name."""
