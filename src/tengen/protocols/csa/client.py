"""Games one after another: a connection for each, and another try when one fails."""

from __future__ import annotations

import logging
import queue
import random
import time
from typing import TYPE_CHECKING

from tengen.protocols.csa.conversation import Conversation, StopRequest
from tengen.protocols.csa.errors import LoginRefused, ServerLost
from tengen.protocols.csa.game import CsaGame
from tengen.protocols.csa.login_lock import lock_login
from tengen.protocols.csa.position import GamePosition
from tengen.protocols.csa.recording import Recording
from tengen.protocols.csa.settings import check_password

if TYPE_CHECKING:
    from tengen.protocols.csa.conversation import Event
    from tengen.protocols.csa.game import GameResult
    from tengen.protocols.csa.position import Thinker
    from tengen.protocols.csa.settings import CsaSettings
    from tengen.protocols.csa.summary import GameSummary

__all__ = ["CsaClient"]

_log = logging.getLogger(__name__)


class CsaClient:
    """Plays on a server under a name that nobody else on this machine plays under at the time."""

    def __init__(self, settings: CsaSettings, password: str, engine: Thinker, stop: StopRequest | None = None) -> None:
        """`engine` is ready to think; it is not closed here."""
        self.settings = settings
        self._password = check_password(password)
        self._engine = engine
        self.stop = stop or StopRequest()
        self.results: list[GameResult] = []
        self._failures = 0
        """Since the last game."""
        self._has_been_in = False
        """The server has taken the login once."""

    def run(self) -> list[GameResult]:
        """Plays until all games are played or somebody wants to stop. Raises LoginRefused and NameTaken; and ServerLost
        where the server can't be reached from the beginning."""
        with lock_login(self.settings.host, self.settings.port, self.settings.name):
            while self.stop.level == 0 and not self._is_done:
                try:
                    if not self._play_one():
                        self._pause()
                except ServerLost as error:
                    _log.warning("%s", error)
                    if not self._has_been_in and self._failures + 1 >= self.settings.first_tries:
                        raise
                    self._pause()
                except LoginRefused as error:
                    # The server may still hold our last connection; but a wrong password stays wrong.
                    if not self._has_been_in or self._failures + 1 >= self.settings.first_tries:
                        raise
                    _log.warning("%s", error)
                    self._pause()
                except Exception:
                    # The outermost loop: a fault of ours costs this game, not all that follow.
                    if not self._has_been_in:
                        raise
                    _log.exception("this game failed")
                    self._pause()
        return self.results

    @property
    def _is_done(self) -> bool:
        return self.settings.games is not None and len(self.results) >= self.settings.games

    def _play_one(self) -> bool:
        """One connection. Returns whether there was a game."""
        with Conversation(self.settings, self.stop) as talk:
            talk.login(self._password)
            self._has_been_in = True
            game = talk.await_game(lambda summary: GamePosition(summary, self._engine))
            if game is not None:
                self.results.append(self._play(talk, *game))
                self._failures = 0
            talk.logout()
        return game is not None

    def _play(self, talk: Conversation, summary: GameSummary, position: GamePosition) -> GameResult:
        number = len(self.results) + 1
        _log.info("game %d: %s against %s", number, summary.game_id, summary.opponent)
        recording = Recording(self.settings.records, summary)
        result = CsaGame(talk, summary, position, self._engine, recording).play()
        _log.info("game %d: %s, %s after %d plies", number, result.outcome, result.reason, result.plies)
        return result

    def _pause(self) -> None:
        """Longer each time, and not in step with others who were thrown out at the same moment."""
        pause = min(self.settings.longest_pause_s, 2.0**self._failures) * random.uniform(0.75, 1.0)
        self._failures += 1
        _log.info("next try in %.0f s", pause)
        inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.stop.tell(inbox)
        until = time.monotonic() + pause
        while self.stop.level == 0 and (left := until - time.monotonic()) > 0:
            try:
                inbox.get(timeout=left)
            except queue.Empty:
                break
        self.stop.tell(None)
