"""Logged series: rounds whose gold and carry go on from one to the next, every deal from both seats."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tengen.games.errors import SettingError
from tengen.games.matgo.gold_series import GoldSeries, GoldSeriesSettings
from tengen.games.stable_hash import stable_hash
from tengen.labs.matgo.traces.figures import Figures
from tengen.labs.matgo.traces.records import SIDES, Tracer, TraceSettings, format_line, game_line
from tengen.labs.matgo.traces.steps import Watcher

if TYPE_CHECKING:
    from tengen.games.matgo import Matgo
    from tengen.games.state import State

__all__ = ["LogSettings", "LoggedGame", "LoggedSeries", "deck_of", "make_series"]

_SEED_BITS = 48
_COMEBACK = -5


@dataclass(frozen=True)
class LogSettings:
    """Settings of a run of logged self-play, independent of players and workers."""

    games: int
    """Number of games; even, because every deal is played from both seats."""
    seed: int = 0
    session_games: int = 100
    """How many games a session lasts; then both sides have the start gold again."""
    labels: tuple[str, str] = ("greedy", "greedy")
    """The players of mySide and of yourSide, as logs name them."""
    session: GoldSeriesSettings = field(default_factory=GoldSeriesSettings)
    trace: TraceSettings = field(default_factory=TraceSettings)

    def __post_init__(self) -> None:
        if self.games < 2 or self.games % 2:
            raise SettingError(f"games is {self.games} and must be even: every deal is played from both seats")
        if self.session_games < 1:
            raise SettingError(f"session_games is {self.session_games} and must be at least 1")

    @property
    def pairs(self) -> int:
        return self.games // 2


@dataclass(frozen=True)
class LoggedGame:
    game: int
    line: str
    split: str
    """The line of a train split."""
    figures: dict[str, int | float]


class _Round:
    """One game of a series, from its deal on."""

    def __init__(self, game: Matgo, settings: LogSettings, series: GoldSeries, pair: int, *, is_mirrored: bool) -> None:
        self.pair = pair
        self.number = 2 * pair + is_mirrored
        self.my_seat = (pair + is_mirrored) % 2
        self.seed = _derive(settings.seed, "deal", pair)
        self._series = self._swap(series)
        deck = deck_of(game, self.seed)
        self.state = game.start(deck=deck, starter=0, carry=series.carry, gold=self._series.purse)
        self._labels = settings.labels
        sides, labels = (SIDES, self._labels) if self.my_seat == 0 else (SIDES[::-1], self._labels[::-1])
        self._watcher = Watcher(game, self.state)
        self._tracer = Tracer(settings.trace, sides, labels)
        self._figures = Figures()

    def play(self, action: int, *, explored: bool, fell_back: bool) -> None:
        then = self.state.play(action)
        step = self._watcher.watch(self.state, action, then)
        self._tracer.add(step, explored=explored)
        self._figures.add(step, SIDES[step.seat ^ self.my_seat], explored=explored, fell_back=fell_back)
        self.state = then

    def series(self) -> GoldSeries:
        """After this game."""
        return self._swap(self._series.after(self.state))

    def logged(self, game: Matgo) -> LoggedGame:
        trace = self._tracer.records()
        line = game_line(game, self.state, self.my_seat, self._labels, self.number, self.seed, trace)
        split = {name: line[name] for name in ("ver", "run", "game", "seed", "firstAttackerActor")}
        split |= {"decision_trace": self._tracer.split()}
        self._figures.finish(game.view(self.state), self.my_seat, self._tracer.causes(), len(trace))
        return LoggedGame(
            self.number, format_line(line), format_line(split), {"game": self.number, **self._figures.values}
        )

    def _swap(self, series: GoldSeries) -> GoldSeries:
        """From sides to seats, or back."""
        if self.my_seat == 0:
            return series
        mine, yours = series.purse
        counts = series.bankruptcies
        return replace(series, gold=(yours, mine), bankruptcies=(counts[1], counts[0]))


class LoggedSeries:
    """A series that is being played; its gold is by side, not by seat.

    Its games are the deals `first` to `last` - 1. The other half of each pair is in a series of its own that
    `is_mirrored`: the same decks, seat 0 begins too, and the sides sit the other way round. Both change seats with
    every deal, so that in each series each side begins every other game.
    """

    def __init__(self, game: Matgo, settings: LogSettings, first: int, last: int, *, is_mirrored: bool) -> None:
        self._game = game
        self._settings = settings
        self._last = last
        self._is_mirrored = is_mirrored
        self.games: list[LoggedGame] = []
        """Finished games."""
        self._round = self._deal(first, GoldSeries(game, settings.session))
        self._go_on()

    @property
    def is_over(self) -> bool:
        return self._round.state.is_over

    @property
    def state(self) -> State:
        return self._round.state

    @property
    def seat(self) -> int:
        """Seat that is to act."""
        actor = self._round.state.actor
        assert isinstance(actor, int)
        return actor

    @property
    def player(self) -> int:
        """Index of the side to act; 0 is mySide."""
        return self.seat ^ self._round.my_seat

    @property
    def seed(self) -> int:
        """Seed of this decision."""
        return _derive(self._round.seed, "decision", self._is_mirrored, len(self.state.history))

    @property
    def progress(self) -> float:
        """How far into the run this game is, from 0 to 1."""
        return self._round.pair / max(1, self._settings.pairs - 1)

    @property
    def is_comeback(self) -> bool:
        """The second mover is far behind."""
        view = self._game.view(self.state)
        seat = self.seat
        return seat != view.starter and view.bases[seat] - view.bases[1 - seat] <= _COMEBACK

    def play(self, action: int, *, explored: bool = False, fell_back: bool = False) -> None:
        self._round.play(action, explored=explored, fell_back=fell_back)
        self._go_on()

    def _deal(self, pair: int, series: GoldSeries) -> _Round:
        return _Round(self._game, self._settings, series, pair, is_mirrored=self._is_mirrored)

    def _go_on(self) -> None:
        """Writes down games that are over, some at their deal already, and deals the next."""
        while self._round.state.is_over:
            self.games.append(self._round.logged(self._game))
            if self._round.pair + 1 == self._last:
                return
            self._round = self._deal(self._round.pair + 1, self._round.series())


def make_series(game: Matgo, settings: LogSettings, pairs: range) -> list[LoggedSeries]:
    """The series that these pairs make up; `pairs` begins and ends where series do, or at the run's end."""
    length = settings.session_games
    if pairs.start % length or (pairs.stop % length and pairs.stop != settings.pairs):
        raise SettingError(f"pairs {pairs.start} to {pairs.stop} are not whole sessions of {length} games")
    parts = [(first, min(first + length, pairs.stop)) for first in range(pairs.start, pairs.stop, length)]
    return [
        LoggedSeries(game, settings, first, last, is_mirrored=is_mirrored)
        for first, last in parts
        for is_mirrored in (False, True)
    ]


def deck_of(game: Matgo, seed: int) -> list[int]:
    """Return the deck of a logged game from the seed in its line."""
    deck = list(range(game.deck_size))
    random.Random(seed).shuffle(deck)
    return deck


def _derive(*parts: int | str) -> int:
    return stable_hash(parts) % (1 << _SEED_BITS)
