"""One connection's conversation up to the game: login, waiting, the terms of a game, and leaving."""

from __future__ import annotations

import contextlib
import logging
import queue
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from tengen.protocols.csa.errors import LoginRefused, ServerLost
from tengen.protocols.csa.summary import BEGIN, END, MAX_SUMMARY_LINES, GameSummary, parse_game_summary
from tengen.protocols.csa.wire import Connection

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.protocols.csa.settings import CsaSettings
    from tengen.protocols.usi.decision import Decision

__all__ = ["ConnectionEnded", "Conversation", "Event", "Interrupted", "LineReceived", "SearchEnded", "StopRequest"]

_log = logging.getLogger(__name__)
P = TypeVar("P")

_LOGOUT_S: Final = 3.0
"""How long a server may take over closing the connection."""
_START_S: Final = 200.0
"""How long the opponent may take over agreeing; floodgate gives up after 120 s."""


@dataclass(frozen=True, slots=True)
class LineReceived:
    text: str


@dataclass(frozen=True, slots=True)
class ConnectionEnded:
    reason: str


@dataclass(frozen=True, slots=True)
class SearchEnded:
    number: int
    """Which one."""
    decision: Decision | None
    """None where it failed."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Somebody wants to stop."""


Event: TypeAlias = LineReceived | ConnectionEnded | SearchEnded | Interrupted


class StopRequest:
    """How much a person wants to stop: 0 not, 1 after this game, 2 now. `ask` may be called by a signal's handler."""

    def __init__(self) -> None:
        self.level = 0
        self._inbox: queue.SimpleQueue[Event] | None = None

    def ask(self, level: int | None = None) -> None:
        """One level more, or that level."""
        self.level = min(2, self.level + 1) if level is None else max(self.level, level)
        if self._inbox is not None:
            self._inbox.put(Interrupted())

    def tell(self, inbox: queue.SimpleQueue[Event] | None) -> None:
        """Who is told from now on."""
        self._inbox = inbox


class Conversation:
    """With a server, from login to logout. All that happens comes through `next_event`, in the caller's thread."""

    def __init__(self, settings: CsaSettings, stop: StopRequest) -> None:
        """Connects; raises ServerLost."""
        self.settings = settings
        self.stop = stop
        self.inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.is_open = True
        self._connection = Connection(
            settings.host,
            settings.port,
            lambda line: self.inbox.put(LineReceived(line)),
            lambda reason: self.inbox.put(ConnectionEnded(reason)),
            timeout_s=settings.connect_timeout_s,
        )
        stop.tell(self.inbox)

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.tell(None)
        self._connection.close()

    def send(self, line: str, shown: str | None = None) -> None:
        self._connection.send(line, shown)

    def next_event(self, until: float | None = None) -> Event | None:
        """The next thing that happens, or None when it is `until` (of time.monotonic()). Keeps the connection alive."""
        while True:
            now = time.monotonic()
            wakes = [] if until is None else [until]
            if self.is_open and self.settings.keep_alive_s:
                wakes.append(self._connection.sent_at + self.settings.keep_alive_s)
            try:
                event = self.inbox.get(timeout=max(0.0, min(wakes) - now) if wakes else None)
            except queue.Empty:
                if until is not None and time.monotonic() >= until:
                    return None
                self._keep_alive()
                continue
            if isinstance(event, ConnectionEnded):
                self.is_open = False
                _log.info("%s", event.reason)
            elif isinstance(event, LineReceived):
                if not event.text.strip():  # the server's own sign of life
                    if until is not None and time.monotonic() >= until:
                        return None
                    continue
                _log.info("< %s", event.text)
            return event

    def _keep_alive(self) -> None:
        connection = self._connection
        if self.is_open and time.monotonic() >= connection.sent_at + self.settings.keep_alive_s:
            try:
                connection.send("", shown="(keep-alive)")
            except ServerLost as error:
                self.is_open = False
                self.inbox.put(ConnectionEnded(str(error)))

    def next_line(self, until: float | None = None) -> str | None:
        """The next line; None when it is `until`, or when somebody wants to stop. Raises ServerLost."""
        while True:
            event = self.next_event(until)
            match event:
                case LineReceived(text):
                    return text
                case ConnectionEnded(reason):
                    raise ServerLost(reason)
                case Interrupted() | None:
                    return None
                case SearchEnded():  # of a game that is over
                    continue

    def login(self, password: str) -> None:
        """Raises LoginRefused, or ServerLost where there is no answer."""
        settings = self.settings
        field = f"{settings.game}," if settings.game else ""
        self.send(f"LOGIN {settings.name} {field}{password}", shown=f"LOGIN {settings.name} {field}***")
        until = time.monotonic() + settings.login_timeout_s
        while (line := self.next_line(until)) is not None:
            if line == f"LOGIN:{settings.name} OK":
                return
            if line.startswith("LOGIN:incorrect"):
                raise LoginRefused(
                    f"{settings.host}:{settings.port} refused the login of {settings.name}: the password is not "
                    "that of the name, or the server does not take the name or the game"
                )
            _log.warning("before the login: %r", line)
        if self.stop.level == 0:
            raise ServerLost(
                f"{settings.host}:{settings.port} gave the login no answer in {settings.login_timeout_s:g} s"
            )

    def await_game(self, prepare: Callable[[GameSummary], P]) -> tuple[GameSummary, P] | None:
        """A game that both sides have agreed to and that has begun; None where one side has refused it, or when
        somebody wants to stop before. `prepare` is called before we agree; what it raises a ValueError about we refuse.
        Raises ServerLost."""
        while self.stop.level == 0:
            line = self.next_line()
            if line is None:
                continue
            if line != BEGIN:
                _log.warning("while waiting for a game: %r", line)
                continue
            lines = self._summary_lines()
            if lines is None:
                return None
            try:
                summary = parse_game_summary(lines)
                prepared = prepare(summary)
            except ValueError as error:
                _log.error("a game that can't be played: %s", str(error).splitlines()[0])
                self.send("REJECT")
                return None
            return (summary, prepared) if self._agree(summary) else None
        return None

    def _summary_lines(self) -> list[str] | None:
        """All of it, or None where it has no end."""
        lines: list[str] = []
        until = time.monotonic() + _START_S
        while len(lines) < MAX_SUMMARY_LINES:
            line = self.next_line(until)
            if line == END:
                return lines
            if line is not None:
                lines.append(line)
            elif self.stop.level == 2 or time.monotonic() >= until:
                break
        _log.error("a Game_Summary without an end, after %d lines", len(lines))
        return None

    def _agree(self, summary: GameSummary) -> bool:
        self.send("AGREE")
        until = time.monotonic() + _START_S
        while True:
            line = self.next_line(until)
            if line is None:
                if self.stop.level == 2 or time.monotonic() >= until:
                    return False
            elif line.startswith("START:"):
                if line[6:] != summary.game_id:
                    _log.warning("the game that starts is called %r, not %r", line[6:], summary.game_id)
                return True
            elif line.startswith("REJECT:"):
                return False
            else:
                _log.warning("before the start: %r", line)

    def logout(self) -> None:
        """Says good-bye and waits a little. A reset here is usual: servers close as soon as a game is over."""
        if not self.is_open:
            return
        with contextlib.suppress(ServerLost):
            self.send("LOGOUT")
        until = time.monotonic() + _LOGOUT_S
        with contextlib.suppress(ServerLost):
            while (line := self.next_line(until)) is not None or time.monotonic() < until:
                if line is not None and line.startswith("LOGOUT:"):
                    return
