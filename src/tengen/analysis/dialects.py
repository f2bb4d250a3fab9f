"""How positions and moves are written in requests: Go as KataGo's clients do, any other game by its own names.

Everything that is not about positions is the same for all games and is read in tengen.analysis.requests.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tengen.analysis.fields import is_integer
from tengen.analysis.jsonlines import format_json
from tengen.analysis.query import GamePosition, GoMove, GoPosition, Move, Position
from tengen.games import GameError, NotationError
from tengen.games.go.notation import OFF_BOARD, OffBoard, format_vertex, parse_color, parse_vertex
from tengen.games.go.rules import (
    MAX_KOMI,
    RulesError,
    format_rules,
    is_komi,
    parse_handicap_bonus,
    parse_rules,
    supported_rules,
)
from tengen.games.settings import resolve_settings, settings_of

if TYPE_CHECKING:
    from tengen.analysis.fields import Fields
    from tengen.games import Game

__all__ = ["Dialect", "GameDialect", "GoDialect"]

_MAX_SIZE: Final = 19
_MOST_MOVES: Final = 10_000
"""Every turn that is analyzed replays them."""


class Dialect(ABC):
    """The part of reading a request that knows what a position is."""

    fields: ClassVar[frozenset[str]]
    """The fields that it reads."""

    @abstractmethod
    def read_position(self, fields: Fields) -> Position:
        """The start and the moves."""

    def read_rules(self, fields: Fields, position: Any) -> Position:
        """Read after the turns that are to be analyzed."""
        del fields
        found: Position = position
        return found

    def support(self, fields: Fields, position: Any) -> Position:
        """The position as it can be analyzed, warning of what had to change. Comes last."""
        del fields
        found: Position = position
        return found

    @abstractmethod
    def read_player(self, value: Any) -> int:
        """A player's seat. Raises ValueError with the text to answer with, as read_moves does."""

    @abstractmethod
    def read_moves(self, position: Any, values: Any) -> tuple[Move, ...]:
        """Moves that are not played, such as those to avoid."""

    @abstractmethod
    def player_name(self, player: int) -> str:
        """For warnings."""


class GoDialect(Dialect):
    fields = frozenset(
        [
            *("boardXSize", "boardYSize", "initialStones", "moves", "initialPlayer"),
            *("rules", "komi", "whiteHandicapBonus"),
            *("includeOwnership", "includeOwnershipStdev", "includeMovesOwnership", "includeMovesOwnershipStdev"),
            *("includeNoResultValue", "includeScoring"),
        ]
    )

    def read_position(self, fields: Fields) -> GoPosition:
        text = f"Must provide an integer from 2 to {_MAX_SIZE}"
        for name in ("boardXSize", "boardYSize"):
            if name not in fields:
                fields.refuse(name, text)
        width = fields.integer("boardXSize", 2, _MAX_SIZE, text)
        height = fields.integer("boardYSize", 2, _MAX_SIZE, text)
        stones = self._read_pairs(fields, "initialStones", width, height) if "initialStones" in fields else ()
        if "moves" not in fields:
            fields.refuse("moves", "Must specify an array of [player,location] pairs")
        moves = self._read_pairs(fields, "moves", width, height)
        first = None
        if "initialPlayer" in fields:
            try:
                first = self.read_player(fields["initialPlayer"])
            except ValueError as error:
                fields.refuse("initialPlayer", str(error))
        return GoPosition(width, height, stones, moves, first)

    def _read_pairs(self, fields: Fields, name: str, width: int, height: int) -> tuple[GoMove, ...]:
        text = 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'
        values = fields[name]
        if not isinstance(values, list):
            fields.refuse(name, text)
        _check_length(fields, name, values)
        found = []
        for value in values:
            if not (isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)):
                fields.refuse(name, text)
            player, point = value
            try:
                seat = 0 if parse_color(player) == "black" else 1
            except NotationError:
                fields.refuse(name, f"Could not parse player: {player}")
            cell, shown = _read_point(point, width, height)
            if not shown or (name == "initialStones" and cell in (OFF_BOARD, width * height)):
                fields.refuse(name, f"Could not parse board location: {point}")
            found.append(GoMove(seat, cell, shown))
        return tuple(found)

    def read_rules(self, fields: Fields, position: GoPosition) -> GoPosition:
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

    def support(self, fields: Fields, position: GoPosition) -> GoPosition:
        supported = supported_rules(position.rules)
        if supported == position.rules:
            return position
        shown = format_rules(position.rules, position.komi), format_rules(supported, position.komi)
        fields.warn("rules", f"Rules {shown[0]} not supported by neural net, using {shown[1]} instead")
        return replace(position, rules=supported)

    def read_player(self, value: Any) -> int:
        try:
            return 0 if parse_color(value if isinstance(value, str) else "") == "black" else 1
        except NotationError:
            raise ValueError('Must be "b" or "w"') from None

    def read_moves(self, position: GoPosition, values: Any) -> tuple[Move, ...]:
        found = []
        for value in values if isinstance(values, list) else [None]:
            if not isinstance(value, str):
                raise ValueError("Must be an array of GTP board vertices")
            cell, shown = _read_point(value, position.width, position.height)
            if cell == OFF_BOARD:
                raise ValueError(f"Could not parse board location: {value}")
            found.append(Move(None, cell, shown))
        return tuple(found)

    def player_name(self, player: int) -> str:
        return ("Black", "White")[player]


class GameDialect(Dialect):
    """Of any game: moves are the names that the game gives them, players are seats from 0."""

    fields = frozenset(["start", "moves"])

    def __init__(self, game: Game) -> None:
        self.game = game

    def read_position(self, fields: Fields) -> GamePosition:
        for name in sorted(GoDialect.fields - self.fields):
            if name in fields:
                fields.refuse(name, f"Only Go has this field, {self.game.id} does not")
        start = fields.data.get("start", {})
        if not isinstance(start, dict):
            fields.refuse("start", "Must be an object of start options")
        options = {name: value for name, value in start.items() if name != "seed"}
        try:
            if options:
                resolve_settings(f"{self.game.id}.start", settings_of(self.game.initial), options)
        except GameError as error:
            fields.refuse("start", str(error))
        if not is_integer(start.get("seed", 0)):
            fields.refuse("start", "seed must be an integer")
        return GamePosition(start, self._read_played(fields))

    def _read_played(self, fields: Fields) -> tuple[Move, ...]:
        text = "Must be an array of moves, each a name or a pair of the form [player, name]"
        values = fields.data.get("moves")
        if not isinstance(values, list):
            fields.refuse("moves", text)
        _check_length(fields, "moves", values)
        found = []
        for value in values:
            player, name = value if isinstance(value, list) and len(value) == 2 else (None, value)
            if not isinstance(name, str):
                fields.refuse("moves", text)
            try:
                found.append(Move(None if player is None else self.read_player(player), name, name))
            except ValueError as error:
                fields.refuse("moves", str(error))
        return tuple(found)

    def read_player(self, value: Any) -> int:
        # Answers name players by texts, so these are understood too.
        if value in [str(player) for player in range(self.game.players)]:
            return int(value)
        if not is_integer(value) or not 0 <= value < self.game.players:
            raise ValueError(f"Must be a player from 0 to {self.game.players - 1}")
        return int(value)

    def read_moves(self, position: GamePosition, values: Any) -> tuple[Move, ...]:
        del position
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise ValueError("Must be an array of names of moves")
        return tuple(Move(None, value, value) for value in values)

    def player_name(self, player: int) -> str:
        return str(player)


def _check_length(fields: Fields, name: str, values: list[Any]) -> None:
    if len(values) > _MOST_MOVES:
        fields.refuse(name, f"Must be at most {_MOST_MOVES} moves, {len(values)} are given")


def _read_point(text: str, width: int, height: int) -> tuple[int, str]:
    """The cell and its name. A pair off the board has a name too, to be told as illegal; other texts have none."""
    try:
        cell = parse_vertex(text, width, height)
    except OffBoard as error:
        return OFF_BOARD, error.name
    except NotationError:
        return OFF_BOARD, ""
    return cell, format_vertex(cell, width, height)
