"""Measurements of a game and its search. Each takes about the seconds it is given and answers numbers by name."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from tengen.cli.perft import continuations, count
from tengen.games import NativeGame
from tengen.search import Pool

if TYPE_CHECKING:
    from tengen.games import State
    from tengen.search import SearchSettings

__all__ = ["measure_memory", "measure_perft", "measure_random_play", "measure_search", "search_key"]

_VISITS_FOR_MEMORY = 50_000


def search_key(evaluator: str, roots: int) -> str:
    return f"{evaluator}_visits_per_s_at_{roots}_roots"


def measure_random_play(state: State, seconds: float) -> dict[str, float]:
    games = plies = 0
    batch = 1
    began = time.perf_counter()
    while (elapsed := time.perf_counter() - began) < seconds:
        plies += _play_randomly(state, games, batch)
        games += batch
        # A tenth of the time in a call: often enough to the clock, and its cost does not count.
        batch = max(1, int(games / (time.perf_counter() - began) * seconds / 10))
    return {"playouts_per_s": games / elapsed, "plies_per_s": plies / elapsed}


def _play_randomly(start: State, seed: int, games: int) -> int:
    """Plies of that many random games."""
    game = start.game
    if isinstance(game, NativeGame):
        return game.core.playouts(start.position, seed, games)[0]
    rng = random.Random(seed)
    plies = 0
    for _ in range(games):
        state = start
        while not state.is_over:
            chance = state.actor == "chance"
            state = state.play(state.outcome(rng.getrandbits(63)) if chance else rng.choice(list(continuations(state))))
            plies += 1
    return plies


def measure_perft(state: State, seconds: float) -> dict[str, float]:
    """At the greatest depth that can be counted several times within the time."""
    nodes = 0
    depth = 1
    growing = True
    began = time.perf_counter()
    while (elapsed := time.perf_counter() - began) < seconds:
        found = count(state, depth)
        took = time.perf_counter() - began - elapsed
        nodes += found
        if found == 0:  # every game is over before
            depth -= 1
            growing = False
        elif growing and took * 20 < seconds:
            depth += 1
        else:
            growing = False
    return {"perft_nodes_per_s": nodes / elapsed, "perft_depth": float(depth)}


def measure_search(
    state: State, settings: SearchSettings, evaluator: str, roots: int, seconds: float, threads: int
) -> dict[str, float]:
    """Visits of full searches, one after the other; making and asking the roots is not counted."""
    state = _first_decision(state)
    visits = rounds = 0
    elapsed = 0.0
    while elapsed < seconds:
        pool = Pool(state.game, settings, evaluator, threads=threads)
        viewer = 0 if state.actor == "all" else None
        numbers = [pool.add(state, viewer=viewer, seed=rounds * roots + i) for i in range(roots)]
        began = time.perf_counter()
        pool.run()
        elapsed += time.perf_counter() - began
        visits += sum(pool.result(number).visits for number in numbers)
        rounds += 1
    return {search_key(evaluator, roots): visits / elapsed}


def measure_memory(state: State, settings: SearchSettings, seconds: float) -> dict[str, float]:
    """Of one tree, large enough that its memory is in use."""
    state = _first_decision(state)
    pool = Pool(state.game, settings.replace(visits=_VISITS_FOR_MEMORY), "uniform")
    root = pool.add(state, viewer=0 if state.actor == "all" else None, seed=0)
    pool.run(seconds=seconds)
    result = pool.result(root)
    return {"bytes_per_node": result.bytes / max(1, result.nodes)}


def _first_decision(state: State) -> State:
    while state.actor == "chance":
        state = state.play(state.legal()[0])
    return state
