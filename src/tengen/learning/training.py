"""The training loop."""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tengen.learning.breaker import Breaker
from tengen.learning.loop import TrainingLoop, warm_cosine
from tengen.learning.optimizer import AdamW
from tengen.learning.processes import current_group, train_in_processes
from tengen.learning.state import format_state, restore_state
from tengen.nets.network import payoff_bins

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game
    from tengen.learning.packed import PackedSamples
    from tengen.learning.samples import Samples
    from tengen.learning.settings import TrainSettings
    from tengen.nets import Network, Outputs

AnySamples: TypeAlias = "Samples | PackedSamples"
Progress = Callable[[int, int, dict[str, float]], None]


@dataclass(frozen=True)
class Trained:
    """A network after training, in evaluation mode, and the mean figures of its training."""

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
    previous = copy.deepcopy(network).to(device).eval()
    model = copy.deepcopy(previous).train()
    rng = _seeded(settings)
    steps = _count_steps(samples, settings)
    optimizer = AdamW(model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay)
    average = copy.deepcopy(previous) if settings.average > 0 else None
    done = int(restore_state(state, model, optimizer)[0]["step"]) if state is not None else 0
    sampler = _Sampler(samples, settings, rng)
    maps = game.sample_maps if settings.symmetries else None
    seen = torch.zeros(samples.plane_count, dtype=torch.bool, device=device)

    def draw() -> dict[str, Tensor]:
        batch = _batch(samples, sampler.draw(settings.batch_size), maps, rng, device)
        seen.logical_or_((batch["features"] != 0).any(dim=3).any(dim=2).any(dim=0))
        return batch

    def losses(batch: dict[str, Tensor]) -> dict[str, Tensor]:
        with _precision(settings, device):
            return _losses(model, previous, batch, settings)

    def after_step(step: int) -> None:
        if average is not None:
            _move_average(average, model, min(settings.average, (done + step + 1) / (done + step + 10)))

    rate = functools.partial(_rate, steps=steps, settings=settings, is_continued=state is not None)
    breaker, clip = Breaker(settings.breaker_norm), settings.grad_clip or math.inf
    is_scaled = settings.amp and device.type == "cuda"
    loop = TrainingLoop(
        model, optimizer, group, breaker, steps, settings.lr, rate, draw, losses, clip, is_scaled, after_step
    )
    loop.run(progress=progress)
    if is_fresh:
        _forget_planes([model] if average is None else [model, average], ~seen)
    metrics = loop.means() | {"steps": float(steps), "samples": len(samples)}
    return Trained((average or model).eval(), metrics, format_state(model, optimizer, {"step": done + steps}))


def _forget_planes(networks: Sequence[Network], planes: Tensor) -> None:
    for network in networks:
        network.trunk.forget_planes(planes)


def _seeded(settings: TrainSettings) -> np.random.Generator:
    """Prepare PyTorch's threads and random numbers, and return a generator of others."""
    if settings.threads:
        torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    return np.random.default_rng(settings.seed)


def _count_steps(samples: AnySamples, settings: TrainSettings) -> int:
    return settings.steps or max(1, math.ceil(settings.epochs * len(samples) / settings.batch_size))


def _precision(settings: TrainSettings, device: torch.device) -> torch.autocast:
    if device.type == "cpu":
        return torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16)
    return torch.autocast(device.type, enabled=settings.amp and device.type == "cuda")


def _rate(step: int, steps: int, settings: TrainSettings, *, is_continued: bool) -> float:
    """Return the factor of the learning rate. A training that continues another one needs no warm-up."""
    warmup = 0.0 if is_continued else settings.warmup
    if settings.schedule == "constant" and step >= warmup * steps:
        return 1.0
    return warm_cosine(step, steps, warmup=warmup, last_rate=settings.last_rate)


class _Sampler:
    """Selects the samples of the next batch."""

    def __init__(self, samples: AnySamples, settings: TrainSettings, rng: np.random.Generator) -> None:
        self._rng = rng
        self._count = len(samples)
        self._order = np.empty(0, np.int64)
        self._weights: NDArray[np.float64] | None = None
        if settings.sampling == "prioritized":
            surprise = 0.2 + np.abs(samples.result.clip(-1, 1) - samples.search_value.clip(-1, 1)).astype(np.float64)
            self._weights = surprise / surprise.sum()

    def draw(self, size: int) -> NDArray[np.int64]:
        if self._weights is not None:
            return self._rng.choice(self._count, size, p=self._weights)
        while len(self._order) < size:
            self._order = np.concatenate([self._order, self._rng.permutation(self._count)])
        rows, self._order = self._order[:size], self._order[size:]
        return rows


def _batch(
    samples: AnySamples,
    rows: NDArray[np.int64],
    maps: tuple[NDArray[np.int32], NDArray[np.int32]] | None,
    rng: np.random.Generator,
    device: torch.device,
) -> dict[str, Tensor]:
    part = samples.take(rows)
    if maps is not None and len(maps[0]) > 1:
        part = _transformed(part, maps, rng)
    arrays = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    return {name: torch.from_numpy(np.ascontiguousarray(array)).to(device) for name, array in arrays.items()}


def _transformed(
    samples: Samples, maps: tuple[NDArray[np.int32], NDArray[np.int32]], rng: np.random.Generator
) -> Samples:
    """Apply a random symmetry to each row: the value at i moves to map[i]."""
    action_maps, feature_maps = maps
    picks = rng.integers(len(action_maps), size=len(samples))
    shape = samples.features.shape
    flat = samples.features.reshape(len(samples), -1)
    features, policy, aux = np.empty_like(flat), np.empty_like(samples.policy), samples.aux
    np.put_along_axis(features, feature_maps[picks].astype(np.int64), flat, axis=1)
    np.put_along_axis(policy, action_maps[picks].astype(np.int64), samples.policy, axis=1)
    cells = shape[2] * shape[3]
    if aux.shape[1] == cells:
        # One auxiliary value a cell is transformed as the cells of a plane are.
        aux = np.empty_like(aux)
        np.put_along_axis(aux, _cell_maps(feature_maps, cells)[picks], samples.aux, axis=1)
    return dataclasses.replace(samples, features=features.reshape(shape), policy=policy, aux=aux)


def _cell_maps(features: NDArray[np.int32], cells: int) -> NDArray[np.int64]:
    """[symmetries, cells]: a plane's cells go where the first plane's do, whichever plane they land in."""
    return (features[:, :cells] % cells).astype(np.int64)


def _losses(model: Network, previous: Network, batch: dict[str, Tensor], settings: TrainSettings) -> dict[str, Tensor]:
    out = model(batch["features"])
    log_policy = functional.log_softmax(out.policy.float(), dim=1)
    policy = _POLICY_LOSSES[settings.policy_loss or "cross_entropy"](out.policy.float(), batch["policy"])
    losses = {"policy": policy} | _value_losses(model, out, batch, settings)
    total = policy + settings.value_weight * losses["value"] + losses.get("oracle", 0.0)
    if out.extras.shape[1] and batch["aux"].shape[1]:
        known = torch.isfinite(batch["aux"]).float()
        error = (out.extras.float() - torch.nan_to_num(batch["aux"])) ** 2 * known
        losses["extras"] = error.sum() / known.sum().clamp(min=1.0)
        total = total + settings.extras_weight * losses["extras"]
    if out.moves_left.shape[1]:
        known = (batch["moves_left"] >= 0).float()
        error = functional.huber_loss(out.moves_left[:, 0].float(), batch["moves_left"] / 10, reduction="none") * known
        losses["moves_left"] = error.sum() / known.sum().clamp(min=1.0)
        total = total + settings.moves_left_weight * losses["moves_left"]
    if out.belief.shape[1] and batch["hidden_labels"].shape[1]:
        losses["belief"] = functional.binary_cross_entropy_with_logits(out.belief.float(), batch["hidden_labels"])
        total = total + settings.belief_weight * losses["belief"]
    if settings.kl_weight > 0:
        with torch.no_grad():
            before = functional.log_softmax(previous(batch["features"]).policy.float(), dim=1)
        losses["kl"] = functional.kl_div(log_policy, before, reduction="batchmean", log_target=True)
        total = total + settings.kl_weight * losses["kl"]
    losses["loss"] = total
    return losses


def _imitation(logits: Tensor, target: Tensor) -> Tensor:
    count = (target.sum(dim=1) > 0).float().sum().clamp(min=1.0)
    return -(target * functional.log_softmax(logits, dim=1)).sum() / count


def _regret(logits: Tensor, target: Tensor) -> Tensor:
    """Payoffs are the target's logarithms, up to a constant. Three parts: what the policy would be paid, which is what
    matters; the distance of its logits to payoffs, which has a slope everywhere; and the share of actions that the
    target does not know, which are illegal."""
    known = target > 0
    payoffs = _centered(torch.log(target.clamp(min=1e-30)), known)
    masked = logits.masked_fill(~known, -1e9)
    paid = (torch.softmax(masked, dim=1) * payoffs).sum()
    distance = functional.huber_loss(_centered(logits, known), payoffs, reduction="sum", delta=_FAR)
    is_taught = known.any(dim=1).float()
    off = ((torch.logsumexp(logits, dim=1) - torch.logsumexp(masked, dim=1)) * is_taught).sum()
    return (_NEARNESS * distance - paid + off) / is_taught.sum().clamp(min=1.0)


def _centered(numbers: Tensor, known: Tensor) -> Tensor:
    """By their mean over what is known; 0 elsewhere."""
    count = known.sum(dim=1, keepdim=True).clamp(min=1)
    return (numbers - (numbers * known).sum(dim=1, keepdim=True) / count) * known


_FAR = 40.0
_NEARNESS = 0.05
_POLICY_LOSSES = {"cross_entropy": _imitation, "regret": _regret}


def _value_losses(model: Network, out: Outputs, batch: dict[str, Tensor], settings: TrainSettings) -> dict[str, Tensor]:
    """Targets are shares of a full win for the viewer; only a value of kind payoff knows more than one."""
    share = settings.search_value_share
    if model.architecture.value == "payoff":
        bins = payoff_bins().to(batch["result"].device)
        target = (1 - share) * two_hot(batch["result"], bins) + share * two_hot(batch["search_value"], bins)
        losses = {}
        if model.oracle is not None and batch["hidden_labels"].shape[1]:
            logits = model.oracle(batch["features"], batch["hidden_labels"]).float()
            losses["oracle"] = _cross_entropy(logits, target)
            # The oracle's expectation includes the luck of the hidden cards, but not that of future cards.
            known = torch.softmax(logits.detach(), dim=1)
            target = (1 - settings.oracle_share) * target + settings.oracle_share * known
        return {"value": _cross_entropy(out.payoff.float(), target)} | losses
    has_seats = model.architecture.value == "seats" and batch["seat_results"].shape[1] > 0
    names = ("seat_results", "seat_values") if has_seats else ("result", "search_value")
    result, promise = (batch[name].clamp(-1, 1) for name in names)
    return {"value": _value_loss(model.architecture.value, out.value.float(), result + share * (promise - result))}


def _value_loss(kind: str, value: Tensor, target: Tensor) -> Tensor:
    if kind == "wdl":
        shares = torch.stack([target.clamp(min=0), 1 - target.abs(), (-target).clamp(min=0)], dim=1)
        return _cross_entropy(value, shares)
    if target.ndim == 2:
        return ((value - target) ** 2).mean()
    # With one number for each seat, the viewer's comes first; samples of earlier versions have no other result.
    return ((value[:, 0] - target) ** 2).mean()


def _cross_entropy(logits: Tensor, shares: Tensor) -> Tensor:
    return -(shares * functional.log_softmax(logits, dim=1)).sum(dim=1).mean()


def two_hot(numbers: Tensor, bins: Tensor) -> Tensor:
    """[n, bins]: each number as the two bins around it, weighted so that their mean is the number."""
    inside = numbers.clamp(float(bins[0]), float(bins[-1]))
    above = torch.searchsorted(bins, inside).clamp(1, len(bins) - 1)
    low, high = bins[above - 1], bins[above]
    part = (inside - low) / (high - low)
    shares = torch.zeros((len(numbers), len(bins)), dtype=numbers.dtype, device=numbers.device)
    shares.scatter_(1, above[:, None], part[:, None])
    shares.scatter_(1, above[:, None] - 1, 1 - part[:, None])
    return shares


def _move_average(average: Network, model: Network, keep: float) -> None:
    with torch.no_grad():
        mine: dict[str, Any] = average.state_dict()
        for name, tensor in model.state_dict().items():
            if tensor.is_floating_point():
                mine[name].mul_(keep).add_(tensor, alpha=1 - keep)
            else:
                mine[name].copy_(tensor)
