"""How a client plays on a server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DEFAULT_GAME", "DEFAULT_PORT", "MIN_KEEP_ALIVE_S", "CsaSettings", "check_password"]

DEFAULT_PORT: Final = 4081
DEFAULT_GAME: Final = "floodgate-300-10F"
MIN_KEEP_ALIVE_S: Final = 30.0
"""The protocol forbids signs of life at shorter distances."""
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,32}", re.ASCII)
_GAME: Final = re.compile(r"[!-+\--~]{1,64}", re.ASCII)
_PASSWORD: Final = re.compile(r"[!-~]{1,64}", re.ASCII)


@dataclass(frozen=True)
class CsaSettings:
    host: str
    name: str
    port: int = DEFAULT_PORT
    game: str = DEFAULT_GAME
    """Goes before the password in the login; empty: the server needs none."""
    games: int | None = None
    """How many to play; None: until stopped."""
    records: Path | None = None
    """Where games are written."""
    with_comments: bool = True
    """Score and line go with the moves."""
    ponder: bool = False
    max_seconds: float | None = None
    """The most that a move takes, whatever the clock says."""
    keep_alive_s: float = 45.0
    """After so long without a line of ours an empty one is sent; 0: never."""
    connect_timeout_s: float = 20.0
    login_timeout_s: float = 60.0
    first_tries: int = 3
    """Before the first login has succeeded; after that there is no end of trying."""
    longest_pause_s: float = 60.0
    """Between tries; the first is 1 s."""
    verdict_s: float = 3.0
    """How long the server is given to end a game that our rules end, before we play on: it may count otherwise."""
    patience_s: float = 180.0
    """A server that says nothing for so long after a clock has run out is lost."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"the name {self.name!r} won't do: up to 32 letters, digits, '_' and '-'")
        if self.game and not _GAME.fullmatch(self.game):
            raise ValueError(f"the game {self.game!r} won't do: such as {DEFAULT_GAME}, without blanks and commas")
        if not 0 < self.port < 65536:
            raise ValueError(f"the port {self.port} won't do: from 1 to 65535")
        if self.keep_alive_s and self.keep_alive_s < MIN_KEEP_ALIVE_S:
            raise ValueError(
                f"signs of life every {self.keep_alive_s:g} s won't do: {MIN_KEEP_ALIVE_S:g} at least, or 0"
            )


def check_password(password: str) -> str:
    """Raises ValueError, without saying what it is."""
    if not _PASSWORD.fullmatch(password):
        raise ValueError("the password won't do: up to 64 printable ASCII characters without blanks")
    return password
