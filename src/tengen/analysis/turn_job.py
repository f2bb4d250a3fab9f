"""What one turn of a query owes: an answer, whatever happens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tengen.analysis.query import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tengen.analysis.adapters import GameAdapter, Turn
    from tengen.analysis.answer_builder import SymmetricAction
    from tengen.analysis.answers import Answer
    from tengen.analysis.job import Job, Snapshot
    from tengen.analysis.query import Query
    from tengen.games import State

__all__ = ["TurnJob"]


class TurnJob:
    """The functions of a turn's job, and what the protocol's actions find it by. Small: very many may be queued."""

    __slots__ = ("_adapter", "_on_answer", "_on_problem", "_symmetric", "query", "turn")

    def __init__(
        self,
        adapter: GameAdapter,
        query: Query,
        turn: Turn,
        on_answer: Callable[[Answer], None],
        on_problem: Callable[[Problem], None],
    ) -> None:
        self._adapter = adapter
        self._on_answer = on_answer
        self._on_problem = on_problem
        self._symmetric: dict[int, list[SymmetricAction]] = {}
        self.query = query
        self.turn = turn

    def open(self) -> State:
        return self._adapter.open(self.query, self.turn)

    def ready(self, state: State, raw: Any) -> State:
        return self._adapter.ready(self.query, state, raw)

    def prune_actions(self, state: State) -> Sequence[int]:
        included = set(self.turn.include)
        self._symmetric = {
            action: [other for other in others if other.action not in included]
            for action, others in self._adapter.symmetric_actions(self.query, state).items()
        }
        pruned = [other.action for others in self._symmetric.values() for other in others]
        return [*pruned, *self._adapter.useless_moves(self.query, self.turn, state)]

    def report(self, _job: Job, snapshot: Snapshot | None) -> None:
        """Answers with what was found so far, or for good; None: it was never searched."""
        if snapshot is None:
            self._on_answer(self._no_results)
            return
        adapter, query = self._adapter, self.query
        game = adapter.game_of(query)
        value_range = adapter.value_range(query.params) * game.payoff_scale
        builder = adapter.answers(game, query, self.turn.number, value_range, self._symmetric)
        self._on_answer(builder.build(snapshot))

    def fail(self, _job: Job, error: Exception) -> None:
        self._on_answer(replace(self._no_results, error=f"{type(error).__name__}: {error}"))

    def warn_of_time(self, job: Job, seconds: float) -> None:
        days, hours = seconds / 86400, seconds / 3600
        text = f"{hours:.1f} hours" if days < 2 else f"{days:,.0f} days"
        problem = (
            f"At its present speed the search of turn {self.turn.number}, with {job.settings.visits:,} visits, will "
            f"take {text}: lower maxVisits or set maxTime"
        )
        self._on_problem(Problem(problem, self.query.id, "maxVisits", is_warning=True))

    @property
    def _no_results(self) -> Answer:
        answer_type = self._adapter.answers.answer_type
        return answer_type(id=self.query.id, turn_number=self.turn.number, is_during_search=False)
