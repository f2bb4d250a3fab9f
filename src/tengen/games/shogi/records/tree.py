"""A game of shogi and its variations, whatever file they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tengen.games.shogi.records.board import START_SFEN, Board
from tengen.games.shogi.records.ends import DRAWS, ENDS, winner_of
from tengen.games.shogi.records.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Node", "Record", "new_record"]


@dataclass(eq=False)
class Node:
    """A move, the end of a line, or the start, which is neither."""

    move: str | None = None
    """In USI."""
    end: str | None = None
    """One of ENDS; such a node has no children."""
    comment: str = ""
    """Lines of text; at the start what is said before the first move."""
    time_s: float | None = None
    """Seconds that the move took."""
    bookmark: str = ""
    line: int | None = None
    """Where it was read."""
    children: list[Node] = field(default_factory=list)
    """The first goes on with the line, others are variations."""

    def add(self, *, move: str | None = None, end: str | None = None, line: int | None = None) -> Node:
        """The child with that move or end: the one that is there, else a new one after the others."""
        if end is not None and end not in ENDS:
            raise RecordError(f"{end!r} is no end of a game: expected {', '.join(ENDS)}")
        for child in self.children:
            if (child.move, child.end) == (move, end):
                return child
        child = Node(move=move, end=end, line=line)
        self.children.append(child)
        return child

    def main_line(self) -> list[Node]:
        """The nodes after this one, by first children."""
        found: list[Node] = []
        node = self
        while node.children:
            node = node.children[0]
            found.append(node)
        return found


@dataclass(eq=False)
class Record:
    """What is changed in it is written. Two are equal if they say the same, wherever they were read."""

    start: str = START_SFEN
    """SFEN with the number of the first move."""
    header: dict[str, str] = field(default_factory=dict)
    """By the names of headers.KEYS, such as black, white, event, and by the file's own words for others."""
    root: Node = field(default_factory=Node)
    source: str = ""
    """The file, for errors."""

    @property
    def board(self) -> Board:
        """Where it starts."""
        return Board.of_sfen(self.start)

    @property
    def moves(self) -> list[str]:
        """The main line in USI."""
        return [node.move for node in self.root.main_line() if node.move is not None]

    @property
    def end(self) -> str | None:
        """How the main line ends: one of ENDS; None: it says nothing."""
        line = self.root.main_line()
        return line[-1].end if line else None

    @property
    def winner(self) -> int | None:
        """The seat that wins the main line; None: nobody does, or the record does not say."""
        side = (self.board.side + len(self.moves)) % 2
        return None if self.end is None else winner_of(self.end, side)

    @property
    def is_draw(self) -> bool:
        return self.end in DRAWS

    @property
    def has_variations(self) -> bool:
        return any(len(node.children) > 1 for node, _ in self.walk())

    def walk(self) -> Iterator[tuple[Node, int]]:
        """Every node with the number of moves before it, parents first, lines in order."""
        left = [(self.root, 0)]
        while left:
            node, ply = left.pop()
            yield node, ply
            ply += node is not self.root
            left += [(child, ply) for child in reversed(node.children)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> tuple[object, ...]:
        nodes = [
            (ply, node.move, node.end, node.comment, node.time_s, node.bookmark, len(node.children))
            for node, ply in self.walk()
        ]
        return self.start, self.header, nodes

    def copy(self) -> tuple[Record, dict[Node, Node]]:
        """One of its own, and its nodes by those that they are copies of."""
        copies: dict[Node, Node] = {}
        for node, _ in self.walk():
            copies[node] = Node(node.move, node.end, node.comment, node.time_s, node.bookmark, node.line)
        for node, made in copies.items():
            made.children = [copies[child] for child in node.children]
        return Record(self.start, dict(self.header), copies[self.root], self.source), copies

    def main_only(self) -> Record:
        """Its main line by itself."""
        record, _ = self.copy()
        for node in [record.root, *record.root.main_line()]:
            del node.children[1:]
        return record


def new_record(moves: Iterable[str] = (), *, start: str = START_SFEN, end: str | None = None, **header: str) -> Record:
    """A record of a line of USI moves. Raises RecordError where one can't be carried out."""
    try:
        board = Board.of_sfen(start)
    except ValueError as error:
        raise RecordError(str(error)) from error
    record = Record(board.sfen(), {name: text for name, text in header.items() if text})
    node = record.root
    for number, move in enumerate(moves, start=1):
        try:
            board = board.after(move)
        except ValueError as error:
            raise RecordError(f"move {number}, {move}: {error}") from error
        node = node.add(move=move)
    if end is not None:
        node.add(end=end)
    return record
