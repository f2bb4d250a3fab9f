"""Everything that a run of the workflow is made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tengen.labs.shogi.size import Size
from tengen.labs.shogi.train_settings import TrainSettings

__all__ = ["PAIRS", "QUICK", "WorkflowSettings"]

PAIRS: Final = ("a", "b", "c")


@dataclass(frozen=True)
class WorkflowSettings:
    """Three pairs: pre-trained from records and random positions, then trained on matches with each other."""

    seed: int = 1
    prophet_epochs: int = 5
    """Passes of train-prophet-with-records."""
    random_num: int = 100_000
    """Random positions of train-enforcer-with-random."""
    enforcer_epochs: int = 5
    """Passes of train-enforcer-with-records."""
    rounds: int = 11
    """Of auto-match, train-prophet-with-match-result and train-enforcer-with-match-result."""
    rounds_without_prophet: int = 11
    """Rounds of the enforcers' own, from the same pre-training: what the prophet is worth in training."""
    match_num: int = 5000
    """Games of a round in all, made up to a multiple of six: every pair meets every other from both sides."""
    prefetch_depth: int = 3
    prefetch_width: int = 3
    temperature: float = 0.5
    """Of the order of candidates in auto-match; matches that rate are played without."""
    opening_plies: int = 8
    """Random plies at most before games begin in earnest."""
    max_plies: int = 320
    """Games of more plies are drawn."""
    replay: float = 0.5
    """Positions of records for each position of a match while a pair learns from matches, so that it forgets less."""
    held_out: float = 0.1
    """Share of the records' games that models are tested on and never trained on."""
    test_positions: int = 20_000
    """Positions of those games at most that a model is tested on."""
    arena_games: int = 100
    """Of each match that says what a pair is worth."""
    opponents: str = "random rollout:400"
    """Whom the best pair meets beside its own parts: players as `tengen arena` takes them, with blanks between."""
    size: Size = field(default_factory=Size)
    train: TrainSettings = field(default_factory=TrainSettings)

    def __post_init__(self) -> None:
        for name in ("prophet_epochs", "random_num", "enforcer_epochs", "match_num", "test_positions"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} and must be at least 1")
        for name in ("rounds", "rounds_without_prophet", "opening_plies", "max_plies", "replay"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)} and can't be negative")
        if self.arena_games < 2 or self.arena_games % 2:
            raise ValueError(f"arena_games is {self.arena_games} and must be even and at least 2")
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out is {self.held_out} and must be between 0 and 1")

    @property
    def games_of_a_match(self) -> int:
        """Of two pairs in a round: even, and three times that is match_num or more."""
        return 2 * -(-self.match_num // 6)


QUICK: Final[Mapping[str, Any]] = {
    "prophet_epochs": 2,
    "random_num": 4_000,
    "enforcer_epochs": 3,
    "rounds": 2,
    "rounds_without_prophet": 1,
    "match_num": 36,
    "max_plies": 200,
    "test_positions": 3_000,
    "arena_games": 20,
    "opponents": "random rollout:100",
    "size": {"channels": 32, "blocks": 2},
    "train": {"epochs": 0.5},
}
"""What `--quick` changes: the whole workflow in a quarter of an hour on two cores."""
