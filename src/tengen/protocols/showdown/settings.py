"""How a client plays on a server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DEFAULT_FORMAT", "DEFAULT_URL", "ShowdownSettings", "to_user_id"]

DEFAULT_URL: Final = "ws://127.0.0.1:8000/showdown/websocket"
DEFAULT_FORMAT: Final = "gen8randombattle"


def to_user_id(name: str) -> str:
    """Names that differ in blanks, signs and capitals only are one to a server."""
    return re.sub(r"[^a-z0-9]+", "", name.lower())


@dataclass(frozen=True)
class ShowdownSettings:
    name: str
    url: str = DEFAULT_URL
    challenge: str | None = None
    """Whom to challenge again and again."""
    accept: bool = False
    """Take challenges, of `opponent` only if one is named."""
    ladder: bool = False
    """Let the server find opponents."""
    opponent: str | None = None
    battles: int | None = None
    """How many to play; None: until stopped."""
    at_once: int = 1
    """Battles that may go on at the same time."""
    seconds: float = 5.0
    """The most that a choice takes, whatever the timer says."""
    timer: bool = False
    """Ask for the server's timer, so that an opponent who has left does not hold us up."""
    records: Path | None = None
    """Where battles are written."""
    threads: int = 1
    """Choices that are thought about at the same time."""
    connect_timeout_s: float = 15.0
    login_timeout_s: float = 60.0
    tries: int = 6
    """Connections, challenges and battles that may fail one after another."""
    longest_pause_s: float = 10.0
    """Between tries; the first is half a second."""
    answer_s: float = 20.0
    """How long a challenge may stay unanswered before it is made again."""
    silence_s: float = 600.0
    """A battle in which nothing happens for so long is given up."""

    def __post_init__(self) -> None:
        if not to_user_id(self.name) or len(self.name) > 18 or set(self.name) & set("|,\n"):
            raise ValueError(f"the name {self.name!r} won't do: up to 18 letters and digits, without '|' and ','")
        parts = urlsplit(self.url)
        if parts.scheme not in ("ws", "wss") or not parts.hostname:
            raise ValueError(f"the server {self.url!r} won't do: such as {DEFAULT_URL}")
        if sum([self.challenge is not None, self.accept, self.ladder]) != 1:
            raise ValueError("one of challenging, accepting and the ladder is needed")
        if self.challenge is not None and not to_user_id(self.challenge):
            raise ValueError(f"the opponent {self.challenge!r} won't do: there is no letter or digit in it")
        if self.challenge is not None and to_user_id(self.challenge) == to_user_id(self.name):
            raise ValueError("one can't challenge oneself")
        for field in ("at_once", "threads", "tries"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} is {getattr(self, field)} and must be at least 1")
        if self.seconds <= 0:
            raise ValueError(f"seconds is {self.seconds:g} and must be more than 0")
