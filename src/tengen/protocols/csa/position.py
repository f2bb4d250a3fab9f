"""Where a game stands: by the server's word, and by our rules."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Protocol

from tengen.games import GameError
from tengen.games.shogi.records import format_csa_move, parse_csa_move

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.games import State
    from tengen.games.shogi import Shogi
    from tengen.protocols.csa.summary import GameSummary
    from tengen.protocols.usi.decision import Decision, Info
    from tengen.protocols.usi.limits import Limits

__all__ = ["GamePosition", "Thinker"]

_log = logging.getLogger(__name__)


class Thinker(Protocol):
    """What plays: ShogiEngine, or what can be called as it is."""

    @property
    def game(self) -> Shogi: ...
    def set_option(self, name: str, text: str) -> Any: ...
    def prepare(self) -> Any: ...
    def start_game(self) -> None: ...
    def begin(self, state: State, limits: Limits) -> Any: ...
    def run(self, thinking: Any, on_info: Callable[[Info], None] | None = None) -> Decision: ...
    def stop(self) -> None: ...
    def ponderhit(self, limits: Limits | None = None) -> None: ...


class GamePosition:
    """The server's word is what counts: a move that our rules forbid is followed too, as long as a piece is there to
    make it, and a game that our rules end goes on as long as the server says so."""

    def __init__(self, summary: GameSummary, engine: Thinker) -> None:
        """Raises GameError where the rules know no such position."""
        self._engine = engine
        engine.set_option("MaxMovesToDraw", str(summary.max_moves))
        engine.set_option("EnteringKingRule", summary.declaration)
        engine.prepare()
        engine.start_game()
        self.board = summary.board
        self.state: State | None = engine.game.start(sfen=self.board.sfen())
        """None where our rules do not know the position."""
        for move, _ in summary.moves:
            self.play(move)

    @property
    def color(self) -> str:
        """Whose turn it is."""
        return "+-"[self.board.side]

    @property
    def is_over(self) -> bool:
        """By our rules, or not to be judged by them."""
        return self.state is None or self.state.actor is None

    @property
    def is_mated(self) -> bool:
        """Who is to move can't."""
        return self.state is not None and self._engine.game.end(self.state) == "no moves"

    def usi(self, text: str) -> str:
        """Of a CSA move. Raises ValueError where it can't be carried out."""
        move = parse_csa_move(self.board, text)
        self.board.after(move)
        return move

    def csa(self, move: str) -> str:
        """Of a USI move that can be carried out; ValueError where it can't."""
        self.board.after(move)
        return format_csa_move(self.board, move)

    def play(self, move: str) -> None:
        """A USI move that can be carried out."""
        self.board = self.board.after(move)
        if self.state is not None:
            try:
                self.state = self._engine.game.replay(self.state, [move])
            except GameError as error:
                _log.warning("the server took %s, which our rules forbid: %s", move, str(error).splitlines()[0])
                self.state = None
        if self.state is None:
            self.forget_past()

    def forget_past(self) -> None:
        """The position as it stands, nothing repeated."""
        try:
            self.state = self._engine.game.start(sfen=self.board.sfen())
        except GameError as error:
            _log.warning("a position that our rules do not know: %s", str(error).splitlines()[0])
            self.state = None

    def go_on(self) -> bool:
        """For when the server plays on where our rules have ended the game. Returns whether there is a move."""
        self._engine.set_option("MaxMovesToDraw", "0")
        self.forget_past()
        return not self.is_over
