"""Many series of games in parallel: each player decides all positions that wait for it in one call."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tengen.arena import FallbackPlayer
from tengen.selfplay.exploration import faded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.arena import Chooser
    from tengen.games import BuiltinPlayer, State

__all__ = ["ComebackExploration", "PlayableSeries", "play_series"]


@dataclass(frozen=True)
class ComebackExploration:
    """As selfplay.Exploration, with rates of their own for a player who is far behind."""

    rate: float = 0.0
    """At the beginning, of all decisions."""
    rate_comeback: float = 0.0
    """Rate for decisions of a player who is far behind."""
    decay_k: float = 0.0
    """0 keeps the rates as they are."""
    minimum: float = 0.0
    comeback_minimum: float = 0.0

    def __post_init__(self) -> None:
        for name in ("rate", "rate_comeback", "minimum", "comeback_minimum"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"the exploration's {name} is {getattr(self, name)} and must be from 0 to 1")
        if not (0 <= self.decay_k < math.inf):
            raise ValueError(f"the exploration's decay_k is {self.decay_k} and must be at least 0")

    def at(self, progress: float, *, is_comeback: bool = False) -> float:
        rate, least = (self.rate_comeback, self.comeback_minimum) if is_comeback else (self.rate, self.minimum)
        return faded(rate, least, self.decay_k, progress)


class PlayableSeries(Protocol):
    """Games between the same players, one after the other. It knows what comes next and keeps what is to be kept."""

    @property
    def is_over(self) -> bool:
        """No game is left."""

    @property
    def state(self) -> State: ...

    @property
    def seat(self) -> int:
        """Seat that is to act."""

    @property
    def player(self) -> int:
        """Index of the player in that seat."""

    @property
    def seed(self) -> int:
        """Seed of this decision, independent of the player and the machine."""

    @property
    def progress(self) -> float:
        """How far into the run this is, from 0 to 1."""

    @property
    def is_comeback(self) -> bool:
        """True if the player to act is far behind."""

    def play(self, action: int, *, explored: bool, fell_back: bool) -> None: ...


def play_series(
    all_series: Sequence[PlayableSeries],
    players: Sequence[Chooser],
    exploration: ComebackExploration,
    fallback: BuiltinPlayer | None = None,
    on_round: Callable[[], None] | None = None,
) -> None:
    """Play all series to their end. The same series and players give the same games.

    A player that fails or chooses an illegal action raises an error. With `fallback`, that function of (state, seat,
    seed) makes the decision instead, and the series counts it. `on_round` is called between rounds of decisions.
    """
    while live := [series for series in all_series if not series.is_over]:
        if on_round is not None:
            on_round()
        for index, player in enumerate(players):
            asked = [series for series in live if not series.is_over and series.player == index]
            rest = [series for series in asked if not _explore(series, exploration)]
            if rest:
                _decide(player, rest, fallback)


def _explore(series: PlayableSeries, exploration: ComebackExploration) -> bool:
    """Plays at random if the dice say so."""
    rate = exploration.at(series.progress, is_comeback=series.is_comeback)
    if rate <= 0:
        return False
    rng = random.Random(f"{series.seed} explore")
    if rng.random() >= rate:
        return False
    series.play(rng.choice(series.state.legal(series.seat)), explored=True, fell_back=False)
    return True


def _decide(player: Chooser, asked: Sequence[PlayableSeries], fallback: BuiltinPlayer | None) -> None:
    states, seats, seeds = ([getattr(series, name) for series in asked] for name in ("state", "seat", "seed"))
    if fallback is None:
        chosen, failed = player.choose(states, seats, seeds), [False] * len(asked)
        if len(chosen) != len(asked):
            raise ValueError(f"{player.name} was asked for {len(asked)} actions and answered {len(chosen)}")
    else:
        safe = FallbackPlayer(player, fallback)
        chosen = safe.choose(states, seats, seeds)
        failed = [seed in safe.failed for seed in seeds]
    for series, action, fell_back in zip(asked, chosen, failed, strict=True):
        if action not in series.state.legal(series.seat):
            raise ValueError(f"{player.name} chose action {action}, illegal for player {series.seat} here")
        series.play(action, explored=False, fell_back=fell_back)
