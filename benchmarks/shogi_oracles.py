"""Do random games of shogi agree with cshogi and rsshogi? Moves, checks, declarations and results at every ply.

    python benchmarks/shogi_oracles.py --games 100000

It takes the packages cshogi and rsshogi. A part of the games, by their numbers: `--first 20000 --games 5000`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from shogi_oracles import STYLES, Oracles

BLOCK = 100


def play_block(block: int) -> Counter[str]:
    """Every block plays its own games, whichever process plays it."""
    oracles = Oracles(seed=block)
    for number in range(BLOCK):
        oracles.play(STYLES[number % len(STYLES)])
    return oracles.counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    began = time.perf_counter()
    blocks = range(given.first // BLOCK, (given.first + given.games) // BLOCK)
    total: Counter[str] = Counter()
    with ProcessPoolExecutor(given.workers) as workers:
        for counts in workers.map(play_block, blocks):
            total += counts
    took = time.perf_counter() - began
    ends = ", ".join(f"{name} {count:,}" for name, count in sorted(total.items()) if name not in ("games", "positions"))
    print(f"{total['games']:,} games, {total['positions']:,} positions in {took:.0f} s, all equal: {ends}")


if __name__ == "__main__":
    main()
