"""Networks of KataGo's as judges of Go."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tengen._core import GoOptions
from tengen.evaluators.base import Evaluation, Evaluator, Leaves
from tengen.games.go import Go
from tengen.nets.katago import KataGoNetwork, NetworkInfo, RawOutput, RawRow, inputs_of, load
from tengen.nets.katago.calibrate import int8_network
from tengen.nets.katago.positions import WHITE, Inputs, check_game, split
from tengen.nets.katago.symmetry import count_symmetries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game, State

    Doubles = NDArray[np.float64]

_STATIC_SCALE = 2.0
"""Of the score's utility around 0, in square roots of the board's area."""
_DEVIATIONS = np.linspace(-5, 5, 201)
_WEIGHTS = np.exp(-(_DEVIATIONS**2) / 2) / np.exp(-(_DEVIATIONS**2) / 2).sum()
"""For means over a normal distribution. Even steps: Gauss-Hermite nodes are too far apart for a wide score."""
_LEAST_POLICY = 1e-30


class KataGo(Evaluator):
    """A network of KataGo's. Values are utilities: win minus loss, plus what the state's options give for points.

    Answers are remembered by what the network sees, so they outlast a search. Not to be used from two threads at once.
    """

    def __init__(
        self,
        network: KataGoNetwork | str | Path,
        *,
        symmetry: int | None = None,
        seed: int = 0,
        int8: bool = False,
        threads: int = 1,
        cache_entries: int = 20_000,
    ) -> None:
        """`network` may be a file or the name of a stored one. Without a `symmetry` each position is seen turned in one
        of the possible ways, always the same one for a `seed`. `int8` takes OpenVINO and, for each board size, some
        seconds once.
        """
        if cache_entries < 1:
            raise ValueError(f"cache_entries is {cache_entries} and must be at least 1")
        self.network = network if isinstance(network, KataGoNetwork) else load(network, threads=threads)
        self._symmetry, self._seed = symmetry, seed
        self._wants_int8 = int8
        self._most = cache_entries
        self._cache: OrderedDict[bytes, RawRow] = OrderedDict()

    def check(self, game: Game) -> None:
        check_game(game)
        _, height, width = game.shape
        count = count_symmetries(width, height)
        if self._symmetry is not None and not 0 <= self._symmetry < count:
            raise ValueError(f"symmetry {self._symmetry} on a board of {width}x{height}, which has 0 … {count - 1}")
        if self._wants_int8 and (width, height) not in self.network.int8:
            self.network = int8_network(self.network, game)

    def evaluate(self, leaves: Leaves) -> Evaluation:
        answer, _ = self.look(leaves, [])
        assert answer is not None
        return answer

    def look(self, leaves: Leaves | None, states: Sequence[State]) -> tuple[Evaluation | None, list[RawRow]]:
        """An evaluation and the raw answers about further positions on boards of that size, in one batch."""
        parts = []
        options: list[GoOptions] = []
        is_root: list[bool] = []
        if leaves is not None and len(leaves):
            parts.append(_leaves_inputs(leaves))
            assert isinstance(leaves.game, Go)
            options += map(leaves.game.go.options_of, leaves.positions)
            is_root += [depth == 0 for depth in leaves.depths]
        if states:
            parts.append(inputs_of(states))
            options += map(_options_of, states)
            is_root += [True] * len(states)
        if not parts:
            return None, []
        inputs = parts[0] if len(parts) == 1 else Inputs.join(parts)
        asked = Asked.of(options, is_root, has_optimism=self.network.description.policy.channels > 1)
        rows, raw = self._ask(inputs, asked)
        around = [row for row, each in enumerate(options) if is_root[row] and each.root_symmetries > 1]
        if around:
            for row in around:
                rows[row] = self._look_around(inputs, asked, row, options[row].root_symmetries)
            raw = RawOutput.of(rows)
        count = len(rows) - len(states)
        answer = None if count == 0 else _evaluation(raw[:count], options[:count])
        return answer, rows[count:]

    @property
    def info(self) -> NetworkInfo:
        return self.network.info

    def clear_cache(self) -> None:
        self._cache.clear()

    def __repr__(self) -> str:
        return f"<KataGo {self.network.description.name}>"

    def _ask(self, inputs: Inputs, asked: Asked) -> tuple[list[RawRow], RawOutput]:
        """From memory where it can be; equal positions in the batch are asked about once."""
        keys = _keys(inputs, asked)
        new = {key: row for row, key in enumerate(keys) if key not in self._cache}
        found = {key: self._cache[key] for key in keys if key in self._cache}
        for key in found:
            self._cache.move_to_end(key)
        if new:
            if len(new) < len(keys):
                rows = np.fromiter(new.values(), np.intp)
                inputs, asked = inputs.take(rows), asked.take(rows)
            raw = self.network.evaluate(
                inputs.planes,
                inputs.globals,
                inputs.legal,
                white_to_move=inputs.white_to_move,
                symmetry=self._symmetries(list(new), inputs.planes),
                optimism=asked.optimism,
                temperature=asked.temperature,
                passing_hacks=asked.passing_hacks,
            )
            made = dict(zip(new, raw.rows(), strict=True))
            self._cache |= made
            if len(new) == len(keys):
                self._forget()
                return list(made.values()), raw
            found |= made
        self._forget()
        known = [found[key] for key in keys]
        return known, RawOutput.of(known)

    def _forget(self) -> None:
        while len(self._cache) > self._most:
            self._cache.popitem(last=False)

    def _symmetries(self, keys: list[bytes], planes: NDArray[np.float32]) -> int | NDArray[np.intp]:
        if self._symmetry is not None:
            return self._symmetry
        count = count_symmetries(planes.shape[3], planes.shape[2])
        return np.array([zlib.crc32(key, self._seed) % count for key in keys], np.intp)

    def _look_around(self, inputs: Inputs, asked: Asked, row: int, count: int) -> RawRow:
        """The mean of a position's evaluations, seen in so many of the possible ways."""
        _, _, height, width = inputs.planes.shape
        ways = np.random.default_rng(self._seed).permutation(count_symmetries(width, height))[:count]
        rows = np.full(len(ways), row)
        raw = self.network.evaluate(
            inputs.planes[rows],
            inputs.globals[rows],
            inputs.legal[rows],
            white_to_move=inputs.white_to_move[rows],
            symmetry=ways,
            optimism=asked.optimism[rows],
            temperature=asked.temperature[rows],
            passing_hacks=asked.passing_hacks[rows],
        )
        return raw.mean()


def _options_of(state: State) -> GoOptions:
    assert isinstance(state.game, Go)
    return state.game.go.options_of(state.position)


def _leaves_inputs(leaves: Leaves) -> Inputs:
    planes, told = split(leaves.features)
    return Inputs(planes, told, leaves.legal, np.array(leaves.viewers) == WHITE)


@dataclass(frozen=True, eq=False)
class Asked:
    """What of its state's options an answer depends on. All [rows]."""

    passing_hacks: NDArray[np.bool_]
    optimism: NDArray[np.float32]
    temperature: NDArray[np.float32]

    def take(self, rows: NDArray[np.intp]) -> Asked:
        return Asked(*(getattr(self, name)[rows] for name in Asked.__dataclass_fields__))

    @staticmethod
    def of(options: Sequence[GoOptions], is_root: Sequence[bool], *, has_optimism: bool) -> Asked:
        optimism = [
            (each.root_policy_optimism if root else each.policy_optimism) * has_optimism
            for each, root in zip(options, is_root, strict=True)
        ]
        return Asked(
            np.array([each.passing_hacks for each in options]),
            np.array(optimism, np.float32),
            np.array([each.policy_temperature for each in options], np.float32),
        )


def _keys(inputs: Inputs, asked: Asked) -> list[bytes]:
    """Everything that an answer depends on, as bytes. Planes are 0 or 1."""
    bits = np.packbits(inputs.planes.reshape(len(inputs.planes), -1) != 0, axis=1)
    legal = np.packbits(inputs.legal, axis=1)
    flags = np.stack([inputs.white_to_move, asked.passing_hacks], axis=1)
    policy = np.stack([asked.optimism, asked.temperature], axis=1)
    parts = (bits, inputs.globals, legal, flags, policy)
    return [b"".join(part[row].tobytes() for part in parts) for row in range(len(bits))]


def _evaluation(raw: RawOutput, options: Sequence[GoOptions]) -> Evaluation:
    area = raw.white_ownership.shape[1]
    won = raw.white_loss - raw.white_win
    score, stdev = -raw.white_score_mean.astype(np.float64), raw.white_score_stdev.astype(np.float64)
    win_factor, no_result = np.array([(each.win_factor, each.white_no_result) for each in options]).T
    utility = win_factor * won - no_result * raw.no_result
    utility += score_utility(score, stdev, area, ScoreTerms.of(options))
    scalars = [won, raw.no_result, score / area, raw.white_score_mean_sq / area**2, -raw.white_lead / area]
    extras = np.concatenate([np.stack(scalars, axis=1), -raw.white_ownership], axis=1)
    return Evaluation(
        logits=np.log(np.maximum(raw.policy, _LEAST_POLICY)).astype(np.float32),
        values=np.stack([utility, -utility], axis=1).astype(np.float32),
        extras=extras.astype(np.float32),
    )


@dataclass(frozen=True, eq=False)
class ScoreTerms:
    """What points are worth in each row, as the core's GoOptions have it. All [rows]."""

    static_factor: Doubles
    dynamic_factor: Doubles
    center: Doubles
    """Points, in Black's view."""
    scale: Doubles
    """In square roots of the board's area."""

    @staticmethod
    def of(options: Sequence[GoOptions]) -> ScoreTerms:
        names = ScoreTerms.__dataclass_fields__
        return ScoreTerms(*(np.array([getattr(each, name) for each in options], np.float64) for name in names))


def score_utility(score: Doubles, stdev: Doubles, area: int, terms: ScoreTerms) -> Doubles:
    """What an uncertain score is worth to Black: the mean over a normal distribution of
    2/π · atan((score - center) / (scale · √area)), once around 0 and once around the center."""
    if not (terms.static_factor.any() or terms.dynamic_factor.any()):
        return np.zeros_like(score)
    scores = score[:, None] + stdev[:, None] * _DEVIATIONS
    static = np.arctan(scores / (_STATIC_SCALE * area**0.5))
    dynamic = np.arctan((scores - terms.center[:, None]) / (terms.scale[:, None] * area**0.5))
    worth = terms.static_factor[:, None] * static + terms.dynamic_factor[:, None] * dynamic
    utility: Doubles = 2 / np.pi * (worth @ _WEIGHTS)
    return utility
