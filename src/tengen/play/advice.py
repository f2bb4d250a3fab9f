"""Values of moves for hints and for reviews of a game, computed from what the player sees."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tengen.games import GameError
from tengen.play.game_text import lead, win_rate, wins_of_value
from tengen.play.translation import words_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games import State
    from tengen.play.opponents import SearchOpponent
    from tengen.search import Move, SearchResult

__all__ = ["Advice", "Adviser", "SearchAdviser", "describe_line"]

# In a hidden game with at most this many moves, every move is examined.
_FEW = 40
_PLAYED_SHARE = 4
# With fewer visits, which may be enough for playing, the order of close moves is random.
_LEAST_VISITS = 4000


@dataclass(frozen=True)
class Advice:
    """One move. Values are for who is to move, in the game's unit."""

    action: int
    name: str
    value: float
    error: float | None = None
    """The standard error of the value."""
    win_rate: float | None = None
    """Win rate if the game can be won; a draw counts as half a win."""
    lead: float | None = None
    """In points, where the game counts such."""
    share: float | None = None
    """In what the search stands for."""
    visits: int | None = None
    proven: bool = False
    line: tuple[str, ...] = ()


class Adviser(Protocol):
    def note(self, lang: str) -> str:
        """How the last values came about, in a language, where that is to be known; else empty."""

    def hint(self, state: State, seat: int) -> list[Advice]:
        """The best move first."""

    def judge(self, state: State, seat: int, played: int, seconds: float) -> list[Advice]:
        """Like hint(), but the move that was played is always among the moves."""


class SearchAdviser:
    """By search: by the computer's trees, or by its flat Monte Carlo."""

    def __init__(self, computer: SearchOpponent) -> None:
        self._computer = computer
        self._deals = 0

    def note(self, lang: str) -> str:
        if not self._deals:
            return ""
        text = "By {deals:,} deals that you could be facing, the same for each move, and quick play to the end."
        return words_in(lang)(text, deals=self._deals)

    def hint(self, state: State, seat: int) -> list[Advice]:
        if not state.game.hidden:
            return self._read(self._computer.search(state, seat), seat)
        return self._study(state, seat, None)

    def judge(self, state: State, seat: int, played: int, seconds: float) -> list[Advice]:
        return self._study(state, seat, played, seconds)

    def _study(self, state: State, seat: int, played: int | None, seconds: float | None = None) -> list[Advice]:
        """Search a position; in a hidden game every move gets visits, so that each has a value."""
        legal = state.legal(seat)
        visits = self._computer.visits if self._computer.is_flat else max(self._computer.visits, _LEAST_VISITS)
        if not state.game.hidden or len(legal) > _FEW:
            include = [] if played is None or state.actor == "all" else [played]
            result = self._computer.study(state, seat, include, visits // _PLAYED_SHARE, visits, seconds)
            return self._read(result, seat)
        result = self._computer.study(state, seat, legal, visits // (2 * len(legal)), visits, seconds)
        return sorted(self._read(result, seat), key=lambda advice: -advice.value)

    def _read(self, result: SearchResult, seat: int) -> list[Advice]:
        moves = [move for move in result.moves if move.player == seat]
        self._deals = min((move.visits for move in moves), default=0) if result.is_flat else 0
        return [_advice(move, result, seat) for move in moves]


def describe_line(state: State, actions: Sequence[int]) -> tuple[str, ...]:
    """Return the names of a line of actions, each as the game describes it in the position before it.

    The line of a hidden game depends on what the players hold, so its names are those that every position shares.
    """
    game = state.game
    names: list[str] = []
    if not game.hidden:
        with suppress(GameError):
            for action in actions:
                if not isinstance(state.actor, int):
                    break
                after = state.play(action)
                names.append(game.describe_action(state.position, state.actor, action))
                state = after
    return (*names, *map(game.display_name, actions[len(names) :]))


def _advice(move: Move, result: SearchResult, seat: int) -> Advice:
    game = result.state.game
    wins = win_rate(game, seat, move.aux)
    return Advice(
        action=move.action,
        name=game.describe_action(result.state.position, seat, move.action),
        value=move.value,
        error=move.error,
        win_rate=wins_of_value(game, move.value) if wins is None else wins,
        lead=lead(game, seat, move.aux),
        share=None if result.is_flat else move.policy,
        visits=None if result.is_flat else move.visits,
        proven=move.proven,
        line=() if result.is_joint else describe_line(result.state, move.pv_actions),
    )
