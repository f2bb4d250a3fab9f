"""A game on a server, from its first move to the server's verdict."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tengen.protocols.csa.clock import Clock, limits_of
from tengen.protocols.csa.comments import format_evaluation
from tengen.protocols.csa.conversation import ConnectionEnded, Interrupted, LineReceived, SearchEnded
from tengen.protocols.csa.errors import ServerLost
from tengen.protocols.csa.search_thread import SearchThread
from tengen.protocols.usi.decision import RESIGN, WIN, Decision

if TYPE_CHECKING:
    from tengen.protocols.csa.conversation import Conversation, Event
    from tengen.protocols.csa.position import GamePosition, Thinker
    from tengen.protocols.csa.recording import Recording
    from tengen.protocols.csa.summary import GameSummary

__all__ = ["CsaGame", "GameResult"]

_log = logging.getLogger(__name__)

OUTCOMES: Final = {"#WIN": "win", "#LOSE": "loss", "#DRAW": "draw", "#CENSORED": "censored", "#CHUDAN": "interrupted"}
"""The line that ends a game."""
REASONS: Final = frozenset(
    [
        "#RESIGN",
        "#SENNICHITE",
        "#OUTE_SENNICHITE",
        "#ILLEGAL_MOVE",
        "#ILLEGAL_ACTION",
        "#TIME_UP",
        "#JISHOGI",
        "#MAX_MOVES",
    ]
)
"""The line before it."""
_RESIGNS: Final = "%TORYO"
_DECLARES: Final = "%KACHI"
_MOVE: Final = re.compile(r"([+-]\d{4}[A-Z]{2})(?:,(.*))?", re.ASCII)
_TIME: Final = re.compile(r"(?:^|,)T(\d{1,9})(?:\.\d*)?(?:,|$)", re.ASCII)
_OUTCOME_S: Final = 10.0
"""How long a server may take between a verdict's two lines."""
_LEAVE_S: Final = 10.0
"""How long a person who wants to leave waits for our turn, so that we can resign, and for the verdict."""


@dataclass(frozen=True)
class GameResult:
    reason: str
    """The server's: "#RESIGN" …; else what happened, in words."""
    outcome: str
    """win, loss, draw, censored, interrupted; "unknown" where the server did not say."""
    plies: int


class CsaGame:
    """Plays one game; `play` returns when it is over. The server judges: whatever our rules say, its verdict counts."""

    def __init__(
        self,
        talk: Conversation,
        summary: GameSummary,
        position: GamePosition,
        engine: Thinker,
        recording: Recording,
    ) -> None:
        self._talk, self._settings = talk, talk.settings
        self._summary, self._position, self._recording = summary, position, recording
        self._own = summary.color
        self._clocks = {color: Clock(control) for color, control in summary.times.items()}
        for ply, (_, units) in enumerate(summary.moves):
            self._clocks["+-"[(summary.board.side + ply) % 2]].spend(units or 0)
        self._plies = len(summary.moves)
        self._searches = SearchThread(engine, talk.inbox)
        self._search_number = 0
        """Of the search for our move; 0: none."""
        self._pondered: str | None = None
        """The answer of the opponent that is thought about, until it is our turn."""
        self._early: Decision | None = None
        """Of pondering that ended by itself."""
        self._sent: str | None = None
        """What we have said in this turn; until the server answers there is nothing to add."""
        self._comment = ""
        self._deadline: float | None = None
        """When to do something if nothing happens: see _on_silence."""
        self._reason = self._remark = ""
        self._result: GameResult | None = None

    def play(self) -> GameResult:
        try:
            self._begin_turn()
            while self._result is None:
                self._handle(self._talk.next_event(self._deadline))
        finally:
            self._searches.end()
        self._recording.finish(self._result, self._summary.color)
        return self._result

    # What happens.

    def _handle(self, event: Event | None) -> None:
        match event:
            case LineReceived(text):
                self._on_line(text)
            case SearchEnded(number, decision):
                if number == self._search_number:
                    self._on_search_ended(decision)
            case ConnectionEnded(reason):
                self._end(self._reason or reason, self._guess())
            case Interrupted():
                self._on_interrupt()
            case None:
                self._on_silence()

    def _on_search_ended(self, decision: Decision | None) -> None:
        self._search_number = 0
        decision = decision or self._fallback("the search failed")
        if self._pondered is not None:
            self._early = decision
        elif self._is_own_turn and self._sent is None:
            self._act(decision)

    def _on_line(self, text: str) -> None:
        if text.startswith("##"):
            return  # chat
        if self._reason and text not in OUTCOMES:
            _log.warning("after the verdict: %r", text)
        elif text in OUTCOMES:
            self._end(self._reason or self._remark or text, OUTCOMES[text])
        elif text.startswith("#"):
            self._on_reason(text)
        elif text.startswith("%"):
            self._on_special_move(text)
        elif found := _MOVE.fullmatch(text):
            self._on_move(found[1], found[2] or "")
        else:
            _log.warning("during the game: %r", text)

    def _on_reason(self, text: str) -> None:
        if text not in REASONS:
            # If it ends the game, an outcome follows; until then it is our turn or theirs, as before.
            _log.warning("an unknown verdict: %r", text)
            self._remark = text
            return
        self._reason = text
        self._forget_search()
        self._deadline = time.monotonic() + _OUTCOME_S

    def _on_special_move(self, text: str) -> None:
        """Somebody resigns or declares; the verdict follows."""
        sign = text.partition(",")[0]
        if sign == _DECLARES:
            self._recording.declare()
        elif sign != _RESIGNS:
            _log.warning("during the game: %r", text)

    def _on_move(self, text: str, rest: str) -> None:
        position = self._position
        try:
            move = position.usi(text)
        except ValueError as error:
            _log.warning("%r is ignored: %s", text, error)
            return
        if text[0] == self._own and text != self._sent:
            _log.warning("the server says that we have played %s, but we sent %s", text, self._sent or "nothing")
            self._forget_search()
        found = _TIME.search(rest)
        units = int(found[1]) if found else 0
        if found is None:
            _log.warning("%s comes without its time", text)
        comment = self._comment if text[0] == self._own and text == self._sent else ""
        control = self._summary.times[text[0]]
        self._clocks[text[0]].spend(units)
        position.play(move)
        self._plies += 1
        self._recording.add(move, units * control.unit_ms / 1000, comment)
        self._sent, self._comment = None, ""
        self._begin_turn(move)

    def _on_interrupt(self) -> None:
        if self._talk.stop.level == 1:
            _log.warning("this game is played to its end; once more: resign and leave")
        elif not self._reason:
            if self._is_own_turn and self._sent is None:
                self._say(_RESIGNS)
            self._deadline = time.monotonic() + _LEAVE_S

    def _on_silence(self) -> None:
        """Nothing has happened until the deadline."""
        self._deadline = None
        if self._reason:
            self._end(self._reason, self._guess())
        elif self._talk.stop.level == 2:
            self._end("left", "unknown")
        elif self._is_own_turn and self._sent is None and not self._search_number:
            self._go_on()
        else:
            self._end("the server is silent", "unknown")

    # Turns.

    @property
    def _is_own_turn(self) -> bool:
        return self._position.color == self._own

    def _begin_turn(self, last: str | None = None) -> None:
        """After the move `last`."""
        if not self._is_own_turn:
            self._deadline = self._silent_until()
            return
        self._deadline = None
        if self._talk.stop.level == 2:
            self._say(_RESIGNS)
            self._deadline = time.monotonic() + _LEAVE_S
        elif self._position.is_mated:
            self._forget_search()
            self._say(_RESIGNS)
            self._deadline = time.monotonic() + self._settings.patience_s
        elif self._position.is_over:
            self._forget_search()
            _log.info("by our rules the game is over: waiting for the server's verdict")
            clock = self._clocks[self._own]
            most = clock.max_ms / 4000 if clock.control.has_clock else self._settings.verdict_s
            self._deadline = time.monotonic() + min(self._settings.verdict_s, most)
        elif last is not None and last == self._pondered:
            self._on_ponder_hit()
        else:
            self._think()

    def _on_ponder_hit(self) -> None:
        self._pondered = None
        if self._early is not None:
            decision, self._early = self._early, None
            self._act(decision)
        else:
            self._searches.hit(limits_of(self._clocks, self._own, max_seconds=self._settings.max_seconds))

    def _forget_search(self) -> None:
        self._search_number = 0
        self._pondered = self._early = None
        self._searches.end()

    def _think(self) -> None:
        self._forget_search()
        state = self._position.state
        assert state is not None
        limits = limits_of(self._clocks, self._own, max_seconds=self._settings.max_seconds)
        self._search_number = self._searches.begin(state, limits)

    def _go_on(self) -> None:
        """The server has not ended a game that is over by our rules, so it counts otherwise; or we are mated."""
        if self._position.go_on():
            _log.warning("no verdict: the server plays on")
            self._think()
        else:
            self._say(_RESIGNS)

    def _ponder(self, decision: Decision) -> None:
        """On the opponent's time, about the answer that is expected. The move itself is already on its way."""
        position, answer = self._position, decision.ponder
        if not self._settings.ponder or answer is None or position.state is None:
            return
        try:
            state = position.state.play(decision.move).play(answer)
        except ValueError as error:
            _log.warning("%s can't be pondered on: %s", answer, str(error).splitlines()[0])
            return
        if state.actor is None:
            return
        self._pondered = answer
        limits = limits_of(self._clocks, self._own, max_seconds=self._settings.max_seconds, is_ponder=True)
        self._search_number = self._searches.begin(state, limits)

    def _act(self, decision: Decision) -> None:
        position = self._position
        assert position.state is not None
        if decision.move == RESIGN:
            self._say(_RESIGNS)
        elif decision.move == WIN:
            self._say(_DECLARES)
        else:
            try:
                position.state.play(decision.move)
            except ValueError as error:
                decision = self._fallback(f"the search answered {decision.move!r}: {str(error).splitlines()[0]}")
            text = position.csa(decision.move)
            self._comment = format_evaluation(position.board, decision)
            with_comment = self._comment and self._settings.with_comments
            self._say(f"{text},'* {self._comment}" if with_comment else text)
            self._sent = text
            self._ponder(decision)
        # The echo should be there at once; a server polls for what else may have happened.
        self._deadline = time.monotonic() + self._settings.patience_s

    def _fallback(self, why: str) -> Decision:
        """Any legal move: better than none. The position is one that is not over."""
        state = self._position.state
        assert state is not None
        name = next(state.game.name(action) for action in state.legal() if state.game.name(action) != WIN)
        _log.error("%s; %s is played instead", why, name)
        return Decision(name)

    def _say(self, text: str) -> None:
        """Once a turn."""
        self._sent = text
        try:
            self._talk.send(text)
        except ServerLost as error:
            # The verdict may still be on its way to us: what ends the game is the end of what can be read.
            _log.warning("%s could not be sent: %s", text.partition(",")[0], error)

    def _silent_until(self) -> float | None:
        """When the opponent's time is long over and the server should have said so."""
        theirs = self._clocks[self._position.color]
        if not theirs.control.has_clock:
            return None
        return time.monotonic() + theirs.max_ms / 1000 + self._settings.patience_s

    # The end.

    def _guess(self) -> str:
        """The outcome, where the server gave a reason and vanished before it said who has won."""
        if self._reason == "#RESIGN":
            return "loss" if self._sent == _RESIGNS else "win"
        return {"#SENNICHITE": "draw", "#MAX_MOVES": "censored"}.get(self._reason, "unknown")

    def _end(self, reason: str, outcome: str) -> None:
        self._result = GameResult(reason, outcome, self._plies)
