"""Games that were played, as a review asks about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.analysis.adapters import GamePosition
from tengen.analysis.query import Move
from tengen.games import GameError

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    """Who made each, by seat, and its name."""
    segments: tuple[Segment, ...]
    """In order; together they hold every move."""
    seats: tuple[Any, ...]
    """How the protocol names the players."""
    turns: tuple[int, ...]
    """Those that can be analyzed, ascending."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the game, for the review's JSON."""

    @property
    def player_names(self) -> tuple[str, ...]:
        """For people, by seat."""
        return tuple(f"Player {seat}" for seat in self.seats)

    def segment_of(self, turn: int) -> Segment:
        """Where two meet, the later one: what is set up there is on the board."""
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
