"""Games of Go from SGF, as a review asks about them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from tengen._time_limit import check_time
from tengen.analysis.go.positions import GoPosition, board_stones, make_position
from tengen.analysis.review.played_game import PlayedGame, ReviewError, Segment
from tengen.analysis.review.record_format import RecordFormat, TreeMove
from tengen.games.go import Go
from tengen.games.go.rules import Rules, parse_rules
from tengen.games.go.sgf import Info, load_collection, load_sgf
from tengen.games.go.sgf.record import MAX_SETUPS
from tengen.games.go.sgf.rule_names import format_rules_name
from tengen.games.translation import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tengen.analysis.review.review import Review
    from tengen.games.go.notation import Color
    from tengen.games.go.sgf import Node, Record
    from tengen.games.state import State

__all__ = ["GoGame", "SgfFormat", "read_go"]

_SETUP = ("AB", "AW", "AE", "PL")
_COLORS: tuple[Color, ...] = ("black", "white")
_SEATS = {color: seat for seat, color in enumerate(_COLORS)}


@dataclass(frozen=True)
class GoGame(PlayedGame):
    """The main line of a record."""

    record: Record | None = None
    width: int = 19
    height: int = 19
    rules: Rules = Rules()  # noqa: RUF009 - frozen
    komi: float = 7.5
    boards: tuple[str, ...] = ()
    """Board at the start of each segment, as Go.board writes it."""
    nodes: tuple[Node, ...] = ()
    """Node of each turn whose position is analyzed."""

    @property
    def info(self) -> Info:
        assert self.record is not None
        return self.record.info

    @property
    def player_names(self) -> tuple[str, ...]:
        return self.info.black or "Black", self.info.white or "White"


class SgfFormat(RecordFormat):
    suffix = ".sgf"
    suffixes = (".sgf",)
    tree_suffix = ".sgf"

    def load(self, path: Path, number: int = 1, *, rules: str | None = None, komi: float | None = None) -> GoGame:
        records = load_collection(path)
        if number > len(records):
            raise ReviewError(f"{path} has {len(records)} games, none is number {number}")
        return read_go(records[number - 1], rules=rules, komi=komi)

    def played(self, record: Record) -> GoGame:
        return read_go(record)

    def format_page(self, review: Review, lang: str = ENGLISH) -> str:  # noqa: ARG002 - it has one language
        from tengen.analysis.go.review_page import format_page

        return format_page(review)

    def format_record(self, review: Review, lang: str = ENGLISH) -> bytes:  # noqa: ARG002
        from tengen.analysis.go.review_sgf import format_sgf

        return format_sgf(review)

    def read_tree(self, played: PlayedGame) -> list[TreeMove]:
        assert isinstance(played, GoGame)
        record = played.record
        assert record is not None
        turns = {node: turn for turn, node in enumerate(played.nodes)}
        rows = [
            TreeMove(turn - 1, played.moves[turn - 1][1] if turn else "", node.comment)
            for turn, node in enumerate(played.nodes)
        ]
        line = record.root.main_line()
        turn = 0
        waiting: list[tuple[Node, int]] = []
        for node in line:
            turn = turns.get(node, turn)
            waiting += [(child, turn) for child in node.children[1:]]
        waiting.reverse()
        while waiting:
            check_time()
            node, parent = waiting.pop()
            move = record.move(node)
            if move is not None:
                rows.append(TreeMove(parent, move[1], node.comment, _SEATS[move[0]]))
                parent = len(rows) - 1
            elif any(name in node for name in _SETUP):
                continue
            waiting += [(child, parent) for child in reversed(node.children)]
        return rows

    def add_tree(self, data: bytes, tree: Sequence[TreeMove], about: Mapping[str, Any]) -> bytes:
        record = load_sgf(data)
        own = ("rules", "komi", "handicap", "program")
        known = {"black": "", "white": ""} | {name: str(value) for name, value in about.items() if name not in own}
        record.set_info(**{item.name: known[item.name] for item in fields(Info) if item.name in known})
        nodes = [record.root]
        for row in tree:
            if row.parent >= 0:
                nodes.append(record.add_move(nodes[row.parent], _COLORS[row.player or 0], row.name))
            nodes[-1].comment = row.comment
        return record.to_bytes()


@dataclass(frozen=True)
class _Part:
    """Moves in turn from a position that is set up."""

    stones: list[tuple[Color, str]]
    to_play: Color
    moves: list[tuple[Color, str]]
    nodes: list[Node]
    start: Node
    state: State
    """State before the first move."""
    rules: Rules
    komi: float

    def position(self, game: Go) -> GoPosition:
        return make_position(game, self.stones, self.moves, self.to_play, self.rules, self.komi)


def read_go(record: Record, *, rules: str | Rules | None = None, komi: float | None = None) -> GoGame:
    """The main line under the rules of the file, else `rules`, by default Japanese ones; `komi` wins over the file's.

    Raises ReviewError where a move is impossible.
    """
    asked, usual = record.played_under("japanese" if rules is None else rules)
    if rules is not None:
        asked = rules if isinstance(rules, Rules) else parse_rules(rules)[0]
    komi = usual if komi is None else komi
    game = Go(size=record.width, height=record.height)
    parts = _parts(record, game, asked, komi)
    segments, boards, nodes = [], [], []
    moves: list[tuple[int, str]] = []
    for part in parts:
        segments.append(Segment(len(moves), part.position(game)))
        boards.append(game.board(part.state))
        nodes += [part.start, *part.nodes[:-1]] if part.moves else []
        moves += [(_SEATS[color], vertex) for color, vertex in part.moves]
    nodes.append(parts[-1].nodes[-1] if parts[-1].nodes else parts[-1].start)
    info = record.info
    about = {name: value for name, value in asdict(info).items() if value and name not in ("rules", "komi")}
    about |= {"width": game.width, "height": game.height, "rules": format_rules_name(asked), "komi": komi}
    return GoGame(
        "go",
        tuple(moves),
        tuple(segments),
        ("b", "w"),
        tuple(range(len(moves) + 1)),
        about,
        record,
        game.width,
        game.height,
        asked,
        komi,
        tuple(boards),
        tuple(nodes),
    )


def _parts(record: Record, game: Go, rules: Rules, komi: float) -> list[_Part]:
    """Return the parts of the main line; a new one starts if stones are set up or one color moves twice."""
    parts: list[_Part] = []
    for read in record.lines(record.root.main_line()[-1]):
        asked, points = _settled(game, _end(game, parts[-1]), read.to_play) if parts else (rules, komi)
        part = _begin(game, read.stones, read.to_play, asked, points, read.start)
        for (color, vertex), node in zip(read.moves, read.nodes, strict=True):
            check_time()
            expected = part.to_play if len(part.moves) % 2 == 0 else _other(part.to_play)
            if color != expected and not part.moves:
                part = _begin(game, part.stones, color, part.rules, part.komi, part.start)
            elif color != expected:
                last = _end(game, part)
                parts.append(part)
                if len(parts) > MAX_SETUPS:
                    raise ReviewError(f"one color moves twice in a row more than {MAX_SETUPS} times")
                asked, points = _settled(game, last, color)
                part = _begin(game, board_stones(game, last), color, asked, points, part.nodes[-1])
            part.moves.append((color, vertex))
            part.nodes.append(node)
        parts.append(part)
    _end(game, parts[-1])
    return parts


def _begin(game: Go, stones: list[tuple[Color, str]], to_play: Color, rules: Rules, komi: float, start: Node) -> _Part:
    state = game.start(rules=rules, komi=komi, stones=stones, to_play=to_play)
    return _Part(stones, to_play, [], [], start, state, rules, komi)


def _end(game: Go, part: _Part) -> State:
    try:
        return game.replay(part.state, part.moves)
    except ValueError as error:
        raise ReviewError(str(error)) from error


def _settled(game: Go, last: State, to_play: Color) -> tuple[Rules, float]:
    """Rules and komi for a position that is set up from another one, so that prisoners and bonuses still count."""
    rules, komi = game.rules_of(last)
    plain = replace(rules, white_handicap_bonus="0")
    anew = game.start(rules=plain, komi=komi, stones=board_stones(game, last), to_play=to_play)
    return plain, komi + game.score(anew) - game.score(last)


def _other(color: Color) -> Color:
    return "white" if color == "black" else "black"
