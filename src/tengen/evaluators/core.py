"""Evaluators that the core has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = ["CORE_KINDS", "FLAT", "FLAT_VISITS", "CoreEvaluator"]

FLAT_VISITS = 200_000
"""Of flat Monte Carlo, where none are given: playouts of all moves together."""

CoreKind: TypeAlias = Literal["uniform", "rollout", "heuristic", "flat"]
CORE_KINDS: Final[tuple[CoreKind, ...]] = get_args(CoreKind)


@dataclass(frozen=True)
class CoreEvaluator:
    """Names an evaluator that the core has. The core runs it by itself, so a search needs no batches.

    - `uniform`: every action alike, every position worth nothing. Only results of finished games count.
    - `rollout`: plays to the end at random.
    - `heuristic`: the game's own guess.
    - `flat`: flat Monte Carlo, no tree. The root's actions are played out to the end in the same determinizations, by
      the game's quick choices where it has such, and each is worth what its playouts pay on average.
    """

    kind: CoreKind
    rollouts: int = 1
    """Of `rollout`: games played out for each position."""

    def __post_init__(self) -> None:
        if self.kind not in CORE_KINDS:
            raise ValueError(f"the core has no evaluator {self.kind!r}: there are {', '.join(CORE_KINDS)}")
        if self.rollouts < 1:
            raise ValueError(f"rollouts is {self.rollouts} and must be at least 1")

    def check(self, game: Game) -> None:
        """Raises a ValueError if this evaluator can't judge the game."""
        if self.kind == "heuristic" and not game.has_heuristic:
            raise ValueError(f"{game.id} has no heuristic: use the rollout or uniform evaluator")

    def __str__(self) -> str:
        """As find_evaluator() takes it."""
        return self.kind if self.rollouts == 1 else f"{self.kind}:{self.rollouts}"


FLAT = CoreEvaluator("flat")
