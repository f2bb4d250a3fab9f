"""Estimates with 95 % intervals from paired games."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "Z95",
    "Estimate",
    "elo_from_score",
    "paired_error",
    "paired_mean",
    "paired_ratio",
    "paired_score",
    "score_from_elo",
    "student95",
    "wilson",
]

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float

    def through(self, function: Callable[[float], float]) -> Estimate:
        """The same on another scale; `function` must be increasing."""
        return Estimate(function(self.value), function(self.low), function(self.high))

    def __str__(self) -> str:
        return f"{self.value:+.4g} ({self.low:+.4g} … {self.high:+.4g})"


def score_from_elo(elo: float) -> float:
    """The score rate that a lead of so much Elo stands for."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_from_score(score: float) -> float:
    """Infinite for a score rate of 0 or 1."""
    if score <= 0 or score >= 1:
        return -math.inf if score <= 0 else math.inf
    return 400 * math.log10(score / (1 - score))


def paired_score(scores: Sequence[float]) -> Estimate:
    """The score rate from the scores of games, each from 0 to 1, those of a pair side by side.

    Wilson's interval for as many independent games as would say as much as these pairs do: the number of games over
    their design effect, which is the variance seen between pairs over that of games without draws and without pairing.
    One pair of no effect is added to what was seen, so that a handful of equal pairs does not count as certainty.
    """
    pairs = _pairs(scores)
    mean = math.fsum(pairs) / len(pairs)
    plain_variance = mean * (1 - mean) / 2
    effect = 1.0
    if plain_variance > 0:
        effect = (_square_sum(pairs, mean) / plain_variance + 1) / len(pairs)
    return wilson(mean, len(scores) / effect)


def paired_mean(numbers: Sequence[float], bound: float = math.inf) -> Estimate:
    """The mean of games' numbers, those of a pair side by side.

    Where numbers can't be beyond ±bound, they are scores on another scale, and so is their interval. Else it is
    Student's over pairs; one pair whose games do not cancel out is added here too, and one pair alone bounds nothing.
    """
    if math.isfinite(bound) and all(abs(number) <= bound for number in numbers):
        scores = paired_score([(number / bound + 1) / 2 for number in numbers])
        return scores.through(lambda score: (2 * score - 1) * bound)
    mean, error = paired_error(numbers)
    if math.isinf(error):
        return Estimate(mean, -math.inf, math.inf)
    error *= student95(len(numbers) // 2 - 1)
    return Estimate(mean, mean - error, mean + error)


def paired_error(numbers: Sequence[float]) -> tuple[float, float]:
    """The mean of games' numbers and its standard error, as paired_mean() takes it; infinite for a single pair."""
    pairs = _pairs(numbers)
    count = len(pairs)
    mean = math.fsum(pairs) / count
    if count == 1:
        return mean, math.inf
    plain_variance = _square_sum(numbers, mean) / len(numbers) / 2
    variance = (_square_sum(pairs, mean) + plain_variance) / count
    return mean, math.sqrt(variance / count)


def paired_ratio(counts: Sequence[float], chances: Sequence[float]) -> Estimate | None:
    """How many of the chances came about, where games have different numbers of them; None if there were none.

    Both are by game, those of a pair side by side, and no count exceeds its chances. Wilson's interval, as in
    paired_score(), with the design effect that the pairs' deviations from the common rate show.
    """
    hits, tries = _pairs(counts), _pairs(chances)
    total = math.fsum(chances)
    if total == 0:
        return None
    rate = math.fsum(counts) / total
    plain_variance = rate * (1 - rate) * total
    effect = 1.0
    if plain_variance > 0:
        seen = math.fsum((2 * (hit - rate * tried)) ** 2 for hit, tried in zip(hits, tries, strict=True))
        # One more pair with the chances of the average one, without any effect.
        effect = (seen / plain_variance * len(hits) + 1) / (len(hits) + 1)
    return wilson(rate, total / max(effect, 1e-9))


def student95(freedom: int) -> float:
    """The half width of 95 % of Student's distribution."""
    small = {1: 12.706205, 2: 4.302653, 3: 3.182446, 4: 2.776445, 5: 2.570582}
    if freedom in small:
        return small[freedom]
    # Cornish and Fisher's expansion; from 6 on it is right to 3 digits.
    z, n = Z95, float(freedom)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3


def wilson(rate: float, count: float) -> Estimate:
    square = Z95**2 / count
    center = (rate + square / 2) / (1 + square)
    error = Z95 * math.sqrt(rate * (1 - rate) / count + square / (4 * count)) / (1 + square)
    # Rounding must not leave the rate outside its own interval.
    return Estimate(rate, max(0.0, min(rate, center - error)), min(1.0, max(rate, center + error)))


def _pairs(numbers: Sequence[float]) -> list[float]:
    return [(one + other) / 2 for one, other in zip(numbers[0::2], numbers[1::2], strict=True)]


def _square_sum(numbers: Sequence[float], mean: float) -> float:
    return math.fsum((number - mean) ** 2 for number in numbers)
