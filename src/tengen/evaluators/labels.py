"""Networks of other programs that see a game in their own way and answer a policy in labels of their own."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tengen._core import has_byte_products
from tengen.evaluators.base import Evaluation, Evaluator, Leaves
from tengen.nets.int8 import keep_graph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tengen import _core
    from tengen.games import Game, State
    from tengen.nets.onnx_files import OnnxNetwork

    Floats = NDArray[np.float32]

__all__ = ["LabelNetwork", "Prediction"]

_CALIBRATION = 192
"""Positions to measure activations on."""
_GAMES, _PLIES = 8, 120
"""Of the games that they come from."""
_FORMAT = 1
"""Counted up whenever what is quantized changes."""


class Prediction(NamedTuple):
    """Of one position, for the player to move."""

    policy: dict[str, float]
    """By the moves' names, the likeliest first."""
    winrate: float
    """A draw counts half."""


class LabelNetwork(Evaluator):
    """A network from an ONNX file. Its values are win minus loss. Not to be used from two threads at once."""

    label_order: NDArray[np.int64] | None = None
    """Where the network has each label of the game's policy; None: in the same place."""

    def __init__(self, network: OnnxNetwork, *, temperature: float = 1.0, int8: bool = False) -> None:
        """A `temperature` above 1 flattens the policy. `int8` takes OpenVINO and, for a new network, some seconds."""
        self.network = network
        self.path = network.path
        self.temperature = temperature
        self._wants_int8 = int8

    @abstractmethod
    def serves(self, game: Game) -> bool:
        """Whether it can judge the game."""

    @property
    @abstractmethod
    def policy_output(self) -> str: ...

    @abstractmethod
    def inputs_of_rows(self, core: _core.Pool) -> dict[str, Floats]:
        """What the network sees of a batch."""

    @abstractmethod
    def inputs_of(self, states: Sequence[State]) -> dict[str, Floats]:
        """What the network sees of positions in which someone is to move."""

    @abstractmethod
    def read_values(self, answer: Mapping[str, Floats]) -> Floats:
        """[rows]: the result that the player to move may expect, from -1 to 1."""

    @abstractmethod
    def with_int8(self, graph: bytes) -> OnnxNetwork: ...

    def check(self, game: Game) -> None:
        if not self.serves(game):
            raise ValueError(f"{self.path} is no network for {game.id}")
        if self._wants_int8:
            self._wants_int8 = False
            if self.network.backend != "native" or has_byte_products():
                self.network = self.with_int8(keep_graph(self.network.path, f"{_FORMAT}", lambda: self._quantize(game)))

    def evaluate(self, leaves: Leaves) -> Evaluation:
        answer = self.network.run(self.inputs_of_rows(leaves.core))
        logits = self._logits(answer)
        own = self.read_values(answer)
        first = np.where(np.asarray(leaves.viewers) == 0, own, -own)
        return Evaluation(logits, np.ascontiguousarray(np.stack([first, -first], axis=1), np.float32))

    def predict(self, states: Sequence[State]) -> list[Prediction]:
        """What the network says of positions by itself, in one batch."""
        answer = self.network.run(self.inputs_of(states))
        values = self.read_values(answer)
        found = []
        for state, logits, value in zip(states, self._logits(answer), values, strict=True):
            actions, odds = self._odds(state, logits)
            names = sorted(zip(odds.tolist(), map(state.game.name, actions), strict=True), reverse=True)
            found.append(Prediction({name: share for share, name in names}, (float(value) + 1) / 2))
        return found

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"

    def _logits(self, answer: Mapping[str, Floats]) -> Floats:
        """[rows, labels], in the game's order."""
        policy = answer[self.policy_output]
        if self.label_order is not None:
            policy = policy[:, self.label_order]
        return np.ascontiguousarray(policy / np.float32(self.temperature), np.float32)

    def _odds(self, state: State, logits: Floats) -> tuple[list[int], NDArray[np.float64]]:
        """The moves that the network knows, and their shares of the policy."""
        actions = state.legal()
        labels = [state.game.policy_index(state.position, action) for action in actions]
        known = [(action, label) for action, label in zip(actions, labels, strict=True) if label >= 0]
        scores = logits[[label for _, label in known]].astype(np.float64)
        weights = np.exp(scores - scores.max())
        return [action for action, _ in known], weights / weights.sum()

    def _quantize(self, game: Game) -> bytes:
        states = self._own_positions(game)
        return self.network.quantized(self.inputs_of(states))

    def _own_positions(self, game: Game, seed: int = 0) -> list[State]:
        """Of games in which moves are drawn from the network's policy."""
        rng = np.random.default_rng(seed)
        playing = [game.start() for _ in range(_GAMES)]
        seen: list[State] = []
        for _ in range(_PLIES):
            playing = [state for state in playing if not state.is_over]
            if not playing:
                break
            seen += playing
            answer = self._logits(self.network.run(self.inputs_of(playing)))
            for i, logits in enumerate(answer):
                actions, odds = self._odds(playing[i], logits)
                playing[i] = playing[i].play(actions[int(rng.choice(len(actions), p=odds))])
        return [seen[i] for i in rng.permutation(len(seen))[:_CALIBRATION]]
