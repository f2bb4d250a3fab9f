"""What the tests of the search share: positions to search, and evaluators whose answers are known."""

from __future__ import annotations

import random

from shipped_games import NAMES, small_game
from toy_games import Duel, FullTicTacToe, HighCard

from tengen import Game
from tengen.search import Pool

TOYS = (FullTicTacToe, HighCard, Duel)


def all_games():
    """Every game that ships, and Python games of every nature."""
    return [*map(small_game, NAMES), *(toy() for toy in TOYS)]


def step(state, rng):
    """One ply of random play."""
    if state.actor == "chance":
        return state.play(state.outcome(rng.getrandbits(32)))
    if state.actor == "all":
        return state.play([rng.choice(state.legal(player)) for player in range(state.game.players)])
    return state.play(rng.choice(state.legal()))


def random_state(game, seed, plies):
    """A position in which players are to act, after that many random plies or as many as there are."""
    rng = random.Random(seed)
    state = found = game.start(seed)
    for _ in range(plies):
        state = step(state, rng)
        while state.actor == "chance":
            state = step(state, rng)
        if state.is_over:
            break
        found = state
    return found


def decider(state):
    """A player to act: the one to move, or the first where all are."""
    return state.actor if isinstance(state.actor, int) else 0


def judge(state, player):
    """An opinion on all that a player may see, always the same one: values of at most 0.3 and uneven priors."""
    rng = random.Random(state.view_key(player))
    policy = [rng.random() + 0.05 for _ in range(state.game.action_count)]
    worth = rng.uniform(-0.3, 0.3) * state.game.payoff_scale
    if state.game.zero_sum:
        return policy, [worth, -worth, *[0.0] * (state.game.players - 2)]
    return policy, [worth] * state.game.players


def play(game, *actions):
    state = game.start(0)
    for action in actions:
        state = state.play(action)
    return state


def visits_of(result):
    """Visits by player and action."""
    return {(move.player, move.action): move.visits for move in result.moves}


def finishes(pool, root, how, seed=1, evaluator=judge):
    """The pool makes the visits that an undisturbed pool makes."""
    assert pool.run()
    result = pool.result(root)
    assert result.visits == how.visits
    clean = Pool(pool.game, how, evaluator)
    twin = clean.add(pool.state(root), seed=seed)
    clean.run()
    assert visits_of(result) == visits_of(clean.result(twin))
    assert result.values == clean.result(twin).values


class Paths(Game):
    """Positions are the actions played so far, so that a leaf tells the way to it. Each may take any of three actions,
    six times over; the result is decided by a sum."""

    action_count = 3
    plies = 6

    def initial(self, rng):
        return ()

    def actor(self, path):
        return None if len(path) == self.plies else len(path) % 2

    def legal(self, path, player):
        return [0, 1, 2]

    def apply(self, path, action):
        return (*path, action)

    def payoff(self, path):
        sign = sum(path) % 3 - 1
        return (sign, -sign)


class OneChoice(Game):
    """One decision, whose results are the settings: what the search makes of them is easily told."""

    def __init__(self, payoffs: tuple = (-1.0, 1.0), scale: float = 1.0) -> None:
        self.payoffs = payoffs
        self.action_count = len(payoffs)
        self.payoff_scale = scale

    def initial(self, rng):
        return ()

    def actor(self, taken):
        return None if taken else 0

    def legal(self, taken, player):
        return list(range(self.action_count))

    def apply(self, taken, action):
        return (action,)

    def payoff(self, taken):
        return (self.payoffs[taken[0]], -self.payoffs[taken[0]])
