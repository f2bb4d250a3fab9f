"""How prophet and enforcer are trained."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tengen.labs.shogi.planes import ENTRIES, encode, entries_of, legal_targets, mirrored
from tengen.learning.breaker import Breaker

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.labs.shogi.networks import PairNetwork
    from tengen.labs.shogi.samples import Samples
    from tengen.labs.shogi.train_settings import TrainSettings

__all__ = ["Progress", "Trained", "train_candidates", "train_moves", "train_prophet"]

Progress: TypeAlias = Callable[[int, int, dict[str, float]], None]
"""Hears the step, all steps and the mean losses up to now."""
Batch: TypeAlias = Callable[["NDArray[np.int64]", "NDArray[np.bool_]"], dict[str, Tensor]]
"""Of these rows, those with left and right exchanged."""

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
    """A network after training, in evaluation mode, and the mean figures of the way there."""

    network: PairNetwork
    metrics: dict[str, float]


def train_prophet(
    network: PairNetwork, samples: Samples, settings: TrainSettings, progress: Progress | None = None
) -> Trained:
    """Who won, from the position after each move and its mover's view; late plies weigh more: ply over all plies."""

    def batch(rows: NDArray[np.int64], flipped: NDArray[np.bool_]) -> dict[str, Tensor]:
        part = samples.take(rows).with_mirrored(flipped)
        return {
            "planes": torch.from_numpy(encode(part.after, viewer_to_move=False)),
            "won": torch.from_numpy(np.stack([part.result, 1 - part.result], axis=1)),
            "weight": torch.from_numpy(part.progress),
        }

    def losses(model: PairNetwork, given: dict[str, Tensor]) -> dict[str, Tensor]:
        each = -(given["won"] * functional.log_softmax(model(given["planes"]), dim=1)).sum(dim=1)
        return {"loss": (each * given["weight"]).sum() / given["weight"].sum()}

    return _train(network, len(samples), batch, losses, settings, progress)


def train_candidates(
    network: PairNetwork, positions: NDArray[np.uint8], settings: TrainSettings, progress: Progress | None = None
) -> Trained:
    """The set of legal moves of packed positions."""

    def batch(rows: NDArray[np.int64], flipped: NDArray[np.bool_]) -> dict[str, Tensor]:
        part = positions[rows]
        part[flipped] = mirrored(part[flipped])
        return {
            "planes": torch.from_numpy(encode(part, viewer_to_move=True)),
            "legal": torch.from_numpy(legal_targets(part)),
        }

    def losses(model: PairNetwork, given: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"loss": _candidates_loss(model(given["planes"]).flatten(1), given["legal"])}

    return _train(network, len(positions), batch, losses, settings, progress)


def train_moves(
    network: PairNetwork, samples: Samples, settings: TrainSettings, progress: Progress | None = None
) -> Trained:
    """What winners played, as the highest of all entries; the legal ones stay above 0."""
    winners = samples.of_winners()

    def batch(rows: NDArray[np.int64], flipped: NDArray[np.bool_]) -> dict[str, Tensor]:
        part = winners.take(rows).with_mirrored(flipped)
        return {
            "planes": torch.from_numpy(encode(part.before, viewer_to_move=True)),
            "legal": torch.from_numpy(legal_targets(part.before)),
            "move": torch.from_numpy(entries_of(part.before, part.actions).astype(np.int64)),
        }

    def losses(model: PairNetwork, given: dict[str, Tensor]) -> dict[str, Tensor]:
        entries = model(given["planes"]).flatten(1)
        move = functional.cross_entropy(entries, given["move"])
        candidates = _candidates_loss(entries, given["legal"])
        loss = candidates if settings.target == "candidates" else move + settings.candidates_weight * candidates
        return {"loss": loss, "move": move, "candidates": candidates}

    return _train(network, len(winners), batch, losses, settings, progress)


def _candidates_loss(entries: Tensor, legal: Tensor) -> Tensor:
    """Cross-entropy of each entry's sign. Hardly any of the entries is legal, so it is counted by legal ones."""
    assert entries.shape[1] == ENTRIES
    return functional.binary_cross_entropy_with_logits(entries, legal, reduction="sum") / legal.sum().clamp(min=1.0)


def _train(
    network: PairNetwork,
    count: int,
    batch: Batch,
    losses: Callable[[PairNetwork, dict[str, Tensor]], dict[str, Tensor]],
    settings: TrainSettings,
    progress: Progress | None,
) -> Trained:
    """Trains a copy of the network, on rows of 0 … count-1 in shuffled order."""
    if count == 0:
        raise ValueError(f"there is nothing to train the {network.kind} on: no game was decided")
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    model = copy.deepcopy(network).train()
    optimizer = _OPTIMIZERS[settings.optimizer](model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay)
    # A batch of one has no variance to normalize by.
    size = max(2, min(settings.batch_size, count))
    steps = max(1, math.ceil(settings.epochs * count / size))
    breaker = Breaker(_LARGEST_NORM)
    order = np.empty(0, np.int64)
    sums: dict[str, float] = {}
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = settings.lr * _rate(step, steps)
        while len(order) < size:
            order = np.concatenate([order, rng.permutation(count)])
        rows, order = order[:size], order[size:]
        found = losses(model, batch(rows, rng.random(size) < 0.5))
        figures = {name: float(value.detach()) for name, value in found.items()}
        breaker.check_loss(step, figures)
        optimizer.zero_grad(set_to_none=True)
        found["loss"].backward()  # type: ignore[no-untyped-call]
        breaker.check_gradient(step, float(torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)))
        optimizer.step()
        for name, value in figures.items():
            sums[name] = sums.get(name, 0.0) + value
        if progress is not None:
            progress(step + 1, steps, {name: value / (step + 1) for name, value in sums.items()})
    breaker.check_weights(steps, model)
    means = {name: value / steps for name, value in sums.items()}
    return Trained(model.eval(), means | {"steps": float(steps), "positions": float(count)})


def _rate(step: int, steps: int) -> float:
    warm = _WARMUP * steps
    if step < warm:
        return (step + 1) / (warm + 1)
    done = (step - warm) / max(1.0, steps - warm)
    return _LAST_RATE + (1 - _LAST_RATE) * 0.5 * (1 + math.cos(math.pi * done))
