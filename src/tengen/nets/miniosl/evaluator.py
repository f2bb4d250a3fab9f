"""Networks of miniosl's as evaluators of shogi."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen import _core
from tengen.evaluators.labels import LabelNetwork, NetworkInfo
from tengen.nets.miniosl.files import AOZORA, GAME, KNOWN, find_ports
from tengen.nets.onnx_files import OnnxNetwork
from tengen.nets.store import find_network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game, State
    from tengen.nets.onnx_files import Backend

    Floats = NDArray[np.float32]

__all__ = ["Miniosl"]

_log = logging.getLogger(__name__)


class Miniosl(LabelNetwork):
    """A network of miniosl's. It sees the last seven moves."""

    def __init__(
        self,
        path: str | Path,
        *,
        int16: bool = False,
        threads: int = 1,
        backend: Backend | None = None,
        fill_history: bool = True,
        **_: Any,
    ) -> None:
        """`path` may be a file or a stored network's name. Without `fill_history` a position without a last move looks
        as it does to miniosl itself, and the network does not understand it."""
        file = find_network(path)
        self.ports = find_ports(file)
        self._fill = fill_history
        super().__init__(OnnxNetwork(file, self.ports[1:], threads=threads, backend=backend, int16=int16))
        self.label_order = _core.miniosl_label_order()
        if KNOWN.get(self.network.facts.sha256) == AOZORA:
            _log.warning("%s is %s: it plays ordinary shogi badly", file, AOZORA)

    @property
    def info(self) -> NetworkInfo:
        known = KNOWN.get(self.network.facts.sha256)
        return NetworkInfo("miniosl" if known is None else known, 1)

    def serves(self, game: Game) -> bool:
        return game.id == GAME

    @property
    def policy_output(self) -> str:
        return self.ports.policy

    def inputs_of_rows(self, core: _core.Pool) -> dict[str, Floats]:
        return {self.ports.input: _core.miniosl_inputs_of_rows(core, self._fill)}

    def inputs_of(self, states: Sequence[State]) -> dict[str, Floats]:
        return {self.ports.input: _core.miniosl_inputs_of_states([each.position for each in states], self._fill)}

    def read_values(self, answer: Mapping[str, Floats]) -> Floats:
        # The others were aids of training.
        return answer[self.ports.value][:, 0]
