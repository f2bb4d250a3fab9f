"""A position to analyze, as the scheduler takes it."""

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
    """What is known of a position so far."""

    result: SearchResult
    """Its weights are what policy and value together support."""
    raw: Any
    """The evaluator's raw answer, where it has one."""
    is_last: bool


@dataclass(eq=False, slots=True, kw_only=True)
class Job(ABC):
    """A position to analyze. The scheduler's thread calls its methods, one at a time.

    Whatever happens, on_end or on_error is called once; where on_end raises, on_error hears of that.
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
    """How many of the game's auxiliary values its answers need."""
    deviations: bool = False
    seed: int | None = None
    viewer: int | None = None
    """Who asks, where all act at once; None: nobody in particular."""
    priority: int = 0
    client: Hashable = None
    tree_key: Hashable | None = None
    """Of a game whose trees are to be cached: equal for jobs whose trees can go on with each other along its moves."""

    @abstractmethod
    def open(self) -> State:
        """Makes the position, when the job starts."""

    def ready(self, state: State, raw: Any) -> State:  # noqa: ARG002
        """The position to search, once the raw answer to it is known."""
        return state

    def prune_actions(self, state: State) -> Sequence[int]:  # noqa: ARG002
        """Actions at the root that stand for others and need no visits."""
        return ()

    @abstractmethod
    def on_report(self, snapshot: Snapshot) -> None:
        """While the search goes on."""

    @abstractmethod
    def on_end(self, snapshot: Snapshot | None) -> None:
        """Once, at the end; None when nothing was searched."""

    @abstractmethod
    def on_error(self, error: Exception) -> None:
        """Instead of on_end."""

    def on_slow(self, seconds: float) -> None:
        """Once, if the search is to take longer than SLOW_S: the seconds that it is to take."""
