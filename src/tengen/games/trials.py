"""Flat Monte Carlo: every action tried in the same worlds."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tengen.games.state import State

__all__ = ["Trial", "try_actions"]

_MOST_PLIES = 100_000


@dataclass(frozen=True)
class Trial:
    """What trying an action showed, in the game's unit."""

    action: int
    mean: float
    """The viewer's payoff."""
    error: float
    """Standard error of the difference to the best action; of the best one itself, of its mean."""
    win_rate: float
    """How often the viewer's payoff was above 0; where it was 0 counts half."""


def try_actions(state: State, viewer: int, worlds: int, seed: int) -> list[Trial]:
    """For games in Python: redealt worlds, random play."""
    if worlds < 1:
        raise ValueError(f"worlds is {worlds} and must be at least 1")
    rng = random.Random(seed)
    actions = state.legal(viewer if state.actor == "all" else None)
    payoffs = np.zeros((worlds, len(actions)))
    for row in payoffs:
        world = state.redeal(viewer, rng.getrandbits(63)) if state.game.hidden else state
        luck = rng.getrandbits(63)
        for column, action in enumerate(actions):
            row[column] = _play_out(world, viewer, action, random.Random(luck))
    means = payoffs.mean(axis=0)
    best = int(means.argmax())
    trials = []
    for column, action in enumerate(actions):
        numbers = payoffs[:, column] if column == best else payoffs[:, column] - payoffs[:, best]
        error = float(numbers.std(ddof=1)) / math.sqrt(worlds) if worlds > 1 else 0.0
        wins = (np.sign(payoffs[:, column]) + 1) / 2
        trials.append(Trial(action, float(means[column]), error, float(wins.mean())))
    return trials


def _play_out(state: State, viewer: int, action: int, rng: random.Random) -> float:
    game = state.game
    position, first = state.position, True
    for _ in range(_MOST_PLIES):
        actor = game.actor(position)
        if actor is None:
            return float(game.payoff(position)[viewer])
        if actor == "chance":
            position = game.apply(position, game.outcome(position, rng))
            continue
        if actor == "all":
            joint = [rng.choice(game.legal(position, player)) for player in range(game.players)]
            if first:
                joint[viewer] = action
            position = game.apply(position, tuple(joint))
        else:
            position = game.apply(position, action if first else rng.choice(game.legal(position, actor)))
        first = False
    return 0.0
