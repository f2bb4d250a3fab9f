"""How self-play plays."""

from __future__ import annotations

from dataclasses import dataclass, field

from tengen.search import SearchSettings


def _default_search() -> SearchSettings:
    # Without a cache, which evaluators inside the core, such as rollouts, refuse.
    return SearchSettings(visits=200, noise_fraction=0.25)


@dataclass(frozen=True)
class SelfPlaySettings:
    """Early moves are drawn from the search's policy, later ones are its best."""

    search: SearchSettings = field(default_factory=_default_search)
    """A dictionary is accepted, too, and changes single settings of the default."""
    temperature: float = 1.0
    """The temperature of early moves."""
    temp_moves: int = 8
    """How many plies are early."""
    late_temperature: float = 0.0
    """After them; 0 plays the best move."""
    random_share: float = 0.0
    """The share of moves that are drawn from all legal ones, so that mistakes and their refutations are seen."""
    opening_share: float = 0.0
    """Share of games that start with random moves, so that positions are seen that good play does not reach."""
    opening_plies: int = 0
    """Largest number of such moves; each of these games draws its own number."""
    resign_value: float = 1.0
    """A player resigns when its search has valued the position below minus this share of a full win, twice in a row; 1
    is never."""
    no_resign_share: float = 0.1
    """Games that are played on all the same, to see how often giving up would have been wrong."""
    parallel: int = 64
    """Games that share one batch."""
    max_plies: int = 10_000
    """A game that is longer is dropped."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "search", SearchSettings.of(self.search, _default_search()))
        if not (self.temperature >= 0 and self.late_temperature >= 0):
            raise ValueError("self-play: a temperature can't be negative")
        if not 0 < self.resign_value <= 1:
            raise ValueError(f"self-play: resign_value is {self.resign_value} and must be above 0 and at most 1")
        for name in ("no_resign_share", "random_share", "opening_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"self-play: {name} is {getattr(self, name)} and must be from 0 to 1")
        for name, least in (("parallel", 1), ("max_plies", 1), ("temp_moves", 0), ("opening_plies", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"self-play: {name} is {getattr(self, name)} and must be at least {least}")
