"""How self-play plays."""

from __future__ import annotations

from dataclasses import dataclass, field

from tengen.search import SearchSettings


def _default_search() -> SearchSettings:
    return SearchSettings(visits=200, noise_fraction=0.25, cache_entries=1 << 14)


@dataclass(frozen=True)
class SelfPlaySettings:
    """Early moves are drawn from the search's policy, later ones are its best."""

    search: SearchSettings = field(default_factory=_default_search)
    temperature: float = 1.0
    """Of the early moves' choice."""
    temp_moves: int = 8
    """How many plies are early."""
    late_temperature: float = 0.0
    """After them; 0 plays the best move."""
    random_share: float = 0.0
    """Of moves that are any legal one instead: what follows mistakes is seen then, and what refutes them."""
    resign_value: float = 1.0
    """A player gives up when the search has promised it less than minus this share of a full win, twice in a row; 1 is
    never."""
    no_resign_share: float = 0.1
    """Games that are played on all the same, to see how often giving up would have been wrong."""
    parallel: int = 64
    """Games that share one batch."""
    max_plies: int = 10_000
    """A game that is longer is dropped."""

    def __post_init__(self) -> None:
        if not (self.temperature >= 0 and self.late_temperature >= 0):
            raise ValueError("self-play: a temperature can't be negative")
        if not 0 < self.resign_value <= 1:
            raise ValueError(f"self-play: resign_value is {self.resign_value} and must be above 0 and at most 1")
        for name in ("no_resign_share", "random_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"self-play: {name} is {getattr(self, name)} and must be from 0 to 1")
        if self.parallel < 1 or self.temp_moves < 0 or self.max_plies < 1:
            raise ValueError("self-play: parallel and max_plies must be at least 1, temp_moves at least 0")
