"""The computers at the tables: each seat's own, with what they judge by shared."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING

from tengen.arena import find_player
from tengen.console.levels import level_player, read_level
from tengen.play import ArenaOpponent, Follower, make_champion

if TYPE_CHECKING:
    from tengen.games import Game, State
    from tengen.play import Advice, Adviser, Choice, Opponent

__all__ = ["Computers"]

_SECONDS = 5.0
_HINT_SECONDS = 3.0
_MOST_KEPT = 64


class Computers:
    """From any thread; what thinks blocks."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        """`seconds` is the time limit of a search."""
        self._seconds = seconds
        self._lock = threading.Lock()
        self._players: dict[tuple[Game, str], tuple[threading.Lock, Opponent]] = {}
        self._followers: dict[tuple[str, int], tuple[threading.Lock, Follower]] = {}
        self._advisers: dict[Game, tuple[threading.Lock, Adviser]] = {}

    def choose(self, table: str, game: Game, level: str, state: State, seat: int) -> Choice:
        """Return the choice of the computer at a seat of a table."""
        with self._lock:
            if (table, seat) not in self._followers:
                self._trim()
                lock, opponent = self._opponent(game, level)
                self._followers[table, seat] = lock, Follower(opponent)
            lock, follower = self._followers[table, seat]
        with lock:
            return follower.choose(state, seat)

    def forget(self, table: str) -> None:
        with self._lock:
            for key in [key for key in self._followers if key[0] == table]:
                del self._followers[key]

    def hint(self, state: State, seat: int, lang: str = "en") -> tuple[list[Advice], str]:
        """The best moves first, and how the values came about, in a language."""
        lock, adviser = self._adviser(state.game)
        with lock:
            return adviser.hint(state, seat), adviser.note(lang)

    def judge(self, state: State, seat: int, action: int) -> list[Advice]:
        lock, adviser = self._adviser(state.game)
        with lock:
            return adviser.judge(state, seat, action, _HINT_SECONDS)

    def _opponent(self, game: Game, level: str) -> tuple[threading.Lock, Opponent]:
        """Return the opponent and its lock: it can think about one position at a time."""
        name = read_level(level)
        if name == "champion":
            return threading.Lock(), make_champion(game, random.Random(), self._seconds)[1]
        # These judge every position anew, so that all tables may share one.
        if (game, name) not in self._players:
            player = find_player(level_player(name, game), game)
            self._players[game, name] = threading.Lock(), ArenaOpponent(player, random.Random())
        return self._players[game, name]

    def _adviser(self, game: Game) -> tuple[threading.Lock, Adviser]:
        with self._lock:
            if game not in self._advisers:
                if len(self._advisers) >= _MOST_KEPT:
                    self._advisers.pop(next(iter(self._advisers)))
                self._advisers[game] = threading.Lock(), make_champion(game, random.Random(), _HINT_SECONDS)[0]
            return self._advisers[game]

    def _trim(self) -> None:
        while len(self._followers) >= _MOST_KEPT:
            self._followers.pop(next(iter(self._followers)))
