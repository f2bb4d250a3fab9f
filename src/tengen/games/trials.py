"""Flat Monte Carlo: every action tried in the same worlds."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tengen.games.state import State

__all__ = ["Trial", "TrialSettings", "play_out", "try_actions"]

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
    risk: float = 0.0
    """How much more the viewer dared than is safe, in games that know such a thing; below 0: it went well."""


@dataclass(frozen=True)
class TrialSettings:
    """How actions are tried; Game.try_actions() tells what each means."""

    worlds: int
    rollout_policy: str | None = None
    halving: bool = False
    caution: float = 0.0
    most: float = math.inf

    def __post_init__(self) -> None:
        if not 1 <= self.worlds < 2**32:
            raise ValueError(f"worlds is {self.worlds} and must be from 1 to {2**32 - 1}")
        if not 0 <= self.caution < math.inf:
            raise ValueError(f"caution is {self.caution} and must be at least 0, and finite")
        if not self.most > 0:
            raise ValueError(f"most is {self.most} and must be above 0")


def try_actions(state: State, viewer: int, settings: TrialSettings, seed: int, lead: Sequence[float]) -> list[Trial]:
    """For games in Python: redealt worlds, random play."""
    most = settings.most
    rng = random.Random(seed)
    actions = state.legal(viewer if state.actor == "all" else None)
    if lead and len(lead) != len(actions):
        raise ValueError(f"lead has {len(lead)} numbers for {len(actions)} actions")
    payoffs: list[list[float]] = [[] for _ in actions]
    left = list(range(len(actions)))
    rounds = (len(actions) - 1).bit_length() if settings.halving and len(actions) > 2 else 1
    for turn in range(rounds):
        if turn > 0:
            left.sort(key=lambda i: -float(np.mean(payoffs[i])) - (lead[i] if lead else 0.0))
            left = left[: (len(left) + 1) // 2]
        for _ in range(max(1, settings.worlds * len(actions) // (rounds * len(left)))):
            world = state.redeal(viewer, rng.getrandbits(63)) if state.game.hidden else state
            luck = rng.getrandbits(63)
            for i in left:
                end = play_out(world, viewer, actions[i], random.Random(luck))
                payoff = 0.0 if end is None else float(state.game.payoff(end)[viewer])
                payoffs[i].append(max(-most, min(most, payoff)))
    best = max(left, key=lambda i: float(np.mean(payoffs[i])))
    return [_trial(action, np.array(payoffs[i]), np.array(payoffs[best])) for i, action in enumerate(actions)]


def _trial(action: int, own: NDArray[np.float64], best: NDArray[np.float64]) -> Trial:
    """One that was tried in fewer worlds than the best is as far from it as it was in those."""
    worlds = len(own)
    is_best = worlds == len(best) and bool((own == best).all())
    numbers = own if is_best else own - best[:worlds]
    error = float(numbers.std(ddof=1)) / math.sqrt(worlds) if worlds > 1 else 0.0
    mean = float(best.mean() + (own - best[:worlds]).mean())
    return Trial(action, mean, error, float(((np.sign(own) + 1) / 2).mean()))


def play_out(state: State, viewer: int, action: int, rng: random.Random) -> Any:
    """The end of a game in which the viewer does that and all else is random; None: it went on for too long."""
    game = state.game
    position, first = state.position, True
    for _ in range(_MOST_PLIES):
        actor = game.actor(position)
        if actor is None:
            return position
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
    return None
