"""Training targets of games: what a network learns besides the policy and the value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from tengen.games.base import Game
    from tengen.games.state import State

__all__ = ["PlayedDecision", "PlayedGame", "TargetRow", "TrainingTarget"]


class PlayedDecision(Protocol):
    """A choice of one player with the result of its search, as game records hold it."""

    @property
    def ply(self) -> int: ...
    @property
    def player(self) -> int: ...
    @property
    def policy(self) -> dict[int, float]: ...
    @property
    def values(self) -> tuple[float, ...]: ...
    @property
    def visits(self) -> int: ...
    @property
    def is_full(self) -> bool:
        """False for a fast search, whose policy is no target."""

    @property
    def surprise(self) -> float | None:
        """Divergence of the policy from the evaluator's, in nats; None if unknown."""


@dataclass(frozen=True)
class PlayedGame:
    """A finished game, from which the labels of training targets are computed."""

    game: Game
    states: Sequence[State]
    """The state before each ply, and the last one."""
    decisions: Sequence[PlayedDecision]
    """All decisions, by ply."""
    payoffs: tuple[float, ...]
    is_finished: bool
    """False if a player resigned, so that the last state is not an end by the rules."""


TargetRow: TypeAlias = Callable[[PlayedGame, int], Any]
"""Returns the labels of the decision with this index in a game: a number or a flat array."""


@dataclass(frozen=True)
class TrainingTarget:
    """A training target that a network learns by a head of its own.

    The head is used in training only; what it learns is to improve the trunk that the policy and the value share.
    """

    name: str
    """The name of the labels in samples, of the head and of the loss; an identifier."""
    kind: Literal["policy", "numbers", "cells", "distribution"]
    """policy: a probability for each of the game's policy labels; numbers: numbers around -1 … 1; cells: such numbers
    for each cell of the board, [size, height, width]; distribution: a probability for each of `size` classes."""
    size: int
    """Length of the labels of one decision; of cells: numbers for each cell."""
    row: TargetRow
    """Labels of a decision. Unknown numbers are NaN; an unknown policy or distribution is all 0."""
    weight: float = 0.15
    """Factor of its loss in the sum of all losses."""
    loss: Callable[[Any, Any], Any] | None = None
    """Computes [batch] losses from the head's output and the labels, both tensors. None: cross entropy of a policy and
    of a distribution, Huber's loss of numbers and cells."""
