"""Positions as texts (SFEN)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import NoReturn

from tengen.games.errors import NotationError
from tengen.games.shogi.pieces import (
    BLACK,
    EMPTY,
    HAND_KINDS,
    KINDS,
    LETTERS,
    PROMOTED,
    WHITE,
    kind_of,
    make_piece,
    piece_of_letter,
)

__all__ = ["HANDICAPS", "INITIAL", "Layout", "PieceCountWarning", "format_sfen", "parse_sfen"]

INITIAL = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

_BELOW = "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
HANDICAPS: dict[str, str] = {
    "even": INITIAL,
    "lance": "lnsgkgsn1/1r5b1" + _BELOW,
    "right-lance": "1nsgkgsnl/1r5b1" + _BELOW,
    "bishop": "lnsgkgsnl/1r7" + _BELOW,
    "rook": "lnsgkgsnl/7b1" + _BELOW,
    "rook-lance": "lnsgkgsn1/7b1" + _BELOW,
    "two-piece": "lnsgkgsnl/9" + _BELOW,
    "three-piece": "lnsgkgsn1/9" + _BELOW,
    "four-piece": "1nsgkgsn1/9" + _BELOW,
    "five-piece": "2sgkgsn1/9" + _BELOW,
    "left-five-piece": "1nsgkgs2/9" + _BELOW,
    "six-piece": "2sgkgs2/9" + _BELOW,
    "left-seven-piece": "2sgkg3/9" + _BELOW,
    "right-seven-piece": "3gkgs2/9" + _BELOW,
    "eight-piece": "3gkg3/9" + _BELOW,
    "ten-piece": "4k4/9" + _BELOW,
}
"""Start positions by name: what White plays without. White, who is stronger, moves first."""

_HAND_ORDER = tuple(KINDS.index(letter) for letter in "RBGSNLP")
_MAX = {"P": 18, "L": 4, "N": 4, "S": 4, "B": 2, "R": 2, "G": 4, "K": 2}
_MAX_IN_HAND = 81


class PieceCountWarning(UserWarning):
    """A position has more pieces of a kind than a set of shogi."""


@dataclass
class Layout:
    """A position without its past. Squares are (file-1)*9 + rank-1; hands are Black's seven kinds, then White's."""

    board: bytearray = field(default_factory=lambda: bytearray(81))
    hands: list[int] = field(default_factory=lambda: [0] * (2 * HAND_KINDS))
    side: int = BLACK
    ply: int = 0
    """The move number less one."""


def parse_sfen(text: str) -> Layout:
    """Hands in any order; the move number, the hands and a leading "sfen" may be left out. "startpos" is read too.

    More pieces than a set has are warned of. Raises a NotationError that names the text and the place in it.
    """
    return _Reader(text).read()


def format_sfen(layout: Layout) -> str:
    rows = []
    for rank in range(9):
        row = ""
        gap = 0
        for file in range(8, -1, -1):
            piece = layout.board[file * 9 + rank]
            if piece == EMPTY:
                gap += 1
                continue
            row += (str(gap) if gap else "") + piece_of_letter(piece)
            gap = 0
        rows.append(row + (str(gap) if gap else ""))
    hands = ""
    for color in (BLACK, WHITE):
        for kind in _HAND_ORDER:
            count = layout.hands[color * HAND_KINDS + kind]
            if count:
                hands += (str(count) if count > 1 else "") + piece_of_letter(make_piece(color, kind))
    return f"{'/'.join(rows)} {'bw'[layout.side]} {hands or '-'} {layout.ply + 1}"


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.layout = Layout()

    def read(self) -> Layout:
        fields = self._fields()
        if fields and fields[0][1] == "sfen":
            fields = fields[1:]
        if [word for _, word in fields] == ["startpos"]:
            return parse_sfen(INITIAL)
        if len(fields) < 2:
            self._fail(len(self.text), "a board and the side to move are needed")
        if len(fields) > 4:
            self._fail(fields[4][0], f"{fields[4][1]!r} is left over after the move number")
        self._read_board(*fields[0])
        self._read_side(*fields[1])
        if len(fields) > 2:
            self._read_hands(*fields[2])
        if len(fields) > 3:
            self._read_number(*fields[3])
        self._check_kings(fields[0][0])
        self._warn_of_counts()
        return self.layout

    def _fields(self) -> list[tuple[int, str]]:
        """Words with their places."""
        fields = []
        at = 0
        for word in self.text.split():
            at = self.text.index(word, at)
            fields.append((at, word))
            at += len(word)
        return fields

    def _fail(self, at: int, what: str) -> NoReturn:
        raise NotationError(f"no SFEN: {what}, at character {at + 1} of {self.text!r}")

    def _read_board(self, start: int, word: str) -> None:
        at = start
        rows = word.split("/")
        for rank, row in enumerate(rows[:9]):
            self._read_row(at, rank, row)
            at += len(row) + 1
        if len(rows) != 9:
            self._fail(start if len(rows) < 9 else at - 1, f"the board has {len(rows)} rows instead of 9")

    def _read_row(self, start: int, rank: int, row: str) -> None:
        file = 8
        promoted = False
        for offset, letter in enumerate(row):
            at = start + offset
            if letter == "+" and not promoted:
                promoted = True
                continue
            if letter in "123456789" and not promoted:
                file -= int(letter)
            elif letter.isascii() and letter.upper() in LETTERS:
                kind = LETTERS.index(letter.upper())
                if promoted and kind + PROMOTED >= len(KINDS):
                    self._fail(at, f"+{letter} is no piece: golds and kings do not promote")
                if file < 0:
                    self._fail(at, f"row {rank + 1} has more than 9 squares")
                piece = make_piece(BLACK if letter.isupper() else WHITE, kind + PROMOTED * promoted)
                self.layout.board[file * 9 + rank] = piece
                file -= 1
                promoted = False
            else:
                self._fail(at, f"{letter!r} is no piece" + (" to follow a +" if promoted else " and no gap"))
            if file < -1:
                self._fail(at, f"row {rank + 1} has more than 9 squares")
        if promoted:
            self._fail(start + len(row), "a piece must follow a +")
        if file != -1:
            self._fail(start + len(row), f"row {rank + 1} has {8 - file} squares instead of 9")

    def _read_side(self, at: int, word: str) -> None:
        if word not in ("b", "w"):
            self._fail(at, f"the side to move is {word!r}, not b or w")
        self.layout.side = "bw".index(word)

    def _read_hands(self, start: int, word: str) -> None:
        if word == "-":
            return
        digits = ""
        for offset, letter in enumerate(word):
            at = start + offset
            if letter in "0123456789":
                digits += letter
                continue
            kind = LETTERS.find(letter.upper()) if letter.isascii() else -1
            if not 0 <= kind < HAND_KINDS:
                self._fail(at, f"{letter!r} is no piece that a hand can hold")
            if digits.startswith("0"):
                self._fail(at - len(digits), f"a hand with {digits} of a piece")
            place = (BLACK if letter.isupper() else WHITE) * HAND_KINDS + kind
            self.layout.hands[place] += int(digits[:4] or "1")
            if self.layout.hands[place] > _MAX_IN_HAND:
                self._fail(at - len(digits), f"more than {_MAX_IN_HAND} pieces of one kind in a hand")
            digits = ""
        if digits:
            self._fail(start + len(word), "a piece must follow the number")

    def _read_number(self, at: int, word: str) -> None:
        if not (word.isascii() and word.isdecimal()) or len(word) > 6:
            self._fail(at, f"the move number is {word!r}, not a whole number")
        # Some programs count from 0.
        self.layout.ply = max(int(word) - 1, 0)

    def _check_kings(self, at: int) -> None:
        kings = [self.layout.board.count(make_piece(color, KINDS.index("K"))) for color in (BLACK, WHITE)]
        for name, count in zip(("Black", "White"), kings, strict=True):
            if count > 1:
                self._fail(at, f"{name} has {count} kings")
        if not any(kings):
            self._fail(at, "there is no king on the board")

    def _warn_of_counts(self) -> None:
        counts = dict.fromkeys(_MAX, 0)
        for piece in self.layout.board:
            if piece != EMPTY:
                counts[KINDS[kind_of(piece)].removeprefix("+")] += 1
        for place, count in enumerate(self.layout.hands):
            counts[KINDS[place % HAND_KINDS]] += count
        odd = [
            f"{count} {letter} instead of {_MAX[letter]}" for letter, count in counts.items() if count > _MAX[letter]
        ]
        if odd:
            warnings.warn(f"{self.text!r} has {', '.join(odd)}", PieceCountWarning, stacklevel=4)
