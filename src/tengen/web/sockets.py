"""One tab's socket: what waits to be sent, and how much it may ask for."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from tengen.web.messages import Problem, encode_message
from tengen.web.refusals import complaint

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.web.messages import PageMessage
    from tengen.web.tables import Place, Shown, Table

__all__ = ["Socket"]

RATE = 10.0
"""Messages a second; further ones are refused."""
_BURST = 30.0
_MOST_WAITING = 256
"""Messages that wait for a slow reader before it is cut off."""


class Socket:
    """All of it in the loop's thread."""

    def __init__(self, connection: Any, *, is_owner: bool, lang: str = "en") -> None:
        self._connection = connection
        self.lang = lang
        self.is_owner = is_owner
        self.is_visible = True
        self.is_open = True
        # The table it is at.
        self.table: Table | None = None
        self.place: Place | None = None
        self.shown: Shown | None = None
        self._waiting: deque[str] = deque()
        self._newest: dict[str, Callable[[], PageMessage]] = {}
        self._more = asyncio.Event()
        self._credit = _BURST
        self._credited = time.monotonic()

    def send(self, message: PageMessage) -> None:
        """It will arrive; a report of its kind that waits is older."""
        self._newest.pop(message.t, None)
        self.send_text(encode_message(message))

    def send_text(self, text: str) -> None:
        if len(self._waiting) >= _MOST_WAITING:
            self.is_open = False
        self._waiting.append(text)
        self._more.set()

    def report(self, message: PageMessage) -> None:
        """Only the newest of its kind waits: slow readers lose some."""
        self.report_changes(message.t, lambda: message)

    def report_changes(self, kind: str, make: Callable[[], PageMessage]) -> None:
        """The same of what changed since the last message of its kind: it is made when it can be sent, of all that has
        changed by then. Making it must not fail."""
        self._newest[kind] = make
        self._more.set()

    def complain(self, error: Exception, about: str = "") -> None:
        self.send(Problem(complaint(error, self.lang), about))

    def may_ask(self) -> bool:
        now = time.monotonic()
        self._credit = min(_BURST, self._credit + (now - self._credited) * RATE)
        self._credited = now
        if self._credit < 1:
            return False
        self._credit -= 1
        return True

    def close(self) -> None:
        self.is_open = False
        self._more.set()

    async def write(self) -> None:
        """Until the tab has gone; what waits is sent first."""
        with contextlib.suppress(Exception):  # whatever the server's library says: nobody reads any more
            while True:
                while self._waiting or self._newest:
                    await self._connection.send_text(self._next())
                if not self.is_open:
                    break
                self._more.clear()
                await self._more.wait()
        self.is_open = False
        with contextlib.suppress(Exception):
            await self._connection.close()

    def _next(self) -> str:
        if self._waiting:
            return self._waiting.popleft()
        return encode_message(self._newest.pop(next(iter(self._newest)))())
