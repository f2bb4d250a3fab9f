"""Random games, state by state."""

import random

__all__ = ["players_to_act", "walk"]


def walk(game, seed, most=60):
    """Random states, the start included."""
    rng = random.Random(seed)
    state = game.start(seed=seed)
    for _ in range(most):
        yield state
        if state.is_over:
            return
        if state.actor == "all":
            state = state.play([rng.choice(state.legal(player)) for player in range(game.players)])
        else:
            state = state.play(rng.choice(state.legal()))


def players_to_act(state):
    if state.actor == "all":
        return list(range(state.game.players))
    return [state.actor] if isinstance(state.actor, int) else []
