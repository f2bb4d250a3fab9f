"""What an evaluator is asked and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tengen.games import Game, State
from tengen.nets.softness import DEFAULT_SOFTNESS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from tengen import _core


class Leaves:
    """A batch of positions that want an evaluation. Each part is read from the core when it is first asked for."""

    def __init__(self, game: Game, core: _core.Pool, count: int, root_states: Mapping[int, State]) -> None:
        self.game = game
        self.core = core
        """For the core's functions that know its game."""
        self._count = count
        self._root_states = root_states

    def __len__(self) -> int:
        """Rows. Where all players decide at once, a position has one row for each of them."""
        return self._count

    @property
    def features(self) -> NDArray[np.float32]:
        """[rows, planes, height, width], read-only: what each row's viewer sees."""
        return self.core.features()

    @property
    def legal(self) -> NDArray[np.bool_]:
        """[rows, actions], read-only."""
        return self.core.legal()

    @property
    def viewers(self) -> list[int]:
        """The player who decides in each row."""
        return self.core.viewers()

    @property
    def roots(self) -> list[int]:
        return self.core.roots()

    @property
    def depths(self) -> list[int]:
        """Decisions between the root and each row: 0 is the root itself."""
        return self.core.depths()

    @property
    def positions(self) -> list[Any]:
        """What states hold, as the game's own functions take it; in a game with hidden information, one world that the
        search has dealt."""
        return self.core.states()

    @property
    def states(self) -> list[State]:
        """The same as states, each of its root's game."""
        rows = zip(self.roots, self.positions, strict=True)
        return [State(self._root_states[root].game, position) for root, position in rows]


@dataclass(frozen=True)
class Evaluation:
    """Answers to a batch."""

    logits: NDArray[np.float32]
    """[rows, actions], or [rows, policy_count] where networks answer in labels: log-odds of the policy; what is illegal
    is left out by the search. All 0 is uniform."""
    values: NDArray[np.float32]
    """[rows, players], in seat order and in the game's unit; none further from 0 than the evaluator's max_value()."""
    aux: NDArray[np.float32] | None = None
    """[rows, aux], in seat 0's view, where the game declares auxiliary values."""


class EvaluatorInfo(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int:
        """Of the network's format."""


class Evaluator(ABC):
    """Judges positions in batches. Answers must depend on what a row's viewer sees only."""

    path: Path | None = None
    """The file that it is known by, if any."""

    @property
    def info(self) -> EvaluatorInfo | None:
        """What a network says of itself."""
        return None

    def check(self, game: Game) -> None:
        """Raises a ValueError if this evaluator can't judge the game."""

    def max_value(self, game: Game) -> float:
        """How far from 0 its values may be."""
        return game.max_payoff

    @property
    def softness(self) -> float:
        """How its policy is read as payoffs: a full win times this, times the logarithm of a share."""
        return DEFAULT_SOFTNESS

    @property
    def search_settings(self) -> Mapping[str, Any]:
        """What it was tuned for, by the names of search settings: these count where nobody chose others."""
        return {}

    @abstractmethod
    def evaluate(self, leaves: Leaves) -> Evaluation: ...

    def clear_cache(self) -> None:
        """Forgets the answers that it remembers, if it remembers any."""


class RawEvaluator(Evaluator):
    """An evaluator whose raw outputs can be had too: what a network says of a position before a search makes values of
    it."""

    @abstractmethod
    def evaluate_raw(self, leaves: Leaves | None, states: Sequence[State]) -> tuple[Evaluation | None, list[Any]]:
        """In one batch: an evaluation of the leaves, None if there are none, and a raw output for each state."""

    def evaluate(self, leaves: Leaves) -> Evaluation:
        answer, _ = self.evaluate_raw(leaves, [])
        assert answer is not None
        return answer
