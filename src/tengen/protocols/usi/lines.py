"""What a tree says, as USI says it: scores, main lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from tengen.games import GameError
from tengen.protocols.usi.decision import WIN, Info, Line, Score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen import _core
    from tengen.games import State
    from tengen.games.shogi.mate import MateSolver

__all__ = ["centipawns", "complete_mate", "info_of", "line_of", "value_of"]

_SURE: Final = 1e-6
_REST_NODES: Final = 3_000
"""To find the rest of a mate of few plies that is known to be there: it must not take time, for there is none left."""
MATE: Final = "no moves"
"""How the game ends by mate."""


def centipawns(value: float, coefficient: int) -> int:
    """Of what a position is worth: 1 a win, -1 a loss."""
    share = min(max((value + 1) / 2, _SURE), 1 - _SURE)
    return round(coefficient * math.log(share / (1 - share)))


def value_of(score: int, coefficient: int) -> float:
    """The other way."""
    return 2 / (1 + math.exp(-score / coefficient)) - 1


def line_of(state: State, move: _core.MoveReport, coefficient: int) -> Line:
    game = state.game
    value = move.values[move.player] / game.payoff_scale
    names = tuple(game.name(action) for action in move.line)
    pv = names[: names.index(WIN)] if WIN in names else names
    if move.proven and abs(value) > 1 - _SURE:
        return Line(_mate_score(state, move.line, is_won=value > 0), pv, move.visits)
    return Line(Score(cp=centipawns(value, coefficient)), pv, move.visits)


def _mate_score(state: State, line: Sequence[int], *, is_won: bool) -> Score:
    try:
        for action in line:
            state = state.play(action)
    except GameError:
        return Score(is_won=is_won)
    if state.is_over and state.game.end(state) == MATE:  # type: ignore[attr-defined]
        return Score(mate=len(line) if is_won else -len(line))
    return Score(is_won=is_won)


def complete_mate(state: State, line: Line, solver: MateSolver) -> Line:
    """A line that is proven to win or lose, to the mate itself where the solver finds it: the tree ends where it knows
    enough."""
    if line.score.is_won is None:
        return line
    end = state
    for name in line.pv:
        end = end.play(name)
    # Who mates must be to move.
    if end.is_over or (end.actor == state.actor) != line.score.is_won:
        return line
    rest = solver.solve(end, _REST_NODES)
    if not rest.is_mate:
        return line
    pv = line.pv + tuple(map(end.game.name, rest.line))
    return Line(Score(mate=len(pv) if line.score.is_won else -len(pv)), pv, line.visits)


def info_of(
    state: State,
    moves: Sequence[_core.MoveReport],
    coefficient: int,
    *,
    elapsed_ms: int,
    nodes: int,
    hashfull: int,
) -> Info:
    """Of the moves to show, the best first."""
    lines = tuple(line for line in (line_of(state, move, coefficient) for move in moves) if line.pv)
    depths = [len(line.pv) for line in lines] or [0]
    return Info(max(1, depths[0]), max([1, *depths]), elapsed_ms, nodes, hashfull, lines)
