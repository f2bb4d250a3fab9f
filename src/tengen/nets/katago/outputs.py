"""What a network's numbers mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tengen import _core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tengen.nets.katago.description import Floats, Multipliers


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
    """A network's outputs for some positions, with White's chances and points."""

    policy: Floats
    """[rows, points + 1]: the pass last; -1 where a move is illegal."""
    numbers: Floats
    """[9, rows]: one row for each of the properties below."""
    white_ownership: Floats
    """[rows, points]: from -1, Black's, to 1."""

    def __len__(self) -> int:
        return len(self.policy)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> RawOutput:
        return RawOutput(self.policy[rows], self.numbers[:, rows], self.white_ownership[rows])

    def _number(self, index: int) -> Floats:
        numbers: Floats = self.numbers[index]
        return numbers

    @property
    def white_win(self) -> Floats:
        return self._number(0)

    @property
    def white_loss(self) -> Floats:
        return self._number(1)

    @property
    def no_result(self) -> Floats:
        return self._number(2)

    @property
    def white_score_mean(self) -> Floats:
        """Of final scores, in points; a game without a result counts as 0."""
        return self._number(3)

    @property
    def white_score_mean_sq(self) -> Floats:
        """Of their squares."""
        return self._number(4)

    @property
    def white_lead(self) -> Floats:
        """Points that White could give away for an even game."""
        return self._number(5)

    @property
    def var_time_left(self) -> Floats:
        """How much the time that the game still takes may vary, in turns; -1: unknown."""
        return self._number(6)

    @property
    def shortterm_winloss_error(self) -> Floats:
        """How far the next turns may move win - loss; -1: unknown."""
        return self._number(7)

    @property
    def shortterm_score_error(self) -> Floats:
        return self._number(8)

    @property
    def white_score_stdev(self) -> Floats:
        square = self.white_score_mean.astype(np.float64) ** 2
        return np.sqrt(np.maximum(self.white_score_mean_sq - square, 0)).astype(np.float32)

    def row(self, number: int) -> RawRow:
        return self[number : number + 1].rows()[0]

    def rows(self) -> list[RawRow]:
        """Each with arrays of its own: the rest may be forgotten."""
        rows = zip(self.policy, self.numbers.T.tolist(), self.white_ownership, strict=True)
        return [RawRow._make([policy.copy(), *numbers, owners.copy()]) for policy, numbers, owners in rows]

    def mean(self) -> RawRow:
        """Of all its rows, which are the same position seen in several ways."""
        numbers = self.numbers.mean(axis=1).tolist()
        return RawRow._make([self.policy.mean(axis=0), *numbers, self.white_ownership.mean(axis=0)])

    @staticmethod
    def of(rows: Sequence[RawRow]) -> RawOutput:
        policy, *numbers, ownership = [np.array(column, np.float32) for column in zip(*rows, strict=True)]
        return RawOutput(policy, np.stack(numbers), ownership)


def post_process(version: int, multipliers: Multipliers) -> _core.KataGoPostProcess:
    """What the core must know of a network to read its answers."""
    return _core.KataGoPostProcess(
        version=version,
        score_mean=multipliers.score_mean,
        score_stdev=multipliers.score_stdev,
        lead=multipliers.lead,
        variance_time=multipliers.variance_time,
        shortterm_value_error=multipliers.shortterm_value_error,
        shortterm_score_error=multipliers.shortterm_score_error,
    )


def read_outputs(
    answer: Mapping[str, Floats],
    post: _core.KataGoPostProcess,
    *,
    legal: NDArray[np.bool_],
    white_to_move: NDArray[np.bool_],
    may_lack_result: NDArray[np.bool_],
    symmetry: int | NDArray[np.intp] = 0,
    width: int | None = None,
    optimism: float | Floats = 0.0,
    temperature: float | Floats = 1.0,
    passing_hacks: bool | NDArray[np.bool_] = True,
) -> RawOutput:
    """From the graph's outputs for the player to move, [rows, …] each, of boards that were turned by `symmetry`."""
    rows = len(legal)
    found = _core.katago_read_outputs(
        answer["policy"],
        answer["value"],
        answer["score"],
        answer["ownership"],
        np.ascontiguousarray(legal),
        _each(white_to_move, rows, np.bool_),
        _each(may_lack_result, rows, np.bool_),
        _each(symmetry, rows, np.int64),
        _each(optimism, rows, np.float32),
        _each(temperature, rows, np.float32),
        _each(passing_hacks, rows, np.bool_),
        answer["ownership"].shape[1] if width is None else width,
        post,
    )
    return RawOutput(*found)


def _each(value: Any, rows: int, kind: type[np.generic]) -> NDArray[Any]:
    """[rows], where there may be one for all."""
    array = np.asarray(value, kind)
    return array if array.ndim else np.full(rows, array)
