"""Games of a match in the loop that plays games: tables with two players, and the players' decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.arena.openings import OpeningBook, chance_seed
from tengen.arena.records import PlayedGame, resigned_payoffs
from tengen.arena.seeds import derive
from tengen.games import IllegalAction
from tengen.selfplay import RESIGN, GameTable, play_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.arena.players import Choice, Player

__all__ = ["MatchDecider", "MatchTable", "decision_seed", "play_pairs"]


class MatchTable(GameTable):
    """A game of a match in progress."""

    def __init__(self, book: OpeningBook, pair: int, first_seat: int) -> None:
        standing = book[pair]
        super().__init__(standing.state)
        self.pair = pair
        self.first_seat = first_seat
        self.seed = book.seed_of(pair)
        self.start = f"{book.deal(pair).key:016x}"
        self.opening = self.plies = len(standing.state.history)
        self.fallbacks = [0, 0]
        self.thoughts: list[tuple[int, Choice]] = []
        """Decisions that a player wanted to be kept, each with its place in the history."""
        self.explored: list[int] = []
        """Places in the history of those that a random action replaced."""
        self._drawn = standing.drawn

    def player_of(self, seat: int) -> int:
        return 0 if seat == self.first_seat else 1

    def chance_seed(self) -> int:
        self._drawn += 1
        return chance_seed(self.seed, self._drawn - 1)

    def advance(self) -> bool:
        has_moved = super().advance()
        self.plies += has_moved
        self.settle()
        return has_moved

    def decision_seed(self, seat: int) -> int:
        return decision_seed(self.seed, self.first_seat, self.plies, seat)

    def record(self) -> PlayedGame:
        state = self.state
        if self.resigned is None:
            one, other = state.payoffs
            counts = state.game_stats if any(state.game_stats) else ()
        else:
            one, other = resigned_payoffs(state.game, self.resigned)
            counts = ()
        return PlayedGame(
            self.pair,
            self.first_seat,
            self.seed,
            self.start,
            self.opening,
            state.history,
            (one, other),
            counts,
            self.resigned,
            (self.fallbacks[0], self.fallbacks[1]),
        )


def decision_seed(seed: int, first_seat: int, plies: int, seat: int) -> int:
    """Return the seed of a decision, from the game's seed, the first player's seat, the ply and the seat that acts.

    No two decisions of a match have the same seed.
    """
    return derive(seed, "decision", first_seat, plies, seat)


class MatchDecider:
    """A player of a match in the loop."""

    def __init__(self, player: Player) -> None:
        self.player = player

    def decide(self, asked: Sequence[tuple[MatchTable, int]]) -> list[int]:
        seeds = [table.decision_seed(seat) for table, seat in asked]
        chosen = self.choose(asked, seeds)
        if len(chosen) != len(asked):
            raise ValueError(f"{self.player.name} was asked for {len(asked)} actions and answered {len(chosen)}")
        fallbacks = set(self.player.fallbacks)
        for (table, seat), seed, action in zip(asked, seeds, chosen, strict=True):
            table.fallbacks[seat] += seed in fallbacks
            state = table.state
            if not (action == RESIGN and state.actor == seat) and action not in state.legal(seat):
                raise IllegalAction(
                    f"{self.player.name} chose action {action}, illegal for player {seat} here:\n{state}"
                )
        return chosen

    def choose(self, asked: Sequence[tuple[MatchTable, int]], seeds: Sequence[int]) -> list[int]:
        """Return an action for each table and seat."""
        states = [table.state for table, _ in asked]
        return self.player.choose(states, [seat for _, seat in asked], seeds)


def play_pairs(
    book: OpeningBook,
    deciders: tuple[MatchDecider, MatchDecider],
    pairs: Sequence[int],
    progress: Callable[[int, int], None] | None = None,
) -> list[MatchTable]:
    """Play both games of some pairs and return them.

    `progress` is called with the numbers of finished games and of plies.
    """
    tables = [MatchTable(book, pair, seat) for pair in pairs for seat in (0, 1)]
    limits = [decider.player.games_at_once for decider in deciders]
    at_once = min([limit for limit in limits if limit], default=len(tables))
    for begin in range(0, len(tables), at_once):
        group = tables[begin : begin + at_once]

        def tell(live: Sequence[MatchTable], done: int = begin + len(group)) -> None:
            if progress is not None:
                progress(done - len(live), sum(table.plies for table in tables))

        for _ in play_tables(group, [decider.decide for decider in deciders], at_once, tell):
            pass
    return tables
