"""Mates by checks alone, proven: a df-pn solver in the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen import _core
from tengen.games.errors import GameError

if TYPE_CHECKING:
    from tengen.games.shogi import Shogi
    from tengen.games.state import State

__all__ = ["MateAnswer", "MateSolver"]


@dataclass(frozen=True)
class MateAnswer:
    """What a solver knows of a position."""

    is_mate: bool | None
    """Whether the side to move mates, giving check with every move. None: the nodes did not suffice to know, or it was
    stopped."""
    line: tuple[int, ...]
    """Actions up to the mate, the defender holding out as long as is known. It need not be the shortest mate."""
    nodes: int


class MateSolver:
    """Looks for mates of one position after the other.

    Interpositions that only put the mate off count as moves. A position that has come twice in the game is not entered
    again, and where that leaves something out the answer is None instead of False.
    """

    def __init__(self, megabytes: int = 64) -> None:
        self._core = _core.ShogiMateSolver(megabytes)

    def solve(self, state: State, nodes: int = 1_000_000) -> MateAnswer:
        """Without the GIL, so that others go on. Raises a GameError where nobody is to move."""
        if state.actor is None:
            raise GameError("the game is over: there is no mate to look for")
        game: Shogi = state.game  # type: ignore[assignment]
        verdict, line, looked_at = self._core.solve(game.shogi, state.position, nodes)
        return MateAnswer({0: None, 1: True, 2: False}[verdict], tuple(line), looked_at)

    def stop(self) -> None:
        """Ends a solve() of another thread soon, or the next one at once."""
        self._core.stop()
