"""Reads CSA files, of version 2.2 and 3."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NoReturn

from tengen.games.shogi.records.board import START_SFEN, Board
from tengen.games.shogi.records.builder import TreeBuilder
from tengen.games.shogi.records.csa_server import parse_end_time, parse_illegal_move, parse_summary
from tengen.games.shogi.records.encoding import numbered_lines
from tengen.games.shogi.records.ends import FOULS, parse_csa_word
from tengen.games.shogi.records.errors import ImpossibleMoveError, RecordError
from tengen.games.shogi.records.headers import CSA_KEYS
from tengen.games.shogi.records.pieces import CSA_KINDS, format_square

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.games.shogi.records.tree import Record

__all__ = ["parse_csa", "parse_csa_move"]

_MOVE: Final = re.compile(r"([+-])(\d\d)(\d\d)([A-Z]{2})")
_PLACED: Final = re.compile(r"(\d\d)([A-Z]{2})")
_TIME: Final = re.compile(r"T\s*(\d+(?:\.\d*)?|\.\d+)")
_CELL: Final = re.compile(r"[+-][A-Z]{2}|\*")
_SETS: Final = {"P": 18, "L": 4, "N": 4, "S": 4, "G": 4, "B": 2, "R": 2}
_NO_COMMAS: Final = "'N$"
"""Lines that begin so hold texts; in others commas part statements."""


def parse_csa(text: str, source: str = "") -> list[Record]:
    """Return the games of a file, which `/` separates; empty parts are none. Raises RecordError with the line."""
    records: list[Record] = []
    reader = _Reader(source)
    for number, line in numbered_lines(text):
        if line.strip() == "/":
            records += reader.close(number)
            reader = _Reader(source)
        else:
            reader.read(line, number)
    return records + reader.close(number)


def parse_csa_move(board: Board, text: str) -> str:
    """The USI move of +7776FU in the position before it. Raises ValueError."""
    found = _MOVE.fullmatch(text)
    if found is None:
        raise ValueError("this is no move: expected such as +7776FU")
    color, origin, target, name = found.groups()
    if "+-".index(color) != board.side:
        raise ValueError(f"{('White', 'Black')[board.side]} is not to move")
    if name not in CSA_KINDS:
        raise ValueError(f"{name} is no piece: expected one of {' '.join(CSA_KINDS)}")
    kind, to = CSA_KINDS[name], _square(target)
    if origin == "00":
        if kind[0] == "+" or kind == "K":
            raise ValueError(f"{name} is never in hand")
        return f"{kind}*{format_square(to)}"
    start = _square(origin)
    stands = board.kind_on(start)
    if kind not in (stands, f"+{stands}"):
        raise ValueError(f"the piece on {origin} does not become {name}")
    return f"{format_square(start)}{format_square(to)}{'' if kind == stands else '+'}"


def _square(text: str) -> int:
    if "0" in text:
        raise ValueError(f"{text} is no square: expected 11 to 99")
    return (int(text[0]) - 1) * 9 + int(text[1]) - 1


class _Reader:
    """The reader of one game."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.has_game = False
        """A player, a position or a move was read; a version, a side to move and comments alone are no game."""
        self.header: dict[str, str] = {}
        self.squares: list[str] | None = None
        self.hands: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self.rows: set[int] = set()
        self.tree: TreeBuilder | None = None
        self.first_comments: list[str] = []
        self.impossible: RecordError | None = None
        """The fault of a last move that cannot be carried out; only an end by a foul may follow it."""
        self.last_move = ""
        """The last move or end as the file writes it."""

    def read(self, text: str, line: int) -> None:
        plain = text.strip()
        if not plain:
            return
        if plain[0] == "'":
            self._read_comment(text.lstrip(), line)
            return
        # The row of a board may begin or end with blanks that count. A comment may follow moves, as clients send it.
        is_text = text[0] in _NO_COMMAS
        said, quote, comment = (text, "", "") if is_text else text.partition(",'")
        for statement in [said] if is_text else said.split(","):
            if statement.strip():
                self._read_statement(statement.strip() if statement.lstrip()[0] != "P" else statement.lstrip(), line)
        if quote:
            self._read_comment(f"'{comment}", line)

    def close(self, line: int) -> list[Record]:
        """Return the game, or nothing if there is none."""
        self._check_possible()
        return [self._begin(line, 0).close()] if self.has_game else []

    def fail(self, reason: str, line: int) -> NoReturn:
        raise RecordError(reason, line, self.source)

    def _read_statement(self, text: str, line: int) -> None:
        handler = self._handlers.get(text[0])
        if handler is None:
            self.fail(f"{text[:40]!r} is nothing that CSA knows", line)
        handler(self, text, line)
        self.has_game = self.has_game or text[0] in "NP" or _MOVE.match(text) is not None

    def _read_comment(self, text: str, line: int) -> None:
        """Keep comments of people and engines; of other comments only the server's verdicts mean something."""
        if not text.startswith("'*"):
            self._read_verdict(text, line)
        elif self.tree is None:
            self.first_comments.append(text[2:])
        else:
            self.tree.comment(text[2:])

    def _read_verdict(self, text: str, line: int) -> None:
        ended = parse_end_time(text)
        if ended is not None:
            self.header[CSA_KEYS["$END_TIME"]] = ended
            return
        if self.tree is None:
            return
        side = self.tree.board.side
        illegal = parse_illegal_move(text)
        if illegal is not None:
            # The server logs the move itself in some versions only, and never carries it out.
            is_played = illegal == self.last_move and self.impossible is None and self.tree.node.move is not None
            kind: str | None = "illegal_win" if is_played else "illegal_loss"
        else:
            kind = parse_summary(text, side)
        if kind is not None:
            self.impossible = None
            self.tree.decide(kind, line)

    def _read_version(self, text: str, line: int) -> None:
        if not re.fullmatch(r"V\d+(\.\d+)?", text):
            self.fail(f"{text!r} is no version: expected V2.2 or V3.0", line)

    def _read_name(self, text: str, line: int) -> None:
        if text[1:2] not in ("+", "-"):
            self.fail(f"{text[:40]!r}: expected N+ or N- and a name", line)
        if text[2:]:
            self.header[CSA_KEYS[text[:2]]] = text[2:]

    def _read_header(self, text: str, line: int) -> None:
        key, colon, value = text.partition(":")
        if not colon:
            self.fail(f"{text[:40]!r}: expected $KEY:value", line)
        if value:
            self.header[CSA_KEYS.get(key, key[1:])] = value

    # The start.

    def _read_position(self, text: str, line: int) -> None:
        if self.tree is not None:
            self.fail("a position after moves have begun", line)
        if text[1:2] == "I":
            board = Board.of_sfen(START_SFEN)
            self.squares = board.squares
            for square, name in self._placed(text[2:].strip(), line):
                if square is None or board.kind_on(square) != CSA_KINDS.get(name):
                    self.fail(f"no {name} stands there at the start of a game", line)
                self.squares[square] = ""
        elif text[1:2] in ("+", "-"):
            self._add_pieces("+-".index(text[1]), text[2:].strip(), line)
        elif text[1:2] in tuple("123456789"):
            self._read_row(int(text[1]), text[2:], line)
        else:
            self.fail(f"{text[:40]!r}: expected PI, P1 to P9, P+ or P-", line)

    def _placed(self, text: str, line: int) -> list[tuple[int | None, str]]:
        if not re.fullmatch(f"(?:{_PLACED.pattern})*", text):
            self.fail(f"{text!r} are no pieces: expected such as 82HI22KA", line)
        found: list[tuple[int | None, str]] = []
        for square, name in _PLACED.findall(text):
            try:
                found.append((None if square == "00" else _square(square), name))
            except ValueError as error:
                self.fail(str(error), line)
        return found

    def _add_pieces(self, seat: int, text: str, line: int) -> None:
        if self.squares is None:
            self.squares = [""] * 81
        for square, name in self._placed(text, line):
            if square is None and name == "AL":
                self._take_rest(seat)
                continue
            kind = CSA_KINDS.get(name)
            if kind is None or (square is None and kind not in _SETS):
                self.fail(f"{name} is no piece that can be there", line)
            if square is None:
                self.hands[seat][kind] = self.hands[seat].get(kind, 0) + 1
            elif self.squares[square]:
                self.fail(f"{name}: there is a piece already on {format_square(square)}", line)
            else:
                self.squares[square] = kind.lower() if seat else kind

    def _take_rest(self, seat: int) -> None:
        assert self.squares is not None
        used = [piece.upper().removeprefix("+") for piece in self.squares]
        for kind, count in _SETS.items():
            left = count - used.count(kind) - sum(hand.get(kind, 0) for hand in self.hands)
            if left > 0:
                self.hands[seat][kind] = self.hands[seat].get(kind, 0) + left

    def _read_row(self, rank: int, text: str, line: int) -> None:
        if self.squares is None:
            self.squares = [""] * 81
        if rank in self.rows:
            self.fail(f"P{rank} is there twice", line)
        self.rows.add(rank)
        cells = _CELL.findall(text)
        if len(cells) != 9 or _CELL.sub("", text).strip():
            # Blanks may stand for empty squares; then the columns decide.
            row = text.rstrip().ljust(27)
            cells = [row[at : at + 3] for at in range(0, len(row), 3)]
        if len(cells) > 9:
            self.fail(f"P{rank} has more than 9 squares", line)
        for column, cell in enumerate(cells):
            if cell.strip() in ("", "*"):
                continue
            if cell[0] not in "+-" or cell[1:] not in CSA_KINDS:
                self.fail(f"{cell!r} in P{rank} is no piece: expected such as -KY", line)
            kind = CSA_KINDS[cell[1:]]
            self.squares[(8 - column) * 9 + rank - 1] = kind if cell[0] == "+" else kind.lower()

    def _begin(self, line: int, side: int) -> TreeBuilder:
        if self.tree is None:
            if self.rows and len(self.rows) != 9:
                missing = ", ".join(f"P{rank}" for rank in range(1, 10) if rank not in self.rows)
                self.fail(f"the board lacks {missing}", line)
            squares = Board.of_sfen(START_SFEN).squares if self.squares is None else self.squares
            self.tree = TreeBuilder(Board(squares, self.hands, side, 1), self.header, self.source)
            for comment in self.first_comments:
                self.tree.comment(comment)
        return self.tree

    # Moves.

    def _read_move(self, text: str, line: int) -> None:
        if text in ("+", "-"):
            if self.tree is not None:
                self.fail(f"{text!r} after moves have begun", line)
            self._begin(line, "+-".index(text))
            return
        self._check_possible()
        tree = self._begin(line, "+-".index(text[0]))
        self.last_move = text
        try:
            move = parse_csa_move(tree.board, text)
        except ValueError as error:
            self.impossible = RecordError(f"{text[:40]}: {error}", line, self.source)
            return
        try:
            tree.play(move, line, text)
        except ImpossibleMoveError as error:
            self.impossible = error

    def _check_possible(self) -> None:
        if self.impossible is not None:
            raise self.impossible

    def _read_time(self, text: str, line: int) -> None:
        found = _TIME.fullmatch(text)
        if found is None:
            self.fail(f"{text[:40]!r} is no time: expected T and seconds", line)
        if self.impossible is not None:
            return
        if self.tree is None or self.tree.node is self.tree.record.root:
            self.fail(f"{text}: a time before any move", line)
        seconds = float(found[1])
        self.tree.node.time_s = int(seconds) if seconds == int(seconds) else seconds

    def _read_end(self, text: str, line: int) -> None:
        tree = self._begin(line, 0)
        kind = parse_csa_word(text[1:], tree.board.side)
        if kind is None:
            self.impossible = self.impossible or RecordError(f"{text[:40]!r} is no end of a game", line, self.source)
            return
        if text == self.last_move and tree.node.end is not None:
            # shogi-server logs what a player sent, with its time, and then the same word as the result.
            return
        self.last_move = text
        if kind in FOULS:
            self.impossible = None
        self._check_possible()
        tree.finish(kind if text[1] in "+-" else tree.name_foul(kind), line)

    _handlers: Final[dict[str, Callable[[_Reader, str, int], None]]] = {
        "V": _read_version,
        "N": _read_name,
        "$": _read_header,
        "P": _read_position,
        "+": _read_move,
        "-": _read_move,
        "T": _read_time,
        "%": _read_end,
    }
