"""The protocol: lines of JSON to the engine, and its answers back."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tengen import __version__
from tengen.analysis.engine import Client
from tengen.analysis.jsonlines import MAX_LINE_BYTES, format_json, shorten
from tengen.analysis.query import Action, Problem, Query
from tengen.analysis.requests import parse_request
from tengen.analysis.scheduler import ClosedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.analysis.answers import Answer
    from tengen.analysis.engine import Engine
    from tengen.analysis.turn_job import TurnJob

__all__ = ["PROTOCOL_VERSION", "ClientSession", "Service"]

PROTOCOL_VERSION = "1.17.2"
"""The version of KataGo whose protocol this is: clients decide by it what they may ask for."""
MAX_OPEN = 100_000
"""Positions that one client may have asked for and not got."""
MAX_OPEN_BYTES = 64 << 20
"""Of the requests that they were asked for in."""
LOGGED = 500
"""Characters of an error in the log."""

_log = logging.getLogger(__name__)


class Service:
    """One engine for many clients."""

    def __init__(self, engine: Engine, *, max_open: int = MAX_OPEN, max_open_bytes: int = MAX_OPEN_BYTES) -> None:
        """A client with `max_open` open positions, or with requests of so many bytes, must wait to ask for more."""
        self.engine = engine
        self.max_open = max_open
        self.max_open_bytes = max_open_bytes

    def connect(self, write: Callable[[str], None], has_room: Callable[[], bool] = lambda: True) -> ClientSession:
        """A client whose answers go to `write`, a line at a time and from any thread.

        Partial reports are left out while it has no room for them.
        """
        return ClientSession(self, write, has_room)

    def close(self) -> None:
        self.engine.close()


@dataclass(slots=True)
class _OpenQuery:
    """A query whose turns are not all answered."""

    turns: int
    left: int
    bytes: int


class ClientSession:
    """What one client asked for. Each turn of a query is answered once for good, whatever happens."""

    def __init__(self, service: Service, write: Callable[[str], None], has_room: Callable[[], bool]) -> None:
        self._service = service
        self._engine = service.engine
        self._client = Client(service.engine)
        self._write = write
        self._has_room = has_room
        self._changed = threading.Condition()
        self._open = 0
        self._open_bytes = 0
        self._is_ending = False
        self._is_gone = False

    # What the client sends: one call at a time.

    def handle(self, line: bytes | str) -> None:
        """Answers a line, or begins to. Whatever the line is, this does not raise."""
        query_id = None
        try:
            if self._engine.config.settings.log_all_requests:
                _log.info("Request: %s", line)
            request = parse_request(line, self._engine.context)
            for problem in request.problems:
                self._send_problem(problem)
            if isinstance(request.body, Query):
                query_id = request.body.id
                self._analyze(request.body, len(line))
            elif isinstance(request.body, Action):
                query_id = request.body.id
                self._act(request.body)
        except Exception as error:  # noqa: BLE001 - a fault of ours must not end the other queries
            _log.exception("a request failed")
            self._send_problem(Problem(f"Internal error: {type(error).__name__}: {error}", query_id))

    @property
    def is_full(self) -> bool:
        """So much is open that a further query is refused."""
        return self._open >= self._service.max_open or self._open_bytes >= self._service.max_open_bytes

    def _analyze(self, query: Query, size: int) -> None:
        if self.is_full:
            text = f"Too much is open: {self._open} positions, asked for in {self._open_bytes} bytes. Wait for answers"
            self._send_problem(Problem(text, query.id))
            return
        # Every turn's answer repeats the id: all of them may come at once.
        size = max(size, len(query.id) * len(query.turns))
        if size > max(self._service.max_open_bytes, MAX_LINE_BYTES):
            text = f"{len(query.turns)} turns under an id of {len(query.id)} characters are too much: make it shorter"
            self._send_problem(Problem(text, query.id))
            return
        opened = _OpenQuery(len(query.turns), len(query.turns), size)
        if self._is_ending:
            self._send_problem(_closing(query.id))
            return
        with self._changed:
            self._open += opened.turns
            self._open_bytes += opened.bytes
        began = 0
        try:
            began = self._client.submit(query, partial(self._answer, opened), self._send_problem)
        except ClosedError:
            self._send_problem(_closing(query.id))
        finally:
            if not began:
                with self._changed:
                    self._open -= opened.turns
                    self._open_bytes -= opened.bytes
                    self._changed.notify_all()
        self._end_what_is_late()

    def _act(self, action: Action) -> None:
        answer = dict(action.echo)
        if action.kind == "query_version":
            answer |= {"version": PROTOCOL_VERSION, "git_hash": f"tengen-{__version__}"}
        elif action.kind == "query_models":
            answer["models"] = [self._engine.model]
        elif action.kind == "clear_cache":
            self._engine.clear_cache()
        else:

            def match(job: TurnJob) -> bool:
                is_meant = action.kind == "terminate_all" or job.query.id == action.terminate_id
                return is_meant and (action.turns is None or job.turn.number in action.turns)

            # What waits is answered before the action, what runs after it.
            self._client.withdraw(match)
            self._send(answer)
            self._client.stop(match)
            return
        self._send(answer)

    # What whoever serves the client does; from any thread.

    def hold(self) -> None:
        """The client can't take more answers now: no more of what it asked for is begun."""
        self._client.hold()

    def release(self) -> None:
        self._client.release()

    def end(self) -> None:
        """Ends everything that it asked for, with what there is; further queries are refused. drain() waits for it."""
        with self._changed:
            self._is_ending = True
        self._end_what_is_late()

    def _end_what_is_late(self) -> None:
        """Also what was asked for while everything was being ended."""
        if self._is_ending:
            self._client.withdraw()
            self._client.stop()

    def drain(self, timeout: float | None = None) -> bool:
        """Whether everything that it asked for is answered, at the latest after so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open == 0, timeout)

    def wait_for_room(self, timeout: float) -> bool:
        """Whether a further query is taken, at the latest after so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.is_full, timeout)

    @property
    def is_done(self) -> bool:
        """Everything that it asked for is answered."""
        return self._open == 0

    def drop(self) -> None:
        """The client is gone: nothing more is written."""
        self._is_gone = True
        self.end()
        self._client.forget()

    def _answer(self, opened: _OpenQuery, answer: Answer) -> None:
        """From the engine's thread. Raises only before anything is written."""
        if answer.is_during_search:
            if self._has_room():
                self._send(answer.to_json())
            return
        self._send(answer.to_json())
        with self._changed:
            self._open -= 1
            opened.left -= 1
            if not opened.left:
                self._open_bytes -= opened.bytes
            self._changed.notify_all()

    def _send_problem(self, problem: Problem) -> None:
        if self._engine.config.settings.log_errors_and_warnings:
            text = shorten(format_json(problem.answer), LOGGED)
            _log.warning("%s: %s", "Warning" if problem.is_warning else "Error", text)
        self._send(problem.answer)

    def _send(self, answer: dict[str, Any]) -> None:
        if self._is_gone:
            return
        line = format_json(answer)
        if self._engine.config.settings.log_all_responses:
            _log.info("Response: %s", line)
        try:
            self._write(line)
        except Exception:  # noqa: BLE001 - who serves the client has failed: what else it asked for must still end
            _log.exception("an answer could not be written")


def _closing(query_id: str) -> Problem:
    return Problem("The engine is ending and takes no more queries", query_id)
