"""A position to analyze, as the scheduler takes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

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


@dataclass(eq=False, slots=True)
class Job:
    """A position to analyze. The scheduler's thread calls its functions, one at a time.

    Whatever happens, on_end or on_error is called once; where on_end raises, on_error hears of that.
    """

    game: Game
    evaluator: Evaluator | CoreEvaluator
    open: Callable[[], State]
    """Makes the position, when the job starts."""
    settings: SearchSettings
    on_report: Callable[[Job, Snapshot], None]
    """While the search goes on."""
    on_end: Callable[[Job, Snapshot | None], None]
    """Once, at the end; None when nothing was searched."""
    on_error: Callable[[Job, Exception], None]
    """Instead of on_end."""
    on_slow: Callable[[Job, float], None] = lambda _job, _seconds: None
    """Once, if the search is to take longer than SLOW_S, with the seconds that it is to take."""
    ready: Callable[[State, Any], State] = lambda state, _raw: state
    """The position to search, once the raw answer to it is known."""
    prune_actions: Callable[[State], Sequence[int]] = lambda _state: ()
    """Actions at the root that stand for others and need no visits."""
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
    priority: int = 0
    client: Hashable = None
    tree_key: Hashable | None = None
    """Of a game whose trees are to be cached: equal for jobs whose trees can go on with each other along its moves."""
    tag: Any = None
    """Whatever the owner wants to find it by."""
