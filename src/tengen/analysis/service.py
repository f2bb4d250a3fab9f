"""The protocol: lines of JSON to the engine, and its answers back."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from tengen import __version__
from tengen.analysis.jsonlines import format_answer
from tengen.analysis.query import Action, Problem, Query
from tengen.analysis.requests import parse_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.analysis.answers import Answer
    from tengen.analysis.engine import Engine, Ticket

__all__ = ["PROTOCOL_VERSION", "Service", "Session"]

PROTOCOL_VERSION = "1.17.2"
"""The version of KataGo whose protocol this is: clients decide by it what they may ask for."""
MOST_QUEUED = 100_000
"""Positions that one client may have waiting."""

_log = logging.getLogger(__name__)


class Service:
    """One engine for many clients."""

    def __init__(self, engine: Engine, *, most_queued: int = MOST_QUEUED) -> None:
        self.engine = engine
        self.most_queued = most_queued

    def connect(self, write: Callable[[str], None]) -> Session:
        """A client whose answers go to `write`, a line at a time and from any thread."""
        return Session(self, write)

    def close(self, *, finish: bool) -> None:
        self.engine.close(finish=finish)


class Session:
    """What one client asked for."""

    def __init__(self, service: Service, write: Callable[[str], None]) -> None:
        self._service = service
        self._engine = service.engine
        self._write = write
        self._open = 0
        self._changed = threading.Condition()
        self._is_gone = False

    def handle(self, line: bytes | str) -> None:
        """Answers a line, or begins to. Whatever the line is, this does not raise."""
        try:
            self._handle(line)
        except Exception as error:  # noqa: BLE001 - a fault of ours must not end the other queries
            _log.exception("a request failed")
            self._send({"error": f"Internal error: {type(error).__name__}: {error}"})

    def _handle(self, line: bytes | str) -> None:
        settings = self._engine.config.settings
        if settings.log_all_requests:
            _log.info("Request: %s", line)
        request = parse_request(line, self._engine.context)
        for problem in request.problems:
            self._tell(problem)
        if isinstance(request.body, Query):
            self._analyze(request.body)
        elif isinstance(request.body, Action):
            self._act(request.body)

    def _analyze(self, query: Query) -> None:
        with self._changed:
            self._open += len(query.turns)
        began = 0
        try:
            began = self._engine.submit(query, self, self._answer, self._tell, most_queued=self._service.most_queued)
        finally:
            with self._changed:
                self._open -= len(query.turns) - began
                self._changed.notify_all()

    def _act(self, action: Action) -> None:
        answer = dict(action.echo)
        if action.kind == "query_version":
            answer |= {"version": PROTOCOL_VERSION, "git_hash": f"tengen-{__version__}"}
        elif action.kind == "query_models":
            answer["models"] = [self._model()]
        elif action.kind == "clear_cache":
            self._engine.clear_cache()
        else:

            def match(ticket: Ticket) -> bool:
                return (
                    ticket.client is self
                    and (action.kind == "terminate_all" or ticket.query.id == action.terminate_id)
                    and (action.turns is None or ticket.turn.number in action.turns)
                )

            self._terminate(match, answer)
            return
        self._send(answer)

    def _terminate(self, match: Callable[[Ticket], bool], echo: dict[str, Any] | None) -> None:
        """What waits is answered before the echo, what runs after it."""
        for answer in self._engine.withdraw(match):
            self._answer(answer)
        if echo is not None:
            self._send(echo)
        self._engine.stop(match)

    def _model(self) -> dict[str, Any]:
        engine = self._engine
        info = getattr(engine.evaluator, "info", None)
        return {
            "name": engine.net_name,
            "internalName": getattr(info, "name", type(engine.evaluator).__name__),
            "maxBatchSize": engine.config.settings.nn_max_batch_size,
            "usesHumanSLProfile": False,
            "version": getattr(info, "version", 0),
            "usingFP16": "false",
        }

    def end(self) -> None:
        """Ends everything it asked for, with what there is; returns when all is answered."""
        self._terminate(lambda ticket: ticket.client is self, None)
        self.drain()

    def drain(self) -> None:
        """Returns when everything that it asked for is answered."""
        with self._changed:
            self._changed.wait_for(lambda: self._open == 0)

    def drop(self) -> None:
        """The client is gone: nothing more is written."""
        self._is_gone = True
        self._terminate(lambda ticket: ticket.client is self, None)

    def _answer(self, answer: Answer) -> None:
        self._send(answer.to_json())
        if not answer.is_during_search:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def _tell(self, problem: Problem) -> None:
        if self._engine.config.settings.log_errors_and_warnings:
            _log.warning("%s: %s", "Warning" if problem.is_warning else "Error", format_answer(problem.answer))
        self._send(problem.answer)

    def _send(self, answer: dict[str, Any]) -> None:
        if self._is_gone:
            return
        line = format_answer(answer)
        if self._engine.config.settings.log_all_responses:
            _log.info("Response: %s", line)
        self._write(line)
