"""How much an evaluator's word depends on how the board is transformed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from tengen.arena.evaluate_positions import evaluate_positions, find_policy_evaluator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game, State

__all__ = ["SymmetryConsistency", "symmetry_consistency"]


@dataclass(frozen=True)
class SymmetryConsistency:
    """Each answer, transformed back, against the average over all symmetries of its position. An evaluator that does
    not care how the board lies has an agreement of 1 and else only zeros."""

    positions: int
    symmetries: int
    policy_kl: float
    """The mean divergence of the policies from their average, in nats."""
    policy_variation: float
    """Their mean total variation distance from it, from 0 to 1."""
    agreement: float
    """How often the likeliest action is that of the average."""
    value_std: float
    """The mean standard deviation of the deciding player's value, as a share of a full win."""
    value_spread: float
    """The largest difference between two values of one position, as a share of a full win."""

    def figures(self) -> dict[str, float]:
        return asdict(self)


def symmetry_consistency(game: Game, evaluator: AnyEvaluator, states: Sequence[State]) -> SymmetryConsistency:
    """Asks about every position in every orientation."""
    if game.symmetry_count < 2:
        raise ValueError(f"{game.id} has no symmetries")
    found = find_policy_evaluator(evaluator, game)
    asked = [(state, seat) for state in states for seat in _deciders(state)]
    if not asked:
        raise ValueError("none of these positions waits for a player's decision")
    seats = [seat for _, seat in asked]
    policies, values = [], []
    for symmetry in range(game.symmetry_count):
        transformed = [state.transform(symmetry) for state, _ in asked]
        # The same seeds: where something is hidden, the worlds differ by the symmetry alone.
        policy, value = evaluate_positions(game, found, transformed, seats, range(len(asked)))
        policies.append(policy[:, game.action_maps[symmetry]])
        values.append(value[np.arange(len(asked)), seats] / game.payoff_scale)
    policy = np.stack(policies)  # [symmetries, positions, actions]
    value = np.stack(values)  # [symmetries, positions]
    average = policy.mean(axis=0)
    ratio = np.divide(policy, average, out=np.ones_like(policy), where=policy > 0)
    # The average is a sum of as many roundings as there are symmetries.
    divergence = np.maximum(0.0, (policy * np.log(ratio)).sum(axis=2))
    return SymmetryConsistency(
        positions=len(asked),
        symmetries=game.symmetry_count,
        policy_kl=float(divergence.mean()),
        policy_variation=float(np.abs(policy - average).sum(axis=2).mean() / 2),
        agreement=float((policy.argmax(axis=2) == average.argmax(axis=1)).mean()),
        value_std=float(value.std(axis=0).mean()),
        value_spread=float(np.ptp(value, axis=0).max()),
    )


def _deciders(state: State) -> Sequence[int]:
    if isinstance(state.actor, int):
        return [state.actor]
    return range(state.game.players) if state.actor == "all" else []
