"""The job of one turn of a query, which always sends one final response."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tengen.analysis.job import Job
from tengen.analysis.query import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tengen.analysis.adapters import GameAdapter, Turn
    from tengen.analysis.answer_builder import SymmetricAction
    from tengen.analysis.answers import Answer
    from tengen.analysis.job import Snapshot
    from tengen.analysis.query import Query
    from tengen.games import State

__all__ = ["TurnJob"]


@dataclass(eq=False, slots=True, kw_only=True)
class TurnJob(Job):
    """One turn of a query. Small: very many may be queued."""

    adapter: GameAdapter
    query: Query
    turn: Turn
    on_answer: Callable[[Answer], None]
    on_problem: Callable[[Problem], None]
    _symmetric: dict[int, list[SymmetricAction]] = field(default_factory=dict, init=False)

    def open(self) -> State:
        return self.adapter.open(self.query, self.turn)

    def ready(self, state: State, raw: Any) -> State:
        return self.adapter.ready(self.query, state, raw)

    def prune_actions(self, state: State) -> Sequence[int]:
        included = set(self.turn.include)
        self._symmetric = {
            action: [other for other in others if other.action not in included]
            for action, others in self.adapter.symmetric_actions(self.query, state).items()
        }
        pruned = [other.action for others in self._symmetric.values() for other in others]
        return [*pruned, *self.adapter.useless_moves(self.query, self.turn, state)]

    def on_end(self, snapshot: Snapshot | None) -> None:
        if snapshot is None:
            self.on_answer(self._no_results)
        else:
            self.on_report(snapshot)

    def on_report(self, snapshot: Snapshot) -> None:
        adapter, query = self.adapter, self.query
        game = adapter.game_of(query)
        value_range = adapter.value_range(query.params) * game.payoff_scale
        builder = adapter.answers(game, query, self.turn.number, value_range, self._symmetric)
        self.on_answer(builder.build(snapshot))

    def on_error(self, error: Exception) -> None:
        self.on_answer(replace(self._no_results, error=f"{type(error).__name__}: {error}"))

    def on_slow(self, seconds: float) -> None:
        days, hours = seconds / 86400, seconds / 3600
        text = f"{hours:.1f} hours" if days < 2 else f"{days:,.0f} days"
        problem = (
            f"At its present speed the search of turn {self.turn.number}, with {self.settings.visits:,} visits, will "
            f"take {text}: lower maxVisits or set maxTime"
        )
        self.on_problem(Problem(problem, self.query.id, "maxVisits", is_warning=True))

    def on_out_of_memory(self, warning: str) -> None:
        self.on_problem(Problem(f"Turn {self.turn.number}: {warning}", self.query.id, "maxVisits", is_warning=True))

    @property
    def _no_results(self) -> Answer:
        answer_type = self.adapter.answers.answer_type
        return answer_type(id=self.query.id, turn_number=self.turn.number, is_during_search=False)
