"""What the expected ownership of points says about the stones on a board of Go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games import State
    from tengen.games.go import Go

    Ownership = Sequence[float] | NDArray[np.float64]

__all__ = ["dead_cells", "is_settled"]

_DEAD: Final = -0.3
"""A chain whose points belong to its own side less than this is dead; in a seki they belong to nobody."""
_SETTLED: Final = 0.85
"""The fate of a chain is clear beyond this."""


def dead_cells(game: Go, state: State, ownership: Ownership) -> list[int]:
    """All stones of dead chains, by who will own their points: 1 is Black's, -1 White's."""
    return [cell for chain, own in _chains(game, state, ownership) if own < _DEAD for cell in chain]


def is_settled(game: Go, state: State, ownership: Ownership) -> bool:
    """Whether it is clear of every chain if it lives."""
    return all(abs(own) > _SETTLED for _, own in _chains(game, state, ownership))


def _chains(game: Go, state: State, ownership: Ownership) -> list[tuple[list[int], float]]:
    """Chains, with how far their own side will own them on average."""
    stones = game.go.board(state.position)
    seen: set[int] = set()
    found = []
    for cell, stone in enumerate(stones):
        if not stone or cell in seen:
            continue
        chain = list(game.go.chain(state.position, cell))
        seen.update(chain)
        mean = float(sum(ownership[point] for point in chain)) / len(chain)
        found.append((chain, mean if stone == 1 else -mean))
    return found
