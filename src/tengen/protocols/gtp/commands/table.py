"""Where commands are written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from tengen.protocols.gtp.wire import Command, GtpError

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import GtpSession

__all__ = ["COMMANDS", "Handler", "command", "words_of"]

Handler: TypeAlias = "Callable[[GtpSession, Command], str | None]"
"""Answers with a text, or with None where it answers by itself. Raises a ValueError where the command fails."""
COMMANDS: dict[str, Handler] = {}


def command(*names: str) -> Callable[[Handler], Handler]:
    """Writes a handler down under its names."""

    def write_down(handler: Handler) -> Handler:
        for name in names:
            assert name not in COMMANDS
            COMMANDS[name] = handler
        return handler

    return write_down


def words_of(given: Command, minimum: int, maximum: int | None = None, usage: str = "") -> list[str]:
    """The words after the name, if there are as many as there should be."""
    words = given.words
    if not minimum <= len(words) <= (minimum if maximum is None else maximum):
        raise GtpError(f"syntax error: expected {given.name} {usage}".rstrip())
    return words
