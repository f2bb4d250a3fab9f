"""Whether moves that a query includes get their visits, and whether they leave the verdict about the position alone.

    python benchmarks/included_moves.py NETWORK.bin.gz [--positions 200] [--moves 5] [--visits 100]

Takes positions on 9x9 and 19x19 from games that the network plays by its policy, and searches each of them twice with
the same seed: as it is, and with some random legal moves included. Prints how far the root's win rates are apart. Exits
with 1 where a move did not get its visits or the win rates are 0.01 or more apart.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tengen.analysis import Config
from tengen.analysis.answers import Answer
from tengen.analysis.engine import Engine

SIZES = (9, 19)
GAMES = 10
"""Of each size."""
LENGTH = 0.7
"""Of games, in moves a point of the board."""
MAX_CHANGE = 0.01


@dataclass(frozen=True)
class Position:
    size: int
    moves: tuple[str, ...]
    legal: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    position: Position
    included: tuple[str, ...]
    change: float
    """Of the root's win rate."""
    fewest: int
    """Visits of an included move."""
    same_best: bool


def open_engine(network: str, *, threads: int = 1, active: int = 8) -> Engine:
    """One whose searches can be repeated: no random symmetries, fixed seeds."""
    settings = {"nnRandomize": "false", "forDeterministicTesting": "true", "nnMaxBatchSize": str(active)}
    return Engine("go", network, config=Config(settings), threads=threads, active=active)


def own_positions(
    engine: Engine, size: int, count: int, rng: np.random.Generator, games: int = GAMES
) -> Iterator[Position]:
    """From games in which moves are drawn from the policy."""
    seen: list[Position] = []
    for _ in range(games):
        moves: list[str] = []
        for _ in range(int(size * size * LENGTH)):
            [answer] = engine.analyze(moves, size=size, visits=1, include_policy=True)
            policy = np.maximum(0.0, np.array(answer.policy))
            names = [*(vertex(cell, size) for cell in range(size * size)), "pass"]
            seen.append(Position(size, tuple(moves), tuple(names[i] for i in np.flatnonzero(policy))))
            moves.append(names[rng.choice(len(names), p=policy / policy.sum())])
            if moves[-2:] == ["pass", "pass"]:
                break
    for i in rng.permutation(len(seen))[:count]:
        yield seen[i]


def vertex(cell: int, size: int) -> str:
    return f"{'ABCDEFGHJKLMNOPQRST'[cell % size]}{size - cell // size}"


def compare(
    engine: Engine, positions: list[Position], count: int, visits: int, least: int, rng: np.random.Generator
) -> Iterator[Finding]:
    """Each position without and with `count` of its legal moves included, `least` visits each."""
    asked = []
    for position in positions:
        included = tuple(rng.permutation(position.legal)[:count].tolist())
        moves, size = position.moves, position.size
        plain = engine.analyze(moves, size=size, visits=visits)
        include = {len(moves): included}
        forced = engine.analyze(moves, size=size, visits=visits, include=include, include_visits=least)
        asked.append((position, included, plain, forced))
    for position, included, plain, forced in asked:
        [without], [found] = plain, forced
        yield Finding(
            position,
            included,
            change=abs(winrate(found) - winrate(without)),
            fewest=min(found[move].visits for move in included),
            same_best=found.best is not None and without.best is not None and found.best.move == without.best.move,
        )


def winrate(answer: Answer) -> float:
    assert answer.root_info is not None
    assert answer.root_info.winrate is not None
    return answer.root_info.winrate


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("--positions", type=int, default=200, help="half of them on 9x9")
    parser.add_argument("--moves", type=int, default=5, help="included in each")
    parser.add_argument("--visits", type=int, default=100)
    parser.add_argument("--include-visits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    findings: list[Finding] = []
    with open_engine(given.network, threads=given.threads) as engine:
        for size in SIZES:
            positions = list(own_positions(engine, size, given.positions // len(SIZES), rng))
            here = list(compare(engine, positions, given.moves, given.visits, given.include_visits, rng))
            changes = [finding.change for finding in here]
            kept = sum(finding.same_best for finding in here)
            print(
                f"{size}x{size}: {len(here)} positions, win rate changes by {statistics.mean(changes):.5f} on average, "
                f"{max(changes):.5f} at most; the best move stays in {kept}"
            )
            findings += here
    reached = all(finding.fewest >= given.include_visits for finding in findings)
    worst = max(findings, key=lambda finding: finding.change)
    print(f"every included move got its {given.include_visits} visits: {'yes' if reached else 'NO'}")
    where = f"{worst.position.size}x{worst.position.size} after {' '.join(worst.position.moves) or 'no move'}"
    print(f"most change {worst.change:.5f}, must be below {MAX_CHANGE}: {where}, including {' '.join(worst.included)}")
    return 0 if reached and worst.change < MAX_CHANGE else 1


if __name__ == "__main__":
    sys.exit(main())
