"""A game of Go from an SGF file: the position it begins from, its moves, and the tree to write into."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tengen._time_limit import check_time
from tengen.games.errors import GameError, IllegalAction
from tengen.games.go import Go
from tengen.games.go.notation import Color, format_vertex, parse_color, parse_vertex
from tengen.games.go.rules import PRESETS, Rules, parse_rules
from tengen.games.go.sgf.encoding import decode_sgf
from tengen.games.go.sgf.errors import SgfError
from tengen.games.go.sgf.rule_names import format_komi, format_rules_name, parse_komi, parse_rules_name
from tengen.games.go.sgf.tree import Node, parse_trees, serialize_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tengen.games.state import State

__all__ = ["MAX_SETUPS", "Info", "Line", "Record", "load_collection", "load_sgf", "new_record", "save_collection"]

MAX_SETUPS: Final = 2000
"""Setups between moves in one line: each keeps a whole board."""
_SIZE: Final = re.compile(r"(\d{1,2})\s*(?:[:x]\s*(\d{1,2}))?", re.ASCII)
_LETTERS: Final = "abcdefghijklmnopqrs"
_SETUP: Final[dict[str, Color | None]] = {"AB": "black", "AW": "white", "AE": None}
_MOVES: Final[dict[str, Color]] = {"B": "black", "W": "white"}
_OTHER: Final[dict[Color, Color]] = {"black": "white", "white": "black"}


@dataclass(frozen=True, slots=True)
class Info:
    """Facts about the game in the words of the file; empty if the file lacks them."""

    black: str = field(default="", metadata={"sgf": "PB"})
    white: str = field(default="", metadata={"sgf": "PW"})
    black_rank: str = field(default="", metadata={"sgf": "BR"})
    white_rank: str = field(default="", metadata={"sgf": "WR"})
    result: str = field(default="", metadata={"sgf": "RE"})
    date: str = field(default="", metadata={"sgf": "DT"})
    event: str = field(default="", metadata={"sgf": "EV"})
    round: str = field(default="", metadata={"sgf": "RO"})
    place: str = field(default="", metadata={"sgf": "PC"})
    name: str = field(default="", metadata={"sgf": "GN"})
    handicap: str = field(default="", metadata={"sgf": "HA"})
    rules: str = field(default="", metadata={"sgf": "RU"})
    komi: str = field(default="", metadata={"sgf": "KM"})
    time: str = field(default="", metadata={"sgf": "TM"})
    overtime: str = field(default="", metadata={"sgf": "OT"})
    comment: str = field(default="", metadata={"sgf": "GC"})
    program: str = field(default="", metadata={"sgf": "AP"})


@dataclass(frozen=True, slots=True)
class Line:
    """The way to a node: a position and the moves after it.

    Stones that are set up in the middle of a game are seen as the beginning of what follows.
    """

    stones: list[tuple[Color, str]]
    """Stones on the board before the first move, by vertices such as D4."""
    to_play: Color
    """Player who makes the first move."""
    moves: list[tuple[Color, str]]
    nodes: list[Node]
    """The node of each move."""
    start: Node
    """Node before the first move, or the one that set up the stones."""


class Record:
    """A game and its variations. What is changed in the tree is written by `save`."""

    def __init__(self, root: Node, source: str = "the record") -> None:
        self.root = root
        self.source = source
        self.width, self.height = self._read_size()
        if "GM" in root and root.text("GM").strip() not in ("1", ""):
            raise SgfError(f"{source}: GM is {root.text('GM')!r}: expected 1, which is Go")
        self.rules = parse_rules_name(root.text("RU")) if root.text("RU").strip() else None
        """None where the file names none, or none that are known."""
        self.komi = self._read_komi()
        """None where the file does not say."""

    @property
    def info(self) -> Info:
        return Info(**{item.name: self.root.text(item.metadata["sgf"]).strip() for item in fields(Info)})

    @property
    def main(self) -> Line:
        """The line of first children, to its end."""
        return self.line(self.root.main_line()[-1])

    @property
    def stones(self) -> list[tuple[Color, str]]:
        return self.main.stones

    @property
    def to_play(self) -> Color:
        return self.main.to_play

    @property
    def moves(self) -> list[tuple[Color, str]]:
        return self.main.moves

    def line(self, node: Node) -> Line:
        """The way to a node of this record."""
        return self.lines(node)[-1]

    def lines(self, node: Node) -> list[Line]:
        """The way to a node, cut where stones are set up after moves; the last one ends at the node."""
        return _LineReader(self).read(node.path())

    def played_under(self, rules: str | Mapping[str, Any] | Rules = "japanese") -> tuple[Rules, float]:
        """Rules and komi: the file's, else the given ones and the komi that is usual, half a point after a handicap."""
        given, usual = (rules, None) if isinstance(rules, Rules) else parse_rules(rules)
        chosen = given if self.rules is None else self.rules
        if self.komi is not None:
            return chosen, self.komi
        stones = self.stones
        if len(stones) > 1 and all(color == "black" for color, _ in stones):
            return chosen, 0.5
        if chosen != given or usual is None:
            usual = next((komi for preset, komi in PRESETS.values() if preset == chosen), 7.5)
        return chosen, usual

    # The tree.

    def point(self, vertex: str) -> str:
        """A vertex as SGF spells it: D4 on 19x19 is dp, a pass is empty."""
        cell = parse_vertex(vertex, self.width, self.height)
        if cell == self.width * self.height:
            return ""
        y, x = divmod(cell, self.width)
        return _LETTERS[x] + _LETTERS[y]

    def vertex(self, point: str) -> str:
        """The reverse; tt is a pass as well."""
        text = point.strip()
        if text in ("", "tt"):
            return "pass"
        x, y = (_LETTERS.find(letter) for letter in text) if len(text) == 2 else (-1, -1)
        if not (0 <= x < self.width and 0 <= y < self.height):
            last = _LETTERS[self.width - 1] + _LETTERS[self.height - 1]
            raise SgfError(f"{self.source}: {point[:20]!r} is no point of the board: expected aa to {last}")
        return format_vertex(y * self.width + x, self.width, self.height)

    def move(self, node: Node) -> tuple[Color, str] | None:
        """The move of a node, if it is one."""
        for name, color in _MOVES.items():
            if name in node:
                return color, self.vertex(node.text(name))
        return None

    def add_move(self, node: Node, color: str, vertex: str) -> Node:
        """The child with that move: the one that is there, else a new one after the others."""
        player = parse_color(color)
        name = "B" if player == "black" else "W"
        point = self.point(vertex)
        wanted = (player, self.vertex(point))
        for child in node.children:
            if name in child and self.move(child) == wanted:
                return child
        child = node.new_child()
        child.set_texts(name, point)
        return child

    def set_points(self, node: Node, name: str, vertices: Iterable[str]) -> None:
        """Marks such as TR, SQ, CR, MA on points; no points take the mark away."""
        node.set_texts(name, *(self.point(vertex) for vertex in vertices))

    def set_labels(self, node: Node, labels: Mapping[str, str]) -> None:
        """Texts on points, by vertex."""
        node.set_texts("LB")
        if labels:
            texts = {self.point(vertex): text for vertex, text in labels.items()}
            node.set_texts("LB", *texts.values())
            node.raw["LB"] = [point.encode() + b":" + raw for point, raw in zip(texts, node.raw["LB"], strict=True)]

    def set_info(self, **values: str) -> None:
        """Fields of Info, by name."""
        names = {item.name: item.metadata["sgf"] for item in fields(Info)}
        for name, value in values.items():
            if name not in names:
                raise SgfError(f"{name!r} is nothing that a record says of its game: expected {', '.join(names)}")
            self.root.set_texts(names[name], *([value] if value else []))

    def to_bytes(self) -> bytes:
        """The file in UTF-8, with all variations and properties."""
        self.root.set_texts("CA", "UTF-8")
        return serialize_tree(self.root)

    def save(self, path: str | Path) -> None:
        Path(path).write_bytes(self.to_bytes())

    def start(self, node: Node | None = None, rules: str | Mapping[str, Any] | Rules = "japanese") -> tuple[Go, State]:
        """The game and the position at a node, by default at the end of the main line."""
        line = self.main if node is None else self.line(node)
        chosen, komi = self.played_under(rules)
        game = Go(size=self.width, height=self.height)
        try:
            state = game.start(rules=chosen, komi=komi, stones=line.stones, to_play=line.to_play, moves=line.moves)
        except IllegalAction as error:
            raise SgfError(f"{self.source}: {error}") from error
        return game, state

    def _read_size(self) -> tuple[int, int]:
        text = self.root.text("SZ").strip() or "19"
        found = _SIZE.fullmatch(text)
        width = int(found[1]) if found else 0
        height = int(found[2] or width) if found else 0
        if not (2 <= width <= 19 and 2 <= height <= 19):
            raise SgfError(f"{self.source}: SZ is {text[:20]!r}: expected 2 to 19, or two of them such as 7:11")
        return width, height

    def _read_komi(self) -> float | None:
        text = self.root.text("KM").strip()
        if not text:
            return None
        komi = parse_komi(text, self.rules is None or self.rules.scoring == "area")
        if komi is None:
            raise SgfError(f"{self.source}: KM is {text[:20]!r}: expected a whole or half number from -400 to 400")
        return komi


class _LineReader:
    """Follows a path; whatever is set up after moves is folded with them into a new beginning. Time is linear in the
    length of the path."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.board: dict[str, Color] = {}
        self.to_play: Color | None = None
        self.moves: list[tuple[Color, str]] = []
        self.nodes: list[Node] = []
        self.start = record.root
        self._lines: list[Line] = []
        self._known: dict[str, list[str]] = {}
        """Points by the text that names them: many nodes may name the same rectangle."""

    def read(self, path: list[Node]) -> list[Line]:
        for node in path:
            check_time()
            self._set_up(node)
            move = self.record.move(node)
            if move is not None:
                self.moves.append(move)
                self.nodes.append(node)
        return [*self._lines, self._line()]

    def _line(self) -> Line:
        return Line(list(self._stones()), self._first_player(), self.moves, self.nodes, self.start)

    def _set_up(self, node: Node) -> None:
        changes = {
            vertex: color
            for name, color in _SETUP.items()
            for text in dict.fromkeys(node.texts(name))
            for vertex in self._points(node, name, text)
        }
        player = self._player(node)
        if self.moves and (changes or (player is not None and player != _OTHER[self.moves[-1][0]])):
            self._fold()
        if changes or (player is not None and not self.moves):
            self.start = node
        for vertex, color in changes.items():
            if color is None:
                self.board.pop(vertex, None)
            else:
                self.board[vertex] = color
        if player is not None and not self.moves:
            self.to_play = player

    def _player(self, node: Node) -> Color | None:
        text = node.text("PL").strip().lower()
        try:
            return parse_color(text) if text else None
        except GameError as error:
            raise SgfError(f"{self.record.source}: PL is {text[:20]!r}: expected B or W") from error

    def _points(self, node: Node, name: str, text: str) -> list[str]:
        """A point, or a rectangle such as aa:cc."""
        if text in self._known:
            return self._known[text]
        check_time()
        first, _, last = text.partition(":")
        corners = [self.record.vertex(first), self.record.vertex(last or first)]
        if "pass" in corners:
            if not text.strip() and len(node.raw[name]) == 1:
                return []
            raise SgfError(f"{self.record.source}: {name} has {text[:20]!r}: expected points such as dd")
        cells = [parse_vertex(vertex, self.record.width, self.record.height) for vertex in corners]
        (top, left), (bottom, right) = sorted(divmod(cell, self.record.width) for cell in cells)
        left, right = min(left, right), max(left, right)
        self._known[text] = [
            format_vertex(y * self.record.width + x, self.record.width, self.record.height)
            for y in range(top, bottom + 1)
            for x in range(left, right + 1)
        ]
        return self._known[text]

    def _fold(self) -> None:
        self._lines.append(self._line())
        if len(self._lines) > MAX_SETUPS:
            raise SgfError(
                f"{self.record.source}: stones are set up between moves more than {MAX_SETUPS} times in a line"
            )
        game = Go(size=self.record.width, height=self.record.height)
        rules = self.record.rules or Rules()
        try:
            state = game.start(rules=rules, stones=self._stones(), to_play=self._first_player(), moves=self.moves)
        except IllegalAction as error:
            raise SgfError(f"{self.record.source}: {error}") from error
        rows = game.board(state).split("/")
        cells = {y * game.width + x: stone for y, row in enumerate(rows) for x, stone in enumerate(row) if stone != "."}
        self.board = {game.format_action(cell): "black" if stone == "X" else "white" for cell, stone in cells.items()}
        self.to_play = game.to_play(state)
        self.moves, self.nodes = [], []

    def _stones(self) -> Iterable[tuple[Color, str]]:
        return ((color, vertex) for vertex, color in self.board.items())

    def _first_player(self) -> Color:
        if self.to_play is not None:
            return self.to_play
        if self.moves:
            return self.moves[0][0]
        colors = set(self.board.values())
        return "white" if len(self.board) > 1 and colors == {"black"} else "black"


def load_sgf(source: str | Path | bytes) -> Record:
    """The first game of a file, or of a file's bytes."""
    return load_collection(source)[0]


def load_collection(source: str | Path | bytes) -> list[Record]:
    """All games of a file. Their main lines can be read; a variation may still turn out to be wrong."""
    name = "the SGF text" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except (OSError, ValueError) as error:
        raise SgfError(f"{name}: {error.strerror if isinstance(error, OSError) else error}") from error
    records = [Record(root, name) for root in parse_trees(decode_sgf(data), name)]
    for record in records:
        record.line(record.root.main_line()[-1])
    return records


def save_collection(path: str | Path, records: Iterable[Record]) -> None:
    """Several games in one file."""
    Path(path).write_bytes(b"".join(record.to_bytes() for record in records))


def new_record(
    width: int,
    height: int,
    *,
    rules: Rules | None = None,
    komi: float | None = None,
    stones: Iterable[tuple[str, str]] = (),
    to_play: str | None = None,
    moves: Iterable[tuple[str, str]] = (),
    **info: str,
) -> Record:
    """A record to be saved; `info` are fields of Info by name."""
    root = Node()
    size = str(width) if width == height else f"{width}:{height}"
    for name, text in {"FF": "4", "GM": "1", "SZ": size, "AP": "Tengen"}.items():
        root.set_texts(name, text)
    record = Record(root)
    record.set_info(**info)
    if rules is not None:
        record.rules = rules
        root.set_texts("RU", format_rules_name(rules))
    if komi is not None:
        record.komi = komi
        root.set_texts("KM", format_komi(komi))
    placed = [(parse_color(color), vertex) for color, vertex in stones]
    for name in ("black", "white"):
        record.set_points(root, f"A{name[0].upper()}", [vertex for color, vertex in placed if color == name])
    if to_play is not None:
        root.set_texts("PL", "B" if parse_color(to_play) == "black" else "W")
    node = root
    for color, vertex in moves:
        node = record.add_move(node, color, vertex)
    return record
