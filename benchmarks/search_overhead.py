"""What the search costs by itself, with an evaluator that is free.

    python benchmarks/search_overhead.py

Prints visits per second at 1, 64 and 1,024 roots (evaluated in the core, and through collect/supply with a batch that
NumPy answers), bytes a node, and the cost of a visit as one tree grows.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import tengen
from tengen.evaluators import Evaluation, Evaluator, Leaves
from tengen.search import Pool, SearchSettings


class Zero(Evaluator):
    """Uniform, through the batch."""

    def evaluate(self, leaves: Leaves) -> Evaluation:
        game = leaves.game
        features = leaves.features
        assert len(features) == len(leaves)
        return Evaluation(
            np.zeros((len(leaves), game.action_count), np.float32), np.zeros((len(leaves), game.players), np.float32)
        )


def roots_table(game_name: str, total: int, threads: int) -> None:
    game = tengen.game(game_name)
    print(f"\n{game_name}, {threads} thread(s): visits per second")
    print(f"{'roots':>7} {'visits each':>12} {'in the core':>14} {'collect/supply':>15} {'bytes a node':>13}")
    for roots in (1, 64, 1024):
        visits = max(100, total // roots)
        speeds = []
        for evaluator in ("uniform", Zero()):
            native = evaluator == "uniform"
            each = visits if native else max(50, visits // 10)
            settings = SearchSettings(visits=each, leaves_per_root=1 if native else (64 if roots == 1 else 1))
            pool = Pool(game, settings, evaluator, threads=threads, batch=1024)
            for i in range(roots):
                pool.add(game.start(seed=i), seed=i)
            began = time.perf_counter()
            pool.run()
            speeds.append(each * roots / (time.perf_counter() - began))
            if native:
                result = pool.result(0)
                per_node = result.bytes / result.nodes
        print(f"{roots:>7} {visits:>12,} {speeds[0]:>14,.0f} {speeds[1]:>15,.0f} {per_node:>13.0f}")


def growth_table(game_name: str, max_visits: int) -> None:
    game = tengen.game(game_name)
    print(f"\n{game_name}, one tree with rollouts: cost of a visit as it grows")
    print(f"{'visits':>12} {'ns a visit':>11} {'to 10^4':>8} {'bytes a node':>13} {'best line':>10}")
    pool = Pool(game, SearchSettings(visits=10_000, rule="ucb1"), "rollout")
    first = 0.0
    visits = 10_000
    while visits <= max_visits:
        began = time.perf_counter()
        pool = Pool(game, SearchSettings(visits=visits, rule="ucb1"), "rollout")
        root = pool.add(game.start(seed=0), seed=0)
        pool.run()
        cost = (time.perf_counter() - began) / visits * 1e9
        first = first or cost
        result = pool.result(root)
        depth = len(result.best.pv)
        print(f"{visits:>12,} {cost:>11.0f} {cost / first:>8.2f} {result.bytes / result.nodes:>13.0f} {depth:>10}")
        visits *= 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="*", default=["connect_four", "pyrga"])
    parser.add_argument("--total", type=int, default=1_000_000, help="visits shared out over the roots")
    parser.add_argument("--most", type=int, default=10_000_000, help="visits of the largest tree")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    for name in arguments.games:
        roots_table(name, arguments.total, arguments.threads)
    growth_table(arguments.games[0], arguments.most)


if __name__ == "__main__":
    main()
