"""What a network's numbers mean."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tengen.nets.katago.description import Floats, Multipliers

    Doubles = NDArray[np.float64]

UNKNOWN = -1.0
"""Of what a network of version 8 does not predict."""
_MOST_PASS = 19.0
"""Times all other moves together: 95 %."""


class RawRow(NamedTuple):
    """One position's part of a RawOutput."""

    policy: Floats
    """[points + 1]."""
    white_win: float
    white_loss: float
    no_result: float
    white_score_mean: float
    white_score_mean_sq: float
    white_lead: float
    var_time_left: float
    shortterm_winloss_error: float
    shortterm_score_error: float
    white_ownership: Floats
    """[points]."""


@dataclass(frozen=True, eq=False)
class RawOutput:
    """A network's opinion of some positions, with White's chances and points. Arrays have one entry a position."""

    policy: Floats
    """[rows, points + 1]: the pass last; -1 where a move is illegal."""
    white_win: Floats
    white_loss: Floats
    no_result: Floats
    white_score_mean: Floats
    """Of final scores, in points; a game without a result counts as 0."""
    white_score_mean_sq: Floats
    """Of their squares."""
    white_lead: Floats
    """Points that White could give away for an even game."""
    var_time_left: Floats
    """How much the time that the game still takes may vary, in turns; -1: unknown."""
    shortterm_winloss_error: Floats
    """How far the next turns may move win - loss; -1: unknown."""
    shortterm_score_error: Floats
    white_ownership: Floats
    """[rows, points]: from -1, Black's, to 1."""

    def __len__(self) -> int:
        return len(self.policy)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> RawOutput:
        return RawOutput(**{item.name: getattr(self, item.name)[rows] for item in fields(self)})

    def row(self, number: int) -> RawRow:
        return self[number : number + 1].rows()[0]

    def rows(self) -> list[RawRow]:
        """Each with arrays of its own: the rest may be forgotten."""
        columns: list[Any] = [getattr(self, name) for name in RawRow._fields]
        listed = [[row.copy() for row in column] if column.ndim == 2 else column.tolist() for column in columns]
        return [RawRow(*values) for values in zip(*listed, strict=True)]

    def mean(self) -> RawRow:
        """Of all its rows, which are the same position seen in several ways."""
        parts: list[Any] = [getattr(self, name).mean(axis=0) for name in RawRow._fields]
        values: list[Any] = [part if part.ndim else float(part) for part in parts]
        return RawRow(*values)

    @staticmethod
    def of(rows: Sequence[RawRow]) -> RawOutput:
        return RawOutput(*(np.array(column, np.float32) for column in zip(*rows, strict=True)))

    @property
    def white_score_stdev(self) -> Floats:
        square = self.white_score_mean.astype(np.float64) ** 2
        return np.sqrt(np.maximum(self.white_score_mean_sq - square, 0)).astype(np.float32)


def read_outputs(
    answer: Mapping[str, Floats],
    version: int,
    multipliers: Multipliers,
    *,
    legal: NDArray[np.bool_],
    white_to_move: NDArray[np.bool_],
    may_lack_result: NDArray[np.bool_],
    optimism: float | Floats = 0.0,
    temperature: float | Floats = 1.0,
    passing_hacks: bool | NDArray[np.bool_] = True,
) -> RawOutput:
    """From the graph's outputs for the player to move, [rows, …] each."""
    logits = answer["policy"].astype(np.float64)
    chosen = logits[:, 0]
    if np.any(optimism):
        chosen = chosen + (logits[:, 1] - chosen) * np.reshape(optimism, (-1, 1))
    chosen = chosen / np.reshape(temperature, (-1, 1))
    value = answer["value"].astype(np.float64)
    value = np.where(np.stack([np.ones_like(may_lack_result)] * 2 + [may_lack_result], axis=1), value, -np.inf)
    win, loss, no_result = _softmax(value).T
    score = answer["score"].astype(np.float64).T
    mean, stdev = score[0] * multipliers.score_mean, _softplus(score[1]) * multipliers.score_stdev
    has_result = 1 - no_result
    sign = np.where(white_to_move, 1.0, -1.0)
    unknown = np.full(len(legal), UNKNOWN)
    var_time, value_error, score_error = unknown, unknown, unknown
    if version >= 9:
        var_time = _softplus(score[3]) * multipliers.variance_time
        value_error, score_error = _errors(score[4], score[5], version, multipliers)
    return RawOutput(
        policy=_policy(chosen, legal, passing_hacks).astype(np.float32),
        white_win=np.where(white_to_move, win, loss).astype(np.float32),
        white_loss=np.where(white_to_move, loss, win).astype(np.float32),
        no_result=no_result.astype(np.float32),
        white_score_mean=(sign * mean * has_result).astype(np.float32),
        white_score_mean_sq=((mean**2 + stdev**2) * has_result).astype(np.float32),
        white_lead=(sign * score[2] * multipliers.lead * has_result).astype(np.float32),
        var_time_left=var_time.astype(np.float32),
        shortterm_winloss_error=value_error.astype(np.float32),
        shortterm_score_error=score_error.astype(np.float32),
        white_ownership=(answer["ownership"] * sign[:, None]).astype(np.float32),
    )


def _policy(logits: Doubles, legal: NDArray[np.bool_], passing_hacks: bool | NDArray[np.bool_]) -> Doubles:
    logits = np.where(legal, logits, -np.inf)
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    others = odds[:, :-1].sum(axis=1)
    is_capped = passing_hacks & (others > 0) & (odds[:, -1] > _MOST_PASS * others)
    odds[:, -1] = np.where(is_capped, _MOST_PASS * others, odds[:, -1])
    return np.where(legal, odds / odds.sum(axis=1, keepdims=True), -1.0)


def _errors(value: Doubles, score: Doubles, version: int, multipliers: Multipliers) -> tuple[Doubles, Doubles]:
    by_value, by_score = multipliers.shortterm_value_error, multipliers.shortterm_score_error
    if version >= 14:
        return _softplus(value / 2) * np.sqrt(by_value), _softplus(score / 2) * np.sqrt(by_score)
    if version >= 10:
        return np.sqrt(_softplus(value) * by_value), np.sqrt(_softplus(score) * by_score)
    return _softplus(value), _softplus(score) * 10


def _softplus(x: Doubles) -> Doubles:
    above: Doubles = np.logaddexp(0, x)
    return above


def _softmax(x: Doubles) -> Doubles:
    odds = np.exp(x - x.max(axis=1, keepdims=True))
    shares: Doubles = odds / odds.sum(axis=1, keepdims=True)
    return shares
