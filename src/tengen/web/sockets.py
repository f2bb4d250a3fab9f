"""The socket of a tab: its queue of messages, and the limit on its requests."""

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

__all__ = ["POLICY_VIOLATION", "Socket"]

POLICY_VIOLATION = 1008
"""The close code after which the page does not reconnect by itself."""

RATE = 10.0
"""Most messages per second; further ones are refused."""
_BURST = 30.0
_MOST_WAITING = 256
"""Most unsent messages of a slow reader before it is disconnected."""


class Socket:
    """The socket of a tab. All methods run in the thread of the event loop."""

    def __init__(
        self, connection: Any, *, is_owner: bool, lang: str = "en", transport: asyncio.Transport | None = None
    ) -> None:
        self._connection = connection
        self._close_code = 1000
        self.transport = transport
        self.lang = lang
        self.is_owner = is_owner
        self.is_visible = True
        self.is_open = True
        # The open table.
        self.table: Table | None = None
        self.place: Place | None = None
        self.shown: Shown | None = None
        self._waiting: deque[str] = deque()
        self._newest: dict[str, Callable[[], PageMessage]] = {}
        self._more = asyncio.Event()
        self._credit = _BURST
        self._credited = time.monotonic()

    def send(self, message: PageMessage) -> None:
        """Send a message, and discard an older report of its kind that was not sent yet."""
        self._newest.pop(message.t, None)
        self.send_text(encode_message(message))

    def send_text(self, text: str) -> None:
        if len(self._waiting) >= _MOST_WAITING:
            self.is_open = False
        self._waiting.append(text)
        self._more.set()

    def report(self, message: PageMessage) -> None:
        """Send a report. It replaces an older one of its kind that was not sent yet."""
        self.report_changes(message.t, lambda: message)

    def report_changes(self, kind: str, make: Callable[[], PageMessage]) -> None:
        """Send a message that is made when the socket is ready, of everything that has changed by then.

        Only the newest of its kind waits. `make` must not raise.
        """
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

    def close(self, code: int = 1000) -> None:
        self.is_open = False
        self._close_code = code
        self._more.set()

    async def write(self) -> None:
        """Send messages until the tab is closed. Messages that wait are sent first."""
        with contextlib.suppress(Exception):  # any error of the library means that the client is gone
            while True:
                while self._waiting or self._newest:
                    await self._connection.send_text(self._next())
                if not self.is_open:
                    break
                self._more.clear()
                await self._more.wait()
        self.is_open = False
        with contextlib.suppress(Exception):
            await self._connection.close(self._close_code)

    def _next(self) -> str:
        if self._waiting:
            return self._waiting.popleft()
        return encode_message(self._newest.pop(next(iter(self._newest)))())
