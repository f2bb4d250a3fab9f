"""Python games that do what no game may, for fuzzing."""

from __future__ import annotations

import math
import random
from typing import Any

from toy_games import FullTicTacToe

from tengen import Game


class Quarrel(Exception):  # noqa: N818 - it is no error of Tengen's
    """What a game's own hooks raise."""


class Erratic(FullTicTacToe):
    """Tic-tac-toe whose hooks raise, or answer something that they can't mean, once in a while."""

    aux_count = 1
    rng = random.Random(0)
    trouble = 0.0
    answers = (None, -1, 99, "x", [], [99], (1,), (math.nan, 0.0), 2**70, 0.5)

    def final_aux(self, board):
        return [0.0]


def erratic(hook):
    original = getattr(Erratic, hook)

    def method(self, *arguments):
        if Erratic.trouble and Erratic.rng.random() < Erratic.trouble:
            answer = Erratic.rng.choice(Erratic.answers)
            # That the game is over would be a lie, and not a mistake.
            if Erratic.rng.random() < 0.5 or (hook == "actor" and answer is None):
                raise Quarrel(hook)
            return answer
        # So would be what a hook makes of another one's answer: a board with a stone of nobody's reads like any other.
        trouble, Erratic.trouble = Erratic.trouble, 0.0
        try:
            return original(self, *arguments)
        finally:
            Erratic.trouble = trouble

    return method


for _hook in ("actor", "legal", "apply", "payoff", "encode", "key", "heuristic", "final_aux"):
    setattr(Erratic, _hook, erratic(_hook))


class Unsteady(Game):
    """Rules that are not the same when they are asked again."""

    action_count = 6
    rng = random.Random(1)

    def __init__(self, hidden: bool = False, chance: bool = False, simultaneous: bool = False) -> None:
        self.hidden, self.chance, self.simultaneous = hidden, chance, simultaneous
        self.actors: list[Any] = [0, 1, *["chance"] * chance, *["all"] * simultaneous]

    def initial(self, rng):
        return (0, 0)

    def actor(self, position):
        return self.rng.choice(self.actors) if position[0] < 6 else None

    def legal(self, position, player):
        return sorted(self.rng.sample(range(6), self.rng.randint(1, 6)))

    def apply(self, position, action):
        return (position[0] + 1, self.rng.randint(0, 5))

    def payoff(self, position):
        return (1, -1) if position[1] % 2 else (-1, 1)

    def redeal(self, position, viewer, rng):
        return (position[0], rng.randint(0, 5))

    def view_key(self, position, viewer):
        return self.rng.randint(0, 3)
