"""Reports on matches that decide about promoting the first player: payoffs, rates, risks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tengen.arena.statistics import Estimate, wilson

if TYPE_CHECKING:
    from tengen.arena.result import MatchResult
    from tengen.games import Game, Rate

__all__ = ["TAIL", "MatchReport", "RateReport", "ValueMetric", "check_limits", "find_metric"]

TAIL = 0.05
"""The share of games, the worst ones, that the conditional value at risk is the mean of."""
_SUMMARY = "train_summary"
"""Part of a model's file that holds the metrics it was trained to."""
_METRICS = ("valid.rmse", "valid.mse", "valid_rmse", "valid_mse", "rmse", "mse")


@dataclass(frozen=True)
class RateReport:
    """A rate of counts of both players together, of the first and of the second. The interval is Wilson's for as many
    observations as there were games with such a thing: what happens in one game hangs together."""

    total: Estimate
    first: Estimate
    second: Estimate
    whole: tuple[float, float]
    """How many there were to take a share of: of the first player, of the second."""
    limit: float | None
    """Largest rate that is safe; None if there is no limit."""

    @property
    def is_safe(self) -> bool:
        """Return whether the rate of both players together is within the limit. A rate of nothing is."""
        return self.limit is None or sum(self.whole) == 0 or self.total.value <= self.limit


@dataclass(frozen=True)
class ValueMetric:
    """An error of a value model on games that it has not seen, and the one that it must not exceed."""

    name: str
    value: float
    baseline: float

    @property
    def is_not_worse(self) -> bool:
        return self.value <= self.baseline


@dataclass(frozen=True)
class MatchReport:
    """A match, read for its first player."""

    game: Game
    result: MatchResult
    limits: Mapping[str, float]
    """Limits of rates by name, for those that differ from the game's own."""
    value: ValueMetric | None = None

    def __post_init__(self) -> None:
        check_limits(self.game, self.limits)

    @property
    def unit(self) -> str:
        return self.game.payoff_unit or "payoff"

    @property
    def worst_loss(self) -> float:
        """The least that the first player got in a game."""
        return min(game.payoff for game in self.result.games)

    @property
    def tail_mean(self) -> float:
        """The conditional value at risk: the mean payoff of the worst twentieth of the games."""
        payoffs = sorted(game.payoff for game in self.result.games)
        worst = payoffs[: math.ceil(TAIL * len(payoffs))]
        return math.fsum(worst) / len(worst)

    @cached_property
    def rates(self) -> dict[str, RateReport]:
        return {name: self._rate(name, rate) for name, rate in self.game.rates.items()}

    def _rate(self, name: str, rate: Rate) -> RateReport:
        own, other = self._sums(rate, first=True), self._sums(rate, first=False)
        both = (own[0] + other[0], own[1] + other[1], own[2] + other[2])
        limit = self.limits.get(name, rate.safe)
        return RateReport(_share(*both), _share(*own), _share(*other), (own[1], other[1]), limit)

    def _sums(self, rate: Rate, *, first: bool) -> tuple[float, float, int]:
        """The part, the whole, and in how many games there was something to take a share of."""
        games = sum(game.counts_of(first=first).get(rate.whole, 0.0) > 0 for game in self.result.games)
        return self.result.total(rate.part, first=first), self.result.total(rate.whole, first=first), games

    @cached_property
    def gates(self) -> dict[str, bool]:
        """The conditions of a promotion, each with whether it holds."""
        gates = {f"{self.unit}_significant_positive": self.result.payoff.low > 0}
        gates |= {f"{name}_safe": rate.is_safe for name, rate in self.rates.items() if rate.limit is not None}
        return gates | {"value_not_worse": self.value is None or self.value.is_not_worse}

    @property
    def promotion_recommended(self) -> bool:
        return all(self.gates.values())

    def to_plain(self) -> dict[str, Any]:
        """For JSON."""
        result = self.result
        return {
            "game": result.game,
            "settings": dict(result.settings),
            "first": result.first,
            "second": result.second,
            "seed": result.seed,
            "start": dict(result.openings.start),
            "unit": self.unit,
            **result.figures(),
            "worst_loss": self.worst_loss,
            "cvar": self.tail_mean,
            "cvar_share": TAIL,
            "seats": [{"wins": tally.wins, "draws": tally.draws, "losses": tally.losses} for tally in result.by_seat],
            "counts": {
                who: {name: result.total(name, first=is_first) / len(result.games) for name in result.counted}
                for who, is_first in (("first", True), ("second", False))
            },
            "rates": {name: _plain_rate(rate) for name, rate in self.rates.items()},
            "fallbacks": dict(zip(("first", "second"), result.fallbacks, strict=True)),
            "value": None if self.value is None else vars(self.value),
            "gates": dict(self.gates),
            "promotion_recommended": self.promotion_recommended,
        }


def check_limits(game: Game, limits: Mapping[str, float]) -> None:
    """Raises a ValueError for limits of rates that the game does not have, and for those that no rate could have."""
    unknown = sorted(set(limits) - set(game.rates))
    if unknown:
        raise ValueError(f"{game.id} has no rate called {', '.join(unknown)}; it has {', '.join(game.rates) or 'none'}")
    for name, limit in limits.items():
        if not 0 <= limit <= 1:
            raise ValueError(f"the limit of {name} is {limit} and must be from 0 to 1")


def find_metric(metrics: Mapping[str, Any], name: str | None = None) -> tuple[str, float]:
    """Return an error of a value model with its name, from its metrics or from the model's own file.

    A name has dots between the keys. Without one, the first of _METRICS that is there is taken. Raises a ValueError
    that lists what there is.
    """
    summary = metrics.get(_SUMMARY)
    places = [metrics, summary] if isinstance(summary, Mapping) else [metrics]
    for place in places:
        for wanted in [name] if name else _METRICS:
            value: Any = place
            for key in [wanted] if wanted in place else wanted.split("."):
                value = value.get(key) if isinstance(value, Mapping) else None
            if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
                return wanted, float(value)
    there = ", ".join(str(key) for place in places for key in place) or "nothing"
    raise ValueError(f"there is no number {name or ' or '.join(_METRICS)}; there is {there}")


def _share(part: float, whole: float, games: int) -> Estimate:
    """Nothing of nothing is 0, and may be anything."""
    if not whole:
        return Estimate(0.0, 0.0, 1.0)
    # Parts beyond the whole are a game's mistake, not a rate; bound them so that the interval exists.
    return wilson(min(1.0, part / whole), games)


def _plain_rate(rate: RateReport) -> dict[str, Any]:
    plain: dict[str, Any] = {"limit": rate.limit, "of_first": rate.whole[0], "of_second": rate.whole[1]}
    for name in ("total", "first", "second"):
        estimate = getattr(rate, name)
        plain |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return plain
