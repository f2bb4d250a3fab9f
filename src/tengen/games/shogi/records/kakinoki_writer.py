"""Writes KIF and KI2."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final, TypeAlias

from tengen.games.shogi.records.bod import format_bod
from tengen.games.shogi.records.encoding import lines_of
from tengen.games.shogi.records.ends import format_result, kif_word
from tengen.games.shogi.records.handicaps import EVEN, handicap_name
from tengen.games.shogi.records.headers import KEYS, kif_key
from tengen.games.shogi.records.japanese_moves import format_target, japanese_move
from tengen.games.shogi.records.pieces import KANJI_NAMES, parse_square

if TYPE_CHECKING:
    from tengen.games.shogi.records.board import Board
    from tengen.games.shogi.records.tree import Node, Record

    # A node, the board after it, the moves so far, where the last one went, seconds spent by seat.
    _At: TypeAlias = tuple[Node, Board, int, str | None, tuple[float, float]]

__all__ = ["format_ki2", "format_kif"]

_TABLE_HEAD: Final = "手数----指手---------消費時間--"
_COLUMN: Final = 13
"""Columns of a move in KIF."""
_KI2_COLUMN: Final = 12
_KI2_MOVES: Final = 6
"""Moves a line."""


def format_kif(record: Record) -> str:
    """Lines end with a line feed."""
    return _KifWriter(record).write()


def format_ki2(record: Record) -> str:
    """The same with moves as people write them. It holds no times."""
    return _Ki2Writer(record).write()


class _Writer:
    """Lines of moves first, then the variations from the last to the first."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.lines: list[str] = []
        name = handicap_name(record.start)
        self.is_teaching = name not in (None, EVEN)
        self.sides = ("下手", "上手") if self.is_teaching else ("先手", "後手")

    def write(self) -> str:
        self._write_head()
        self._tell(self.record.root)
        left = self._write_line((self.record.root, self.record.board, 0, None, (0.0, 0.0)))
        self._write_result()
        # Not by recursion: variations may be nested as deep as a game is long.
        while left:
            child, (parent, board, ply, last_target, spent) = left.pop()
            self.lines += ["", f"変化：{ply + 1}手"]
            left += self._write_line(self._step(parent, child, board, ply, last_target, spent))
        return "".join(f"{line}\n" for line in self.lines)

    def _write_head(self) -> None:
        record = self.record
        header = record.header
        for key in [key for key in KEYS if key in header] + [key for key in header if key not in KEYS]:
            value = " ".join(lines_of(header[key]))
            self.lines.append(f"{kif_key(key, is_handicap=self.is_teaching)}：{value}")
        name = handicap_name(record.start)
        if name is None:
            self.lines += format_bod(record.start).splitlines()
        else:
            self.lines.append(f"手合割：{name}")

    def _write_line(self, at: _At) -> list[tuple[Node, _At]]:
        """What follows a node by first children; the variations that are left, those to be written first last."""
        branches = []
        while at[0].children:
            node, board, ply, last_target, spent = at
            branches += [(child, at) for child in reversed(node.children[1:])]
            at = self._step(node, node.children[0], board, ply, last_target, spent)
        self._close_line()
        return branches

    def _step(
        self,
        parent: Node,
        node: Node,
        board: Board,
        ply: int,
        last_target: str | None,
        spent: tuple[float, float],
    ) -> _At:
        """Writes a move or an end; what there is after it."""
        if node.time_s is not None:
            spent = (spent[0] + node.time_s, spent[1]) if board.side == 0 else (spent[0], spent[1] + node.time_s)
        self._write_node(parent, node, board, ply + 1, last_target, spent[board.side])
        self._tell(node)
        if node.move is None:
            return node, board, ply, last_target, spent
        return node, board.after(node.move), ply + 1, node.move[2:4], spent

    def _write_node(
        self, parent: Node, node: Node, board: Board, number: int, last_target: str | None, spent: float
    ) -> None:
        raise NotImplementedError

    def _close_line(self) -> None:
        """What is collected becomes a line."""

    def _write_result(self) -> None:
        """Who has won, after the main line."""

    def _tell(self, node: Node) -> None:
        if node.comment or node.bookmark:
            self._close_line()
        if node.comment:
            self.lines += [f"*{text}" for text in lines_of(node.comment)]
        if node.bookmark:
            self.lines.append(f"&{node.bookmark}")


class _KifWriter(_Writer):
    def _write_head(self) -> None:
        super()._write_head()
        self.lines.append(_TABLE_HEAD)

    def _write_node(
        self, parent: Node, node: Node, board: Board, number: int, last_target: str | None, spent: float
    ) -> None:
        text = kif_word(node.end) if node.end is not None else _kif_move(board, node.move or "", last_target)
        parts = f"{number:4d} {text}"
        has_more = node is not parent.children[-1]
        if node.time_s is not None:
            parts += " " * max(1, _COLUMN - _columns(text)) + _format_time(node.time_s, spent)
        elif has_more:
            parts += " "  # else readers take the sign for a part of the move
        self.lines.append(parts + ("+" if has_more else ""))

    def _write_result(self) -> None:
        record = self.record
        if record.end is not None:
            side = (record.board.side + len(record.moves)) % 2
            self.lines.append(format_result(record.end, len(record.moves), side, self.sides))


class _Ki2Writer(_Writer):
    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._collected: list[str] = []

    def _write_node(
        self,
        parent: Node,  # noqa: ARG002
        node: Node,
        board: Board,
        number: int,
        last_target: str | None,
        spent: float,  # noqa: ARG002
    ) -> None:
        if node.end is not None:
            self._close_line()
            self.lines.append(format_result(node.end, number - 1, board.side, self.sides))
            return
        self._collected.append("▲△"[board.side] + japanese_move(board, node.move or "", last_target))
        if len(self._collected) == _KI2_MOVES:
            self._close_line()

    def _close_line(self) -> None:
        if self._collected:
            padded = [text + " " * max(1, _KI2_COLUMN - _columns(text)) for text in self._collected]
            self.lines.append("".join(padded).rstrip())
            self._collected = []


def _kif_move(board: Board, move: str, last_target: str | None) -> str:
    target = move[2:4]
    place = "同　" if target == last_target else format_target(target)
    if move[1] == "*":
        return f"{place}{KANJI_NAMES[move[0]]}打"
    origin = parse_square(move[:2])
    ending = "成" if move.endswith("+") else ""
    return f"{place}{KANJI_NAMES[board.kind_on(origin)]}{ending}({origin // 9 + 1}{origin % 9 + 1})"


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WFA" else 1 for letter in text)


def _format_time(time_s: float, spent_s: float) -> str:
    own, total = int(time_s), int(spent_s)
    return f"({own // 60:2d}:{own % 60:02d}/{total // 3600:02d}:{total // 60 % 60:02d}:{total % 60:02d})"
