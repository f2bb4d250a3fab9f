"""What can go wrong between a client and a server."""

from __future__ import annotations

__all__ = ["CsaFailure", "LoginRefused", "NameTaken", "ServerLost", "SummaryError"]


class CsaFailure(RuntimeError):  # noqa: N818 - says what happened
    """The conversation can't go on."""


class ServerLost(CsaFailure):
    """The connection can't be made, or has ended. Another try may help."""


class LoginRefused(CsaFailure):
    """The server does not want this name with this password."""


class NameTaken(CsaFailure):
    """Another program on this machine plays under the name."""


class SummaryError(ValueError):
    """A Game_Summary by which nobody could play."""
