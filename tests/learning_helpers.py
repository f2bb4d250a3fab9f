"""Helpers of the tests of networks, self-play and learning: tiny networks, games, damage, and a harmful pickle."""

import os
import random

import tengen
from tengen.search import SearchSettings
from tengen.selfplay import SelfPlaySettings, play_games


def tiny(game, seed=1, **choices):
    """A network that is made and trained in no time."""
    from tengen.nets import Architecture, build

    return build(Architecture.of(game, **{"channels": 8, "blocks": 1} | choices), seed)


def losses_of(game, network, arrays, settings):
    """The losses of a batch by name, as training computes them."""
    from tengen.learning.targets import TrainingBatch, compute_losses, targets_of

    return compute_losses(TrainingBatch(arrays, network, network, settings), targets_of(game, settings))


def quick_play(visits=8, parallel=8, **changes):
    """Self-play that costs little. Changes may be of the search or of the games."""
    mine = {name: changes.pop(name) for name in list(changes) if hasattr(SelfPlaySettings(), name)}
    return SelfPlaySettings(search=SearchSettings(visits=visits, **changes), parallel=parallel, **mine)


def quick_games(game, count=4, seed=100, evaluator="uniform", **changes):
    game = tengen.game(game) if isinstance(game, str) else game
    return play_games(game, evaluator, quick_play(**changes), range(seed, seed + count))


def few_samples(game):
    """Return 64 samples of quick games."""
    import numpy as np

    from tengen.learning import samples_of

    return samples_of(game, quick_games(game, 4, visits=12)).take(np.arange(64))


def damaged(data, count, seed=7):
    """Copies of a file that was cut short or had bits flipped, by turns."""
    rng = random.Random(seed)
    for number in range(count):
        if number % 4 == 0:
            yield data[: rng.randrange(len(data))]
            continue
        copy = bytearray(data)
        # Half of the flips hit the first bytes, where the structure is.
        reach = min(len(copy), 400) if number % 2 else len(copy)
        for _ in range(1 if number % 4 < 3 else 5):
            copy[rng.randrange(reach)] ^= 1 << rng.randrange(8)
        yield bytes(copy)


class Bite:
    """Unpickling it makes a folder."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)
