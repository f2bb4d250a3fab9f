"""What one turn of a query owes: an answer, whatever happens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tengen.analysis.answer_builder import Wanted
from tengen.analysis.answers import Answer
from tengen.analysis.query import Problem
from tengen.analysis.search_params import value_range

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any

    from tengen.analysis.adapters import Board, Turn
    from tengen.analysis.answer_builder import Twin
    from tengen.analysis.query import Query
    from tengen.analysis.scheduler import Job, Snapshot
    from tengen.games import State

__all__ = ["TurnJob"]


class TurnJob:
    """The functions of a turn's job, and what the protocol's actions find it by. Small: very many may wait."""

    __slots__ = ("_answer", "_board", "_problem", "_twins", "client", "query", "turn")

    def __init__(
        self,
        board: Board,
        query: Query,
        turn: Turn,
        client: Hashable,
        answer: Callable[[Answer], None],
        problem: Callable[[Problem], None],
    ) -> None:
        self._board = board
        self._answer = answer
        self._problem = problem
        self._twins: dict[int, list[Twin]] = {}
        self.query = query
        self.turn = turn
        self.client = client

    def open(self) -> State:
        return self._board.open(self.query, self.turn)

    def ready(self, state: State, raw: Any) -> State:
        return self._board.ready(self.query, state, raw)

    def prune(self, state: State) -> Sequence[int]:
        included = set(self.turn.include)
        self._twins = {
            action: [twin for twin in others if twin.action not in included]
            for action, others in self._board.twins(self.query, state).items()
        }
        twins = [twin.action for others in self._twins.values() for twin in others]
        return [*twins, *self._board.useless(self.query, self.turn, state)]

    def tell(self, _job: Job, snapshot: Snapshot | None) -> None:
        reader = self._board.reader(self._board.game(self.query))
        self._answer(self.no_results if snapshot is None else reader.read(snapshot, self._wanted()))

    def fail(self, _job: Job, error: Exception) -> None:
        self._answer(replace(self.no_results, error=f"{type(error).__name__}: {error}"))

    def warn_of_time(self, job: Job, seconds: float) -> None:
        days, hours = seconds / 86400, seconds / 3600
        text = f"{hours:.1f} hours" if days < 2 else f"{days:,.0f} days"
        problem = (
            f"At its present speed the search of turn {self.turn.number}, with {job.settings.visits:,} visits, will "
            f"take {text}: lower maxVisits or set maxTime"
        )
        self._problem(Problem(problem, self.query.id, "maxVisits", is_warning=True))

    @property
    def no_results(self) -> Answer:
        """The answer to a turn that was never searched."""
        return Answer(id=self.query.id, turn_number=self.turn.number, is_during_search=False)

    def _wanted(self) -> Wanted:
        query, params = self.query, self.query.params
        return Wanted(
            id=query.id,
            turn=self.turn.number,
            pv_length=query.pv_length,
            policy=query.include_policy,
            ownership=query.include_ownership,
            ownership_stdev=query.include_ownership_stdev,
            moves_ownership=query.include_moves_ownership,
            moves_ownership_stdev=query.include_moves_ownership_stdev,
            pv_visits=query.include_pv_visits,
            no_result_value=query.include_no_result_value,
            scoring=query.include_scoring,
            seat=params.report_analysis_winrates_as,
            use_lcb=params.use_lcb_for_selection,
            least_share=params.min_visit_prop_for_lcb,
            deviations=params.lcb_stdevs,
            value_range=value_range(params, with_score=self._board.has_score) * self._board.game(query).payoff_scale,
            twins=self._twins,
        )
