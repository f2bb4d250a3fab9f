"""What a game adds to analysis, review and play: one adapter a game, and one that serves every game."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tengen.analysis.answer_builder import AnswerBuilder
from tengen.analysis.config import Config
from tengen.analysis.fields import is_integer
from tengen.analysis.query import Move, Position, Problem, Query, Refused, illegal_move
from tengen.games import Game, GameError, IllegalAction, State
from tengen.games import game as make_game
from tengen.games.settings import resolve_settings, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from tengen.analysis.answer_builder import SymmetricAction
    from tengen.analysis.fields import Fields
    from tengen.analysis.params import Params
    from tengen.analysis.review.record_format import RecordFormat
    from tengen.search import Restriction, SearchSettings

__all__ = [
    "DEFAULT_GAME",
    "GameAdapter",
    "GamePosition",
    "Turn",
    "check_length",
    "find_adapter",
    "game_of_record",
    "own_fields",
]

_ADAPTERS: Final = {
    "go": "tengen.analysis.go",
    "pokemon": "tengen.analysis.pokemon",
    "shogi": "tengen.analysis.shogi",
}
"""Modules whose `Adapter` is that of the game. A game that is not here has GameAdapter."""
DEFAULT_GAME: Final = "go"
"""What the protocol is about where nobody names a game, as it is KataGo's."""
MAX_MOVES: Final = 10_000
"""Of a request: they are replayed before it is answered."""
SHARED_TURNS: Final = 16
"""Of a query with more turns than that, those within so many moves share a state that each is reached from."""


@dataclass(frozen=True)
class GamePosition:
    """How a game starts, and the names of what was played."""

    start: Mapping[str, Any]
    moves: tuple[Move, ...]


@dataclass(slots=True)
class Anchor:
    """A turn whose state is kept, and the latest turn that was reached from it."""

    number: int
    state: State | None
    """None for the start, which is made anew."""
    reached: int = 0
    reached_state: State | None = None

    def nearest(self, number: int) -> tuple[int, State | None]:
        """Where to go on from to reach a turn."""
        if self.reached_state is not None and self.reached <= number:
            return self.reached, self.reached_state
        return self.number, self.state

    def note(self, number: int, state: State) -> None:
        self.reached, self.reached_state = number, state


@dataclass(frozen=True, slots=True)
class Turn:
    """One position of a query.

    Very many may be queued: each costs 1.5 kB with its job. A query of few turns keeps the state of each; one of many
    keeps two for every SHARED_TURNS moves, so that what is opened in order is replayed once. With states of 12 kB, the
    largest, that is 14 kB a turn of the former and 3 kB a turn of a whole game.
    """

    number: int
    priority: int
    player: int | None
    include: tuple[int, ...]
    tree_key: Hashable
    """Equal for positions whose trees can go on with each other along a game."""
    anchor: Anchor
    """An earlier turn of the game, or this one."""


class GameAdapter:
    """Serves every game: moves are the names that the game gives them, players are seats from 0.

    A game with more to tell has an adapter of its own, which overrides what is different.
    """

    title: ClassVar[str] = ""
    """The game's name in errors about fields that only it has."""
    fields: ClassVar[frozenset[str]] = frozenset(["start", "moves"])
    """Of requests: those that are read here."""
    flags: ClassVar[tuple[str, ...]] = ("includePolicy", "includePVVisits")
    """Of requests: what an answer may hold, in the order in which they are checked."""
    own_flags: ClassVar[tuple[str, ...]] = ()
    """The same that KataGo does not have; they are checked last."""
    answers: ClassVar[type[AnswerBuilder]] = AnswerBuilder
    records: ClassVar[RecordFormat | None] = None
    """How games are read for a review and how reviews are written, where the game has a format for its records."""

    def __init__(self, game: Game, config: Config) -> None:
        self.game = game
        self.config = config

    # Requests. What does not fit raises Refused, or where there is no Fields a ValueError with the text to answer with.

    def read_position(self, fields: Fields) -> Position:
        """The start and the moves."""
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
        check_length(fields, "moves", values)
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

    def read_rules(self, fields: Fields, position: Any) -> Position:  # noqa: ARG002
        """The position under the rules that the request names; read after the turns that are to be analyzed."""
        found: Position = position
        return found

    def supported(self, position: Any, warn: Callable[[str, str], None]) -> Position:  # noqa: ARG002
        """The position as it can be analyzed; `warn` hears the field and the text of what had to change."""
        found: Position = position
        return found

    def read_outputs(self, flags: Mapping[str, bool]) -> Any:  # noqa: ARG002
        """The outputs of a query, by the request's flags."""
        return None

    def read_player(self, value: Any) -> int:
        """A player's seat."""
        # Answers name players by texts, so these are understood too.
        if value in [str(player) for player in range(self.game.players)]:
            return int(value)
        if not is_integer(value) or not 0 <= value < self.game.players:
            raise ValueError(f"Must be a player from 0 to {self.game.players - 1}")
        return int(value)

    def read_moves(self, position: Any, values: Any) -> tuple[Move, ...]:  # noqa: ARG002
        """Moves that are not played, such as those to avoid."""
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise ValueError("Must be an array of names of moves")
        return tuple(Move(None, value, value) for value in values)

    def format_position(self, position: Any) -> dict[str, Any]:
        """The fields of a request that read_position() and read_rules() would make the position of."""
        names = [move.name if move.player is None else [move.player, move.name] for move in position.moves]
        return {"moves": names} | ({"start": dict(position.start)} if position.start else {})

    def request_fields(self, moves: Sequence[Any], fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a request for what a Python program asks: its moves, and fields of the protocol."""
        return {**fields, "moves": list(moves)}

    def player_name(self, player: int) -> str:
        """For warnings."""
        return str(player)

    # Positions.

    def game_of(self, query: Query) -> Game:  # noqa: ARG002
        """With the settings that the query asks for."""
        return self.game

    def plan(self, query: Query) -> tuple[list[Turn], list[Problem]]:
        """Replays the game: the turns to analyze and what to warn of. Raises Refused."""
        moves, wanted = query.position.moves, dict(query.turns)
        turns: list[Turn] = []
        warnings: list[Problem] = []
        state = self.start(query)
        anchor = Anchor(0, None)
        spacing = 1 if len(wanted) <= SHARED_TURNS else SHARED_TURNS
        key = self.start_key(query.position)
        for number in range(len(moves) + 1):
            if number in wanted:
                if number - anchor.number >= spacing:
                    anchor = Anchor(number, state)
                player, include = self.inspect(query, number, state, warnings)
                tree_key = key, self.evaluation_key(query, player)
                turns.append(Turn(number, wanted[number], player, include, tree_key, anchor))
            if number < len(moves):
                key = self.next_key(query, number, state, key)
                state = self.play(query, state, number)
        return turns, warnings

    def open(self, query: Query, turn: Turn) -> State:
        """The turn's state; its history is what a tree can follow."""
        number, kept = turn.anchor.nearest(turn.number)
        state = self.start(query) if kept is None else kept
        for at in range(number, turn.number):
            state = self.play(query, state, at)
        if turn.number > turn.anchor.number:
            turn.anchor.note(turn.number, state)
        return state

    def ready(self, query: Query, state: State, raw: Any) -> State:  # noqa: ARG002
        """The state to search, once the evaluator's raw answer to it is known, where it has one."""
        return state

    def start(self, query: Query) -> State:
        assert isinstance(query.position, GamePosition)
        try:
            # Without a seed of its own every turn of a query must still be dealt the same cards.
            return self.game.start(**{"seed": 0, **query.position.start})
        except GameError as error:
            raise Refused(Problem(str(error), query.id, "start")) from error

    def play(self, query: Query, state: State, number: int) -> State:
        """The state after the move of that number. Raises Refused where it is illegal."""
        move = query.position.moves[number]
        name = str(move.action)
        if move.player is not None and isinstance(state.actor, int) and move.player != state.actor:
            raise Refused(illegal_move(query.id, number, f"{name}, player {state.actor} is to move"))
        try:
            return state.play(name.split("|") if state.actor == "all" else name)
        except ValueError as error:
            raise Refused(illegal_move(query.id, number, name)) from error

    def inspect(self, query: Query, number: int, state: State, warnings: list[Problem]) -> tuple[int, tuple[int, ...]]:
        """Who is to act at a turn that is analyzed, and the actions that must be visited. Raises Refused."""
        actor = state.actor
        if actor is None:
            raise Refused(Problem(f"The game is over at turn {number}", query.id, "analyzeTurns"))
        if actor == "chance":
            raise Refused(Problem(f"Chance is to act at turn {number}", query.id, "analyzeTurns"))
        if actor == "all" and not self.game.hidden and query.include.get(number):
            text = f"All players act at turn {number}: moves can be included where one is to move only"
            raise Refused(Problem(text, query.id, "includeMoves"))
        player = actor if isinstance(actor, int) else self.viewer(query)
        known_to = self.game.known_to(state.position)
        if known_to not in (None, player):
            text = (
                f"The position is stated as player {known_to} sees it, but player {player} is to move at turn {number}"
            )
            raise Refused(Problem(text, query.id, "analyzeTurns"))
        legal = set(state.legal(player))

        def action_of(move: Move) -> int:
            return self.game.parse(str(move.action), state, player if actor == "all" else None)

        def is_legal(move: Move) -> bool:
            try:
                return action_of(move) in legal
            except IllegalAction:
                return False

        try:
            kept, found = query.included(number, player, self.player_name, is_legal)
        except GameError as error:
            raise Refused(Problem(str(error), query.id, "includeMoves")) from error
        warnings += found
        # One action may go by several names.
        return player, tuple(dict.fromkeys(map(action_of, kept)))

    def viewer(self, query: Query) -> int:  # noqa: ARG002
        """Who asks where all act at once."""
        return 0

    def start_key(self, position: Any) -> Hashable:
        """Equal for games that start alike."""
        return repr(position.start)

    def next_key(self, query: Query, number: int, state: State, key: Hashable) -> Hashable:  # noqa: ARG002
        """The key after a move in `state`: another one where no tree can follow the move."""
        return key

    def evaluation_key(self, query: Query, player: int) -> Hashable:  # noqa: ARG002
        """What decides evaluations besides the position: a tree can't average those that were made otherwise."""
        return None

    # Searches.

    def symmetric_actions(self, query: Query, state: State) -> dict[int, list[SymmetricAction]]:  # noqa: ARG002
        """Actions that stand for others in a position that a symmetry maps to itself."""
        return {}

    def useless_moves(self, query: Query, turn: Turn, state: State) -> Sequence[int]:  # noqa: ARG002
        """Actions that would only prolong the game."""
        return ()

    def turn_settings(self, query: Query, turn: Turn, settings: SearchSettings) -> SearchSettings:  # noqa: ARG002
        """The settings of a query as one of its turns is to be searched."""
        return settings

    def search_factor(self, query: Query, turn: Turn) -> float:  # noqa: ARG002
        """The share of its visits and time that a turn gets."""
        return 1.0

    def restrictions(
        self, query: Query, turns: Sequence[Turn]
    ) -> tuple[tuple[Restriction, ...], tuple[Restriction, ...]]:
        """What may be searched only (allow) and what may not (avoid), by action. Raises Refused."""

        def read(restriction: Restriction) -> Restriction:
            actions = tuple(self._action(query, turns, str(name)) for name in restriction.actions)
            return replace(restriction, actions=actions)

        return tuple(map(read, query.allow)), tuple(map(read, query.avoid))

    @cached_property
    def _actions(self) -> dict[str, int]:
        """By name, in small letters."""
        return {self.game.name(action).casefold(): action for action in reversed(range(self.game.action_count))}

    def _action(self, query: Query, turns: Sequence[Turn], name: str) -> int:
        """It need not be legal yet. Names that only mean something in a position are read in the first one."""
        found = self._actions.get(name.casefold())
        if found is None and turns:
            with contextlib.suppress(GameError):
                found = self.game.parse(name, self.open(query, turns[0]))
        if found is None:
            raise Refused(Problem(f"No move of {self.game.id} is called {name!r}", query.id, "moves"))
        return found

    def aux_count(self, query: Query) -> int:  # noqa: ARG002
        """How many auxiliary values the answers need: the first ones, up to that which tells who wins."""
        return 0 if self.game.win_aux is None else self.game.win_aux + 1

    def wants_deviations(self, query: Query) -> bool:  # noqa: ARG002
        """Whether the answers need the spread of those numbers in the search."""
        return False

    def value_range(self, params: Params) -> float:  # noqa: ARG002
        """The most that a utility can be, as a share of the game's largest payoff."""
        return 1.0

    # Reviews.

    @property
    def review_outputs(self) -> Any:
        """The outputs of a review's queries."""
        return None


def find_adapter(game: Game | str = DEFAULT_GAME, config: Config | None = None) -> GameAdapter:
    """The adapter of a game, by its id."""
    game = make_game(game) if isinstance(game, str) else game
    return _adapter_type(game.id)(game, config or Config())


@cache
def _adapter_type(game_id: str) -> type[GameAdapter]:
    name = _ADAPTERS.get(game_id)
    found: type[GameAdapter] = GameAdapter if name is None else import_module(name).Adapter
    return found


@cache
def own_fields() -> dict[str, str]:
    """Fields of requests that games with an adapter of their own read, with whose they are."""
    adapters = [_adapter_type(game_id) for game_id in _ADAPTERS]
    found = ((name, adapter.title) for adapter in adapters for name in adapter.fields - GameAdapter.fields)
    return dict(sorted(found))


def game_of_record(suffix: str) -> str:
    """The game whose records have such files; DEFAULT_GAME where no game claims them."""
    for game_id in _ADAPTERS:
        records = _adapter_type(game_id).records
        if records is not None and suffix.lower() in records.suffixes:
            return game_id
    return DEFAULT_GAME


def check_length(fields: Fields, name: str, values: list[Any]) -> None:
    if len(values) > MAX_MOVES:
        fields.refuse(name, f"Must be at most {MAX_MOVES} moves, {len(values)} are given")
