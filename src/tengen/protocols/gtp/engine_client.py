"""A session's searches in the analysis engine: one at a time, with a tree that goes on along the game."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from tengen.analysis import Client
from tengen.analysis.go import GoAnswer
from tengen.protocols.gtp.wire import GtpError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.analysis import Answer, Engine, Problem, Query

__all__ = ["EngineClient", "Search"]

_log = logging.getLogger(__name__)


class Search:
    """One that runs. Its functions are called from the engine's thread."""

    def __init__(
        self,
        on_report: Callable[[GoAnswer], None] | None = None,
        on_end: Callable[[Search], None] | None = None,
        *,
        is_endless: bool = False,
    ) -> None:
        """One that is endless goes on until somebody ends it: nobody is warned of how long it takes."""
        self._on_report, self._on_end = on_report, on_end
        self._done = threading.Event()
        self._answer: GoAnswer | None = None
        self._error: str | None = None
        self.is_stopped = False
        self._is_endless = is_endless

    def on_answer(self, answer: Answer) -> None:
        assert isinstance(answer, GoAnswer)
        if answer.is_during_search:
            if self._on_report is not None and not self.is_stopped:
                self._on_report(answer)
            return
        self._answer, self._error = answer, answer.error
        self._end()

    def on_problem(self, problem: Problem) -> None:
        if not problem.is_warning:
            self._error = problem.text
            self._end()
        elif not self._is_endless:
            _log.warning("%s", problem.text)

    def _end(self) -> None:
        if self._on_end is not None and not self.is_stopped:
            self._on_end(self)
        self._done.set()

    @property
    def answer(self) -> GoAnswer:
        """What was found; raises where nothing was."""
        if self._error is not None:
            raise GtpError(f"the search failed: {self._error}")
        if self._answer is None or self._answer.root_info is None:
            raise GtpError("the search was ended before it began")
        return self._answer

    def wait(self) -> GoAnswer:
        self._done.wait()
        return self.answer

    def wait_for_end(self) -> None:
        self._done.wait()


class EngineClient:
    """Asks the engine, always as the same client: so trees are found again."""

    def __init__(self, engine: Engine) -> None:
        self._client = Client(engine)

    def start(self, query: Query, search: Search) -> Search:
        self._client.submit(query, search.on_answer, search.on_problem)
        return search

    def ask(self, query: Query) -> GoAnswer:
        return self.start(query, Search()).wait()

    def stop(self, search: Search) -> None:
        """Ends it and waits until it has ended; what it found remains."""
        search.is_stopped = True
        self._client.withdraw()
        self._client.stop()
        search.wait_for_end()
