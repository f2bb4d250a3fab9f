"""Positions of the game `go` as networks see them: its encoding is their 22 planes, then their 19 global inputs, each
the same at every point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tengen.nets.katago.description import GLOBALS, PLANES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game, State

    Floats = NDArray[np.float32]

GAME = "go"
WHITE = 1
"""The seat; Black's is 0."""


@dataclass(frozen=True, eq=False)
class Inputs:
    planes: Floats
    """[rows, 22, height, width]."""
    globals: Floats
    """[rows, 19]."""
    legal: NDArray[np.bool_]
    """[rows, points + 1]."""
    white_to_move: NDArray[np.bool_]
    """[rows]."""

    @staticmethod
    def join(parts: Sequence[Inputs]) -> Inputs:
        names = Inputs.__dataclass_fields__
        return Inputs(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def take(self, rows: NDArray[np.intp]) -> Inputs:
        return Inputs(*(getattr(self, name)[rows] for name in Inputs.__dataclass_fields__))


def check_game(game: Game) -> None:
    """Raises a ValueError if networks of KataGo's can't see this game."""
    planes, height, width = game.shape
    if game.id != GAME or planes != PLANES + GLOBALS or game.action_count != height * width + 1:
        raise ValueError(f"networks of KataGo's play the game {GAME!r}, not {game.id!r}")


def split(features: Floats) -> tuple[Floats, Floats]:
    """Planes and globals of encodings [rows, 41, height, width]."""
    return features[:, :PLANES], np.ascontiguousarray(features[:, PLANES:, 0, 0])


def inputs_of(states: Sequence[State]) -> Inputs:
    """Of positions on boards of one size in which someone is to move."""
    for state in states:
        check_game(state.game)
        if not isinstance(state.actor, int):
            raise ValueError(f"nobody is to move: the game is over\n{state}")
    movers = [state.actor for state in states if isinstance(state.actor, int)]
    legal = np.zeros((len(states), states[0].game.action_count), np.bool_)
    for row, state in enumerate(states):
        legal[row, state.legal()] = True
    planes, told = split(np.stack([state.encode(mover) for state, mover in zip(states, movers, strict=True)]))
    return Inputs(planes, told, legal, np.array(movers) == WHITE)
