"""Writes CSA files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.games.shogi.records.board import START_SFEN, Board
from tengen.games.shogi.records.encoding import lines_of
from tengen.games.shogi.records.ends import csa_word
from tengen.games.shogi.records.headers import KEYS, csa_key
from tengen.games.shogi.records.pieces import CSA_NAMES, HAND_ORDER, parse_square

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.shogi.records.tree import Node, Record

__all__ = ["format_csa", "format_csa_games", "format_csa_move"]

_NAMES: Final = ("black", "white")


def format_csa(record: Record, version: str = "") -> str:
    """The main line, for variations have no place in CSA. Version 2.2, or 3.0 where times have fractions; either can be
    asked for. Lines end with a line feed."""
    line = record.root.main_line()
    has_fractions = any(node.time_s is not None and node.time_s != int(node.time_s) for node in line)
    version = version or ("3.0" if has_fractions else "2.2")
    lines = [f"V{version}", *_head(record), *_comments(record.root)]
    board = record.board
    for node in line:
        if node.move is not None:
            lines.append(format_csa_move(board, node.move))
            board = board.after(node.move)
        else:
            lines.append(f"%{csa_word(node.end or '', board.side)}")
        if node.time_s is not None:
            lines.append(f"T{_seconds(node.time_s, version)}")
        lines += _comments(node)
    text = "".join(f"{content}\n" for content in lines)
    # Without it, readers take what is not ASCII for Shift_JIS.
    return text if text.isascii() else f"'CSA encoding=UTF-8\n{text}"


def format_csa_games(records: Sequence[Record]) -> str:
    """Several in one file."""
    return "/\n".join(format_csa(record) for record in records)


def format_csa_move(board: Board, move: str) -> str:
    """A USI move in the position before it: +7776FU."""
    sign = "+-"[board.side]
    if move[1] == "*":
        return f"{sign}00{_square(move[2:4])}{CSA_NAMES[move[0]]}"
    kind = board.kind_on(parse_square(move[:2]))
    return f"{sign}{_square(move[:2])}{_square(move[2:4])}{CSA_NAMES['+' + kind if move.endswith('+') else kind]}"


def format_csa_position(sfen: str) -> list[str]:
    """The lines of a start, the last says who is to move."""
    board = Board.of_sfen(sfen)
    even = Board.of_sfen(START_SFEN)
    if (board.squares, *board.hands) == (even.squares, {}, {}):
        return ["PI", "+-"[board.side]]
    lines = []
    for rank in range(9):
        cells = ""
        for file in range(8, -1, -1):
            square = file * 9 + rank
            owner = board.owner_of(square)
            cells += " * " if owner is None else "+-"[owner] + CSA_NAMES[board.kind_on(square)]
        lines.append(f"P{rank + 1}{cells}")
    for sign, hand in zip("+-", board.hands, strict=True):
        held = "".join(f"00{CSA_NAMES[kind]}" * hand.get(kind, 0) for kind in HAND_ORDER)
        if held:
            lines.append(f"P{sign}{held}")
    return [*lines, "+-"[board.side]]


def _head(record: Record) -> list[str]:
    header = {key: " ".join(lines_of(value)) for key, value in record.header.items()}
    lines = [f"{csa_key(name)}{header[name]}" for name in _NAMES if name in header]
    others = [key for key in KEYS if key in header and key not in _NAMES] + [key for key in header if key not in KEYS]
    lines += [f"{csa_key(key)}:{header[key]}" for key in others]
    return lines + format_csa_position(record.start)


def _comments(node: Node) -> list[str]:
    return [f"'*{text}" for text in lines_of(node.comment)] if node.comment else []


def _square(text: str) -> str:
    return text[0] + str("abcdefghi".index(text[1]) + 1)


def _seconds(time_s: float, version: str) -> str:
    return str(int(time_s)) if version.startswith("2") or time_s == int(time_s) else f"{time_s:.3f}".rstrip("0")
