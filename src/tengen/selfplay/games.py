"""The loop that plays games, for self-play, teachers, matches and leagues."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tengen.games import Actor, Played, State

__all__ = ["RESIGN", "Decider", "GameTable", "play_tables"]

RESIGN: Final = -1
"""The place of an action in the decision of a player who gives the game up, which is a full loss."""


@dataclass
class GameTable(ABC):
    """A game in progress."""

    state: State
    resigned: int | None = field(default=None, kw_only=True)
    in_turn: bool = field(default=False, kw_only=True)
    """If all players act at the same time, they are asked one after the other."""
    chosen: dict[int, int] = field(default_factory=dict, kw_only=True)
    """Actions that are decided and not yet played, by seat."""

    @abstractmethod
    def chance_seed(self) -> int:
        """Return the seed of the next outcome of chance."""

    def player_of(self, seat: int) -> int:  # noqa: ARG002 - one player may have all seats
        """Return the number of the player who decides for a seat."""
        return 0

    def follow(self, played: Played) -> State:
        """Return the state after actions or an outcome of chance."""
        return self.state.play(played)

    @property
    def is_done(self) -> bool:
        return self.state.is_over or self.resigned is not None

    def open_seats(self) -> list[int]:
        """Return the seats whose decisions are needed next; chance acts before."""
        actor = self.settle()
        if actor is None or self.resigned is not None:
            return []
        if isinstance(actor, int):
            return [actor]
        missing = [seat for seat in range(self.state.game.players) if seat not in self.chosen]
        return missing[:1] if self.in_turn else missing

    def take(self, seat: int, action: int) -> None:
        """Note the decision of a seat."""
        if action == RESIGN:
            self.resigned = seat
        else:
            self.chosen[seat] = action

    def advance(self) -> bool:
        """Play what was decided if no decision is missing; return whether it was."""
        chosen = self.chosen
        if not chosen:
            return False
        actor = self.state.actor
        if isinstance(actor, int):
            self.state = self.follow(chosen[actor])
        elif len(chosen) == self.state.game.players:
            self.state = self.follow(tuple(chosen[seat] for seat in range(len(chosen))))
        else:
            return False
        self.chosen = {}
        return True

    def settle(self) -> Actor:
        """Let chance act until a player is to decide, and return who decides."""
        while (actor := self.state.actor) == "chance":
            self.state = self.follow(self.state.outcome(self.chance_seed()))
        return actor


T = TypeVar("T", bound=GameTable)
Decider: TypeAlias = Callable[[Sequence[tuple[T, int]]], Sequence[int]]
"""A player in the loop: returns an action, or RESIGN, for each table and seat, which are all that wait for it."""


def play_tables(
    tables: Iterable[T],
    deciders: Sequence[Decider[T]],
    parallel: int,
    after_round: Callable[[Sequence[T]], None] = lambda _live: None,
) -> Iterator[T]:
    """Play games, at most `parallel` at a time, and yield each as it ends.

    In a round each player decides about all positions that wait for it, so that an evaluator sees full batches.
    `after_round` is called with the games that go on.
    """
    waiting = iter(tables)
    live: list[T] = []
    while True:
        live += itertools.islice(waiting, parallel - len(live))
        if not live:
            return
        opened = [(table, seat, table.player_of(seat)) for table in live for seat in table.open_seats()]
        for number, decide in enumerate(deciders):
            asked = [(table, seat) for table, seat, player in opened if player == number]
            if asked:
                for (table, seat), action in zip(asked, decide(asked), strict=True):
                    table.take(seat, action)
        live, ended = _advance(live)
        yield from ended
        after_round(live)


def _advance(tables: Iterable[T]) -> tuple[list[T], list[T]]:
    """Advance games; return those that go on and those that have ended."""
    live: list[T] = []
    ended: list[T] = []
    for table in tables:
        table.advance()
        (ended if table.is_done else live).append(table)
    return live, ended
