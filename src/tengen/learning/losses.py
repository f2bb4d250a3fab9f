"""Losses of outputs and labels. Each is a mean over the rows whose label is known."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["cross_entropy", "imitation", "known_mean", "numbers_loss", "regret", "soften", "two_hot"]

_FAR = 40.0
_NEARNESS = 0.05


def known_mean(errors: Tensor, known: Tensor) -> Tensor:
    """Return the mean of the errors that are known; 0 if none is."""
    weights = known.float()
    return (errors * weights).sum() / weights.sum().clamp(min=1.0)


def numbers_loss(output: Tensor, target: Tensor) -> Tensor:
    """Return Huber's loss of numbers. Those that are unknown are NaN."""
    errors = functional.huber_loss(output, torch.nan_to_num(target), reduction="none")
    return known_mean(errors, torch.isfinite(target))


def imitation(logits: Tensor, target: Tensor) -> Tensor:
    """Return the cross entropy of probabilities. Rows that are unknown are 0."""
    count = (target.sum(dim=1) > 0).float().sum().clamp(min=1.0)
    return -(target * functional.log_softmax(logits, dim=1)).sum() / count


def regret(logits: Tensor, target: Tensor) -> Tensor:
    """Return a loss for targets whose logarithms are payoffs, up to a constant.

    It has three parts: the payoff that the policy would get; the distance of its logits to payoffs, which has a slope
    everywhere; and the share of actions that the target does not know, which are illegal.
    """
    known = target > 0
    payoffs = _centered(torch.log(target.clamp(min=1e-30)), known)
    masked = logits.masked_fill(~known, -1e9)
    paid = (torch.softmax(masked, dim=1) * payoffs).sum()
    distance = functional.huber_loss(_centered(logits, known), payoffs, reduction="sum", delta=_FAR)
    is_taught = known.any(dim=1).float()
    off = ((torch.logsumexp(logits, dim=1) - torch.logsumexp(masked, dim=1)) * is_taught).sum()
    return (_NEARNESS * distance - paid + off) / is_taught.sum().clamp(min=1.0)


def _centered(numbers: Tensor, known: Tensor) -> Tensor:
    """Return the numbers less the mean of those that are known; 0 for the others."""
    count = known.sum(dim=1, keepdim=True).clamp(min=1)
    return (numbers - (numbers * known).sum(dim=1, keepdim=True) / count) * known


def soften(target: Tensor, power: float) -> Tensor:
    """Return probabilities to a power below 1, so that unlikely ones count for more; rows of 0 stay so."""
    soft = torch.where(target > 0, target, torch.ones_like(target)) ** power * (target > 0)
    return soft / soft.sum(dim=1, keepdim=True).clamp(min=1e-9)


def cross_entropy(logits: Tensor, shares: Tensor) -> Tensor:
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
