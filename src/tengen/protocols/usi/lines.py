"""Scores and main lines of a tree in the form of USI."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from tengen.games import GameError
from tengen.protocols.usi.decision import WIN, Info, Line, Score

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tengen import _core
    from tengen.games import State
    from tengen.games.shogi.mate import MateSolver

__all__ = ["centipawns", "complete_mate", "info_of", "line_of", "mate_score", "ranked", "value_of"]

_SURE: Final = 1e-6
_REST_NODES: Final = 3_000
"""Nodes for finding the rest of a known short mate; few, because the time of the move is used up."""
MATE: Final = "no moves"
"""Name of an end by mate in the game."""


def centipawns(value: float, coefficient: int) -> int:
    """Return the centipawns of a value from -1, a loss, to 1, a win."""
    share = min(max((value + 1) / 2, _SURE), 1 - _SURE)
    return round(coefficient * math.log(share / (1 - share)))


def value_of(score: int, coefficient: int) -> float:
    """Return the value of a score; the inverse of centipawns()."""
    return 2 / (1 + math.exp(-score / coefficient)) - 1


def line_of(state: State, move: _core.MoveReport, coefficient: int) -> Line:
    game = state.game
    value = move.values[move.player] / game.payoff_scale
    names = tuple(game.name(action) for action in move.line)
    pv = names[: names.index(WIN)] if WIN in names else names
    if move.proven and abs(value) > 1 - _SURE:
        return Line(mate_score(state, move.line, is_won=value > 0), pv, move.visits)
    return Line(Score(cp=centipawns(value, coefficient)), pv, move.visits)


def mate_score(state: State, line: Sequence[int], *, is_won: bool) -> Score:
    try:
        for action in line:
            state = state.play(action)
    except GameError:
        return Score(is_won=is_won)
    if state.is_over and state.game.end(state) == MATE:  # type: ignore[attr-defined]
        return Score(mate=len(line) if is_won else -len(line))
    return Score(is_won=is_won)


def complete_mate(state: State, line: Line, solver: MateSolver) -> Line:
    """Return a proven line extended to the mate, if the solver finds it: the tree stops when the result is known."""
    if line.score.is_won is None:
        return line
    end = state
    for name in line.pv:
        end = end.play(name)
    # The side that mates must be to move.
    if end.is_over or (end.actor == state.actor) != line.score.is_won:
        return line
    rest = solver.solve(end, _REST_NODES)
    if not rest.is_mate:
        return line
    pv = line.pv + tuple(map(end.game.name, rest.line))
    return Line(Score(mate=len(pv) if line.score.is_won else -len(pv)), pv, line.visits)


def ranked(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Return lines by their scores, the best first; of equal ones the earlier stays before the other."""
    return tuple(sorted(lines, key=lambda line: _rank(line.score), reverse=True))


def _rank(score: Score) -> tuple[int, int]:
    """Order mates before other scores, the shortest first, and being mated after them, the soonest last."""
    if score.mate is not None:
        return (3, -score.mate) if score.mate > 0 else (-3, -score.mate)
    if score.is_won is not None:
        return (2, 0) if score.is_won else (-2, 0)
    return (0, score.cp or 0)


def info_of(
    state: State,
    moves: Sequence[_core.MoveReport],
    coefficient: int,
    *,
    elapsed_ms: int,
    nodes: int,
    hashfull: int,
) -> Info:
    """Return what is shown of these moves, ranked by score."""
    lines = ranked(line for line in (line_of(state, move, coefficient) for move in moves) if line.pv)
    depths = [len(line.pv) for line in lines] or [0]
    return Info(max(1, depths[0]), max([1, *depths]), elapsed_ms, nodes, hashfull, lines)
