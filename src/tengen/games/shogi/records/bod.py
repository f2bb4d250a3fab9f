"""Positions as KIF and KI2 files draw them (BOD)."""

from __future__ import annotations

import re
from typing import Final

from tengen.games.shogi.records.board import MAX_IN_HAND, Board
from tengen.games.shogi.records.encoding import numbered_lines
from tengen.games.shogi.records.errors import RecordError
from tengen.games.shogi.records.japanese_moves import parse_target
from tengen.games.shogi.records.pieces import (
    FILES,
    HAND_ORDER,
    KANJI_KINDS,
    KANJI_NAMES,
    RANKS,
    kanji_number,
    parse_kanji_number,
)

__all__ = ["BoardReader", "format_bod", "parse_bod"]

_CELL: Final = re.compile(r"\s*([vVｖＶ▽△☖]?)\s*(成[銀桂香]|[歩香桂銀金角飛玉王と杏圭全馬龍竜・．.*])")
_HANDS: Final = {"先手の持駒": 0, "下手の持駒": 0, "後手の持駒": 1, "上手の持駒": 1}
_TURNS: Final = {"先手番": 0, "下手番": 0, "後手番": 1, "上手番": 1}
_MOVES: Final = re.compile(r"手数\s*[＝=]\s*([0-9０-９]+)(.*)")
_LAST_MOVE: Final = re.compile(r"[\s　]*[▲▼☗△▽☖]?([１-９1-9])([一二三四五六七八九１-９1-9]).*")
_EMPTY: Final = "・．.*"
_ONE_KANJI: Final = KANJI_NAMES | {"+L": "杏", "+N": "圭", "+S": "全"}
_HELD: Final = re.compile(r"([飛角金銀桂香歩])([一二三四五六七八九十]+|[0-9０-９]{1,2})?")
"""A kind and how many; blanks between kinds may be missing."""


class BoardReader:
    """Takes the lines of a drawing as they come, among lines of other kinds."""

    def __init__(self, source: str = "") -> None:
        self.source = source
        self._rows: list[list[str]] = []
        self._hands: dict[int, dict[str, int]] = {}
        self._side: int | None = None
        self._moves = 0
        self._line = 0
        self.last_target: str | None = None
        """Target square of the move before the drawing, in USI, if the drawing names it."""

    @property
    def is_drawn(self) -> bool:
        return bool(self._rows)

    def take_line(self, text: str, line: int) -> bool:
        """Read a line. Return False if it does not belong to a drawing."""
        plain = text.strip().strip("　")
        if plain.startswith("|"):
            self._row(plain, line)
        elif plain in _TURNS:
            self._side = _TURNS[plain]
        elif found := _MOVES.fullmatch(plain):
            self._moves = int(found[1])
            last = _LAST_MOVE.match(found[2])
            self.last_target = None if last is None else parse_target(last[1], last[2])
        elif not (plain.startswith("+--") or re.fullmatch(r"[９9][\s　]*[８8][\s　].*[１1]", plain)):
            return False
        return True

    def take_header(self, key: str, value: str, line: int) -> bool:
        """Read a header line. Return False if it does not list pieces in hand."""
        seat = _HANDS.get(key.replace("持ち駒", "持駒"))
        if seat is None:
            return False
        self._hands[seat] = self._hand(value, line)
        return True

    def board(self, side: int = 0) -> Board:
        """The position; `side` is to move where the drawing does not say."""
        if len(self._rows) != 9:
            raise RecordError(f"the board has {len(self._rows)} rows: expected 9", self._line, self.source)
        squares = [""] * 81
        for rank, row in enumerate(self._rows):
            for column, piece in enumerate(row):
                squares[(8 - column) * 9 + rank] = piece
        hands = self._hands.get(0, {}), self._hands.get(1, {})
        return Board(squares, hands, side if self._side is None else self._side, self._moves + 1)

    def _row(self, text: str, line: int) -> None:
        self._line = line
        inner = text[1:].partition("|")[0]
        row: list[str] = []
        at = 0
        while at < len(inner.rstrip()):
            found = _CELL.match(inner, at)
            if found is None:
                raise RecordError(f"{inner[at:].strip()!r} in the board's row is no piece", line, self.source)
            if found[2] in _EMPTY:
                row.append("")
            else:
                kind = KANJI_KINDS[found[2]]
                row.append(kind.lower() if found[1] else kind)
            at = found.end()
        if len(row) != 9:
            raise RecordError(f"the board's row {text!r} has {len(row)} squares: expected 9", line, self.source)
        if len(self._rows) == 9:
            raise RecordError("the board has more than 9 rows", line, self.source)
        self._rows.append(row)

    def _hand(self, text: str, line: int) -> dict[str, int]:
        hand: dict[str, int] = {}
        for part in text.replace("　", " ").split():
            if part in ("なし", "無し"):
                continue
            if not re.fullmatch(f"(?:{_HELD.pattern})+", part):
                raise RecordError(f"{part!r} is nothing to have in hand: expected such as 歩二", line, self.source)
            for name, number in _HELD.findall(part):
                try:
                    count = parse_kanji_number(number) if number else 1
                except ValueError:
                    count = 0
                if not 1 <= count <= MAX_IN_HAND:
                    raise RecordError(f"{name}{number} in hand are none, or too many", line, self.source)
                kind = KANJI_KINDS[name]
                hand[kind] = hand.get(kind, 0) + count
        return hand


def parse_bod(text: str, source: str = "") -> str:
    """The SFEN of a drawing by itself. Raises RecordError."""
    reader = BoardReader(source)
    for line, content in numbered_lines(text):
        key, colon, value = content.replace(":", "：", 1).partition("：")
        if not (colon and reader.take_header(key.strip(), value, line)):
            reader.take_line(content, line)
    if not reader.is_drawn:
        raise RecordError("there is no board: expected nine rows that begin with |", None, source)
    return reader.board().sfen()


def format_bod(sfen: str) -> str:
    """The drawing, lines that end with a line feed."""
    board = Board.of_sfen(sfen)
    lines = [f"後手の持駒：{_format_hand(board.hands[1])}", "  " + " ".join(reversed(FILES)), f"+{'-' * 27}+"]
    for rank in range(9):
        row = ""
        for file in range(8, -1, -1):
            square = file * 9 + rank
            row += "v" if board.owner_of(square) == 1 else " "
            row += _ONE_KANJI[board.kind_on(square)] if board.squares[square] else "・"
        lines.append(f"|{row}|{RANKS[rank]}")
    lines += [f"+{'-' * 27}+", f"先手の持駒：{_format_hand(board.hands[0])}"]
    if board.side == 1:
        lines.append("後手番")
    if board.number > 1:
        lines.append(f"手数＝{board.number - 1}  まで")
    return "".join(f"{line}\n" for line in lines)


def _format_hand(hand: dict[str, int]) -> str:
    parts = [
        KANJI_NAMES[kind] + (kanji_number(hand[kind]) if hand[kind] > 1 else "")
        for kind in HAND_ORDER
        if hand.get(kind)
    ]
    return "　".join(parts) or "なし"
