"""Games a line a ply, for learning: `sfen,plies of the game,move,winner`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.games.shogi.records.board import Board
from tengen.games.shogi.records.builder import TreeBuilder
from tengen.games.shogi.records.encoding import numbered_lines
from tengen.games.shogi.records.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tengen.games.shogi.records.tree import Record

__all__ = ["format_sfenx", "parse_sfenx"]

_WINNERS: Final = {"b": 0, "w": 1, "black": 0, "white": 1, "d": None, "draw": None}


def format_sfenx(records: Iterable[Record]) -> str:
    """Their main lines. The winner is b, w, or d where nobody wins."""
    lines = []
    for record in records:
        board, moves = record.board, record.moves
        winner = "d" if record.winner is None else "bw"[record.winner]
        for move in moves:
            lines.append(f"{board.sfen()},{len(moves)},{move},{winner}\n")
            board = board.after(move)
    return "".join(lines)


def parse_sfenx(text: str, source: str = "") -> list[Record]:
    """The games of a file, one after another. How they ended is not in it, so that a loser has resigned, or the winner
    has declared. Raises RecordError, which names the line."""
    records = []
    tree: TreeBuilder | None = None
    left, about = 0, ("", "")
    for line, content in numbered_lines(text):
        if not content.strip():
            continue
        sfen, plies, move, winner = _fields(content, line, source)
        if tree is None or not left:
            tree, left, about = TreeBuilder(_board(sfen, line, source), {}, source), int(plies), (plies, winner)
        elif sfen != (expected := tree.board.sfen()) and _board(sfen, line, source).sfen() != expected:
            tree.fail(f"{sfen} is not the position after the move before it, {expected}", line)
        if (plies, winner) != about:
            tree.fail(f"{plies},{winner} where the game began with {','.join(about)}", line)
        tree.play(move, line, move)
        left -= 1
        if not left:
            records.append(_finish(tree, _WINNERS[winner], line))
    if tree is not None and left:
        tree.fail(f"the game ends {left} plies early", line)
    return records


def _fields(text: str, line: int, source: str) -> list[str]:
    fields = [part.strip() for part in text.split(",")]
    if len(fields) != 4:
        raise RecordError(f"{len(fields)} fields: expected sfen,plies,move,winner", line, source)
    if not (fields[1].isascii() and fields[1].isdigit() and int(fields[1]) > 0):
        raise RecordError(f"{fields[1]!r} is no number of plies", line, source)
    if fields[3] not in _WINNERS:
        raise RecordError(f"{fields[3]!r} is no winner: expected b, w or d", line, source)
    return fields


def _board(sfen: str, line: int, source: str) -> Board:
    try:
        return Board.of_sfen(sfen)
    except ValueError as error:
        raise RecordError(str(error), line, source) from error


def _finish(tree: TreeBuilder, winner: int | None, line: int) -> Record:
    tree.finish("draw" if winner is None else "resign" if winner != tree.board.side else "declaration", line)
    return tree.close()
