"""The positions that a query asks about: replayed, checked, and made ready to be searched."""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from tengen.analysis.answer_builder import AnswerBuilder
from tengen.analysis.query import GamePosition, Problem, Query, illegal_move
from tengen.games import GameError, IllegalAction

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from tengen.analysis.answer_builder import Twin
    from tengen.games import Game, State
    from tengen.games.state import Played
    from tengen.search import Restriction, SearchSettings

__all__ = ["Board", "GameBoard", "Refusal", "Turn", "find_twins"]


class Refusal(Exception):  # noqa: N818 - it is an answer, not a fault
    """A query that can't be analyzed; what to answer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem


class Prefix(Sequence["Played"]):
    """What was played up to a turn: the turns of a game share one list."""

    __slots__ = ("_length", "_whole")

    def __init__(self, whole: list[Played], length: int) -> None:
        self._whole = whole
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        return self._whole[: self._length][index]

    def __iter__(self) -> Iterator[Played]:
        return islice(self._whole, self._length)


@dataclass(frozen=True, slots=True)
class Turn:
    """One position of a query. It keeps no state: a queue may hold very many."""

    number: int
    priority: int
    player: int | None
    include: tuple[int, ...]
    line: tuple[Hashable, Sequence[Played]]
    """The game and what was played so far, for trees that go on."""


class Board(ABC):
    """How the positions of one kind of game are made."""

    has_score = False
    """Utilities count points too."""

    @abstractmethod
    def game(self, query: Query) -> Game:
        """With the settings that the query asks for."""

    @abstractmethod
    def plan(self, query: Query) -> tuple[list[Turn], list[Problem]]:
        """The turns to analyze and what to warn of. Raises Refusal."""

    @abstractmethod
    def open(self, query: Query, turn: Turn) -> State: ...

    def ready(self, query: Query, state: State, raw: Any) -> State:  # noqa: ARG002 - for games that need the raw answer
        return state

    def twins(self, query: Query, state: State) -> dict[int, list[Twin]]:  # noqa: ARG002
        """Actions that stand for others in a position that a symmetry maps to itself."""
        return {}

    def useless(self, query: Query, turn: Turn, state: State) -> Sequence[int]:  # noqa: ARG002
        """Actions that would only prolong the game."""
        return ()

    def tuned(self, query: Query, turn: Turn, settings: SearchSettings) -> SearchSettings:  # noqa: ARG002
        """The settings of a query as one of its turns is to be searched."""
        return settings

    def patience(self, query: Query, turn: Turn) -> float:  # noqa: ARG002
        """The share of its visits and time that a turn gets."""
        return 1.0

    def restrictions(
        self,
        query: Query,
        turns: Sequence[Turn],  # noqa: ARG002
    ) -> tuple[tuple[Restriction, ...], tuple[Restriction, ...]]:
        """What may be searched only (allow) and what may not (avoid), by action. Raises Refusal."""
        return query.allow, query.avoid

    def reader(self, game: Game) -> AnswerBuilder:
        return AnswerBuilder(game)

    def aux(self, query: Query, game: Game) -> int:  # noqa: ARG002
        """How many auxiliary values the answers need: the first ones, up to that which tells who wins."""
        return 0 if game.win_aux is None else game.win_aux + 1


class GameBoard(Board):
    """Any game, by its own names."""

    def __init__(self, game: Game, player_name: Callable[[int], str] = str) -> None:
        self._game = game
        self._player_name = player_name

    def game(self, query: Query) -> Game:  # noqa: ARG002
        return self._game

    def plan(self, query: Query) -> tuple[list[Turn], list[Problem]]:
        position = query.position
        assert isinstance(position, GamePosition)
        wanted = dict(query.turns)
        turns: list[Turn] = []
        warnings: list[Problem] = []
        setup = repr(position.start)
        played: list[Played] = []
        try:
            state = self._start(position)
        except GameError as error:
            raise Refusal(Problem(str(error), query.id, "start")) from error
        for number in range(len(position.moves) + 1):
            if number in wanted:
                player, include = self._look(query, number, state, warnings)
                turns.append(Turn(number, wanted[number], player, include, (setup, Prefix(played, number))))
            if number < len(position.moves):
                state = self._play(query, state, number)
        played += state.history
        return turns, warnings

    def restrictions(
        self, query: Query, turns: Sequence[Turn]
    ) -> tuple[tuple[Restriction, ...], tuple[Restriction, ...]]:
        def read(restriction: Restriction) -> Restriction:
            actions = tuple(self._action(query, turns, str(name)) for name in restriction.actions)
            return replace(restriction, actions=actions)

        return tuple(map(read, query.allow)), tuple(map(read, query.avoid))

    @cached_property
    def _actions(self) -> dict[str, int]:
        """By name, in small letters."""
        return {self._game.name(action).casefold(): action for action in reversed(range(self._game.action_count))}

    def _action(self, query: Query, turns: Sequence[Turn], name: str) -> int:
        """It need not be legal yet. Names that only mean something in a position are read in the first one."""
        found = self._actions.get(name.casefold())
        if found is None and turns:
            with contextlib.suppress(GameError):
                found = self._game.parse(name, self.open(query, turns[0]))
        if found is None:
            raise Refusal(Problem(f"No move of {self._game.id} is called {name!r}", query.id, "moves"))
        return found

    def open(self, query: Query, turn: Turn) -> State:
        assert isinstance(query.position, GamePosition)
        state = self._start(query.position)
        for number in range(turn.number):
            state = self._play(query, state, number)
        return state

    def _start(self, position: GamePosition) -> State:
        # Without a seed of its own every turn of a query must still be dealt the same cards.
        return self._game.start(**{"seed": 0, **position.start})

    def _play(self, query: Query, state: State, number: int) -> State:
        assert isinstance(query.position, GamePosition)
        move = query.position.moves[number]
        name = str(move.action)
        if move.player is not None and isinstance(state.actor, int) and move.player != state.actor:
            raise Refusal(illegal_move(query.id, number, f"{name}, player {state.actor} is to move"))
        try:
            return state.play(name.split("|") if state.actor == "all" else name)
        except ValueError as error:
            raise Refusal(illegal_move(query.id, number, name)) from error

    def _look(self, query: Query, number: int, state: State, warnings: list[Problem]) -> tuple[int, tuple[int, ...]]:
        """Who is to act at a turn, and the actions that must be visited."""
        actor = state.actor
        if actor is None:
            raise Refusal(Problem(f"The game is over at turn {number}", query.id, "analyzeTurns"))
        if actor == "chance":
            raise Refusal(Problem(f"Chance is to act at turn {number}", query.id, "analyzeTurns"))
        if actor == "all" and query.include.get(number):
            text = f"All players act at turn {number}: moves can be included where one is to move only"
            raise Refusal(Problem(text, query.id, "includeMoves"))
        player = actor if isinstance(actor, int) else 0
        known_to = self._game.known_to(state.position)
        if known_to not in (None, player):
            text = (
                f"The position is stated as player {known_to} sees it, but player {player} is to move at turn {number}"
            )
            raise Refusal(Problem(text, query.id, "analyzeTurns"))
        legal = set(state.legal(player))

        def is_legal(move: Any) -> bool:
            try:
                return self._game.parse(str(move.action), state) in legal
            except IllegalAction:
                return False

        try:
            kept, found = query.included(number, player, self._player_name, is_legal)
        except GameError as error:
            raise Refusal(Problem(str(error), query.id, "includeMoves")) from error
        warnings += found
        # One action may go by several names.
        include = dict.fromkeys(self._game.parse(str(move.action), state) for move in kept)
        return player, tuple(include)


def find_twins(game: Game, key: Callable[[State], Any], state: State, order: Sequence[int]) -> dict[int, list[Twin]]:
    """By symmetries that keep `key`: for the first action in `order` of each orbit, the others."""
    from tengen.analysis.answer_builder import Twin

    own = key(state)
    kept = [s for s in range(1, game.symmetry_count) if key(state.transform(s)) == own]
    if not kept:
        return {}
    legal = set(state.legal())
    seen: set[int] = set()
    found: dict[int, list[Twin]] = {}
    for action in order:
        if action in seen or action not in legal:
            continue
        seen.add(action)
        for symmetry in kept:
            to = game.action_maps[symmetry]
            twin = int(to[action])
            if twin not in seen:
                seen.add(twin)
                found.setdefault(action, []).append(Twin(twin, to))
    return found


def score_center(expected: float, zero_weight: float, scale: float, area: int) -> float:
    """Where the utility of the score is steepest: near the expected score, drawn towards zero."""
    cap = math.sqrt(area) * scale
    return max(expected - cap, min(expected + cap, expected * (1.0 - zero_weight)))
