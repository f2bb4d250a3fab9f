"""Games that were played, as a review asks about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.analysis.adapters import GamePosition
from tengen.analysis.query import Move
from tengen.games import GameError
from tengen.games.translation import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.analysis.answers import MoveInfo
    from tengen.analysis.query import Position
    from tengen.games import State

__all__ = ["PlayedGame", "ReviewError", "Segment", "played_of"]


class ReviewError(GameError):
    """A game that can't be reviewed as asked."""


@dataclass(frozen=True)
class Segment:
    """A part of a game that one query can ask about. Most games are one; stones set up later begin another."""

    first: int
    """The turn of the game that is the part's turn 0."""
    position: Position
    """How it starts, and its moves."""

    @property
    def length(self) -> int:
        """Its moves."""
        return len(self.position.moves)


@dataclass(frozen=True)
class PlayedGame:
    """A game to review. Turn t is the position before move t; after the last move there is one turn more."""

    game: str
    """The game's id."""
    moves: tuple[tuple[int, str], ...]
    """Seat of the player and name of each move."""
    segments: tuple[Segment, ...]
    """In order; together they hold every move."""
    seats: tuple[Any, ...]
    """How the protocol names the players."""
    turns: tuple[int, ...]
    """Those that can be analyzed, ascending."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Facts about the game for the review's JSON."""

    @property
    def player_names(self) -> tuple[str, ...]:
        """For people, by seat."""
        return tuple(f"Player {seat}" for seat in self.seats)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the record, such as parts that could not be read."""
        return ()

    def place_name(self, turn: int) -> str:
        """Return how people name the place of a move, such as its number."""
        return str(turn + 1)

    def move_text(self, turn: int, info: MoveInfo, lang: str = ENGLISH) -> str:  # noqa: ARG002 - games override it
        """Return how people who read a language write a move of a turn."""
        return info.title

    def turn_facts(self, turn: int) -> dict[str, Any]:  # noqa: ARG002 - games that have more to say override it
        """Return the fields of a turn in the review's JSON that only this game has."""
        return {}

    def segment_of(self, turn: int) -> Segment:
        """Return the segment of a turn; where two meet, the later one, because its setup is on the board."""
        return next(segment for segment in reversed(self.segments) if segment.first <= turn)


def played_of(state: State, **start: Any) -> PlayedGame:
    """A game of two that was played with Tengen itself; `start` are the options that it was started with."""
    game = state.game
    if game.players != 2 or game.hidden or game.chance or game.simultaneous:
        raise ReviewError(f"{game.id} can't be reviewed: it is no game of two who see everything and move in turn")
    moves: list[tuple[int, str]] = []
    walker = game.start(**start)
    for name in state.names:
        assert isinstance(walker.actor, int)
        moves.append((walker.actor, name))
        walker = walker.play(name)
    position = GamePosition(start, tuple(Move(None, name, name) for _, name in moves))
    last = len(moves) + (0 if state.is_over else 1)
    return PlayedGame(game.id, tuple(moves), (Segment(0, position),), (0, 1), tuple(range(last)))
