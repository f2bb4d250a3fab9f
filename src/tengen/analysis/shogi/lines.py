"""Variations as Japanese players read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.shogi.records import Board, japanese_move

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["write_line"]


def write_line(sfen: str, moves: Sequence[str], before: str = "") -> list[str]:
    """Return a variation in Japanese, with marks of the sides. `before` is the move that led to the position, if any:
    a move to the same square is written with 同."""
    board, found = Board.of_sfen(sfen), []
    last = before[2:4] or None
    for move in moves:
        if move == "win":
            break
        found.append("▲△"[board.side] + japanese_move(board, move, last).replace("　", ""))
        board, last = board.after(move), move[2:4]
    return found
