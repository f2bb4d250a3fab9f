"""Networks of KataGo's as evaluators of Go."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tengen import _core
from tengen.evaluators.base import Evaluation, Leaves, RawEvaluator
from tengen.games.go import Go
from tengen.nets.katago.network import KataGoNetwork, NetworkInfo, load
from tengen.nets.katago.outputs import RawOutput, RawRow
from tengen.nets.katago.positions import WHITE, Inputs, check_game, inputs_of, split
from tengen.nets.katago.symmetry import count_symmetries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game, State

    Floats = NDArray[np.float32]

__all__ = ["KataGo"]

_PASSING_HACKS, _OPTIMISM, _TEMPERATURE, _SYMMETRIES = range(4)
"""Columns of the core's tables of contexts: what an answer depends on besides what the network sees."""


class KataGo(RawEvaluator):
    """A network of KataGo's. Values are utilities: win minus loss, plus what the root's context gives for points.

    Answers are remembered by what the network sees, so they outlast a search. Not to be used from two threads at once.
    """

    def __init__(
        self,
        network: KataGoNetwork | str | Path,
        *,
        symmetry: int | None = None,
        seed: int = 0,
        int16: bool = False,
        threads: int = 1,
        cache_entries: int = 20_000,
    ) -> None:
        """`network` may be a file or the name of a stored one. Without a `symmetry` each position is seen turned in one
        of the possible ways, always the same one for a `seed`. `int16` and `threads` are those of a
        network that is not loaded yet.
        """
        if cache_entries < 1:
            raise ValueError(f"cache_entries is {cache_entries} and must be at least 1")
        self.network = network if isinstance(network, KataGoNetwork) else load(network, threads=threads, int16=int16)
        self._symmetry, self._seed = symmetry, seed
        self._max_entries = cache_entries
        self._cache: OrderedDict[bytes, RawRow] = OrderedDict()

    def check(self, game: Game) -> None:
        check_game(game)
        _, height, width = game.shape
        count = count_symmetries(width, height)
        if self._symmetry is not None and not 0 <= self._symmetry < count:
            raise ValueError(f"symmetry {self._symmetry} on a board of {width}x{height}, which has 0 … {count - 1}")

    def max_value(self, game: Game) -> float:  # noqa: ARG002
        """Of winning and of points by two measures, each worth 1 at most."""
        return 3.0

    def evaluate_raw(self, leaves: Leaves | None, states: Sequence[State]) -> tuple[Evaluation | None, list[RawRow]]:
        """The positions must be on boards of the leaves' size."""
        parts, tables = [], []
        if leaves is not None and len(leaves):
            parts.append(_leaves_inputs(leaves))
            tables.append(_core.katago_contexts_of_rows(leaves.core))
        if states:
            parts.append(inputs_of(states))
            tables.append(_core.katago_contexts_of_roots([_context_of(state) for state in states]))
        if not parts:
            return None, []
        inputs = parts[0] if len(parts) == 1 else Inputs.join(parts)
        contexts = tables[0] if len(parts) == 1 else np.concatenate(tables)
        if self.network.description.policy.channels < 2:
            contexts[:, _OPTIMISM] = 0
        rows, raw = self._ask(inputs, contexts)
        around = np.flatnonzero(contexts[:, _SYMMETRIES] > 1).tolist()
        if around:
            for row in around:
                rows[row] = self._look_around(inputs, contexts, row)
            raw = RawOutput.of(rows)
        count = len(rows) - len(states)
        answer = None if count == 0 else _evaluation(raw[:count], contexts[:count])
        return answer, rows[count:]

    @property
    def info(self) -> NetworkInfo:
        return self.network.info

    def clear_cache(self) -> None:
        self._cache.clear()

    def __repr__(self) -> str:
        return f"<KataGo {self.network.description.name}>"

    def _ask(self, inputs: Inputs, contexts: Floats) -> tuple[list[RawRow], RawOutput]:
        """From memory where it can be; equal positions in the batch are asked about once."""
        keys = _core.katago_input_keys(inputs.planes, inputs.globals, inputs.legal, inputs.white_to_move, contexts)
        new = {key: row for row, key in enumerate(keys) if key not in self._cache}
        found = {key: self._cache[key] for key in keys if key in self._cache}
        for key in found:
            self._cache.move_to_end(key)
        if new:
            if len(new) < len(keys):
                rows = np.fromiter(new.values(), np.intp)
                inputs, contexts = inputs.take(rows), contexts[rows]
            raw = self._evaluate(inputs, contexts, self._turns(list(new), inputs.planes))
            made = dict(zip(new, raw.rows(), strict=True))
            self._cache |= made
            if len(new) == len(keys):
                self._forget()
                return list(made.values()), raw
            found |= made
        self._forget()
        known = [found[key] for key in keys]
        return known, RawOutput.of(known)

    def _evaluate(self, inputs: Inputs, contexts: Floats, symmetry: int | NDArray[np.intp]) -> RawOutput:
        return self.network.evaluate(
            inputs.planes,
            inputs.globals,
            inputs.legal,
            white_to_move=inputs.white_to_move,
            symmetry=symmetry,
            optimism=contexts[:, _OPTIMISM],
            temperature=contexts[:, _TEMPERATURE],
            passing_hacks=contexts[:, _PASSING_HACKS] != 0,
        )

    def _forget(self) -> None:
        while len(self._cache) > self._max_entries:
            self._cache.popitem(last=False)

    def _turns(self, keys: list[bytes], planes: Floats) -> int | NDArray[np.intp]:
        if self._symmetry is not None:
            return self._symmetry
        count = count_symmetries(planes.shape[3], planes.shape[2])
        return np.array([zlib.crc32(key, self._seed) % count for key in keys], np.intp)

    def _look_around(self, inputs: Inputs, contexts: Floats, row: int) -> RawRow:
        """The mean of a position's evaluations, seen in as many of the possible ways as its root's context asks for."""
        _, _, height, width = inputs.planes.shape
        count = int(contexts[row, _SYMMETRIES])
        ways = np.random.default_rng(self._seed).permutation(count_symmetries(width, height))[:count]
        rows = np.full(len(ways), row)
        return self._evaluate(inputs.take(rows), contexts[rows], ways).mean()


def _context_of(state: State) -> _core.GoContext:
    assert isinstance(state.game, Go)
    return state.game.go.context


def _leaves_inputs(leaves: Leaves) -> Inputs:
    planes, told = split(leaves.features)
    return Inputs(planes, told, leaves.legal, np.array(leaves.viewers) == WHITE)


def _evaluation(raw: RawOutput, contexts: Floats) -> Evaluation:
    return Evaluation(*_core.katago_evaluate_outputs(raw.policy, raw.numbers, raw.white_ownership, contexts))
