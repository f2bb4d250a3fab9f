"""The training of prophet and enforcer, on a device or on several, whole or in parts."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import torch

from tengen.labs.shogi.training_data import CandidatesData, MovesData, ProphetData
from tengen.learning.batches import RowOrder
from tengen.learning.breaker import Breaker
from tengen.learning.loop import TrainingLoop, warm_cosine
from tengen.learning.processes import current_group
from tengen.learning.state import format_state, restore_state
from tengen.nets.tensor_files import parse_file

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from tengen.labs.shogi.networks import PairNetwork
    from tengen.labs.shogi.samples import Samples
    from tengen.labs.shogi.train_settings import TrainSettings
    from tengen.labs.shogi.training_data import TrainingData

__all__ = [
    "Progress",
    "Trained",
    "TrainedPart",
    "count_steps",
    "step_of",
    "train_candidates",
    "train_moves",
    "train_part",
    "train_prophet",
]

Progress: TypeAlias = Callable[[int, int, dict[str, float]], None]
"""Gets the step, all steps and the mean losses so far."""

_OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adamw": torch.optim.AdamW,
    "adam": torch.optim.Adam,
    "rmsprop": torch.optim.RMSprop,
    "adagrad": torch.optim.Adagrad,
    "sgd": torch.optim.SGD,
    "momentum": lambda parameters, **given: torch.optim.SGD(parameters, momentum=0.9, nesterov=True, **given),
}
_LARGEST_NORM = 1e4
_CLIP = 5.0
_WARMUP = 0.05
_LAST_RATE = 0.1


@dataclass(frozen=True)
class Trained:
    """A network after training, in evaluation mode, and the mean figures of its training."""

    network: PairNetwork
    metrics: dict[str, float]


@dataclass(frozen=True)
class TrainedPart:
    """A training up to some step."""

    step: int
    steps: int
    state: bytes
    """State for the next part: weights, optimizer, random numbers and the order of the rows."""
    trained: Trained | None = None
    """The result, if this was the last part."""


def train_prophet(
    network: PairNetwork, samples: Samples, settings: TrainSettings, progress: Progress | None = None
) -> Trained:
    """Train a copy of the network on who won, from the position after each move."""
    return _train(network, ProphetData(samples), settings, progress)


def train_candidates(
    network: PairNetwork, positions: NDArray[np.uint8], settings: TrainSettings, progress: Progress | None = None
) -> Trained:
    """Train a copy of the network on the set of legal moves of packed positions."""
    return _train(network, CandidatesData(positions), settings, progress)


def train_moves(
    network: PairNetwork, samples: Samples, settings: TrainSettings, progress: Progress | None = None
) -> Trained:
    """Train a copy of the network on what winners played."""
    return _train(network, MovesData(samples, settings), settings, progress)


def _train(network: PairNetwork, data: TrainingData, settings: TrainSettings, progress: Progress | None) -> Trained:
    trained = train_part(network, data, settings, progress).trained
    assert trained is not None
    return trained


def count_steps(count: int, settings: TrainSettings) -> int:
    """Return the number of batches that so many rows are trained in."""
    return max(1, math.ceil(settings.epochs * count / _batch_size(count, settings)))


def _batch_size(count: int, settings: TrainSettings) -> int:
    # A batch of one has no variance to normalize by.
    return max(2, min(settings.batch_size, count))


def step_of(state: bytes | None) -> int:
    """Return the number of steps that are done in the state of a training; None is the beginning."""
    return 0 if state is None else int(parse_file(state)[0]["header"]["step"])


def train_part(
    network: PairNetwork,
    data: TrainingData,
    settings: TrainSettings,
    progress: Progress | None = None,
    state: bytes | None = None,
    until: int | None = None,
) -> TrainedPart:
    """Train a copy of the network up to the step `until`, or to the end; from the beginning, or from the state of an
    earlier part. A training in parts ends with the same weights as one without."""
    if data.count == 0:
        raise ValueError(f"there is nothing to train the {network.kind} on: no game was decided")
    if current_group().size != settings.processes:
        from tengen.labs.shogi.train_process import train_in_processes

        return train_in_processes(network, data, settings, progress, state, until)
    training = _Training(network, data, settings)
    if state is not None:
        training.restore(state)
    training.loop.run(until, progress)
    return training.part()


class _Training:
    """A training in this process, which may be one of a group."""

    def __init__(self, network: PairNetwork, data: TrainingData, settings: TrainSettings) -> None:
        group = current_group()
        self._device = group.device(settings.device)
        torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self._data = data
        self._rng = np.random.default_rng(settings.seed)
        self._order = RowOrder(data.count, self._rng)
        self._size = _batch_size(data.count, settings)
        self._model = copy.deepcopy(network).to(self._device).train()
        make = _OPTIMIZERS[settings.optimizer]
        self._optimizer = make(self._model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay)
        steps = count_steps(data.count, settings)
        self.loop = TrainingLoop(
            self._model,
            self._optimizer,
            group,
            Breaker(_LARGEST_NORM),
            steps,
            settings.lr,
            lambda step: warm_cosine(step, steps, warmup=_WARMUP, last_rate=_LAST_RATE),
            self._draw,
            data.losses,
            _CLIP,
        )

    def _draw(self) -> dict[str, Tensor]:
        rows = self._order.draw(self._size)
        batch = self._data.batch(rows, self._rng.random(self._size) < 0.5)
        return {name: tensor.to(self._device) for name, tensor in batch.items()}

    def part(self) -> TrainedPart:
        loop = self.loop
        trained = None
        if loop.is_done:
            metrics = loop.means() | {"steps": float(loop.steps), "positions": float(self._data.count)}
            trained = Trained(self._model.cpu().eval(), metrics)
        return TrainedPart(loop.step, loop.steps, b"" if loop.is_done else self._state(), trained)

    def _state(self) -> bytes:
        tensors = {"order": torch.from_numpy(self._order.rest), "random": torch.get_rng_state()}
        if self._device.type == "cuda":
            tensors["random_cuda"] = torch.cuda.get_rng_state(self._device)
        header = {"step": self.loop.step, "sums": self.loop.sums, "rng": self._rng.bit_generator.state}
        return format_state(self._model, self._optimizer, header, tensors)

    def restore(self, data: bytes) -> None:
        header, tensors = restore_state(data, self._model, self._optimizer)
        self.loop.step, self.loop.sums = header["step"], dict(header["sums"])
        self._rng.bit_generator.state = header["rng"]
        self._order.rest = tensors["order"].numpy().copy()
        torch.set_rng_state(tensors["random"])
        if "random_cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random_cuda"], self._device)
