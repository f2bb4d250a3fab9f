"""A game played to its end at random, for games in Python; the core has its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

    from tengen.games import Game

__all__ = ["MAX_PLIES", "random_playout"]

MAX_PLIES = 100_000


def random_playout(
    game: Game, position: Any, rng: random.Random, first: tuple[int, int] | None = None
) -> tuple[Any | None, int]:
    """The final position and how many plies it took; None: it went on for more than MAX_PLIES. With `first`, a player
    and an action, that player begins with it."""
    for plies in range(MAX_PLIES):
        actor = game.actor(position)
        if actor is None:
            return position, plies
        if actor == "chance":
            position = game.apply(position, game.outcome(position, rng))
            continue
        if actor == "all":
            joint = [rng.choice(game.legal(position, player)) for player in range(game.players)]
            if first is not None:
                joint[first[0]] = first[1]
            position = game.apply(position, tuple(joint))
        else:
            position = game.apply(position, rng.choice(game.legal(position, actor)) if first is None else first[1])
        first = None
    return None, MAX_PLIES
