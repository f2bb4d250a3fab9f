"""Searches beside the conversation, one at a time."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from tengen.protocols.csa.conversation import SearchEnded

if TYPE_CHECKING:
    import queue

    from tengen.games import State
    from tengen.protocols.csa.conversation import Event
    from tengen.protocols.csa.position import Thinker
    from tengen.protocols.usi.limits import Limits

__all__ = ["SearchThread"]

_log = logging.getLogger(__name__)


class SearchThread:
    """Puts a SearchEnded into the inbox when a search has ended. There is one at a time: another one stops it."""

    def __init__(self, engine: Thinker, inbox: queue.SimpleQueue[Event]) -> None:
        self._engine = engine
        self._inbox = inbox
        self._thread: threading.Thread | None = None
        self._search_number = 0

    def begin(self, state: State, limits: Limits) -> int:
        """A search; the number is that of its SearchEnded."""
        self.end()
        self._search_number += 1
        # From here on the search can be told to stop, whenever its thread comes to run.
        search = self._engine.begin(state, limits)
        self._thread = threading.Thread(
            target=self._run, args=(self._search_number, search), name="csa-search", daemon=True
        )
        self._thread.start()
        return self._search_number

    def _run(self, number: int, search: Any) -> None:
        decision = None
        try:
            decision = self._engine.run(search)
        except Exception:  # noqa: BLE001 - a thread's outermost function; another move is found then
            _log.exception("the search failed")
        self._inbox.put(SearchEnded(number, decision))

    def hit(self, limits: Limits) -> None:
        """The move that was pondered on has been played: from now on the clock runs."""
        self._engine.ponderhit(limits)

    def end(self) -> None:
        """Stops what runs and waits for it. Its SearchEnded comes all the same, with a number that is not asked for."""
        if self._thread is None:
            return
        self._engine.stop()
        self._thread.join()
        self._thread = None
