"""Elo ratings by Bradley and Terry's model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tengen.arena.result import MatchResult
from tengen.arena.statistics import Z95, Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pairing", "Rating", "Ratings", "elo"]

Pairing: TypeAlias = tuple[str, str, float, float, float] | MatchResult
"""(name, other name, wins, draws, losses), or a match."""

# Elo in a unit of the model, whose odds of winning are exp(difference).
_UNIT = 400 / math.log(10)
_LONGEST_STEP = 3.0
_MAX_STEPS = 500


@dataclass(frozen=True)
class Rating:
    name: str
    elo: float
    low: float
    high: float
    """The 95 % interval: relative to the anchors, or, in a group without any, to the group's mean."""
    games: float
    score: float
    """The score rate over all games; not a number if there are none."""
    is_anchor: bool
    group: int
    """Players of different groups can't be compared, unless both groups have anchors."""


@dataclass(frozen=True)
class Ratings:
    players: tuple[Rating, ...]
    """Group by group, the largest first; in a group the best first."""
    groups: tuple[tuple[str, ...], ...]
    """Players that are connected by games, the largest group first."""
    prior_games: float
    _covariance: NDArray[np.float64] = field(repr=False, compare=False)
    """[players, players], in Elo, in the order of `players`."""

    def __getitem__(self, name: str) -> Rating:
        for rating in self.players:
            if rating.name == name:
                return rating
        raise KeyError(f"{name!r} has no rating: there are {', '.join(rating.name for rating in self.players)}")

    def difference(self, name: str, other: str) -> Estimate:
        """How far one player is above another. Narrower than their own intervals suggest: what they share cancels."""
        one, two = self[name], self[other]
        if one.group != two.group and not (self._has_anchor(one.group) and self._has_anchor(two.group)):
            raise ValueError(f"no games connect {name!r} with {other!r}")
        i, j = self.players.index(one), self.players.index(two)
        covariance = self._covariance
        error = Z95 * math.sqrt(max(0.0, covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]))
        lead = one.elo - two.elo
        return Estimate(lead, lead - error, lead + error)

    def table(self, names: Mapping[str, str] | None = None) -> str:
        """Return the ratings as lines; `names` are shown instead of the players' own."""
        shown = names or {}
        rows = [["player", "Elo", "95 %", "games", "score"]]
        for rating in self.players:
            interval = "anchor" if rating.is_anchor else f"{rating.low:+.0f} … {rating.high:+.0f}"
            score = "" if math.isnan(rating.score) else f"{100 * rating.score:.1f} %"
            rows.append(
                [shown.get(rating.name, rating.name), f"{rating.elo:+.0f}", interval, f"{rating.games:g}", score]
            )
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        lines = [
            "  ".join(
                [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
            )
            for row in rows
        ]
        if len(self.groups) > 1:
            lines.append("No games connect these groups:")
            lines += [f"  {', '.join(shown.get(name, name) for name in group)}" for group in self.groups]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def _has_anchor(self, group: int) -> bool:
        return any(rating.is_anchor for rating in self.players if rating.group == group)


def elo(results: Sequence[Pairing], anchors: Mapping[str, float] | None = None, *, prior_games: float = 1.0) -> Ratings:
    """The likeliest ratings. A draw is half a win and half a loss.

    Anchors keep their ratings; a group of players without one has the mean 0. The prior: every two players who met are
    taken to have drawn `prior_games` games more, which keeps ratings finite where one side won everything. The
    intervals come from the Fisher information; where there are draws they are wider than need be.
    """
    anchors = dict(anchors or {})
    for name, rating in anchors.items():
        if not math.isfinite(rating):
            raise ValueError(f"the anchor {name!r} is rated {rating}")
    if not (math.isfinite(prior_games) and prior_games > 0):
        raise ValueError(f"prior_games is {prior_games} and must be above 0")
    plain = [_read(result) for result in results]
    names = list(dict.fromkeys([name for pairing in plain for name in pairing[:2]] + list(anchors)))
    place = {name: i for i, name in enumerate(names)}
    points = np.zeros((len(names), len(names)))
    for name, other, wins, draws, losses in plain:
        i, j = place[name], place[other]
        points[i, j] += wins + draws / 2
        points[j, i] += losses + draws / 2
    games = points + points.T
    with_prior = points + np.where(games > 0, prior_games / 2, 0.0)
    strengths = np.zeros(len(names))
    covariance = np.zeros((len(names), len(names)))
    groups = _groups(games)
    for group in groups:
        fixed = {i: anchors[names[i]] / _UNIT for i in group if names[i] in anchors}
        _rate_group(with_prior, group, fixed, strengths, covariance)
    return _ratings(names, anchors, points, groups, strengths * _UNIT, covariance * _UNIT**2, prior_games)


def _read(result: Pairing) -> tuple[str, str, float, float, float]:
    if isinstance(result, MatchResult):
        result = (result.first, result.second, result.wins, result.draws, result.losses)
    name, other, wins, draws, losses = result
    if name == other:
        raise ValueError(f"{name!r} is matched with itself: give the two players different names")
    for count in (wins, draws, losses):
        if not (math.isfinite(count) and count >= 0):
            raise ValueError(f"{name!r} against {other!r}: {count} is no number of games")
    return name, other, wins, draws, losses


def _groups(games: NDArray[np.float64]) -> list[list[int]]:
    """Connected players, the largest group first."""
    groups = []
    left = set(range(len(games)))
    while left:
        reached = {min(left)}
        fresh = set(reached)
        while fresh:
            fresh = {int(j) for i in fresh for j in np.flatnonzero(games[i])} - reached
            reached |= fresh
        left -= reached
        groups.append(sorted(reached))
    return sorted(groups, key=len, reverse=True)


def _rate_group(
    points: NDArray[np.float64],
    group: list[int],
    fixed: Mapping[int, float],
    strengths: NDArray[np.float64],
    covariance: NDArray[np.float64],
) -> None:
    """Newton's method on the log-likelihood, which is concave. Writes into the last two."""
    strengths[group] = sum(fixed.values()) / len(fixed) if fixed else 0.0
    for i, strength in fixed.items():
        strengths[i] = strength
    free = [i for i in group if i not in fixed]
    if not free:
        return
    if len(group) == 1:
        covariance[group[0], group[0]] = math.inf
        return
    # Without anchors only differences count: this holds the mean, and takes itself out again in the end.
    holding = 0.0 if fixed else 1.0 / len(free)
    for _ in range(_MAX_STEPS):
        slope, curvature = _derivatives(points, strengths)
        information = curvature[np.ix_(free, free)] + holding
        step = np.linalg.solve(information, slope[free])
        step *= min(1.0, _LONGEST_STEP / max(np.abs(step).max(), 1e-300))
        before, height = strengths[free], _log_likelihood(points, strengths)
        strengths[free] = before + step
        while _log_likelihood(points, strengths) < height - 1e-9 * abs(height) and np.abs(step).max() > 1e-12:
            step /= 2
            strengths[free] = before + step
        if np.abs(step).max() < 1e-10:
            break
    else:
        raise ArithmeticError("the ratings did not converge")
    if not fixed:
        strengths[free] -= strengths[free].mean()
    _, curvature = _derivatives(points, strengths)
    covariance[np.ix_(free, free)] = np.linalg.inv(curvature[np.ix_(free, free)] + holding) - holding


def _derivatives(points: NDArray[np.float64], strengths: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    games = points + points.T
    chance = _chances(strengths)
    slope = (points - games * chance).sum(axis=1)
    weight = games * chance * chance.T
    return slope, np.diag(weight.sum(axis=1)) - weight


def _log_likelihood(points: NDArray[np.float64], strengths: NDArray[np.float64]) -> float:
    lead = strengths[:, None] - strengths[None, :]
    return -float((points * np.logaddexp(0.0, -lead)).sum())


def _chances(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """[players, players]: the chance of the one in the row."""
    chances: NDArray[np.float64] = np.exp(-np.logaddexp(0.0, strengths[None, :] - strengths[:, None]))
    return chances


def _ratings(
    names: list[str],
    anchors: Mapping[str, float],
    points: NDArray[np.float64],
    groups: list[list[int]],
    strengths: NDArray[np.float64],
    covariance: NDArray[np.float64],
    prior_games: float,
) -> Ratings:
    games = (points + points.T).sum(axis=1)
    order: list[int] = []
    players: list[Rating] = []
    for number, group in enumerate(groups):
        for i in sorted(group, key=lambda i: (-strengths[i], names[i])):
            rating = float(anchors.get(names[i], strengths[i]))
            error = Z95 * math.sqrt(covariance[i, i])
            score = float(points[i].sum() / games[i]) if games[i] > 0 else math.nan
            is_anchor = names[i] in anchors
            players.append(
                Rating(names[i], rating, rating - error, rating + error, float(games[i]), score, is_anchor, number)
            )
            order.append(i)
    named = tuple(tuple(names[i] for i in group) for group in groups)
    return Ratings(tuple(players), named, prior_games, covariance[np.ix_(order, order)])
