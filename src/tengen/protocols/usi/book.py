"""Opening books in YaneuraOu's text form."""

from __future__ import annotations

import mmap
import random
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from tengen.games.shogi.pieces import EMPTY, HAND_KINDS, color_of, kind_of, make_piece
from tengen.games.shogi.sfen import Layout, PieceCountWarning, format_sfen, parse_sfen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Book", "BookError", "BookMove", "SortedBook", "format_book", "parse_book"]

HEAD: Final = "#YANEURAOU-DB2016 1.00"
NO_BOOK: Final = "no_book"
_NONE: Final = ("none", "resign", "null")
_REMARKS: Final = ("#", "//")
"""What begins so is for people."""
_LARGE_BYTES: Final = 16 << 20
_PROBES: Final = 100
_TURNED: Final = dict(zip("123456789abcdefghi", "987654321ihgfedcba", strict=True))


class BookError(ValueError):
    """A file that is no book; the text names the line."""


@dataclass(frozen=True)
class BookMove:
    move: str
    reply: str | None = None
    score: int | None = None
    """Centipawns, of the side to move."""
    depth: int | None = None
    count: int = 0
    """How often it was played."""


class Lookup(Protocol):
    """Where a book's moves are."""

    def get(self, key: str, default: list[BookMove], /) -> list[BookMove]: ...


class Book:
    """Moves by position."""

    def __init__(self, moves: Lookup) -> None:
        self._moves = moves

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """A large file in the order of its positions stays on the disk."""
        try:
            large = SortedBook.open(Path(path)) if Path(path).stat().st_size > _LARGE_BYTES else None
            if large is not None:
                return cls(large)
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError, ValueError) as error:
            raise BookError(f"{path} can't be read: {error}") from error
        return cls(parse_book(text, str(path)))

    def moves(self, sfen: str) -> list[BookMove]:
        """Of a position, whatever its move number; the file's first comes first. Many books hold positions for one side
        only: the same position with sides and board turned round tells as much."""
        found = self._moves.get(key_of(sfen), [])
        return found or [_turned_move(move) for move in self._moves.get(key_of(_turned(sfen)), [])]

    def choose(self, sfen: str, legal: set[str], rng: random.Random) -> BookMove | None:
        """One of the moves, by how often they were played; where nobody counted, one of the best score."""
        found = [move for move in self.moves(sfen) if move.move in legal]
        if not found:
            return None
        if any(move.count for move in found):
            return rng.choices(found, [max(0, move.count) for move in found])[0]
        best = max((move.score for move in found if move.score is not None), default=None)
        return found[0] if best is None else next(move for move in found if move.score == best)


class SortedBook:
    """A book on the disk, its positions in the order of their texts: they are found by halving, so that the size of the
    file does not matter."""

    def __init__(self, data: mmap.mmap, where: str) -> None:
        self._data = data
        self._where = where

    @classmethod
    def open(cls, path: Path) -> SortedBook | None:
        """None: its positions are in another order, as far as some of them tell."""
        with path.open("rb") as file:
            book = cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), str(path))
        starts = (book._entry(at * len(book._data) // _PROBES) for at in range(_PROBES))
        keys = [book._key_at(start) for start in starts if start < len(book._data)]
        return book if keys and keys == sorted(keys) else None

    def get(self, key: str, default: list[BookMove]) -> list[BookMove]:
        wanted, size = key.encode(), len(self._data)
        low, high = 0, size
        while low < high:
            middle = (low + high) // 2
            start = self._entry(middle)
            if start < size and self._key_at(start) < wanted:
                low = start + 1
            else:
                high = middle
        found: list[BookMove] = []
        start = self._entry(low)
        while start < size and self._key_at(start) == wanted:  # once for every move number that the book has
            end = self._entry(start + 1)
            lines = self._data[start:end].decode("utf-8", "replace").splitlines()[1:]
            words = [line.split() for line in lines if line.strip() and not line.startswith(_REMARKS)]
            found += [parse_book_move(each, f"{self._where}, {key}") for each in words]
            start = end
        return found or default

    def _entry(self, at: int) -> int:
        """Where the first position begins that does so at a place or after it; the size of the file: none."""
        found = self._data.find(b"\nsfen ", max(0, at - 1))
        return len(self._data) if found < 0 else found + 1

    def _key_at(self, start: int) -> bytes:
        end = self._data.find(b"\n", start)
        return b" ".join(self._data[start : len(self._data) if end < 0 else end].split()[1:4])


def parse_book(text: str, where: str = "the book") -> dict[str, list[BookMove]]:
    """By position, as SFEN without a move number."""
    moves: dict[str, list[BookMove]] = {}
    here: list[BookMove] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith(_REMARKS):
            continue
        if words[0] == "sfen":
            if len(words) < 4:
                raise BookError(f"{where}, line {number}: {line[:80]!r} is no position")
            here = moves.setdefault(key_of(line), [])
        elif here is None:
            raise BookError(f"{where}, line {number}: {line[:80]!r} is a move without a position above it")
        else:
            here.append(parse_book_move(words, f"{where}, line {number}"))
    return moves


def format_book(book: Mapping[str, Sequence[BookMove]]) -> str:
    """In the order of the positions' texts, so that the file can be searched."""
    lines = [HEAD]
    for sfen, moves in sorted(book.items()):
        lines.append(f"sfen {sfen} 1")
        for move in moves:
            words = [move.move, move.reply or "none"]
            if move.score is not None:
                words += [str(move.score), str(move.depth or 0)]
                words += [str(move.count)] if move.count else []
            lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def parse_book_move(words: Sequence[str], where: str) -> BookMove:
    numbers: list[int | None] = []
    for word in words[2:5]:
        if word.startswith(_REMARKS):
            break
        try:
            numbers.append(None if word.lower() in _NONE else int(word))
        except ValueError:
            raise BookError(f"{where}: {word!r} is no number") from None
    has_reply = len(words) > 1 and words[1].lower() not in _NONE and not words[1].startswith(_REMARKS)
    reply = words[1] if has_reply else None
    score, depth, count = [*numbers, None, None, None][:3]
    return BookMove(words[0], reply, score, depth, count or 0)


def key_of(sfen: str) -> str:
    """Without its move number."""
    words = sfen.split()
    return " ".join(words[1:4] if words and words[0] == "sfen" else words[:3])


def _turned(sfen: str) -> str:
    """As the other side sees it: turned by 180 degrees, with sides exchanged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PieceCountWarning)
        layout = parse_sfen(key_of(sfen))
    board = bytearray(
        piece if piece == EMPTY else make_piece(1 - color_of(piece), kind_of(piece)) for piece in layout.board
    )
    board.reverse()
    hands = layout.hands[HAND_KINDS:] + layout.hands[:HAND_KINDS]
    return format_sfen(Layout(board, hands, 1 - layout.side))


def _turned_move(move: BookMove) -> BookMove:
    reply = None if move.reply is None else _turned_name(move.reply)
    return replace(move, move=_turned_name(move.move), reply=reply)


def _turned_name(name: str) -> str:
    """Of a USI move."""
    return "".join(_TURNED.get(sign, sign) for sign in name)
