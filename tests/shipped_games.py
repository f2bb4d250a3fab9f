"""The games that ship, from the registry, at sizes at which every state can be looked at."""

import tengen
from tengen.games import names

NAMES = tuple(names())
SMALL = {"go": {"size": 5}, "pokemon": {"max_turns": 8}, "shogi": {"max_plies": 24}}


def small_game(name):
    return tengen.game(name, **SMALL.get(name, {}))
