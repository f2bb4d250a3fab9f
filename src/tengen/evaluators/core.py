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
    - `heuristic`: the game's own guess, with the game's own policy for priors where it has one.
    - `flat`: flat Monte Carlo, no tree. The root's actions are played out to the end in the same determinizations, by
      the game's quick choices where it has such, and each is worth what its playouts pay on average.
    """

    kind: CoreKind
    rollouts: int = 1
    """Of `rollout`: games played out for each position."""
    heuristic: str | None = None
    """Of `heuristic`: which of the game's, where it has several; None: the best."""

    def __post_init__(self) -> None:
        if self.kind not in CORE_KINDS:
            raise ValueError(f"the core has no evaluator {self.kind!r}: there are {', '.join(CORE_KINDS)}")
        if self.rollouts < 1:
            raise ValueError(f"rollouts is {self.rollouts} and must be at least 1")

    def check(self, game: Game) -> None:
        """Raises a ValueError if this evaluator can't judge the game."""
        if self.kind == "heuristic" and not game.has_heuristic:
            raise ValueError(f"{game.id} has no heuristic: use the rollout or uniform evaluator")
        if self.heuristic is not None and self.heuristic not in game.heuristics:
            there = ", ".join(game.heuristics) or "one without a name"
            raise ValueError(f"{game.id} has no heuristic {self.heuristic!r}: there is {there}")

    @property
    def core_name(self) -> str:
        """As the core knows it."""
        return self.kind if self.heuristic is None else f"{self.kind}:{self.heuristic}"

    def __str__(self) -> str:
        """As find_evaluator() takes it."""
        return self.core_name if self.rollouts == 1 else f"{self.kind}:{self.rollouts}"


FLAT = CoreEvaluator("flat")
