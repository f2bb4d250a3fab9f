"""Training targets: each is one object with its loss, its weight and, if it needs one, a head of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch.nn import functional

from tengen.learning.columns import REPLY, SHORT_TERM, SHORT_TERM_PLIES, first_cell_aux, is_paired
from tengen.learning.losses import cross_entropy, imitation, known_mean, numbers_loss, regret, soften, two_hot
from tengen.nets.architecture import PAYOFF_BINS, HeadSpec
from tengen.nets.network import payoff_bins

if TYPE_CHECKING:
    from torch import Tensor

    from tengen.games import Game, TrainingTarget
    from tengen.learning.settings import TrainSettings
    from tengen.nets import Network, Outputs

__all__ = ["Target", "TrainingBatch", "compute_losses", "heads_of", "targets_of"]

_SOFTNESS = 0.25
"""Power of the probabilities that the soft policy learns."""
_POLICY_LOSSES = {"cross_entropy": imitation, "regret": regret}


@dataclass
class TrainingBatch:
    """Samples of one step, with the outputs of the network for them."""

    arrays: dict[str, Tensor]
    """The arrays of samples by name."""
    model: Network
    previous: Network
    """The network from before the training."""
    settings: TrainSettings

    @cached_property
    def out(self) -> Outputs:
        return self.model(self.arrays["features"])  # type: ignore[no-any-return]

    @cached_property
    def oracle(self) -> Tensor | None:
        """Log-odds of payoffs by a critic that sees what is hidden, if the network has one."""
        if self.model.oracle is None or not self.arrays["hidden_labels"].shape[1]:
            return None
        logits: Tensor = self.model.oracle(self.arrays["features"], self.arrays["hidden_labels"])
        return logits.float()

    @cached_property
    def payoffs(self) -> Tensor:
        """[batch, bins]: the result and the search's value, as payoff_bins()."""
        bins = payoff_bins().to(self.arrays["result"].device)
        share = self.settings.search_value_share
        found, promised = (two_hot(self.arrays[name], bins) for name in ("result", "search_value"))
        return (1 - share) * found + share * promised


Loss: TypeAlias = Callable[[TrainingBatch], "Tensor | None"]
"""Returns the mean loss of a batch; None if the network or the samples lack what it needs."""


@dataclass(frozen=True)
class Target:
    """One thing that a network learns."""

    name: str
    weight: float
    """Factor of its loss in the sum of all losses."""
    loss: Loss
    head: HeadSpec | None = None
    """The further head that learns it; None for outputs that networks have anyway."""


def targets_of(game: Game, settings: TrainSettings) -> tuple[Target, ...]:
    """Return the targets of a training. A further target whose weight is 0 is left out, and so is its head."""
    own = (
        Target("policy", 1.0, _policy_loss),
        Target("value", settings.value_weight, _value_loss),
        Target("oracle", 1.0, _oracle_loss),
        Target("extras", settings.extras_weight, _extras_loss),
        Target("moves_left", settings.moves_left_weight, _moves_left_loss),
        Target("belief", settings.belief_weight, _belief_loss),
    )
    kept = (Target("kl", settings.kl_weight, _kl_loss), *_further_targets(game, settings))
    return (*own, *(target for target in kept if target.weight > 0))


def heads_of(targets: Iterable[Target]) -> tuple[HeadSpec, ...]:
    return tuple(target.head for target in targets if target.head is not None)


def compute_losses(batch: TrainingBatch, targets: Iterable[Target]) -> dict[str, Tensor]:
    """Return the losses of a batch by the names of the targets; "loss" is their weighted sum."""
    losses: dict[str, Tensor] = {}
    total: Tensor | float = 0.0
    for target in targets:
        loss = target.loss(batch)
        if loss is not None:
            losses[target.name] = loss
            total = total + target.weight * loss
    assert isinstance(total, torch.Tensor)
    return losses | {"loss": total}


def _further_targets(game: Game, settings: TrainSettings) -> list[Target]:
    """Return the targets with a head of their own."""
    seats = 1 if is_paired(game) else game.players
    labels = game.policy_count
    found = [
        Target(
            "soft_policy",
            settings.soft_policy_weight,
            lambda batch: imitation(_head(batch, "soft_policy"), soften(batch.arrays["policy"], _SOFTNESS)),
            HeadSpec("soft_policy", "policy", labels),
        ),
        Target(REPLY, settings.reply_weight, _head_loss(REPLY, imitation), HeadSpec(REPLY, "policy", labels)),
        Target(
            SHORT_TERM,
            settings.short_term_weight,
            _head_loss(SHORT_TERM, numbers_loss),
            HeadSpec(SHORT_TERM, "numbers", len(SHORT_TERM_PLIES) * seats),
        ),
        Target(
            "payoffs",
            settings.payoff_weight,
            lambda batch: cross_entropy(_head(batch, "payoffs"), batch.payoffs),
            HeadSpec("payoffs", "distribution", PAYOFF_BINS),
        ),
    ]
    first = first_cell_aux(game)
    if first is not None:
        loss = _head_loss("ownership", numbers_loss, "aux", first)
        found.append(Target("ownership", settings.ownership_weight, loss, HeadSpec("ownership", "cells", 1)))
    return found + [_of_game(target) for target in game.training_targets]


def _of_game(target: TrainingTarget) -> Target:
    """Return a target that a game declares."""
    losses = {"policy": imitation, "distribution": imitation, "numbers": numbers_loss, "cells": numbers_loss}
    given = target.loss
    loss = losses[target.kind] if given is None else lambda output, labels: given(output, labels).mean()
    return Target(
        target.name, target.weight, _head_loss(target.name, loss), HeadSpec(target.name, target.kind, target.size)
    )


def _head(batch: TrainingBatch, name: str) -> Tensor:
    return batch.out.heads[name].float().flatten(1)


def _head_loss(name: str, loss: Callable[[Tensor, Tensor], Tensor], labels: str = "", first: int = 0) -> Loss:
    """Return the loss of a head's output against an array of samples, by default the one with its name.

    Of the array, the numbers before the index `first` belong to other targets.
    """

    def compute(batch: TrainingBatch) -> Tensor | None:
        given = batch.arrays.get(labels or name)
        if given is None or given.shape[-1] == 0:
            return None
        return loss(_head(batch, name), given.reshape(len(given), -1)[:, first:])

    return compute


def _policy_loss(batch: TrainingBatch) -> Tensor:
    kind = batch.settings.policy_loss or "cross_entropy"
    return _POLICY_LOSSES[kind](batch.out.policy.float(), batch.arrays["policy"])


def _value_loss(batch: TrainingBatch) -> Tensor:
    """Targets are shares of a full win for the viewer; only a value of kind payoff has more than one."""
    kind, settings = batch.model.architecture.value, batch.settings
    if kind == "payoff":
        target = batch.payoffs
        if batch.oracle is not None:
            # The oracle's expectation includes the luck of the hidden cards, but not that of future cards.
            known = torch.softmax(batch.oracle.detach(), dim=1)
            target = (1 - settings.oracle_share) * target + settings.oracle_share * known
        return cross_entropy(batch.out.payoff.float(), target)
    has_seats = kind == "seats" and batch.arrays["seat_results"].shape[1] > 0
    names = ("seat_results", "seat_values") if has_seats else ("result", "search_value")
    result, promise = (batch.arrays[name].clamp(-1, 1) for name in names)
    return value_loss(kind, batch.out.value.float(), result + settings.search_value_share * (promise - result))


def value_loss(kind: str, value: Tensor, target: Tensor) -> Tensor:
    if kind == "wdl":
        shares = torch.stack([target.clamp(min=0), 1 - target.abs(), (-target).clamp(min=0)], dim=1)
        return cross_entropy(value, shares)
    if target.ndim == 2:
        return ((value - target) ** 2).mean()
    # With one number for each seat, the viewer's comes first; samples of earlier versions have no other result.
    return ((value[:, 0] - target) ** 2).mean()


def _oracle_loss(batch: TrainingBatch) -> Tensor | None:
    return None if batch.oracle is None else cross_entropy(batch.oracle, batch.payoffs)


def _extras_loss(batch: TrainingBatch) -> Tensor | None:
    aux = batch.arrays["aux"]
    if not (batch.out.extras.shape[1] and aux.shape[1]):
        return None
    return known_mean((batch.out.extras.float() - torch.nan_to_num(aux)) ** 2, torch.isfinite(aux))


def _moves_left_loss(batch: TrainingBatch) -> Tensor | None:
    if not batch.out.moves_left.shape[1]:
        return None
    left = batch.arrays["moves_left"]
    errors = functional.huber_loss(batch.out.moves_left[:, 0].float(), left / 10, reduction="none")
    return known_mean(errors, left >= 0)


def _belief_loss(batch: TrainingBatch) -> Tensor | None:
    labels = batch.arrays["hidden_labels"]
    if not (batch.out.belief.shape[1] and labels.shape[1]):
        return None
    return functional.binary_cross_entropy_with_logits(batch.out.belief.float(), labels)


def _kl_loss(batch: TrainingBatch) -> Tensor:
    with torch.no_grad():
        before = functional.log_softmax(batch.previous(batch.arrays["features"]).policy.float(), dim=1)
    now = functional.log_softmax(batch.out.policy.float(), dim=1)
    return functional.kl_div(now, before, reduction="batchmean", log_target=True)
