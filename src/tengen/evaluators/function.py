"""Python functions as evaluators."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tengen.evaluators.base import Evaluation, Evaluator, Leaves
from tengen.evaluators.network import named_outputs, read_answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game, State

__all__ = ["BatchFunction", "EvaluateFn", "Function", "takes_batches"]

EvaluateFn: TypeAlias = "Callable[[State, int], Any] | Callable[[NDArray[np.float32], NDArray[np.bool_]], Any]"
"""A function of a state and the player whose view counts, or of the features and legal actions of a batch."""

_FEATURES = "features"
_HINT = (
    "an evaluator that is a function is called as evaluate(state, player), with one State; a function for batches "
    "calls its parameters evaluate(features, legal), and a class for batches is a tengen.evaluators.Evaluator"
)


class Function(Evaluator):
    """Calls `evaluate(state, player)` with one position at a time.

    The function returns a value, or a pair of a policy and a value. The value is one number for `player` in a
    two-player zero-sum game, or one number for each player. The policy is a dictionary of action to weight, or one
    weight for each action.
    """

    def __init__(self, function: EvaluateFn) -> None:
        if not callable(function):
            raise TypeError(f"{function!r} can't be called as evaluate(state, player)")
        self.function = function

    def evaluate(self, leaves: Leaves) -> Evaluation:
        game = leaves.game
        logits = np.zeros((len(leaves), game.action_count), np.float32)
        values = np.zeros((len(leaves), game.players), np.float32)
        for row, (state, player) in enumerate(zip(leaves.states, leaves.viewers, strict=True)):
            try:
                answer: Any = self.function(state, player)  # type: ignore[arg-type]
            except (TypeError, AttributeError) as error:
                error.add_note(_HINT)
                raise
            policy: Any = None
            if isinstance(answer, tuple) and len(answer) == 2 and not isinstance(answer[0], int | float | np.number):
                policy, answer = answer
            if policy is not None:
                logits[row] = _logits(game, policy)
            values[row] = _values(game, answer, player)
        return Evaluation(logits, values)


def takes_batches(function: Callable[..., Any]) -> bool:
    """Return whether the first parameter of a function is called `features`."""
    try:
        parameters = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False  # some functions of C have no signature
    return parameters[:1] == [_FEATURES]


class BatchFunction(Evaluator):
    """Calls `evaluate(features, legal)` with whole batches.

    `features` is float32 [rows, planes, height, width], what the player to act sees in each row, and `legal` is bool
    [rows, actions]; both are read-only. The function returns what a network does: `policy` [rows, actions], log-odds,
    and `value` [rows] or another shape that NetworkEvaluator lists, as a pair, in a dictionary or as attributes. It may
    return an Evaluation instead.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def check(self, game: Game) -> None:
        if not all(game.shape):
            raise ValueError(f"{game.id} has no encoding, so there are no features: pass evaluate(state, player)")

    def evaluate(self, leaves: Leaves) -> Evaluation:
        game, rows = leaves.game, len(leaves)
        out = self.function(leaves.features, leaves.legal)
        if isinstance(out, Evaluation):
            return out
        answer = named_outputs(out)
        policy = np.asarray(answer["policy"], np.float32)
        if policy.shape not in ((rows, game.action_count), (rows, game.policy_count)):
            raise ValueError(
                f"evaluate(features, legal) answered a policy of shape {policy.shape} for {rows} rows: it must be "
                f"log-odds of shape {(rows, game.action_count)}"
            )
        return read_answer(game, answer | {"policy": policy}, np.asarray(leaves.viewers))


def _logits(game: Game, policy: Mapping[int, float] | Sequence[float] | NDArray[Any]) -> NDArray[np.float32]:
    weights = np.zeros(game.action_count, np.float64)
    if isinstance(policy, Mapping):
        for action, weight in policy.items():
            if not 0 <= action < game.action_count:
                raise ValueError(f"the policy names action {action!r}; {game.id} has 0 … {game.action_count - 1}")
            weights[action] = weight
    else:
        given = np.asarray(policy, np.float64)
        if given.shape != weights.shape:
            raise ValueError(f"the policy has shape {given.shape}; {game.id} has {game.action_count} actions")
        weights = given
    if not np.all(weights >= 0):
        raise ValueError("a policy's weights must be numbers of at least 0")
    with np.errstate(divide="ignore"):
        return np.log(weights).astype(np.float32)


def _values(game: Game, value: Any, player: int) -> NDArray[np.float64]:
    try:
        given = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        given = np.asarray(np.nan)
    if not np.isfinite(given).all():
        raise ValueError(f"evaluate(state, player) answered the value {value!r}, which is no number")
    if given.ndim == 0:
        if not (game.zero_sum and game.players == 2):
            raise ValueError(f"{game.id} is no two-player zero-sum game: answer one value for each player")
        return np.where(np.arange(2) == player, given, -given)
    if given.shape != (game.players,):
        raise ValueError(f"the value has shape {given.shape}; {game.id} has {game.players} players")
    if game.zero_sum and abs(given.sum()) > 1e-3 * game.payoff_scale:
        raise ValueError(f"the values {given.tolist()} do not add up to 0, as those of {game.id} do")
    return given
