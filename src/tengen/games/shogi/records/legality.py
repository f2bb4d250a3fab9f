"""Whether the moves of a record are legal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.shogi.records.board import Board

__all__ = ["Judge"]


class Judge:
    """Follows the line that is being read."""

    def __init__(self, start: Board) -> None:
        self.start = start

    def why_illegal(self, boards: Sequence[Board], move: str) -> str:
        """Which rule forbids a move that can be carried out on the last of the line's boards; empty: it is legal."""
        return boards[-1].why_impossible(move)

    def play(self, move: str, *, is_legal: bool) -> None:
        pass

    def back_to(self, ply: int) -> None:
        pass
