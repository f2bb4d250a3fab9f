"""Training of policy-value networks."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tengen.learning.batches import AnySamples, Sampler, Symmetries
from tengen.learning.breaker import Breaker
from tengen.learning.loop import TrainingLoop, warm_cosine
from tengen.learning.optimizer import AdamW
from tengen.learning.processes import current_group, train_in_processes
from tengen.learning.replicas import count_replicas
from tengen.learning.state import format_state, restore_state
from tengen.learning.targets import TrainingBatch, compute_losses, heads_of, targets_of
from tengen.nets import with_heads
from tengen.nets.devices import CPU, half_precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game
    from tengen.learning.settings import TrainSettings
    from tengen.learning.targets import Target
    from tengen.nets import Network

__all__ = ["AnySamples", "Progress", "Trained", "train"]

_MIXED = frozenset({"cuda"})
"""Types of devices on which training computes with float16 and a scaled loss, so that small gradients remain."""

Progress: TypeAlias = Callable[[int, int, dict[str, float]], None]


@dataclass(frozen=True)
class Trained:
    """A network after training, on the processor and in evaluation mode, and the mean figures of its training."""

    network: Network
    metrics: dict[str, float]
    state: bytes
    """State for a training that continues this one: weights before averaging, and the optimizer's."""


def train(
    game: Game,
    network: Network,
    samples: AnySamples,
    settings: TrainSettings,
    progress: Progress | None = None,
    *,
    state: bytes | None = None,
    is_fresh: bool = False,
) -> Trained:
    """Train a copy of the network. `progress` gets the step, all steps and the mean losses.

    With the `state` of an earlier training, that one is continued: with its weights, optimizer and learning rate; the
    network is the average of weights so far. A network that `is_fresh` has learned nothing about planes that are empty
    in every position: their random weights are set to zero, because they would count under other settings of the game.

    Raises a TrainingStopped when the breaker trips; the network that was passed in stays as it was.
    """
    samples.check(game)
    group = current_group()
    if group.size != settings.processes:
        return train_in_processes(game, network, samples, settings, progress, state, is_fresh=is_fresh)
    device = group.device(settings.device)
    targets = targets_of(game, settings)
    rng = _seeded(settings, device)
    previous = _with_heads_of(targets, network, settings.seed).to(device).eval()
    model = copy.deepcopy(previous).train()
    steps = _count_steps(samples, settings)
    optimizer = _make_optimizer(model, settings, device)
    done = int(restore_state(state, model, optimizer)[0]["step"]) if state is not None else 0
    average = _make_average(previous, settings.average, done) if settings.average > 0 else None
    sampler = Sampler(samples, settings, rng)
    symmetries = Symmetries(game) if settings.symmetries else None
    seen = torch.zeros(samples.plane_count, dtype=torch.bool)

    def draw() -> dict[str, Tensor]:
        batch = _batch(samples, sampler.draw(settings.batch_size), symmetries, rng)
        if is_fresh:
            seen.logical_or_((batch["features"] != 0).any(dim=3).any(dim=2).any(dim=0))
        return batch

    def losses(network: Network, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        with _precision(settings, device):
            return compute_losses(TrainingBatch(batch, network, previous, settings), targets)

    def after_step(_: int) -> None:
        if average is not None:
            average.update_parameters(model)

    rate = functools.partial(_rate, steps=steps, settings=settings, is_continued=state is not None)
    breaker, clip = Breaker(settings.breaker_norm), settings.grad_clip or math.inf
    is_scaled = settings.amp and device.type in _MIXED
    replicas = _count_replicas(settings, device)
    loop = TrainingLoop(
        model, optimizer, group, breaker, steps, settings.lr, rate, draw, losses, clip, is_scaled, after_step, replicas
    )
    loop.run(progress=progress)
    result = model if average is None else cast("Network", average.module)
    if is_fresh:
        _forget_planes([model, result], ~seen.to(device))
    metrics = loop.means() | {"steps": float(steps), "samples": len(samples)}
    return Trained(result.cpu().eval(), metrics, format_state(model, optimizer, {"step": done + steps}))


def _make_optimizer(model: Network, settings: TrainSettings, device: torch.device) -> AdamW:
    is_fused = device.type in (CPU, "cuda")
    return AdamW(model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay, fused=is_fused)


def _make_average(network: Network, keep: float, done: int) -> AveragedModel:
    """Return the average of weights after `done` steps, which is the network.

    The first steps move it faster than by 1 - `keep`. Counters have no average: they are those of the last step.
    """

    def move(averages: Sequence[Tensor], numbers: Sequence[Tensor], _: object) -> None:
        if averages[0].is_floating_point():
            count = int(average.n_averaged)
            get_ema_multi_avg_fn(min(keep, count / (count + 9)))(averages, numbers, None)  # type: ignore[no-untyped-call]
        else:
            for mine, last in zip(averages, numbers, strict=True):
                mine.copy_(last)

    average = AveragedModel(network, multi_avg_fn=move, use_buffers=True)
    # PyTorch would begin with the weights after the first step.
    average.n_averaged.fill_(done + 1)
    return average


def _with_heads_of(targets: Sequence[Target], network: Network, seed: int) -> Network:
    """Return a copy of the network with the heads of these targets."""
    heads = heads_of(targets)
    return copy.deepcopy(network) if network.architecture.heads == heads else with_heads(network, heads, seed)


def _forget_planes(networks: Sequence[Network], planes: Tensor) -> None:
    for network in networks:
        network.trunk.forget_planes(planes)


def _seeded(settings: TrainSettings, device: torch.device) -> np.random.Generator:
    """Prepare PyTorch's threads and random numbers, and return a generator of others."""
    if settings.threads:
        torch.set_num_threads(settings.threads if _count_replicas(settings, device) == 1 else 1)
    torch.manual_seed(settings.seed)
    return np.random.default_rng(settings.seed)


def _count_replicas(settings: TrainSettings, device: torch.device) -> int:
    """Return the number of threads with a copy of the network. Processes of a group have one thread of it each."""
    is_alone = device.type == CPU and settings.processes == 1
    return count_replicas(settings.threads, settings.batch_size) if is_alone else 1


def _count_steps(samples: AnySamples, settings: TrainSettings) -> int:
    return settings.steps or max(1, math.ceil(settings.epochs * len(samples) / settings.batch_size))


def _precision(settings: TrainSettings, device: torch.device) -> torch.autocast:
    is_half = settings.bfloat16 if device.type == CPU else settings.amp and device.type in _MIXED
    return half_precision(device, enabled=is_half)


def _rate(step: int, steps: int, settings: TrainSettings, *, is_continued: bool) -> float:
    """Return the factor of the learning rate. A training that continues another one needs no warm-up."""
    warmup = 0.0 if is_continued else settings.warmup
    if step >= warmup * steps and settings.schedule == "constant":
        return 1.0
    if step >= warmup * steps and settings.schedule == "run":
        share = settings.run_begin + (settings.run_end - settings.run_begin) * step / steps
        falling = max(0.0, 1 - (1 - share) / settings.decay) if settings.decay else 0.0
        return settings.last_rate + (1 - settings.last_rate) * 0.5 * (1 + math.cos(math.pi * falling))
    return warm_cosine(step, steps, warmup=warmup, last_rate=settings.last_rate)


def _batch(
    samples: AnySamples,
    rows: NDArray[np.int64],
    symmetries: Symmetries | None,
    rng: np.random.Generator,
) -> dict[str, Tensor]:
    arrays = samples.take(rows).arrays
    if symmetries is not None:
        arrays = symmetries.apply_random(arrays, rng)
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}
