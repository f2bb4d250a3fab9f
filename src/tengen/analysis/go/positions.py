"""Positions of Go in requests, as KataGo's clients write them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from tengen.analysis.adapters import check_length
from tengen.analysis.jsonlines import format_json
from tengen.games import NotationError
from tengen.games.go import COLORS
from tengen.games.go.notation import OFF_BOARD, OffBoard, format_vertex, parse_color, parse_vertex
from tengen.games.go.rules import (
    MAX_KOMI,
    Rules,
    RulesError,
    is_komi,
    parse_handicap_bonus,
    parse_rules,
    rules_object,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.analysis.fields import Fields
    from tengen.games import State
    from tengen.games.go import Go
    from tengen.games.go.notation import Color

__all__ = [
    "FIELDS",
    "GoMove",
    "GoPosition",
    "board_stones",
    "format_position",
    "make_position",
    "read_player",
    "read_point",
    "read_position",
    "read_rules",
]

BLACK: Final = 0
WHITE: Final = 1
MAX_SIZE: Final = 19
FIELDS: Final = frozenset(
    ["boardXSize", "boardYSize", "initialStones", "moves", "initialPlayer", "rules", "komi", "whiteHandicapBonus"]
)


@dataclass(frozen=True, slots=True)
class GoMove:
    """A move or stone that was put on the board."""

    player: int
    """0 is Black, 1 is White."""
    cell: int
    """width * height for a pass; OFF_BOARD for a point outside, which is illegal under all rules."""
    name: str
    """For errors."""


@dataclass(frozen=True)
class GoPosition:
    width: int
    height: int
    initial_stones: tuple[GoMove, ...]
    moves: tuple[GoMove, ...]
    initial_player: int | None
    """None: see first_player."""
    rules: Rules = field(default_factory=Rules)
    komi: float = 7.5

    @property
    def area(self) -> int:
        """The points, which is the action of a pass too."""
        return self.width * self.height

    @property
    def first_player(self) -> int:
        """Who is to move at turn 0: as asked, else who moves first, else White where only handicap stones lie."""
        if self.initial_player is not None:
            return self.initial_player
        if self.moves:
            return self.moves[0].player
        colors = [*{stone.cell: stone.player for stone in self.initial_stones}.values()]
        return WHITE if len(colors) > 1 and WHITE not in colors else BLACK


def make_position(
    game: Go,
    stones: Sequence[tuple[Color, str]],
    moves: Sequence[tuple[Color, str]],
    first: Color,
    rules: Rules,
    komi: float,
) -> GoPosition:
    """From colors and vertices that are spelled as Tengen does."""

    def placed(pairs: Sequence[tuple[Color, str]]) -> tuple[GoMove, ...]:
        return tuple(GoMove(COLORS.index(color), *read_point(name, game.width, game.height)) for color, name in pairs)

    return GoPosition(game.width, game.height, placed(stones), placed(moves), COLORS.index(first), rules, komi)


def board_stones(game: Go, state: State) -> list[tuple[Color, str]]:
    """What lies on the board, row by row from the top."""
    cells = enumerate(game.go.board(state.position))
    return [(COLORS[stone - 1], game.name(cell)) for cell, stone in cells if stone]


def read_position(fields: Fields) -> GoPosition:
    """Without rules and komi, which are read later."""
    text = f"Must provide an integer from 2 to {MAX_SIZE}"
    for name in ("boardXSize", "boardYSize"):
        if name not in fields:
            fields.refuse(name, text)
    width = fields.integer("boardXSize", 2, MAX_SIZE, text)
    height = fields.integer("boardYSize", 2, MAX_SIZE, text)
    stones = _read_pairs(fields, "initialStones", width, height) if "initialStones" in fields else ()
    if "moves" not in fields:
        fields.refuse("moves", "Must specify an array of [player,location] pairs")
    moves = _read_pairs(fields, "moves", width, height)
    first = None
    if "initialPlayer" in fields:
        try:
            first = read_player(fields["initialPlayer"])
        except ValueError as error:
            fields.refuse("initialPlayer", str(error))
    return GoPosition(width, height, stones, moves, first)


def _read_pairs(fields: Fields, name: str, width: int, height: int) -> tuple[GoMove, ...]:
    text = 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'
    values = fields[name]
    if not isinstance(values, list):
        fields.refuse(name, text)
    check_length(fields, name, values)
    found = []
    for value in values:
        if not (isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)):
            fields.refuse(name, text)
        player, point = value
        try:
            seat = BLACK if parse_color(player) == "black" else WHITE
        except NotationError:
            fields.refuse(name, f"Could not parse player: {player}")
        cell, shown = read_point(point, width, height)
        if not shown or (name == "initialStones" and cell in (OFF_BOARD, width * height)):
            fields.refuse(name, f"Could not parse board location: {point}")
        found.append(GoMove(seat, cell, shown))
    return tuple(found)


def read_rules(fields: Fields, position: GoPosition) -> GoPosition:
    given = fields.data.get("rules")
    if not isinstance(given, str | dict):
        fields.refuse(
            "rules",
            'Must specify rules string, such as "chinese" or "tromp-taylor", or a JSON object with detailed rules '
            "parameters.",
        )
    try:
        rules, komi = parse_rules(given)
    except RulesError:
        shown = given if isinstance(given, str) else format_json(given)
        fields.refuse("rules", f"Could not parse rules: {shown}")
    if "komi" in fields:
        text = f"Must be a integer or half-integer from {-MAX_KOMI} to {MAX_KOMI}"
        # Rounded as KataGo does, so that 6.4999999999 is the 6.5 that was meant.
        (komi,) = struct.unpack("f", struct.pack("f", fields.number("komi", -MAX_KOMI, MAX_KOMI, text)))
        if not is_komi(komi):
            fields.refuse("komi", text)
    if "whiteHandicapBonus" in fields:
        bonus = fields["whiteHandicapBonus"]
        if not isinstance(bonus, str):
            fields.refuse("whiteHandicapBonus", "Must be a string")
        try:
            rules = replace(rules, white_handicap_bonus=parse_handicap_bonus(bonus))
        except RulesError as error:
            fields.refuse("whiteHandicapBonus", str(error))
    return replace(position, rules=rules, komi=komi)


def read_player(value: Any) -> int:
    try:
        return BLACK if parse_color(value if isinstance(value, str) else "") == "black" else WHITE
    except NotationError:
        raise ValueError('Must be "b" or "w"') from None


@lru_cache(maxsize=4096)
def read_point(text: str, width: int, height: int) -> tuple[int, str]:
    """The cell and its name. A pair off the board has a name too, to be told as illegal; other texts have none."""
    try:
        cell = parse_vertex(text, width, height)
    except OffBoard as error:
        return OFF_BOARD, error.name
    except NotationError:
        return OFF_BOARD, ""
    return cell, format_vertex(cell, width, height)


def format_position(position: GoPosition) -> dict[str, Any]:
    """The fields of a request."""
    return {
        "boardXSize": position.width,
        "boardYSize": position.height,
        "rules": rules_object(position.rules),
        "komi": position.komi,
        "initialStones": [["bw"[stone.player], stone.name] for stone in position.initial_stones],
        "initialPlayer": "bw"[position.first_player],
        "moves": [["bw"[move.player], move.name] for move in position.moves],
    }
