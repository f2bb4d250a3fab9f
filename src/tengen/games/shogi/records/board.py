"""What stands on the board and in hand while a record is read or written.

Records hold moves that the rules forbid, as the last of a game that such a move lost; so a board plays whatever can be
carried out, and says how pieces move. Whether a move is legal, the game knows.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from tengen.games.shogi.pieces import EMPTY, HAND_KINDS, KINDS, piece_of_letter
from tengen.games.shogi.records.pieces import HAND_ORDER, format_square, parse_square
from tengen.games.shogi.sfen import INITIAL

if TYPE_CHECKING:
    from tengen.games.shogi.sfen import Layout

__all__ = ["MAX_IN_HAND", "START_SFEN", "Board", "MoveError"]

START_SFEN: Final = INITIAL
_MOVE: Final = re.compile(r"(?:([PLNSGBR])\*|([1-9][a-i]))([1-9][a-i])(\+?)")
_HAND: Final = re.compile(r"(\d*)([plnsgbrPLNSGBR])")
MAX_IN_HAND: Final = 81
"""Of one kind: more than a set has are no fault of a position, as for the game's own reader."""

# Steps as (files to the left, ranks forward), by kind; the far ones go on until something stands in the way.
_GOLD: Final = ((0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0), (0, -1))
_ORTHOGONAL: Final = ((0, 1), (0, -1), (1, 0), (-1, 0))
_DIAGONAL: Final = ((1, 1), (-1, 1), (1, -1), (-1, -1))
_NEAR: Final = {
    "P": ((0, 1),),
    "N": ((1, 2), (-1, 2)),
    "S": ((0, 1), *_DIAGONAL),
    "G": _GOLD,
    "K": (*_ORTHOGONAL, *_DIAGONAL),
    "+P": _GOLD,
    "+L": _GOLD,
    "+N": _GOLD,
    "+S": _GOLD,
    "+B": _ORTHOGONAL,
    "+R": _DIAGONAL,
}
_FAR: Final = {"L": ((0, 1),), "B": _DIAGONAL, "R": _ORTHOGONAL, "+B": _DIAGONAL, "+R": _ORTHOGONAL}


class MoveError(ValueError):
    """A move that can't be carried out. The text says why."""


class Board:
    """A position that moves change."""

    __slots__ = ("hands", "number", "side", "squares")

    def __init__(
        self, squares: list[str], hands: tuple[dict[str, int], dict[str, int]], side: int, number: int
    ) -> None:
        self.squares = squares
        """81: empty, or a piece as SFEN spells it: `P`, `+p`. The first nine are file 1 from rank a."""
        self.hands = hands
        """By seat, by kind; kinds that are not there are in no hand."""
        self.side = side
        """To move: 0 is Black."""
        self.number = number
        """Of the next move, as SFEN counts."""

    @staticmethod
    def of_sfen(sfen: str) -> Board:
        """Reads SFEN in any order of hands, with or without hands and the number of the move. Raises ValueError."""
        parts = sfen.split()
        if parts[:1] == ["sfen"]:
            parts = parts[1:]
        if not 2 <= len(parts) <= 4:
            raise ValueError(f"{sfen!r} is no SFEN: expected the board, b or w, hands and perhaps a number")
        if parts[1] not in ("b", "w"):
            raise ValueError(f"{parts[1]!r} is to move: expected b or w")
        number = parts[3] if len(parts) == 4 else "1"
        if not (number.isascii() and number.isdigit() and len(number) <= 6):
            raise ValueError(f"{number!r} is no number of a move: expected 1 or more")
        hands = _parse_hands(parts[2]) if len(parts) > 2 else ({}, {})
        # Some programs count from 0.
        return Board(_parse_board(parts[0]), hands, "bw".index(parts[1]), max(int(number), 1))

    @staticmethod
    def of_layout(layout: Layout) -> Board:
        """Of a position of the game, whatever it holds."""
        counts = layout.hands[:HAND_KINDS], layout.hands[HAND_KINDS:]
        black, white = ({KINDS[kind]: count for kind, count in enumerate(hand) if count} for hand in counts)
        squares = [piece_of_letter(piece) if piece != EMPTY else "" for piece in layout.board]
        return Board(squares, (black, white), layout.side, layout.ply + 1)

    def sfen(self) -> str:
        rows = []
        for rank in range(9):
            row = "".join(self.squares[file * 9 + rank] or "." for file in range(8, -1, -1))
            rows.append(re.sub(r"\.+", lambda empty: str(len(empty[0])), row))
        hands = ""
        for seat, hand in enumerate(self.hands):
            for kind in HAND_ORDER:
                if count := hand.get(kind, 0):
                    hands += (str(count) if count > 1 else "") + (kind if seat == 0 else kind.lower())
        return f"{'/'.join(rows)} {'bw'[self.side]} {hands or '-'} {self.number}"

    def copy(self) -> Board:
        return Board(self.squares.copy(), (self.hands[0].copy(), self.hands[1].copy()), self.side, self.number)

    def own(self, kind: str) -> str:
        """A piece of the side to move."""
        return kind if self.side == 0 else kind.lower()

    def kind_on(self, square: int) -> str:
        """`P`, `+P`; empty where nothing stands."""
        return self.squares[square].upper()

    def owner_of(self, square: int) -> int | None:
        piece = self.squares[square]
        return None if not piece else int(piece[-1].islower())

    def after(self, move: str) -> Board:
        """The position after a USI move that can be carried out, legal or not. Raises MoveError."""
        found = _MOVE.fullmatch(move)
        if found is None or (found[1] and found[4]):
            raise MoveError(f"{move!r} is no USI move: expected such as 7g7f, 8h2b+ or P*5e")
        board = self.copy()
        board.play(found[1], found[2], parse_square(found[3]), promotes=bool(found[4]))
        return board

    def play(self, drop: str | None, origin: str, target: int, *, promotes: bool) -> None:
        """Changes this board: a kind is dropped, or the piece on `origin` moves. Raises MoveError."""
        if drop:
            self._drop(drop, target)
        else:
            self._move(parse_square(origin), target, promotes)
        self.side = 1 - self.side
        self.number += 1

    def _drop(self, kind: str, target: int) -> None:
        hand = self.hands[self.side]
        if not hand.get(kind):
            raise MoveError(f"{self._who} has no {kind} in hand")
        if self.squares[target]:
            raise MoveError(f"{format_square(target)} is not empty")
        hand[kind] -= 1
        self.squares[target] = self.own(kind)

    def _move(self, origin: int, target: int, promotes: bool) -> None:
        if self.owner_of(origin) != self.side:
            what = "nothing" if self.owner_of(origin) is None else "the opponent's piece"
            raise MoveError(f"{self._who} is to move, and {what} stands on {format_square(origin)}")
        if self.owner_of(target) == self.side:
            raise MoveError(f"{self._who}'s own piece stands on {format_square(target)}")
        kind = self.kind_on(origin)
        if promotes and (kind in "GK" or kind[0] == "+"):
            raise MoveError(f"the piece on {format_square(origin)} can't promote")
        taken = self.kind_on(target).removeprefix("+")
        if taken and taken != "K":
            hand = self.hands[self.side]
            hand[taken] = hand.get(taken, 0) + 1
        self.squares[target] = self.own("+" + kind if promotes else kind)
        self.squares[origin] = ""

    @property
    def _who(self) -> str:
        return ("Black", "White")[self.side]

    def movers(self, kind: str, target: int) -> list[int]:
        """Where pieces of the side to move stand that move to a square by their ways alone, whatever the rules say."""
        piece = self.own(kind)
        if piece not in self.squares:
            return []
        return [
            square for square, stands in enumerate(self.squares) if stands == piece and self._reaches(square, target)
        ]

    def _reaches(self, origin: int, target: int) -> bool:
        kind = self.kind_on(origin)
        left, forward = direction(origin, target, self.side)
        if (left, forward) in _NEAR.get(kind, ()):
            return True
        length = max(abs(left), abs(forward))
        if length == 0 or (left and forward and abs(left) != abs(forward)):
            return False
        step = left // length if left else 0, forward // length if forward else 0
        if step not in _FAR.get(kind, ()):
            return False
        between = (target - origin) // length
        return not any(self.squares[square] for square in range(origin + between, target, between))

    def why_impossible(self, move: str) -> str:
        """What forbids a move that can be carried out, as far as the ways of pieces tell; empty: nothing."""
        target = parse_square(move[2:4])
        last = target % 9 if self.side == 0 else 8 - target % 9
        if move[1] == "*":
            kind = move[0]
            if kind == "P" and any(piece == self.own("P") for piece in self.squares[target // 9 * 9 :][:9]):
                return "there is a pawn on this file already"
        else:
            origin = parse_square(move[:2])
            kind = self.kind_on(origin)
            if not self._reaches(origin, target):
                return f"the piece on {format_square(origin)} does not move like that"
            first = origin % 9 if self.side == 0 else 8 - origin % 9
            if move.endswith("+"):
                return "" if min(first, last) < 3 else "pieces promote in the opponent's camp only"
        if (kind in ("P", "L") and last < 1) or (kind == "N" and last < 2):
            return "the piece could never move again"
        return ""


@cache
def direction(origin: int, target: int, side: int) -> tuple[int, int]:
    """Files to the left and ranks forward, as who moves sees them."""
    left, down = target // 9 - origin // 9, target % 9 - origin % 9
    return (left, -down) if side == 0 else (-left, down)


def _parse_board(text: str) -> list[str]:
    squares = [""] * 81
    rows = text.split("/")
    if len(rows) != 9:
        raise ValueError(f"the board {text!r} has {len(rows)} rows: expected 9")
    for rank, row in enumerate(rows):
        column = 0
        for found in re.finditer(r"(\d)|(\+?[a-zA-Z])|(.)", row):
            if found[1] and found[1] != "0":
                column += int(found[1])
                continue
            piece = found[2] or ""
            kind = piece.upper()
            if kind not in _NEAR and kind not in _FAR:
                raise ValueError(f"{found[0]!r} in the row {row!r} is no piece")
            if column < 9:
                squares[(8 - column) * 9 + rank] = piece
            column += 1
        if column != 9:
            raise ValueError(f"the row {row!r} has {column} squares: expected 9")
    return squares


def _parse_hands(text: str) -> tuple[dict[str, int], dict[str, int]]:
    hands: tuple[dict[str, int], dict[str, int]] = ({}, {})
    if text == "-":
        return hands
    if not re.fullmatch(f"(?:{_HAND.pattern})+", text):
        raise ValueError(f"{text!r} are no hands: expected such as 2Pb or -")
    for count, piece in _HAND.findall(text):
        hand, kind = hands[piece.islower()], piece.upper()
        hand[kind] = hand.get(kind, 0) + (int(count) if count else 1)
        if hand[kind] > MAX_IN_HAND:
            raise ValueError(f"{hand[kind]} {kind} in hand are more than there are")
    return hands
