"""Networks in dlshogi's format as evaluators of shogi."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen import _core
from tengen.evaluators.labels import LabelNetwork, NetworkInfo
from tengen.nets.dlshogi.files import GAME, find_ports
from tengen.nets.dlshogi.settings import EngineSettings, read_settings
from tengen.nets.onnx_files import OnnxNetwork
from tengen.nets.store import find_network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game, State
    from tengen.nets.onnx_files import Backend

    Floats = NDArray[np.float32]

__all__ = ["Dlshogi"]

_SURE = 1e-7
"""How near to 0 and 1 a win rate may be for a score."""


class Dlshogi(LabelNetwork):
    """A network in dlshogi's format. It sees the position alone."""

    def __init__(
        self,
        path: str | Path,
        *,
        int16: bool = False,
        threads: int = 1,
        backend: Backend | None = None,
        settings: EngineSettings | None = None,
        **_: Any,
    ) -> None:
        """`path` may be a file or a stored network's name. `settings` are those of the file beside it, unless others
        are given."""
        file = find_network(path)
        self.ports = find_ports(file)
        self.settings = read_settings(file) if settings is None else settings
        super().__init__(
            OnnxNetwork(file, (self.ports.policy, self.ports.value), threads=threads, backend=backend, int16=int16),
            temperature=self.settings.softmax_temperature,
        )

    @property
    def info(self) -> NetworkInfo:
        return NetworkInfo(self.network.path.name, 2 if self.ports.entering else 1)

    @property
    def search_settings(self) -> Mapping[str, Any]:
        return self.settings.search_settings()

    @property
    def eval_coef(self) -> float:
        """What centipawns of a win rate are made with, as the file beside the network says."""
        return self.settings.eval_coef

    def centipawns(self, winrate: float) -> float:
        """A win rate as programs of this family show it."""
        held = min(max(winrate, _SURE), 1 - _SURE)
        return -self.settings.eval_coef * math.log(1 / held - 1)

    def serves(self, game: Game) -> bool:
        return game.id == GAME

    @property
    def policy_output(self) -> str:
        return self.ports.policy

    def inputs_of_rows(self, core: _core.Pool) -> dict[str, Floats]:
        board, hands = _core.dlshogi_inputs_of_rows(core, self.ports.entering)
        return {self.ports.board: board, self.ports.hands: hands}

    def inputs_of(self, states: Sequence[State]) -> dict[str, Floats]:
        board, hands = _core.dlshogi_inputs_of_states([each.position for each in states], self.ports.entering)
        return {self.ports.board: board, self.ports.hands: hands}

    def read_values(self, answer: Mapping[str, Floats]) -> Floats:
        return answer[self.ports.value].reshape(-1) * np.float32(2) - np.float32(1)
