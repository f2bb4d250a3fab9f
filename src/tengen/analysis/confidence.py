"""How sure a search is of each move: lower confidence bounds, and the weights that moves are ordered by."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.search import Move, SearchResult, SearchSettings

__all__ = ["confidence", "lcb_radius", "prune_weights", "selection_weights"]

MIN_WEIGHT = 1e-3
"""Of an included move: it is never dropped."""


def lcb_radius(move: Move, value_range: float, deviations: float) -> float:
    """How far below its value a move's lower confidence bound is: so many standard deviations of its mean.

    A prior that spans `value_range`, of a weight that falls with the square of the visits, keeps a few visits from
    looking certain.
    """
    visits = float(move.visits)
    if visits <= 0:
        return value_range * deviations
    prior = visits**-2
    spread = move.spread or 0.0
    variance = (spread * spread * visits + value_range * value_range * prior) / (visits + prior)
    effective = (visits + prior) ** 2 / (visits + prior * prior)
    return math.sqrt(variance / effective) * deviations


def prune_weights(result: SearchResult, settings: SearchSettings) -> SearchResult:
    """The result with its weights cut back to what the search would visit again, knowing what it knows now.

    A move's visits beyond those at which its score would have come up to the best move's were made before its value was
    known: they say how the search explored, not what it found.
    """
    best = max(result.moves, key=lambda move: move.weight, default=None)
    if (
        best is None
        or result.is_joint
        or result.player is None
        or result.proven
        or settings.rule != "puct"
        or settings.gumbel_actions
    ):
        return result
    explore = puct_scale(settings, sum(move.weight for move in result.moves)) * result.state.game.payoff_scale
    target = (best.free or best).value + explore * best.prior / (1.0 + best.weight)

    def kept(move: Move) -> float:
        gap = target - (move.free or move).value
        if move is best or gap <= 0 or move.weight <= 0:
            return move.weight
        wanted = math.ceil(max(0.0, explore * move.prior / gap - 1.0))
        least = MIN_WEIGHT if move.included else 0.0
        return max(least, min(move.weight, float(wanted)))

    weights = [kept(move) for move in result.moves]
    pairs = zip(result.moves, weights, strict=True)
    moves = [move if weight == move.weight else replace(move, weight=weight) for move, weight in pairs]
    return replace(result, moves=tuple(moves))


def puct_scale(settings: SearchSettings, visits: float) -> float:
    """What PUCT multiplies prior / (1 + visits of the move) with, for values from -1 to 1, as core/search/bandit.hpp
    does. Here `visits` are weights after a search, which the core does not know."""
    base = settings.c_puct_base
    return (settings.c_puct + settings.c_puct_log * math.log((visits + base) / base)) * math.sqrt(visits)


def selection_weights(moves: Sequence[Move], radii: Sequence[float], min_share: float) -> list[float]:
    """What moves are ordered by: their weights, where the one with the best lower bound is raised so that it comes
    before those whose lead in visits its lead in value outweighs. It needs `min_share` of the highest weight."""
    weights = [move.weight for move in moves]
    highest = max(weights, default=0.0)
    bounds = [move.value - r for move, r in zip(moves, radii, strict=True)]
    candidates = [i for i, weight in enumerate(weights) if weight > 0 and weight >= min_share * highest]
    if not candidates:
        return weights
    best = max(candidates, key=lambda i: bounds[i])
    raised = weights[best]
    for i, weight in enumerate(weights):
        excess = bounds[best] - bounds[i]
        if i == best or weight <= 0 or excess <= 0:
            continue
        factor = (radii[i] + excess) / (radii[i] + 0.2 * excess)
        raised = max(raised, factor * factor * weight)
    weights[best] = raised
    return weights


def confidence(result: SearchResult) -> float:
    """The probability that the best move is worth at least as much as every rival.

    The means of their evaluations are taken as normal, each pair by itself. What has less than a twentieth of its
    visits is no rival: the search has dismissed it.
    """
    best = next((move for move in result.moves if move.player == result.player), None)
    if best is None or result.proven:
        return 1.0 if result.proven else 0.0
    least = 1.0
    scale = result.state.game.payoff_scale
    for move in result.moves:
        if move is best or move.player != best.player or move.visits < max(1.0, best.visits / 20):
            continue
        variance = _variance_of_mean(best, scale) + _variance_of_mean(move, scale)
        z = (best.value - move.value) / math.sqrt(2.0 * variance)
        least = min(least, 0.5 * (1.0 + math.erf(z)))
    return least


def _variance_of_mean(move: Move, scale: float) -> float:
    # A deviation of the whole range that fades with the visits: few of them prove nothing.
    visits = move.visits
    spread = move.spread or 0.0
    return (spread * spread + (2.0 * scale / visits) ** 2) / visits
