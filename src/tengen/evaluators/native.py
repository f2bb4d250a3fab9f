"""Evaluators that run in the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.evaluators.base import NativeEvaluator

if TYPE_CHECKING:
    from tengen import _core
    from tengen.games import Game


FLAT_VISITS = 200_000
"""Of flat Monte Carlo, where none are given: playouts of all moves together."""


@dataclass(frozen=True)
class Uniform(NativeEvaluator):
    """No opinion: every action alike, every position worth nothing. Only results of finished games count."""

    def run(self, pool: _core.Pool, visits: int) -> bool:
        return pool.run_uniform(visits)


@dataclass(frozen=True)
class Rollout(NativeEvaluator):
    """Plays to the end at random."""

    rollouts: int = 1
    """Games played out for each position."""

    def __post_init__(self) -> None:
        if self.rollouts < 1:
            raise ValueError(f"rollouts is {self.rollouts} and must be at least 1")

    def run(self, pool: _core.Pool, visits: int) -> bool:
        return pool.run_rollouts(visits, self.rollouts)


@dataclass(frozen=True)
class Flat(NativeEvaluator):
    """Flat Monte Carlo: no tree. The root's actions are played out to the end in the same determinizations, by the
    game's quick choices where it has such, and each is worth what its playouts pay on average."""

    def run(self, pool: _core.Pool, visits: int) -> bool:
        return pool.run_rollouts(visits, 1)


@dataclass(frozen=True)
class Heuristic(NativeEvaluator):
    """The game's own guess."""

    def check(self, game: Game) -> None:
        if not game.has_heuristic:
            raise ValueError(f"{game.id} has no heuristic: use the rollout or uniform evaluator")

    def run(self, pool: _core.Pool, visits: int) -> bool:
        return pool.run_heuristic(visits)
