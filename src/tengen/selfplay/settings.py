"""Settings of self-play."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field

from tengen.search import SearchSettings
from tengen.selfplay.exploration import faded

_ROOT_EXPLORATION = ("noise_fraction", "noise_alpha", "forced_playouts", "wide_root_noise")
"""Settings without effect in searches that explore the root by themselves."""


def _default_search() -> SearchSettings:
    # Without a cache, which evaluators inside the core, such as rollouts, refuse.
    return SearchSettings(visits=200, noise_fraction=0.25)


@dataclass(frozen=True)
class SelfPlaySettings:
    """Early moves are drawn from the search's policy, later ones are its best."""

    search: SearchSettings = field(default_factory=_default_search)
    """Visits, and settings that differ from their defaults: a player's self-play lays them over its own search. A
    dictionary is accepted, too, and changes single settings of the default."""
    temperature: float = 1.0
    """Temperature of the first `temp_moves` plies."""
    temp_moves: int = 8
    """Number of plies at the full temperature."""
    late_temperature: float = 0.0
    """Temperature of late moves; 0 plays the best move."""
    temperature_halflife: float = 0.0
    """After the first `temp_moves`: plies in which half of the difference to `late_temperature` vanishes; 0: all of it
    vanishes in one step."""
    random_share: float = 0.0
    """Share of moves that are drawn from all legal ones, so that mistakes and their refutations are seen."""
    random_halflife: float = 0.0
    """Iterations of a run in which `random_share` falls to half; 0: it stays."""
    opening_share: float = 0.0
    """Share of games that start with random moves, so that positions are seen that good play does not reach."""
    opening_plies: int = 0
    """Largest number of such moves; each of these games draws its own number."""
    end_proven: bool = False
    """End a game after the move whose search has proven the result, which is then that of the game; needs
    `search.solve`."""
    fork_share: float = 0.0
    """Share of games that follow a game of the previous iteration and leave it by another move, like KataGo's forks."""
    fork_early_share: float = 0.5
    """Share of the forks that leave early in the game; the others leave at any ply."""
    fork_moves: int = 3
    """Number of random moves of which a fork plays the best by the evaluator's value, so that few forks are absurd."""
    resign_value: float = 1.0
    """A player resigns when its search has valued the position below minus this share of a full win, twice in a row; 1
    is never."""
    no_resign_share: float = 0.1
    """Share of games that are played on after a resignation, to measure how often it would have been wrong."""
    resign_wrong_share: float = 1.0
    """Largest share of wrong resignations among checked ones; if there are more, the next iteration of a run has a
    `resign_value` nearer to 1. 1: it stays. AlphaGo Zero allowed 0.05."""
    parallel: int = 64
    """Number of games that share one batch."""
    max_plies: int = 10_000
    """Number of plies at which a game is dropped."""
    overrides: tuple[str, ...] = ()
    """Names of settings of `search` that are laid over the player's even if they are as by default, such as solve. A
    new run adds those that are given and that its player sets."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "search", SearchSettings.of(self.search, _default_search()))
        unknown = sorted(set(self.overrides) - {entry.name for entry in dataclasses.fields(SearchSettings)})
        if unknown:
            raise ValueError(f"self-play: overrides names {', '.join(unknown)}, and no search setting is called so")
        if not (self.temperature >= 0 and self.late_temperature >= 0):
            raise ValueError("self-play: a temperature can't be negative")
        if self.end_proven and not self.search.solve:
            raise ValueError("self-play: end_proven has no effect without search.solve")
        if not 0 < self.resign_value <= 1:
            raise ValueError(f"self-play: resign_value is {self.resign_value} and must be above 0 and at most 1")
        for name in ("temperature_halflife", "random_halflife"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"self-play: {name} is {getattr(self, name)} and must be a number from 0 on")
        resigning = ("no_resign_share", "resign_wrong_share")
        for name in (*resigning, "random_share", "opening_share", "fork_share", "fork_early_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"self-play: {name} is {getattr(self, name)} and must be from 0 to 1")
        least = {"parallel": 1, "max_plies": 1, "temp_moves": 0, "opening_plies": 0, "fork_moves": 1}
        for name, number in least.items():
            if getattr(self, name) < number:
                raise ValueError(f"self-play: {name} is {getattr(self, name)} and must be at least {number}")

    def laid_over(self, search: SearchSettings) -> SelfPlaySettings:
        """Return the settings for a player that searches with `search`: its own settings, with the visits of these,
        what differs from the defaults, and the overrides.

        Noise and forced playouts are left out if the player's rule explores the root by itself.
        """
        changes = {name: getattr(self.search, name) for name in ("visits", *self.search.changed, *self.overrides)}
        if search.gumbel_actions or search.rule == "ucb1":
            changes = {name: value for name, value in changes.items() if name not in _ROOT_EXPLORATION}
        return dataclasses.replace(self, search=search.replace(**changes))

    def temperature_at(self, ply: int) -> float:
        """Return the temperature of a move after so many plies."""
        late = ply - self.temp_moves
        if late < 0:
            return self.temperature
        if not self.temperature_halflife:
            return self.late_temperature
        return faded(self.temperature, self.late_temperature, math.log(2) / self.temperature_halflife, late)

    def at_iteration(self, iteration: int) -> SelfPlaySettings:
        """Return the settings of an iteration of a run; the first one is 1."""
        if not self.random_halflife:
            return self
        share = faded(self.random_share, 0.0, math.log(2) / self.random_halflife, iteration - 1)
        return dataclasses.replace(self, random_share=share)
