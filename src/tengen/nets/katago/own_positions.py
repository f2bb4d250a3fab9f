"""Positions of games that a network of KataGo's plays with itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tengen.nets.katago.positions import Inputs, inputs_of

if TYPE_CHECKING:
    from tengen.games import Game, State
    from tengen.nets.katago.network import KataGoNetwork

_GAMES = 4
_LENGTH = 0.7
"""Of games, in moves a point of the board."""


def own_positions(network: KataGoNetwork, game: Game, count: int = 96, seed: int = 0) -> Inputs:
    """Positions of games in which moves are drawn from the network's policy."""
    rng = np.random.default_rng(seed)
    _, height, width = game.shape
    playing = [game.start(number) for number in range(_GAMES)]
    seen: list[State] = []
    for _ in range(int(height * width * _LENGTH) + 1):
        playing = [state for state in playing if not state.is_over]
        if not playing:
            break
        seen += playing
        inputs = inputs_of(playing)
        raw = network.evaluate(inputs.planes, inputs.globals, inputs.legal, white_to_move=inputs.white_to_move)
        odds = np.maximum(raw.policy.astype(np.float64), 0)
        moves = [int(rng.choice(len(row), p=row / row.sum())) for row in odds]
        playing = [state.play(move) for state, move in zip(playing, moves, strict=True)]
    return inputs_of([seen[i] for i in rng.permutation(len(seen))[:count]])
