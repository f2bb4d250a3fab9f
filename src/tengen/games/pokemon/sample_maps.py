"""Other ways to write down the same battle: members of a team, and a Pokémon's moves, have no order that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tengen.games.pokemon.action_names import NAMES, TEAM

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["make_sample_maps"]

# As core/games/pokemon/encode.cpp lays out a row.
_FIRST_MOVE, _MOVE_SIZE, _MOVES = 65, 34, 4
_WAYS = 256
"""Of more than 12 million: enough that no order is learned by heart."""


def make_sample_maps(planes: int, rows: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """[ways, actions] and [ways, features]: where each goes, the first way being the identity. Both teams' rows are
    put in another order, and in all of them the moves; the fields' rows stay."""
    rng = np.random.default_rng(1)
    actions = np.tile(np.arange(len(NAMES), dtype=np.int32), (_WAYS, 1))
    features = np.empty((_WAYS, planes * rows), np.int32)
    for way in range(_WAYS):
        row_to = np.arange(rows)
        plane_to = np.tile(np.arange(planes)[:, None], (1, rows))
        if way:
            row_to[:TEAM] = rng.permutation(TEAM)
            row_to[TEAM : 2 * TEAM] = TEAM + rng.permutation(TEAM)
            move_to = rng.permutation(_MOVES)
            actions[way, :TEAM] = row_to[:TEAM]
            for first in (TEAM, TEAM + _MOVES):
                actions[way, first : first + _MOVES] = first + move_to
            for move in range(_MOVES):
                begin, end = (_FIRST_MOVE + _MOVE_SIZE * which for which in (move, int(move_to[move])))
                plane_to[begin : begin + _MOVE_SIZE, : 2 * TEAM] = np.arange(end, end + _MOVE_SIZE)[:, None]
        features[way] = (plane_to * rows + row_to[None, :]).ravel()
    return actions, features
