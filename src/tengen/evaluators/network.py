"""The outputs of networks and their meaning."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.evaluators.base import Evaluation, Evaluator, Leaves
from tengen.nets.errors import NetworkError, network_errors
from tengen.nets.runtimes import MissingPackage
from tengen.nets.softness import read_softness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game
    from tengen.nets.runtimes import Port

__all__ = [
    "OUTPUTS",
    "MissingPackage",
    "NetworkEvaluator",
    "find_file",
    "named_outputs",
    "only_input",
    "read_answer",
    "read_value",
]

OUTPUTS = ("policy", "value", "extras")


class NetworkEvaluator(Evaluator):
    """A network from a file, whatever runs it.

    Its one input is float32 [batch, planes, height, width]. Its outputs are found by name: `policy` [batch, labels]
    are log-odds, a label an action unless the game has labels of its own; `value` is [batch] or [batch, 1], the payoff
    that the viewer may expect as a share of a full win, or [batch, 3], log-odds of win, draw and loss, or [batch,
    players], shares by seat counted from the viewer; `extras` [batch, aux], if there, are in the viewer's view.
    """

    def __init__(self, path: Path, shape: Sequence[Any], outputs: Mapping[str, Sequence[Any]]) -> None:
        """The input's shape and the outputs' shapes, without the batch; what is no int is free."""
        self.path = path
        self._shape = list(shape)
        self._outputs = {name: list(outputs[name]) for name in OUTPUTS if name in outputs}
        for name in OUTPUTS[:2]:
            if name not in outputs:
                raise ValueError(f"{path} has no output {name!r}; it has {', '.join(outputs) or 'none'}")

    @cached_property
    def softness(self) -> float:
        assert self.path is not None
        return read_softness(self.path)

    @abstractmethod
    def answer(self, features: NDArray[np.float32]) -> Mapping[str, NDArray[np.float32]]:
        """The outputs by name, as the network gives them."""

    def check(self, game: Game) -> None:
        self._fit(game, "input", self._shape, list(game.shape))
        self._fit(game, "output 'policy'", self._outputs["policy"], [game.policy_count])
        if "extras" in self._outputs:
            self._fit(game, "output 'extras'", self._outputs["extras"], [game.aux_count])

    def evaluate(self, leaves: Leaves) -> Evaluation:
        answer, rows, game = self.answer(leaves.features), len(leaves.viewers), leaves.game
        for name, width in (("policy", game.policy_count), ("extras", game.aux_count)):
            if name in answer and answer[name].shape != (rows, width):
                raise NetworkError(
                    f"{self.path} can't be evaluated: its output {name!r} is {list(answer[name].shape)} for {rows} "
                    f"positions of {game.id}, not {[rows, width]}"
                )
        with network_errors(f"{self.path} can't be evaluated"):
            return read_answer(game, answer, np.asarray(leaves.viewers))

    def _fit(self, game: Game, part: str, found: list[Any], wanted: list[int]) -> None:
        fits = len(found) == len(wanted) and all(
            not isinstance(size, int) or size == want for size, want in zip(found, wanted, strict=True)
        )
        if not fits:
            raise ValueError(f"{self.path} is not for {game.id}: its {part} is {found}, the game's is {wanted}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"


def find_file(path: str | Path) -> Path:
    found = Path(path)
    if not found.is_file():
        raise ValueError(f"no network file {found}")
    return found


def only_input(file: Path, inputs: Mapping[str, Port]) -> tuple[str, Port]:
    """The one input that a network of a game has."""
    (name, port), *others = inputs.items() or [("", None)]
    if port is None or others or not port.is_float or port.rank != 4:
        raise ValueError(f"{file} must have one float32 input [batch, planes, height, width]")
    return name, port


def named_outputs(out: Any) -> dict[str, Any]:
    """Return the outputs of a network or function by name, whether they come as a mapping, attributes or a tuple."""
    if isinstance(out, Mapping):
        found = {name: out[name] for name in OUTPUTS if name in out}
    elif hasattr(out, "policy"):
        found = {name: getattr(out, name) for name in OUTPUTS if hasattr(out, name)}
    elif isinstance(out, tuple | list):
        found = dict(zip(OUTPUTS, out, strict=False))
    else:
        raise TypeError(f"it answers {type(out).__name__} and must answer a policy and a value")
    missing = [name for name in OUTPUTS[:2] if name not in found]
    if missing:
        raise TypeError(f"it answers no {' and no '.join(missing)}")
    return found


def read_answer(game: Game, answer: Mapping[str, NDArray[np.float32]], viewers: NDArray[Any]) -> Evaluation:
    """From the viewers' side to the seats' order and the game's unit."""
    logits = np.ascontiguousarray(answer["policy"], np.float32)
    shares = read_value(game, np.asarray(answer["value"], np.float32), viewers)
    aux = None
    if "extras" in answer and game.aux_count:
        sign = np.where(viewers == 0, 1.0, -1.0).astype(np.float32) if game.zero_sum and game.players == 2 else 1.0
        aux = np.ascontiguousarray((np.asarray(answer["extras"]).T * sign).T, np.float32)
    return Evaluation(logits, np.ascontiguousarray(shares * np.float32(game.payoff_scale)), aux)


def read_value(game: Game, value: NDArray[np.float32], viewers: NDArray[Any]) -> NDArray[np.float32]:
    """[rows, players] by seat, as shares of a full win."""
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
