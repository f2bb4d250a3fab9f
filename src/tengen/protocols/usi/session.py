"""A USI session: it handles lines while a search runs in a second thread."""

from __future__ import annotations

import logging
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from tengen.games import GameError
from tengen.protocols.usi.decision import RESIGN, WIN, Decision
from tengen.protocols.usi.go_command import parse_go
from tengen.protocols.usi.limits import Limits
from tengen.protocols.usi.options import OptionError
from tengen.protocols.usi.output import (
    format_bestmove,
    format_checkmate,
    format_info,
    format_introduction,
    format_quick_info,
)
from tengen.protocols.usi.positions import PositionReader
from tengen.protocols.usi.wire import ascii_line, words_of_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.games import State
    from tengen.protocols.usi.decision import Info
    from tengen.protocols.usi.engine import ShogiEngine
    from tengen.protocols.usi.thinking import Thinking

__all__ = ["UsiSession"]

_log = logging.getLogger(__name__)

_LONGEST_NOTE: Final = 300
_OTHER_MODELS: Final = ("", "champion", "rollout")
"""Networks to use if one can't be used; the last one needs no file, because an added network may be missing, too."""


class _Job:
    """A search in the session's second thread."""

    def __init__(self, thread: ThreadPoolExecutor, thinking: Thinking, work: Callable[[_Job], None]) -> None:
        self.thinking = thinking
        self.is_ending = False
        """True if nothing may follow the response of the search."""
        self._future = thread.submit(work, self)

    def join(self) -> None:
        self._future.result()

    @property
    def is_alive(self) -> bool:
        return not self._future.done()


class UsiSession:
    """A session that handles one line at a time. `write` gets lines without their newline, from two threads.

    Every `go` has exactly one `bestmove` or `checkmate` as its response, whatever comes in between.
    """

    def __init__(self, engine: ShogiEngine, write: Callable[[str], None], *, name: str = "Tengen") -> None:
        self.engine = engine
        self.name = name
        self.is_over = False
        self._write = write
        self._log_file: IO[str] | None = None
        self._log_name = ""
        self._lock = threading.Lock()
        self._positions = PositionReader(engine.game)
        self._job: _Job | None = None
        # One thread for all searches: starting a thread makes both threads wait for each other.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            "usi": self._usi,
            "isready": self._isready,
            "setoption": self._setoption,
            "usinewgame": self._usinewgame,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "gameover": self._gameover,
            "quit": self._quit,
        }

    # Lines.

    def handle(self, line: bytes) -> None:
        """Handle a line of input, which may be anything. Never raises."""
        words = words_of_line(line)
        if not words:
            return
        self._open_log()
        self._record("<", " ".join(words))
        command = self._commands.get(words[0])
        if command is None:
            self._note(f"unknown command {words[0][:50]!r}")
            return
        try:
            command(words[1:])
        except Exception as error:  # noqa: BLE001 - the outermost loop: a fault must not end the game
            _log.exception("a USI command failed")
            self._note(f"{words[0]} failed: {type(error).__name__}: {error}")

    def say(self, line: str) -> None:
        text = ascii_line(line)
        self._record(">", text)
        self._write(text)

    def close(self) -> None:
        self._end_job()
        self._thread.shutdown()
        self.engine.close()
        if self._log_file is not None:
            self._log_file.close()
            self._log_file = None

    def _note(self, text: str) -> None:
        self.say(f"info string {' '.join(text.split())[:_LONGEST_NOTE]}")

    def _record(self, direction: str, text: str) -> None:
        if self._log_file is not None:
            with self._lock:
                self._log_file.write(f"{direction} {text}\n")
                self._log_file.flush()

    def _open_log(self) -> None:
        wanted = self.engine.settings.debug_log
        if wanted == self._log_name:
            return
        if self._log_file is not None:
            self._log_file.close()
        self._log_name, self._log_file = wanted, None
        try:
            self._log_file = Path(wanted).open("a", encoding="utf-8") if wanted else None  # noqa: SIM115 - stays open
        except OSError as error:
            self._note(f"WriteDebugLog: {error}")

    # Commands.

    def _usi(self, _: Sequence[str]) -> None:
        for line in format_introduction(self.name, self.engine.settings):
            self.say(line)

    def _isready(self, _: Sequence[str]) -> None:
        self._end_job()
        self._prepare()
        self.say("readyok")

    def _prepare(self) -> None:
        """Prepare the engine, with another network if the chosen one can't be used: the board waits for a move."""
        for other in _OTHER_MODELS:
            try:
                notes = self.engine.prepare()
                break
            except (ValueError, OSError) as error:
                self._note(f"DNN_Model {self.engine.settings.model!r} can't be used: {error}")
                self.engine.set_option("DNN_Model", other)
        else:
            notes = self.engine.prepare()
        for note in notes:
            self._note(note)

    def _setoption(self, words: Sequence[str]) -> None:
        if words[:1] != ["name"] or len(words) < 2:
            self._note("setoption: expected name NAME value VALUE")
            return
        at = words.index("value") if "value" in words else len(words)
        try:
            self.engine.set_option(" ".join(words[1:at]), " ".join(words[at + 1 :]))
        except OptionError as error:
            self._note(str(error))
        self._open_log()

    def _usinewgame(self, _: Sequence[str]) -> None:
        self._end_job()
        self.engine.start_game()

    def _position(self, words: Sequence[str]) -> None:
        self._positions.use(self.engine.game)
        for problem in self._positions.read(words):
            self._note(problem)

    def _go(self, words: Sequence[str]) -> None:
        self._end_job()
        asked = parse_go(words)
        for problem in asked.problems:
            self._note(problem)
        self._positions.use(self.engine.game)
        thinking = self.engine.begin(self._positions.state, asked.limits)
        if asked.mate_s is None:
            self._job = _Job(self._thread, thinking, self._think)
        else:
            seconds = asked.mate_s
            self._job = _Job(self._thread, thinking, lambda job: self._find_mate(job, seconds))

    def _stop(self, _: Sequence[str]) -> None:
        self._end_job()

    def _ponderhit(self, words: Sequence[str]) -> None:
        self.engine.ponderhit(parse_go(words).limits)

    def _gameover(self, _: Sequence[str]) -> None:
        self._end_job()
        self.engine.start_game()

    def _quit(self, _: Sequence[str]) -> None:
        self._end_job()
        self.is_over = True

    # The search.

    def _end_job(self) -> None:
        """End the running search; its response is written when this method returns."""
        job = self._job
        if job is None:
            return
        with self._lock:
            job.is_ending = True
            job.thinking.stop()
        job.join()
        self._job = None

    def _think(self, job: _Job) -> None:
        state = job.thinking.state
        try:
            self._prepare()
            decision = self.engine.run(job.thinking, self._tell)
            if decision.info is None or not decision.info.lines:
                for line in format_quick_info(decision):
                    self.say(line)
        except Exception as error:  # noqa: BLE001 - the outermost loop of this thread: a move must come
            _log.exception("a search failed")
            self._note(f"the search failed: {type(error).__name__}: {error}")
            job.thinking.wait()
            decision = Decision(_any_move(state))
        settings = job.thinking.settings
        self.say(format_bestmove(decision, with_ponder=settings.ponder and not settings.stochastic_ponder))
        if settings.stochastic_ponder and job.thinking.limits.has_clock and decision.move not in (WIN, RESIGN):
            self._ponder_on(job, state, decision.move)

    def _tell(self, info: Info) -> None:
        for line in format_info(info, is_numbered=self.engine.settings.multi_pv > 1):
            self.say(line)

    def _ponder_on(self, job: _Job, state: State, move: str) -> None:
        """Search all replies of the opponent until the next command."""
        try:
            after = state.play(move)
            with self._lock:
                if job.is_ending or after.is_over:
                    return
                job.thinking = self.engine.begin(after, Limits(is_ponder=True))
                job.thinking.is_background = True
            self.engine.run(job.thinking)
        except Exception:  # noqa: BLE001 - the outermost loop of this thread; nobody waits for an answer
            _log.exception("pondering failed")

    def _find_mate(self, job: _Job, seconds: float) -> None:
        try:
            answer = self.engine.find_mate(job.thinking, None if seconds == math.inf else seconds)
            self.say(format_checkmate(answer))
        except Exception as error:  # noqa: BLE001 - the outermost loop of this thread: an answer must come
            _log.exception("a mate search failed")
            self._note(f"the mate search failed: {type(error).__name__}: {error}")
            self.say("checkmate timeout")


def _any_move(state: State) -> str:
    try:
        return state.game.name(state.legal()[0])
    except (IndexError, GameError):
        return RESIGN
