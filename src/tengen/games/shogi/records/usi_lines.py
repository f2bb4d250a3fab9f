"""Games as USI writes positions, one a line: `startpos moves 7g7f 3c3d # result black resign`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tengen.games.shogi.records.board import START_SFEN, Board
from tengen.games.shogi.records.builder import TreeBuilder
from tengen.games.shogi.records.encoding import numbered_lines
from tengen.games.shogi.records.ends import ENDS, winner_of
from tengen.games.shogi.records.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tengen.games.shogi.records.tree import Record

__all__ = ["format_usi", "format_usi_games", "parse_usi"]

_LINE: Final = re.compile(
    r"(?:position\s+)?(startpos|(?:sfen\s+)?\S+\s+[bw](?:\s+(?!moves\b)\S+(?:\s+\d+)?)?)(?:\s+moves(.*)|\s*)"
)
_WORDS: Final = {kind: kind for kind in ENDS} | {
    "win": "declaration",
    "sennichite": "repetition",
    "sennichite_or_perpetual": "repetition",
    "rep_draw": "repetition",
    "jishogi": "impasse",
    "mate": "checkmate",
    "nomate": "no_mate",
    "timeout": "time_up",
}
"""Ends by the words of programs, among them those that some write after the last move."""
_COLORS: Final = ("black", "white")


def parse_usi(text: str, source: str = "") -> list[Record]:
    """The games of a file, one a line; # begins a remark. Raises RecordError, which names the line."""
    records = []
    for number, content in numbered_lines(text):
        game, _, remark = content.partition("#")
        if game.strip():
            records.append(_parse_game(game.strip(), remark.split(), number, source))
    return records


def _parse_game(text: str, remark: list[str], line: int, source: str) -> Record:
    found = _LINE.fullmatch(text)
    if found is None:
        raise RecordError(f"{text[:60]!r}: expected startpos or sfen …, then moves", line, source)
    try:
        board = Board.of_sfen(START_SFEN if found[1] == "startpos" else found[1])
    except ValueError as error:
        raise RecordError(str(error), line, source) from error
    tree = TreeBuilder(board, {}, source)
    moves = (found[2] or "").split()
    ending = _WORDS.get(moves[-1]) if moves else None
    moves = moves if ending is None else moves[:-1]
    for number, move in enumerate(moves, start=1):
        tree.play(move, line, f"move {number}, {move}")
    kind = _end(remark, tree.board.side) or ending
    if kind is not None:
        tree.finish(kind, line)
    return tree.close()


def _end(remark: list[str], side: int) -> str | None:
    """Return the end of the game from a remark such as `result white resign …`."""
    if remark[:1] != ["result"] or len(remark) < 2:
        return None
    result, word = remark[1], remark[2] if len(remark) > 2 else ""
    winner = _COLORS.index(result) if result in _COLORS else None
    kind = _WORDS.get(word)
    if kind is not None and winner_of(kind, side) == winner:
        return kind
    if winner is None:
        return "draw" if result == "draw" else None
    # Without a matching word, the side to move has lost by resigning or has won by declaring.
    return "resign" if winner != side else "declaration"


def format_usi(record: Record) -> str:
    """The main line with its result, without a line feed."""
    moves = record.moves
    start = "startpos" if record.start == START_SFEN else f"sfen {record.start}"
    text = f"{start} moves {' '.join(moves)}" if moves else start
    if record.end is None:
        return text
    winner = record.winner
    result = _COLORS[winner] if winner is not None else "draw" if record.is_draw else "none"
    return f"{text} # result {result} {record.end} plies {len(moves)}"


def format_usi_games(records: Iterable[Record]) -> str:
    return "".join(f"{format_usi(record)}\n" for record in records)
