"""Whether the moves of a record are legal, by the game's own rules."""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from tengen.games.errors import GameError
from tengen.games.shogi.records.ends import FOULS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.shogi import Shogi
    from tengen.games.shogi.records.board import Board
    from tengen.games.shogi.records.tree import Record

__all__ = ["Judge", "legal_moves"]


class Judge:
    """Follows the line that is being read. Repetitions and limits of plies end no game here: its players decided."""

    def __init__(self, start: Board) -> None:
        self._positions: list[Any] = [_position(start.sfen())]
        """The core's, by ply; None where there is none, as without any king: the ways of pieces are the law there."""

    def why_illegal(self, boards: Sequence[Board], move: str) -> str:
        """Which rule forbids a move that can be carried out on the last of the line's boards; empty: it is legal."""
        position = self._positions[-1]
        if position is None:
            return boards[-1].why_impossible(move)
        game, action_of_usi = _rules()
        action = action_of_usi(move)
        if action is None:
            return "no piece moves like that"
        if not game.shogi.refusal(position, action):
            return ""
        return game.why_illegal(position, game.shogi.side(position), action) or "the rules forbid it"

    def play(self, move: str, *, is_legal: bool) -> None:
        position = self._positions[-1]
        if position is not None and is_legal:
            game, action_of_usi = _rules()
            self._positions.append(game.shogi.replay(position, action_of_usi(move)))
        else:
            self._positions.append(None)

    def back_to(self, ply: int) -> None:
        del self._positions[ply + 1 :]


def legal_moves(record: Record) -> list[str]:
    """The main line in USI, without a last move that the rules forbid and that lost the game."""
    moves = record.moves
    if record.end not in FOULS or not moves:
        return moves
    board = record.board
    judge = Judge(board)
    for move in moves[:-1]:
        judge.play(move, is_legal=True)
        board = board.after(move)
    return moves[:-1] if judge.why_illegal([board], moves[-1]) else moves


@cache
def _rules() -> tuple[Shogi, Any]:
    # The game writes records too, so it can't be imported where this module is.
    from tengen.games.shogi import Shogi
    from tengen.games.shogi.notation import action_of_usi

    return Shogi(), action_of_usi


def _position(sfen: str) -> Any:
    game, _ = _rules()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of more pieces than a set has
            return game.start(sfen=sfen).position
    except GameError:
        return None
