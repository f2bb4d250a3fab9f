"""Positions to analyze, in the form that the scheduler takes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tengen.analysis.query import StopRule
    from tengen.evaluators import CoreEvaluator, Evaluator
    from tengen.games import Game, State
    from tengen.search import Restriction, SearchResult, SearchSettings

__all__ = ["Job", "Snapshot"]


@dataclass(frozen=True)
class Snapshot:
    """The state of the analysis of a position: a search result and the raw evaluation."""

    result: SearchResult
    """The result of the search so far, with weights that policy and values support."""
    raw: Any
    """The evaluator's raw output, if it has one."""
    is_last: bool


@dataclass(eq=False, slots=True, kw_only=True)
class Job(ABC):
    """A position to analyze. The scheduler's thread calls its methods, one at a time.

    Either on_end or on_error is called once, in every case. If on_end raises, on_error is called with that exception.
    """

    game: Game
    evaluator: Evaluator | CoreEvaluator
    settings: SearchSettings
    include: Sequence[int] = ()
    include_visits: int = 1
    allow: Sequence[Restriction] | None = None
    avoid: Sequence[Restriction] | None = None
    seconds: float = math.inf
    report_every_s: float = math.inf
    first_report_s: float = math.inf
    stop_when: StopRule | None = None
    aux: int = 0
    """Number of auxiliary values of the game that the result needs."""
    deviations: bool = False
    seed: int | None = None
    viewer: int | None = None
    """The player that the search is for, if all players act simultaneously; None for no particular player."""
    priority: int = 0
    client: Hashable = None
    tree_key: Hashable | None = None
    """Key of the cached tree: equal for jobs of one game, whose trees can be reused along its moves."""

    @abstractmethod
    def open(self) -> State:
        """Return the position when the job starts."""

    def ready(self, state: State, raw: Any) -> State:  # noqa: ARG002
        """Return the position to search, once its raw evaluation is known."""
        return state

    def prune_actions(self, state: State) -> Sequence[int]:  # noqa: ARG002
        """Return actions at the root that need no visits because others represent them."""
        return ()

    @abstractmethod
    def on_report(self, snapshot: Snapshot) -> None:
        """Handle an intermediate result."""

    @abstractmethod
    def on_end(self, snapshot: Snapshot | None) -> None:
        """Handle the final result; it is None if nothing was searched."""

    @abstractmethod
    def on_error(self, error: Exception) -> None:
        """Handle a failure; this is called instead of on_end."""

    def on_slow(self, seconds: float) -> None:
        """Handle an estimate in seconds that exceeds SLOW_S; this is called once."""

    def on_out_of_memory(self, warning: str) -> None:
        """Handle a search that ended early because trees took too much memory; on_end is called next."""
