"""Records of any game's formats, as positions that a request of the analysis engine can ask about."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen._time_limit import check_time
from tengen.analysis import find_adapter
from tengen.analysis.adapters import game_of_record
from tengen.analysis.query import Query, Refused
from tengen.analysis.requests import Context, read_request
from tengen.analysis.review.record_format import TreeMove
from tengen.games import GameError
from tengen.web.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tengen.analysis import GameAdapter
    from tengen.games import Game, SavedGame, State
    from tengen.web.catalog import Catalog

__all__ = [
    "MAX_PLIES",
    "MAX_RECORD_BYTES",
    "Base",
    "Moves",
    "ReadRecord",
    "Step",
    "empty_record",
    "format_study",
    "read_record",
]

MAX_PLIES = 20_000
MAX_RECORD_BYTES = 4 << 20
MAX_MARKS = 300_000
"""Semicolons in a record: nodes of SGF, each of which takes hundreds of bytes in memory."""
_TREE = "tree"
_EMPTY_SEED = 1


@dataclass(frozen=True)
class Base:
    """The fields of requests about a part of a record, without the moves."""

    fields: dict[str, Any]
    viewer: int | None = None
    """Player whose view the record holds, if it names one."""


class Moves:
    """The moves before a position, as a chain that positions share: long games take little memory."""

    __slots__ = ("_length", "_move", "_parent")

    def __init__(self, parent: Moves | None = None, move: Any = None) -> None:
        self._parent, self._move = parent, move
        self._length = 0 if parent is None else len(parent) + 1

    def then(self, move: Any) -> Moves:
        """Return the moves with one more."""
        return Moves(self, move)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        found: list[Any] = []
        chain = self
        while chain._parent is not None:
            found.append(chain._move)
            chain = chain._parent
        return iter(found[::-1])


@dataclass(frozen=True)
class Step:
    """A position of the main line: a base and the moves since, and the move that led here."""

    base: Base
    moves: Moves
    state: State
    name: str


@dataclass(frozen=True)
class ReadRecord:
    adapter: GameAdapter
    steps: list[Step]
    title: str
    about: dict[str, Any] = field(default_factory=dict)
    tree: Sequence[TreeMove] = ()
    """Comments and variations."""


def read_record(data: bytes, name: str, game: str, catalog: Catalog) -> ReadRecord:
    """Read a record. If `game` is empty, the record decides. Raises a ValueError that describes the mistake."""
    # The grammar of SGF is read by a library that checks no time limit, so its work is bounded here.
    count = max(data.count(b";"), data.count(b"("))
    if count > MAX_MARKS:
        raise Refusal("a record has at most {most} nodes, this one {count}", most=MAX_MARKS, count=count)
    told = game or _told_game(data)
    if told:
        if told not in catalog.names():
            raise Refusal("the record is of {game!r}, a game that is not here", game=told[:60])
        return _read_as(told, data, name, catalog)
    suffix = Path(name).suffix.lower()
    candidates = [one for one in catalog.names() if find_adapter(catalog.make(one)).records is not None]
    if suffix:
        candidates.sort(key=lambda one: one != game_of_record(suffix))
    problems = []
    for candidate in candidates:
        try:
            return _read_as(candidate, data, name, catalog)
        except ValueError as error:
            problems.append(f"{catalog.make(candidate).title}: {str(error).partition(chr(10))[0]}")
    raise Refusal("no game here reads this record. {problems}", problems="; ".join(problems))


def empty_record(name: str, catalog: Catalog) -> ReadRecord:
    """A game's first position."""
    game = catalog.make(name)
    adapter = find_adapter(game)
    fields = {name: value for name, value in adapter.request_fields([], {}).items() if name != "moves"}
    # Requests with a board need no deal.
    start = {} if "boardXSize" in fields else {"start": {"seed": _EMPTY_SEED}}
    return ReadRecord(adapter, [Step(Base(fields | start), Moves(), game.start(_EMPTY_SEED), "")], game.title)


def _told_game(data: bytes) -> str:
    """Return the game that a record in Tengen's own format names, else an empty text."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    return str(found.get("game", "")) if isinstance(found, dict) and found.get("format") == "tengen-game" else ""


def _read_as(game_id: str, data: bytes, name: str, catalog: Catalog) -> ReadRecord:
    adapter = find_adapter(catalog.make(game_id))
    if adapter.records is None or _told_game(data):
        return _read_saved(catalog.kind(game_id), data)
    suffix = Path(name).suffix.lower()
    suffixes = [suffix] if suffix in adapter.records.suffixes else list(adapter.records.suffixes)
    problems: list[str] = []
    for one in suffixes:
        check_time()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"record{one}"
            path.write_bytes(data)
            try:
                played = adapter.records.load(path)
                steps = list(_walk(adapter, played))
            except (ValueError, Refused) as error:
                problems.append(str(error).replace(f"{path}: ", ""))
                continue
        names = " – ".join(played.player_names)
        return ReadRecord(adapter, steps, names, dict(played.about), adapter.records.read_tree(played))
    raise ValueError(problems[0])


def _walk(adapter: GameAdapter, played: Any) -> Iterator[Step]:
    last = ""
    pairs = [[adapter.player_name(player), name] for player, name in played.moves]
    for number, segment in enumerate(played.segments):
        fields = adapter.format_position(segment.position)
        viewer = getattr(segment.position, "viewer", None)
        base = Base({name: value for name, value in fields.items() if name != "moves"}, viewer)
        end = played.segments[number + 1].first if number + 1 < len(played.segments) else len(played.moves)
        moves = tuple(pairs[segment.first : segment.first + segment.length])
        so_far = Moves()
        for offset, state in enumerate(_states(adapter, base, moves)):
            turn = segment.first + offset
            so_far = so_far.then(moves[offset - 1]) if offset else so_far
            # The last position of a part is the first of the next one.
            if turn < end or number + 1 == len(played.segments):
                yield Step(base, so_far, state, last)
                last = played.moves[turn][1] if turn < len(played.moves) else ""


def _states(adapter: GameAdapter, base: Base, moves: tuple[Any, ...]) -> Iterator[State]:
    check_time()
    if len(moves) > MAX_PLIES:
        raise Refusal("a record has at most {most} moves, this one {count}", most=MAX_PLIES, count=len(moves))
    request = {"id": "record", **base.fields, "analyzeTurns": [0]}
    if moves or "log" not in base.fields:
        request["moves"] = list(moves)
    query = read_request(request, "record", Context(adapter, ())).body
    if not isinstance(query, Query):
        raise ValueError(getattr(query, "text", "the record does not read"))
    state = adapter.start(query)
    yield state
    for number in range(len(moves)):
        check_time()
        state = adapter.play(query, state, number)
        yield state


def _read_saved(kind: type[Game], data: bytes) -> ReadRecord:
    game = kind(**kind.saved_settings(data))
    try:
        saved = game.parse_saved(data)
    except GameError as error:
        raise ValueError(str(error)) from error
    start = dict(saved.options) | ({} if saved.seed is None else {"seed": saved.seed})
    base = Base({"start": start} if start else {})
    names = [name if isinstance(name, str) else "|".join(name) for name in saved.state.moves]
    steps = []
    so_far = Moves()
    for number, state in enumerate(saved.states):
        so_far = so_far.then(names[number - 1]) if number else so_far
        steps.append(Step(base, so_far, state, names[number - 1] if number else ""))
    return ReadRecord(find_adapter(game), steps, game.title, tree=_read_tree(data))


def _read_tree(data: bytes) -> list[TreeMove]:
    """Return the variations and comments that format_study() added to a saved game."""
    try:
        rows = [TreeMove(int(parent), str(name), str(comment)) for parent, name, comment in json.loads(data)[_TREE]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return rows if all(-1 <= row.parent < number for number, row in enumerate(rows)) else []


def format_study(
    adapter: GameAdapter, game: Game, saved: SavedGame, tree: Sequence[TreeMove], about: Mapping[str, Any]
) -> tuple[str, bytes]:
    """A game with variations and comments, in the game's format for records, else in Tengen's own; and how the name of
    such a file ends."""
    data = game.format_saved(saved)
    if adapter.records is not None and adapter.records.tree_suffix:
        return adapter.records.tree_suffix, adapter.records.add_tree(data, tree, about)
    rows = [[row.parent, row.name, row.comment] for row in tree]
    written = json.dumps(json.loads(data) | {_TREE: rows}, ensure_ascii=False, indent=1)
    return game.saved_suffix, f"{written}\n".encode()
