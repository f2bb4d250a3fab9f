"""Answers about Go: win rates, scores and ownership from the evaluations' auxiliary values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.analysis.answer_builder import AnswerBuilder, SymmetricAction
from tengen.analysis.answers import Answer, Json, MoveInfo, RootInfo
from tengen.analysis.go.ownership import dead_cells
from tengen.games.go import Go, format_result
from tengen.games.go.hashing import format_hash, position_hash, symmetric_hash

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tengen.analysis.job import Snapshot
    from tengen.games import State
    from tengen.search import Move, SearchResult

__all__ = ["GoAnswer", "GoAnswerBuilder", "GoMoveInfo", "GoOutputs", "GoRootInfo", "round_ownership"]

SCALARS = 5
"""Win, no result, score, its square and lead; then comes the ownership of each point."""


@dataclass(frozen=True)
class _Score:
    """One position's numbers in Black's view, in points."""

    win: float
    no_result: float
    mean: float
    stdev: float
    lead: float

    @staticmethod
    def of(aux: NDArray[Any], area: int) -> _Score:
        win, no_result, mean, square, lead = (float(x) for x in aux[:SCALARS])
        return _Score(win, no_result, mean * area, math.sqrt(max(0.0, square - mean * mean)) * area, lead * area)


@dataclass(frozen=True)
class GoOutputs:
    """What answers about Go may hold besides."""

    ownership: bool = False
    ownership_stdev: bool = False
    moves_ownership: bool = False
    moves_ownership_stdev: bool = False
    no_result_value: bool = False
    scoring: bool = False

    @property
    def has_points(self) -> bool:
        """Something is told about each point of the board."""
        return (
            self.ownership or self.ownership_stdev or self.moves_ownership or self.moves_ownership_stdev or self.scoring
        )


def round_ownership(values: ArrayLike) -> list[float]:
    """To millionths, flat."""
    flat = np.asarray(values, dtype=np.float64).ravel()
    rounded: list[float] = (np.copysign(np.floor(np.abs(flat) * 1e6 + 0.5), flat) / 1e6).tolist()
    return rounded


def _by_point() -> Any:
    """A field that holds a number for each point."""
    return field(default=None, metadata={"write": round_ownership})


@dataclass(frozen=True, kw_only=True)
class GoMoveInfo(MoveInfo):
    score_lead: float | None = None
    score_mean: float | None = None
    """The same."""
    score_selfplay: float | None = None
    score_stdev: float | None = None
    no_result_value: float | None = None
    ownership: tuple[float, ...] | None = _by_point()
    ownership_stdev: tuple[float, ...] | None = _by_point()

    @property
    def lead(self) -> float | None:
        return self.score_lead


@dataclass(frozen=True, kw_only=True)
class GoRootInfo(RootInfo):
    score_lead: float | None = None
    score_selfplay: float | None = None
    score_stdev: float | None = None
    raw_lead: float | None = None
    raw_score_selfplay: float | None = None
    raw_score_selfplay_stdev: float | None = None
    raw_no_result_prob: float | None = None
    raw_st_wr_error: float | None = None
    raw_st_score_error: float | None = None
    raw_var_time_left: float | None = None
    this_hash: str | None = None
    sym_hash: str | None = None

    @property
    def lead(self) -> float | None:
        return self.score_lead


@dataclass(frozen=True, kw_only=True)
class GoAnswer(Answer):
    move_type = GoMoveInfo
    root_type = GoRootInfo

    move_infos: tuple[GoMoveInfo, ...] = ()
    root_info: GoRootInfo | None = None
    ownership: tuple[float, ...] | None = _by_point()
    ownership_stdev: tuple[float, ...] | None = _by_point()
    scoring: Json | None = None


class GoAnswerBuilder(AnswerBuilder):
    game: Go
    answer_type = GoAnswer

    def _player_name(self, player: int | None) -> str:
        return "B" if player == 0 else "W"

    @property
    def _area(self) -> int:
        return self.game.action_count - 1

    def _black(self, result: SearchResult) -> int:
        """1 where numbers are shown from Black's side."""
        seat = self.query.params.report_analysis_winrates_as
        return 1 if (result.player if seat is None else seat) == 0 else -1

    def _mean(self, result: SearchResult, part: slice) -> NDArray[np.float64]:
        """The root's aux as the free visits support them, its own evaluation among them."""
        total = _raw_aux(result)[part].astype(np.float64)
        weight = 1.0
        for move in result.moves:
            aux = (move.free or move).aux
            if move.weight > 0 and aux is not None:
                total = total + move.weight * aux[part]
                weight += move.weight
        return np.asarray(total / weight)

    def _root_more(self, snapshot: Snapshot) -> dict[str, Any]:
        result, raw = snapshot.result, snapshot.raw
        side = self._black(result)
        score = _Score.of(self._mean(result, slice(SCALARS)), self._area)
        own = _Score.of(_raw_aux(result), self._area)
        more = {
            "values": None,
            "raw_values": None,
            "winrate": 0.5 * (1 + side * score.win),
            "score_lead": side * score.lead,
            "score_selfplay": side * score.mean,
            "score_stdev": score.stdev,
            "raw_winrate": 0.5 * (1 + side * own.win),
            "raw_lead": side * own.lead,
            "raw_score_selfplay": side * own.mean,
            "raw_score_selfplay_stdev": own.stdev,
            "raw_no_result_prob": own.no_result,
            **self._hashes(result.state),
        }
        if raw is not None:
            more |= {
                "raw_st_wr_error": 0.5 * float(raw.shortterm_winloss_error),
                "raw_st_score_error": float(raw.shortterm_score_error),
                "raw_var_time_left": float(raw.var_time_left),
            }
        return more

    def _hashes(self, state: State) -> dict[str, str]:
        core, position = self.game.go, state.position
        ko = core.ko(position)
        this, symmetric = _hashes(
            self.game.width,
            self.game.height,
            core.board(position),
            core.player(position) + 1,
            None if ko < 0 else ko,
        )
        return {"this_hash": this, "sym_hash": symmetric}

    def _move_more(self, move: Move, bound: float, result: SearchResult) -> dict[str, Any]:
        aux = move.aux if move.aux is not None else _raw_aux(result)
        side = self._black(result)
        score = _Score.of(aux, self._area)
        mover = 1 if result.player == 0 else -1
        win = 0.5 * (1 + mover * score.win)
        # The bound of the utility, scaled down to what a win is worth in it.
        lcb = win - 0.5 * bound / self.value_range
        is_mover = side == mover
        more: dict[str, Any] = {
            "values": None,
            "winrate": win if is_mover else 1 - win,
            "lcb": lcb if is_mover else 1 - lcb,
            "score_lead": side * score.lead,
            "score_mean": side * score.lead,
            "score_selfplay": side * score.mean,
            "score_stdev": score.stdev,
        }
        outputs: GoOutputs = self.query.outputs
        if outputs.no_result_value:
            more["no_result_value"] = score.no_result
        if outputs.moves_ownership:
            more["ownership"] = _tuple(side * aux[SCALARS:])
        if outputs.moves_ownership_stdev:
            deviations = move.deviations if move.deviations is not None else np.zeros(SCALARS + self._area)
            more["ownership_stdev"] = _tuple(deviations[SCALARS:])
        return more

    def _symmetric_more(self, other: SymmetricAction, more: dict[str, Any]) -> dict[str, Any]:
        turned = dict(more)
        cells = other.actions[: self._area]
        for name in ("ownership", "ownership_stdev"):
            if name in more:
                after = np.zeros(self._area)
                after[cells] = more[name]
                turned[name] = _tuple(after)
        return turned

    def _policy(self, snapshot: Snapshot) -> tuple[float, ...]:
        if snapshot.raw is None:
            return super()._policy(snapshot)
        return _tuple(snapshot.raw.policy)

    def _answer_more(self, snapshot: Snapshot) -> dict[str, Any]:
        result = snapshot.result
        outputs: GoOutputs = self.query.outputs
        points = slice(SCALARS, SCALARS + self._area)
        more: dict[str, Any] = {}
        if outputs.ownership:
            more["ownership"] = _tuple(self._black(result) * self._mean(result, points))
        if outputs.scoring:
            more["scoring"] = self._scoring(result, self._mean(result, points))
        if outputs.ownership_stdev:
            more["ownership_stdev"] = _tuple(self._deviations(result, points))
        return more

    def _scoring(self, result: SearchResult, ownership: NDArray[np.float64]) -> Json:
        """The stones that the ownership gives to the other side, and the score without them."""
        dead = sorted(dead_cells(self.game, result.state, ownership))
        lead, _ = self.game.go.score(result.state.position, dead)
        return {
            "dead": [self.game.name(cell) for cell in dead],
            "score": self._black(result) * lead,
            "result": format_result(lead),
        }

    def _deviations(self, result: SearchResult, points: slice) -> NDArray[np.float64]:
        squares = _raw_aux(result)[points].astype(np.float64) ** 2
        weight = 1.0
        for move in result.moves:
            aux, deviations = (move.free or move).aux, (move.free or move).deviations
            if move.weight > 0 and aux is not None and deviations is not None:
                squares = squares + move.weight * (aux[points] ** 2 + deviations[points] ** 2)
                weight += move.weight
        return np.asarray(np.sqrt(np.maximum(0.0, squares / weight - self._mean(result, points) ** 2)))


@lru_cache(maxsize=256)
def _hashes(width: int, height: int, board: bytes, player: int, ko: int | None) -> tuple[str, str]:
    return (
        format_hash(position_hash(width, height, board, player, ko)),
        format_hash(symmetric_hash(width, height, board, player, ko)),
    )


def _raw_aux(result: SearchResult) -> NDArray[np.float32]:
    if result.raw_aux is None:
        raise ValueError("this evaluator tells no scores: analyze Go with a network of KataGo's, or with rollout")
    return result.raw_aux


def _tuple(numbers: Any) -> tuple[float, ...]:
    return tuple(map(float, numbers))
