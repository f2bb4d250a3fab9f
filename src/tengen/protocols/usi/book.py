"""Opening books in YaneuraOu's text form."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Book", "BookError", "BookMove", "format_book", "parse_book"]

HEAD: Final = "#YANEURAOU-DB2016 1.00"
NO_BOOK: Final = "no_book"
_NONE: Final = ("none", "resign", "null")


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


class Book:
    """Moves by position."""

    def __init__(self, moves: dict[str, list[BookMove]]) -> None:
        self._moves = moves

    def __len__(self) -> int:
        return len(self._moves)

    def __iter__(self) -> Iterator[tuple[str, list[BookMove]]]:
        return iter(self._moves.items())

    @classmethod
    def load(cls, path: str | Path) -> Book:
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError, ValueError) as error:
            raise BookError(f"{path} can't be read: {error}") from error
        return parse_book(text, str(path))

    def moves(self, sfen: str) -> list[BookMove]:
        """Of a position, whatever its move number; the file's first comes first."""
        return self._moves.get(_key(sfen), [])

    def choose(self, sfen: str, legal: set[str], rng: random.Random) -> BookMove | None:
        """One of the moves, by how often they were played; where nobody counted, one of the best score."""
        found = [move for move in self.moves(sfen) if move.move in legal]
        if not found:
            return None
        if any(move.count for move in found):
            return rng.choices(found, [max(0, move.count) for move in found])[0]
        best = max((move.score for move in found if move.score is not None), default=None)
        return found[0] if best is None else next(move for move in found if move.score == best)


def parse_book(text: str, where: str = "the book") -> Book:
    moves: dict[str, list[BookMove]] = {}
    here: list[BookMove] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith(("#", "//")):
            continue
        if words[0] == "sfen":
            if len(words) < 4:
                raise BookError(f"{where}, line {number}: {line[:80]!r} is no position")
            here = moves.setdefault(_key(line), [])
        elif here is None:
            raise BookError(f"{where}, line {number}: {line[:80]!r} is a move without a position above it")
        else:
            here.append(_move(words, f"{where}, line {number}"))
    return Book(moves)


def format_book(book: Book) -> str:
    """The positions in the order of their text, so that the file can be searched."""
    lines = [HEAD]
    for sfen, moves in sorted(book):
        lines.append(f"sfen {sfen} 1")
        for move in moves:
            words = [move.move, move.reply or "none"]
            if move.score is not None:
                words += [str(move.score), str(move.depth or 0)]
                words += [str(move.count)] if move.count else []
            lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def _move(words: list[str], where: str) -> BookMove:
    numbers = []
    for word in words[2:5]:
        try:
            numbers.append(int(word))
        except ValueError:
            raise BookError(f"{where}: {word!r} is no number") from None
    reply = words[1] if len(words) > 1 and words[1].lower() not in _NONE else None
    score, depth, count = [*numbers, None, None, None][:3]
    return BookMove(words[0], reply, score, depth, count or 0)


def _key(sfen: str) -> str:
    words = sfen.split()
    return " ".join(words[1:4] if words and words[0] == "sfen" else words[:3])
