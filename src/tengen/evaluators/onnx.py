"""Networks through ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.evaluators.base import Evaluation, Evaluator, Leaves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game


class Onnx(Evaluator):
    """A network in an ONNX file.

    Its one input is float32 [batch, planes, height, width]. Its outputs are found by name: `policy` [batch, actions]
    are log-odds; `value` is [batch] or [batch, 1], the payoff that the viewer may expect as a share of a full win, or
    [batch, 3], log-odds of win, draw and loss, or [batch, players], shares by seat counted from the viewer;
    `extras` [batch, extras], if there, are in the viewer's view.
    """

    def __init__(self, path: str | Path, *, threads: int = 1) -> None:
        import onnxruntime  # type: ignore[import-untyped]

        self.path = Path(path)
        if not self.path.is_file():
            raise ValueError(f"no network file {self.path}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(self.path, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ValueError(f"{self.path} is no network that ONNX Runtime can run: {error}") from error
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or inputs[0].type != "tensor(float)" or len(inputs[0].shape) != 4:
            raise ValueError(f"{self.path} must have one float32 input [batch, planes, height, width]")
        self._input: Any = inputs[0]
        self._outputs = {output.name: output for output in self._session.get_outputs()}
        for name in ("policy", "value"):
            if name not in self._outputs:
                raise ValueError(f"{self.path} has no output {name!r}; it has {', '.join(self._outputs)}")

    def check(self, game: Game) -> None:
        self._fit(game, "input", self._input.shape[1:], list(game.shape))
        self._fit(game, "output 'policy'", self._outputs["policy"].shape[1:], [game.action_count])
        if "extras" in self._outputs:
            self._fit(game, "output 'extras'", self._outputs["extras"].shape[1:], [game.extra_count])

    def evaluate(self, leaves: Leaves) -> Evaluation:
        game = leaves.game
        viewers = np.asarray(leaves.viewers)
        answers = dict(
            zip(self._outputs, self._session.run(list(self._outputs), {self._input.name: leaves.features}), strict=True)
        )
        logits = np.ascontiguousarray(answers["policy"], np.float32)
        shares = _shares(game, np.asarray(answers["value"], np.float32), viewers)
        extras = None
        if "extras" in answers and game.extra_count:
            sign = np.where(viewers == 0, 1.0, -1.0).astype(np.float32) if game.zero_sum and game.players == 2 else 1.0
            extras = np.ascontiguousarray((answers["extras"].T * sign).T, np.float32)
        return Evaluation(logits, np.ascontiguousarray(shares * np.float32(game.payoff_scale)), extras)

    def _fit(self, game: Game, part: str, found: list[Any], wanted: list[int]) -> None:
        fits = len(found) == len(wanted) and all(
            not isinstance(size, int) or size == want for size, want in zip(found, wanted, strict=True)
        )
        if not fits:
            raise ValueError(f"{self.path} is not for {game.id}: its {part} is {found}, the game's is {wanted}")


def _shares(game: Game, value: NDArray[np.float32], viewers: NDArray[Any]) -> NDArray[np.float32]:
    """[rows, players] by seat."""
    rows = len(viewers)
    two = game.zero_sum and game.players == 2
    if value.shape == (rows, 3) and two:
        odds = np.exp(value - value.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        value = odds[:, 0] - odds[:, 2]
    if value.size == rows and two:
        own = value.reshape(rows)
        first = np.where(viewers == 0, own, -own)
        return np.stack([first, -first], axis=1)
    if value.shape != (rows, game.players):
        raise ValueError(f"the network's value has shape {value.shape}, which is none that {game.id} can use")
    seats = (np.arange(game.players)[None, :] - viewers[:, None]) % game.players
    return np.take_along_axis(value, seats, axis=1)
