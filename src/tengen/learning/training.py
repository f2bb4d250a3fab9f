"""Training of networks, in one process or in several: of policy-value networks on samples, of other networks on data of
their own."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tengen.learning.batches import AnySamples, RowOrder, SampleData, Symmetries
from tengen.learning.breaker import Breaker
from tengen.learning.loop import TrainingLoop, warm_cosine
from tengen.learning.optimizer import make_optimizer
from tengen.learning.processes import current_group, train_in_processes
from tengen.learning.replicas import count_replicas
from tengen.learning.state import format_state, restore_state
from tengen.learning.targets import TrainingBatch, compute_losses, heads_of, targets_of
from tengen.nets import with_heads
from tengen.nets.devices import CPU, half_precision

if TYPE_CHECKING:
    from tengen.games import Game
    from tengen.learning.batches import TrainingData
    from tengen.learning.settings import TrainSettings
    from tengen.learning.targets import Target
    from tengen.nets import Network

__all__ = ["AnySamples", "Progress", "Trained", "count_steps", "train", "train_network"]

_MIXED = frozenset({"cuda"})
"""Types of devices on which training computes with float16 and a scaled loss, so that small gradients remain."""

Progress: TypeAlias = Callable[[int, int, dict[str, float]], None]
NetworkT = TypeVar("NetworkT", bound=nn.Module)

_AVERAGE: Final = "average."
"""Beginning of the names of averaged weights in the state of a part."""


@dataclass(frozen=True)
class Trained(Generic[NetworkT]):
    """A network after a training or a part of one, on the processor and in evaluation mode, and the mean figures of the
    steps so far."""

    network: NetworkT
    metrics: dict[str, float]
    state: bytes
    """State for the next part or for a training that continues this one: weights before averaging, and the optimizer's;
    before the last step also the average, the random numbers and the order of the rows."""
    is_complete: bool = True
    """False if steps remain for a next part."""


def train(
    game: Game,
    network: Network,
    samples: AnySamples,
    settings: TrainSettings,
    progress: Progress | None = None,
    *,
    state: bytes | None = None,
    is_fresh: bool = False,
) -> Trained[Network]:
    """Train a copy of the network. `progress` gets the step, all steps and the mean losses.

    With the `state` of an earlier training, that one is continued: with its weights, optimizer and learning rate; the
    network is the average of weights so far. A network that `is_fresh` has learned nothing about planes that are empty
    in every position: their random weights are set to zero, because they would count under other settings of the game.

    Raises a TrainingStopped when the breaker trips; the network that was passed in stays as it was.
    """
    samples.check(game)
    if current_group().size != settings.processes:
        call = functools.partial(train, game, network, samples, settings, state=state, is_fresh=is_fresh)
        return train_in_processes(call, settings, progress)
    targets = targets_of(game, settings)
    data = SampleData(samples, settings, Symmetries(game) if settings.symmetries else None)
    training = _Training(_with_heads_of(targets, network, settings.seed), data, targets, settings, state)
    training.loop.run(progress=progress)
    if is_fresh:
        unseen = torch.from_numpy(~data.seen).to(training.device)
        for each in training.networks:
            each.trunk.forget_planes(unseen)
    return training.result()


def train_network(
    network: NetworkT,
    data: TrainingData,
    targets: Sequence[Target],
    settings: TrainSettings,
    progress: Progress | None = None,
    *,
    state: bytes | None = None,
    until: int | None = None,
) -> Trained[NetworkT]:
    """Train a copy of any network on any data up to the step `until`, or to the end; from the beginning, or from the
    `state` of an earlier part. A training in parts ends with the same weights as one without."""
    if current_group().size != settings.processes:
        call = functools.partial(train_network, network, data, targets, settings, state=state, until=until)
        return train_in_processes(call, settings, progress)
    training = _Training(network, data, targets, settings, state)
    training.loop.run(until, progress)
    return training.result()


def count_steps(count: int, settings: TrainSettings) -> int:
    """Return the number of batches that so many rows are trained in."""
    return settings.steps or max(1, math.ceil(settings.epochs * count / settings.batch_size))


class _Training(Generic[NetworkT]):
    """A training in this process, which may be one of a group."""

    def __init__(
        self,
        network: NetworkT,
        data: TrainingData,
        targets: Sequence[Target],
        settings: TrainSettings,
        state: bytes | None,
    ) -> None:
        group = current_group()
        self.device = device = group.device(settings.device)
        replicas = _count_replicas(network, settings, device)
        if settings.threads:
            torch.set_num_threads(settings.threads if replicas == 1 else 1)
        torch.manual_seed(settings.seed)
        self._rng = np.random.default_rng(settings.seed)
        self._data, self._targets, self._settings = data, targets, settings
        self._order = RowOrder(len(data), self._rng, data.weights)
        self._previous = copy.deepcopy(network).to(device).eval()
        self._model = copy.deepcopy(self._previous).train()
        self._average = _make_average(self._previous, settings.average) if settings.average > 0 else None
        self._optimizer = make_optimizer(self._model, settings, device)
        self._done = 0
        """Number of steps of the trainings that this one continues."""
        self.loop = TrainingLoop(
            self._model,
            self._optimizer,
            group,
            Breaker(settings.breaker_norm),
            count_steps(len(data), settings),
            settings.lr,
            self._rate,
            self._draw,
            self._losses,
            settings.grad_clip or math.inf,
            is_scaled=settings.amp and device.type in _MIXED,
            after_step=self._after_step,
            replicas=replicas,
        )
        if state is not None:
            self._restore(state)

    def _rate(self, step: int) -> float:
        return _rate(step, self.loop.steps, self._settings, is_continued=self._done > 0)

    def _draw(self) -> dict[str, Tensor]:
        arrays = self._data.batch(self._order.draw(self._settings.batch_size), self._rng)
        return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}

    def _losses(self, network: nn.Module, arrays: dict[str, Tensor]) -> dict[str, Tensor]:
        with _precision(self._settings, self.device):
            return compute_losses(TrainingBatch(arrays, network, self._previous, self._settings), self._targets)

    def _after_step(self, _: int) -> None:
        if self._average is not None:
            self._average.update_parameters(self._model)

    @property
    def networks(self) -> list[NetworkT]:
        """The network and, if there is one, the average of its weights."""
        return [self._model] if self._average is None else [self._model, cast("NetworkT", self._average.module)]

    def result(self) -> Trained[NetworkT]:
        loop = self.loop
        metrics = loop.means() | {"steps": float(loop.steps), "samples": len(self._data)}
        return Trained(self.networks[-1].cpu().eval(), metrics, self._state(), loop.is_done)

    def _state(self) -> bytes:
        header: dict[str, Any] = {"step": self._done + self.loop.step}
        if self.loop.is_done:
            return format_state(self._model, self._optimizer, header)
        header["part"] = {"step": self.loop.step, "sums": self.loop.sums, "rng": self._rng.bit_generator.state}
        tensors = {"order": torch.from_numpy(self._order.rest), "random": torch.get_rng_state()}
        if self.device.type == "cuda":
            tensors["random_cuda"] = torch.cuda.get_rng_state(self.device)
        if self._average is not None:
            tensors |= {_AVERAGE + name: tensor for name, tensor in self._average.state_dict().items()}
        return format_state(self._model, self._optimizer, header, tensors)

    def _restore(self, state: bytes) -> None:
        header, tensors = restore_state(state, self._model, self._optimizer)
        self._done = int(header["step"])
        if "part" not in header:
            if self._average is not None:
                self._average.n_averaged.fill_(self._done + 1)
            return
        part = header["part"]
        self.loop.step, self.loop.sums = part["step"], dict(part["sums"])
        self._done -= self.loop.step
        self._rng.bit_generator.state = part["rng"]
        self._order.rest = tensors["order"].numpy().copy()
        torch.set_rng_state(tensors["random"])
        if "random_cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random_cuda"], self.device)
        if self._average is not None:
            own = {name: tensors[_AVERAGE + name] for name in self._average.state_dict()}
            self._average.load_state_dict(own)


def _make_average(network: nn.Module, keep: float) -> AveragedModel:
    """Return the average of weights before the first step, which is the network.

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
    average.n_averaged.fill_(1)
    return average


def _with_heads_of(targets: Sequence[Target], network: Network, seed: int) -> Network:
    """Return the network with the heads of these targets."""
    heads = heads_of(targets)
    return network if network.architecture.heads == heads else with_heads(network, heads, seed)


def _count_replicas(network: nn.Module, settings: TrainSettings, device: torch.device) -> int:
    """Return the number of threads with a copy of the network. Processes of a group have one thread of it each, and
    threads would use the random numbers of dropout in varying order."""
    is_random = any(isinstance(module, nn.Dropout) for module in network.modules())
    is_alone = device.type == CPU and settings.processes == 1 and not is_random
    return count_replicas(settings.threads, settings.batch_size) if is_alone else 1


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
