"""What a program thinks of its move, in floodgate's form: `'* 30 +7776FU -3334FU`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.games.shogi.records import format_csa_move

if TYPE_CHECKING:
    from tengen.games.shogi.records import Board
    from tengen.protocols.usi.decision import Decision

__all__ = ["format_evaluation"]

_LONGEST_LINE: Final = 20
"""Moves of a variation that are told."""


def format_evaluation(board: Board, decision: Decision) -> str:
    """Score in centipawns from Black's view, then the variation, which begins with the move; empty without a score.

    `board` is that before the move.
    """
    if decision.score is None:
        return ""
    score = decision.score.centipawns * (1 if board.side == 0 else -1)
    line = decision.pv if decision.pv[:1] == (decision.move,) else (decision.move,)
    words = [str(score)]
    for move in line[:_LONGEST_LINE]:
        try:
            after = board.after(move)
        except ValueError:  # `win`, at the end of a line
            break
        words.append(format_csa_move(board, move))
        board = after
    return " ".join(words)
