"""Networks of other programs that see a game in their own way and answer a policy in labels of their own."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tengen.evaluators.base import Evaluation, Evaluator, Leaves

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tengen import _core
    from tengen.games import Game, State
    from tengen.nets.onnx_files import OnnxNetwork

    Floats = NDArray[np.float32]

__all__ = ["LabelNetwork", "NetworkInfo", "Prediction"]


class Prediction(NamedTuple):
    """Of one position, for the player to move."""

    policy: dict[str, float]
    """By the moves' names, the likeliest first."""
    winrate: float
    """A draw counts half."""


class NetworkInfo(NamedTuple):
    name: str
    version: int


class LabelNetwork(Evaluator):
    """A network from an ONNX file. Its values are win minus loss. Not to be used from two threads at once."""

    label_order: NDArray[np.int64] | None = None
    """Where the network has each label of the game's policy; None: in the same place."""

    def __init__(self, network: OnnxNetwork, *, temperature: float = 1.0) -> None:
        """A `temperature` above 1 flattens the policy."""
        self.network = network
        self.path = network.path
        self.temperature = temperature

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

    def check(self, game: Game) -> None:
        if not self.serves(game):
            raise ValueError(f"{self.path} is no network for {game.id}")

    def evaluate(self, leaves: Leaves) -> Evaluation:
        answer = self.network.run(self.inputs_of_rows(leaves.core))
        logits = self._logits(answer)
        own = self.read_values(answer)
        rows, seats = np.arange(len(own)), np.asarray(leaves.viewers)
        values = np.empty((len(own), 2), np.float32)
        values[rows, seats] = own
        values[rows, 1 - seats] = -own
        return Evaluation(logits, values)

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
        if self.temperature != 1:
            policy = policy / np.float32(self.temperature)
        return np.ascontiguousarray(policy, np.float32)

    def _odds(self, state: State, logits: Floats) -> tuple[list[int], NDArray[np.float64]]:
        """The moves that the network knows, and their shares of the policy."""
        actions = state.legal()
        labels = [state.game.policy_index(state.position, action) for action in actions]
        known = [(action, label) for action, label in zip(actions, labels, strict=True) if label >= 0]
        scores = logits[[label for _, label in known]].astype(np.float64)
        weights = np.exp(scores - scores.max())
        return [action for action, _ in known], weights / weights.sum()
