"""Networks of KataGo's in int8, measured on games that the network plays with itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tengen import _core
from tengen.nets.int8 import keep_graph
from tengen.nets.katago.positions import Inputs, check_game, inputs_of

if TYPE_CHECKING:
    from tengen.games import Game, State
    from tengen.nets.katago.network import KataGoNetwork

_GAMES = 4
_POSITIONS = 96
"""To measure activations on; more change nothing."""
_LENGTH = 0.7
"""Of games, in moves a point of the board."""
_FORMAT = 1
"""Counted up whenever what quantize() makes changes."""


def int8_network(network: KataGoNetwork, game: Game) -> KataGoNetwork:
    """The network in int8 for the game's board size, or as it is where the core computes in float32 as fast.

    The first time, it plays some games with itself to be measured on, which takes seconds; what comes of it is kept
    beside the stored networks.
    """
    check_game(game)
    if network.backend == "native" and not _core.has_byte_products():
        return network
    _, height, width = game.shape

    def make() -> bytes:
        inputs = own_positions(network, game)
        return network.quantize(inputs.planes, inputs.globals).int8[width, height]

    graph = make() if network.path is None else keep_graph(network.path, f"{width}x{height}-{_FORMAT}", make)
    return network.with_int8({(width, height): graph})


def own_positions(network: KataGoNetwork, game: Game, count: int = _POSITIONS, seed: int = 0) -> Inputs:
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
