"""Linear regression on sparse samples by stochastic gradient descent, with measures of its quality."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tengen._install import how_to_install
from tengen.labs.matgo.cache import shuffled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

__all__ = [
    "Errors",
    "LinearSettings",
    "SparseSample",
    "TrainingFailed",
    "check_linear_device",
    "fit_linear",
    "is_held_out",
    "measure",
]


_SOUND = 1e100
"""Weights from this size on have exploded."""


class TrainingFailed(ValueError):  # noqa: N818 - says what happened
    """Nothing to learn from, or weights that grow without end."""


class SparseSample(NamedTuple):
    """A row of a large matrix by its entries that are not 0; an index may come twice, and its values add up."""

    target: float
    indices: list[int]
    values: list[float]


@dataclass(frozen=True)
class LinearSettings:
    dim: int = 4096
    """Weights."""
    epochs: int = 6
    lr: float = 0.05
    """Learning rate of the first epoch; it falls to a tenth of that by the last."""
    l2: float = 1e-6
    """Weight decay: each step takes lr · l2 of every weight that the batch touches."""
    batch_size: int = 32
    shuffle_buffer: int = 4096
    """Samples in memory; 0 and 1 leave their order."""
    seed: int = 13
    device: str = "cpu"
    """`cpu` is NumPy, anything else is PyTorch's."""

    def __post_init__(self) -> None:
        for name, least in (("dim", 1), ("epochs", 1), ("batch_size", 1), ("shuffle_buffer", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)} and must be at least {least}")
        if not 0 < self.lr < math.inf:
            raise ValueError(f"lr is {self.lr} and must be above 0")
        if not 0 <= self.l2 < math.inf:
            raise ValueError(f"l2 is {self.l2} and must be at least 0")


def fit_linear(
    samples: Callable[[], Iterable[SparseSample]],
    settings: LinearSettings,
    watch: Callable[[int, int], None] = lambda _epoch, _seen: None,
) -> tuple[NDArray[np.float64], float]:
    """Weights and bias that make the squared error small. `samples()` passes through them once, for each epoch.

    `watch(epoch, samples seen in it)` is called after each batch. Equal samples and settings give equal weights, on one
    device.
    """
    learner = _Learner(settings.dim) if settings.device == "cpu" else _TorchLearner(settings.dim, settings.device)
    for epoch in range(settings.epochs):
        rate = settings.lr * 0.1 ** (epoch / max(1, settings.epochs - 1))
        seen = 0
        stream = iter(shuffled(samples(), settings.shuffle_buffer, settings.seed + epoch))
        while batch := list(islice(stream, settings.batch_size)):
            learner.step(batch, rate, settings.l2)
            seen += len(batch)
            watch(epoch, seen)
        if seen == 0:
            raise TrainingFailed("there are no samples to learn from")
        if not learner.size() < _SOUND:
            raise TrainingFailed(
                f"the weights grew without end in epoch {epoch + 1}: take a smaller lr than {settings.lr:g}"
            )
    return learner.result()


def _flat(batch: list[SparseSample]) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """(row, index, value) of each entry."""
    lengths = [len(sample.indices) for sample in batch]
    rows = np.repeat(np.arange(len(batch)), lengths)
    total = sum(lengths)
    columns = np.fromiter((i for sample in batch for i in sample.indices), np.intp, total)
    values = np.fromiter((v for sample in batch for v in sample.values), np.float64, total)
    return rows, columns, values


class _Learner:
    def __init__(self, dim: int) -> None:
        self.weights = np.zeros(dim)
        self.bias = 0.0

    def step(self, batch: list[SparseSample], rate: float, l2: float) -> None:
        rows, columns, values = _flat(batch)
        with np.errstate(over="ignore", invalid="ignore"):  # Weights without bounds are found by size().
            guesses = np.bincount(rows, self.weights[columns] * values, len(batch)) + self.bias
            errors = (guesses - [sample.target for sample in batch]) / len(batch)
            gradient = np.bincount(columns, errors[rows] * values, len(self.weights))
            touched = np.unique(columns)
            self.weights[touched] -= rate * (gradient[touched] + l2 * self.weights[touched])
            self.bias -= rate * float(errors.sum())

    def size(self) -> float:
        """Return the absolute value of the largest weight; NaN if a weight is NaN."""
        return max(float(np.abs(self.weights).max()), abs(self.bias))

    def result(self) -> tuple[NDArray[np.float64], float]:
        return self.weights, self.bias


class _TorchLearner:
    """A learner that makes the same steps in PyTorch, in double precision."""

    def __init__(self, dim: int, device: str) -> None:
        torch = _torch(device)
        self._torch = torch
        self._device = device
        self.weights = torch.zeros(dim, dtype=torch.float64, device=device)
        self.bias = torch.zeros((), dtype=torch.float64, device=device)

    def step(self, batch: list[SparseSample], rate: float, l2: float) -> None:
        torch = self._torch
        rows, columns, values = (torch.from_numpy(part).to(self._device) for part in _flat(batch))
        targets = torch.tensor([sample.target for sample in batch], dtype=torch.float64, device=self._device)
        guesses = torch.zeros_like(targets).index_add_(0, rows, self.weights[columns] * values) + self.bias
        errors = (guesses - targets) / len(batch)
        gradient = torch.zeros_like(self.weights).index_add_(0, columns, errors[rows] * values)
        touched = torch.unique(columns)
        self.weights[touched] -= rate * (gradient[touched] + l2 * self.weights[touched])
        self.bias -= rate * errors.sum()

    def size(self) -> float:
        return max(float(self.weights.abs().max()), float(self.bias.abs()))

    def result(self) -> tuple[NDArray[np.float64], float]:
        return self.weights.cpu().numpy(), float(self.bias)


def check_linear_device(device: str) -> None:
    """Raise a ValueError with the reason if models cannot be fitted on the device."""
    if device != "cpu":
        _torch(device)


def _torch(device: str) -> Any:
    try:
        import torch

        from tengen.nets.devices import check_device
    except ImportError:
        raise ValueError(
            f"the device {device} needs PyTorch: {how_to_install('train')}, or take the device cpu"
        ) from None
    check_device(device)
    return torch


# Judging.


@dataclass
class Errors:
    """The errors of guesses, added one by one, so that memory does not depend on their number."""

    count: int = 0
    squares: float = 0.0
    sizes: float = 0.0
    _means: tuple[float, float] = (0.0, 0.0)
    _moments: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def add(self, guess: float, target: float) -> None:
        self.count += 1
        self.squares += (guess - target) ** 2
        self.sizes += abs(guess - target)
        x, y = self._means
        dx, dy = guess - x, target - y
        x, y = x + dx / self.count, y + dy / self.count
        xx, yy, xy = self._moments
        self._means = (x, y)
        self._moments = (xx + dx * (guess - x), yy + dy * (target - y), xy + dx * (target - y))

    @property
    def mse(self) -> float:
        return self.squares / self.count if self.count else math.nan

    @property
    def rmse(self) -> float:
        return math.sqrt(self.mse)

    @property
    def mae(self) -> float:
        return self.sizes / self.count if self.count else math.nan

    @property
    def pearson(self) -> float:
        """The correlation of guesses and targets; NaN if either are all equal."""
        xx, yy, xy = self._moments
        return xy / math.sqrt(xx * yy) if xx > 0 and yy > 0 else math.nan

    @property
    def spread(self) -> float:
        """The standard deviation of the targets, which is the RMSE of their mean as a guess."""
        return math.sqrt(self._moments[1] / self.count) if self.count else math.nan

    def figures(self) -> dict[str, float | None]:
        """As JSON holds them."""
        found = {name: getattr(self, name) for name in ("mse", "rmse", "mae", "pearson", "spread")}
        return {"samples": self.count} | {k: v if math.isfinite(v) else None for k, v in found.items()}


def measure(weights: NDArray[np.float64], bias: float, samples: Iterable[SparseSample]) -> Errors:
    errors = Errors()
    for guess, target in _answers(weights, bias, samples):
        errors.add(guess, target)
    return errors


def _answers(
    weights: NDArray[np.float64], bias: float, samples: Iterable[SparseSample]
) -> Iterator[tuple[float, float]]:
    stream = iter(samples)
    while batch := list(islice(stream, 1024)):
        rows, columns, values = _flat(batch)
        guesses = np.bincount(rows, weights[columns] * values, len(batch)) + bias
        yield from zip(guesses.tolist(), (sample.target for sample in batch), strict=True)


def is_held_out(group: str, ratio: float, seed: int = 0) -> bool:
    """Return whether a group of samples is kept for measuring instead of training.

    This depends on the group's name alone. Of many groups, the share `ratio` is kept.
    """
    digest = hashlib.blake2b(f"{seed}:{group}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") < ratio * 2**64
