"""Plays a million random rounds of Matgo, checks every state on the way, and measures the speed of one core.

    python benchmarks/matgo_rules.py [--games 1000000]

The JavaScript engine that preset kflower reproduces plays 352 random rounds a second on one core.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING, Any

import tengen

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINE_ROUNDS_PER_S = 352
CHUNK = 20_000


def audit(preset: str, games: int) -> bool:
    core = tengen.game("matgo", preset=preset).core
    began = time.process_time()
    found = core.audit(1, games)
    spent = time.process_time() - began
    print(
        f"{preset:<8} {found.games:,} rounds, {found.plies:,} actions, {found.invalid} states invalid; the starter won "
        f"{found.starter_wins / found.games:.2%}, nagari {found.nagaris / found.games:.3%}; {spent:.1f} s of one core"
    )
    return bool(found.invalid == 0)


def speed(play: Callable[[object, int, int], object], positions: list[object], games: int) -> float:
    """Rounds a second of processor time, the best of five."""
    each = max(1, games // len(positions))
    best = 0.0
    for attempt in range(5):
        began = time.process_time()
        for number, position in enumerate(positions):
            play(position, 1000 * attempt + number, each)
        best = max(best, each * len(positions) / (time.process_time() - began))
    return best


def measure() -> None:
    game = tengen.game("matgo")
    rng = random.Random(1)
    # Many positions, few games from each: a processor learns one greedy round by heart.
    starts = [game.start(seed=seed).position for seed in range(5000)]
    midway = []
    for seed in range(500):
        state = game.start(seed=seed)
        while not state.is_over:
            midway.append(state.position)
            state = state.play(game.greedy(state))
    core = game.core

    def greedy(position: Any, seed: int, count: int) -> Any:
        return core.playouts(position, seed, count, "greedy")

    rows = {
        "random rounds": speed(core.playouts, starts, CHUNK),
        "greedy rounds": speed(greedy, starts, CHUNK),
        "greedy rollouts, from all decisions of a round": speed(greedy, rng.sample(midway, 5000), CHUNK),
    }
    for name, figure in rows.items():
        print(f"{figure:>11,.0f} a second  {name} ({figure / ENGINE_ROUNDS_PER_S:,.0f} times the engine)")
    views = rng.sample(midway, 200)
    began = time.process_time()
    for seed in range(100):
        for position in views:
            core.redeal(position, seed % 2, seed)
    spent = time.process_time() - began
    print(f"{100 * len(views) / spent:>11,.0f} a second  redeals, called from Python")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000, help="rounds to check under each preset")
    games = parser.parse_args().games
    sound = [audit(preset, games) for preset in ("tengen", "kflower", "hangame")]
    measure()
    if not all(sound):
        sys.exit("there are invalid states")


if __name__ == "__main__":
    main()
