"""What follows `position`: a start and moves, as states of the game."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from tengen.games import GameError
from tengen.games.shogi.notation import WIN, action_of_usi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games import State
    from tengen.games.shogi import Shogi

__all__ = ["PositionReader"]

_START = "startpos"


class PositionReader:
    """Reads positions, each from where it goes on from the last one."""

    def __init__(self, game: Shogi) -> None:
        self._game = game
        self._head = _START
        self._moves: list[str] = []
        self._state = game.start()

    @property
    def state(self) -> State:
        """The last one that was read, as far as it is legal."""
        return self._state

    def read(self, words: Sequence[str]) -> list[str]:
        """Answers what is wrong with it. What is illegal ends it: the position before stays."""
        at = list(words).index("moves") if "moves" in words else len(words)
        head, moves = words[:at], words[at + 1 :]
        if not head or head[0] not in (_START, "sfen") or (head[0] == _START and len(head) > 1):
            return [f"position {' '.join(words)[:100]!r}: expected startpos or sfen, then moves"]
        return self._read(self._game, " ".join(head), list(moves))

    def use(self, game: Shogi) -> None:
        """The same position under other rules."""
        if game != self._game:
            self._read(game, self._head, self._moves)

    def _read(self, game: Shogi, head: str, moves: list[str]) -> list[str]:
        if self._head == head and self._game == game and moves[: len(self._moves)] == self._moves:
            state, done = self._state, len(self._moves)
        else:
            try:
                with warnings.catch_warnings():
                    # Problems with more pawns than there are, or fewer, are thought about all the same.
                    warnings.simplefilter("ignore")
                    state, done = game.start(sfen=None if head == _START else head.removeprefix("sfen ")), 0
            except (GameError, ValueError) as error:
                return [f"position {head[:100]!r}: {error}"]
        problems: list[str] = []
        for number, name in enumerate(moves[done:], done + 1):
            action = action_of_usi(name)
            try:
                if action is None or action == WIN:
                    raise GameError("it is no move")
                state = state.follow(action, game.shogi.replay(state.position, action))
            except ValueError:
                problems = [f"move {number} of the position is illegal: {name[:20]!r}; what comes before it stays"]
                moves = moves[: number - 1]
                break
        self._game, self._head, self._moves, self._state = game, head, moves, state
        return problems
