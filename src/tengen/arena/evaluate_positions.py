"""What an evaluator says of positions by itself, without a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tengen.evaluators import Evaluator, find_evaluator
from tengen.search import Pool, SearchSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game, State

__all__ = ["evaluate_positions", "find_policy_evaluator"]

_BATCH = 256


def find_policy_evaluator(evaluator: AnyEvaluator, game: Game) -> Evaluator:
    """An evaluator that has a policy of its own."""
    found = find_evaluator(evaluator, game)
    if not isinstance(found, Evaluator):
        raise ValueError(f"{evaluator!r} has no policy of its own: pass a network or a function")
    return found


def evaluate_positions(
    game: Game, evaluator: Evaluator, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Policies [states, actions] and values [states, players] in the game's unit, as the seats see the states.

    In a game with hidden information the evaluator is shown a world that is drawn anew for the seat.
    """
    policies = np.zeros((len(states), game.action_count))
    values = np.zeros((len(states), game.players))
    # A search's first visit is the evaluator's word on the root.
    pool = Pool(game, SearchSettings(visits=1), evaluator)
    for begin in range(0, len(states), _BATCH):
        wanted = range(begin, min(begin + _BATCH, len(states)))
        roots = {pool.add(states[i], viewer=seats[i], seed=seeds[i]): i for i in wanted}
        leaves = pool.collect(len(roots) * game.players)
        legal, viewers, of_root = leaves.legal, leaves.viewers, leaves.roots
        answer, _ = pool.evaluate(leaves)
        assert answer is not None
        for row, (root, viewer) in enumerate(zip(of_root, viewers, strict=True)):
            i = roots[root]
            if viewer == seats[i]:
                policies[i] = _softmax(_by_action(states[i], answer.logits[row]), legal[row])
                values[i] = answer.values[row]
        for root in roots:
            pool.remove(root)
    return policies, values


def _by_action(state: State, logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """From labels, where the game has such. What has none counts as the best that has."""
    game = state.game
    if len(logits) == game.action_count:
        return logits
    labels = {action: game.policy_index(state.position, action) for action in state.legal()}
    highest = max((logits[label] for label in labels.values() if label >= 0), default=np.float32(0))
    found = np.full(game.action_count, -np.inf, np.float32)
    for action, label in labels.items():
        found[action] = logits[label] if label >= 0 else highest
    return found


def _softmax(logits: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    masked = np.where(legal, logits.astype(np.float64), -np.inf)
    weights: NDArray[np.float64] = np.exp(masked - masked.max())
    weights /= weights.sum()
    return weights
