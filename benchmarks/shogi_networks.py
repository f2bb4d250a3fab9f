"""miniosl's network: evaluations a second by each back end, what the search adds to them, what rounding and a missing
history lose.

    python benchmarks/shogi_networks.py [NETWORK] [--games FILE] [--seconds 2]

Speeds are of one thread, a second of the processor's time; back ends take turns and the best of three rounds counts.
FILE has games, one a line, `startpos moves …`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tengen
from tengen import State
from tengen.nets.miniosl import Miniosl
from tengen.nets.miniosl.files import find_package

GAME = tengen.game("shogi")
GAMES = Path(__file__).parent.parent / "tests" / "data" / "shogi" / "games.usi"
BATCHES = (1, 4, 8, 16)
ROUNDS = 3


def positions(path: Path, every: int) -> list[State]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        moves = line.partition("moves")[2].split("#")[0].split()
        for ply in range(4, len(moves), every):
            state = GAME.start(moves=moves[:ply])
            if not state.is_over:
                found.append(state)
    return found


def best_speeds(jobs: Sequence[Callable[[], int]], seconds: float) -> list[float]:
    """Each job does some work and answers how much."""
    best = [0.0] * len(jobs)
    for _ in range(ROUNDS):
        for i, job in enumerate(jobs):
            began, count = time.process_time(), 0
            while (spent := time.process_time() - began) < seconds:
                count += job()
            best[i] = max(best[i], count / spent)
    return best


def ask(net: Miniosl, inputs: Mapping[str, Any], batch: int) -> int:
    net.network.run(inputs)
    return batch


class Timed:
    """The evaluator, with the time that the network itself takes."""

    def __init__(self, net: Miniosl) -> None:
        self.net, self.seconds, self.rows = net, 0.0, 0
        self.plain = net.network.run
        net.network.run = self.run

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        began = time.process_time()
        answer = self.plain(inputs)
        self.seconds += time.process_time() - began
        self.rows += len(next(iter(answer.values())))
        return answer


def engine_speed(net: Miniosl, states: Sequence[State], leaves: int, seconds: float) -> tuple[float, float, float]:
    """Of a search of one position after the other: evaluations a second, those of the network alone, rows a batch."""
    timed = Timed(net)
    batches = 0
    began = time.process_time()
    for state in states:
        pool = tengen.Pool(GAME, tengen.SearchSettings(visits=10**6, leaves_per_root=leaves), net)
        pool.add(state)
        until = time.process_time() + seconds / 4
        while time.process_time() < until:
            pool.step()
            batches += 1
        if time.process_time() - began > seconds:
            break
    spent = time.process_time() - began
    net.network.run = timed.plain
    return timed.rows / spent, timed.rows / timed.seconds, timed.rows / batches


def compare(truth: Miniosl, other: Miniosl, states: Sequence[State], seen: Sequence[State] | None = None) -> str:
    same, errors = 0, []
    for i in range(0, len(states), 50):
        ours = truth.predict(states[i : i + 50])
        theirs = other.predict((seen or states)[i : i + 50])
        for one, two in zip(ours, theirs, strict=True):
            same += next(iter(one.policy)) == next(iter(two.policy))
            errors.append(abs(one.winrate - two.winrate))
    return (
        f"same first choice {same / len(states):6.1%}, win rate off by {np.mean(errors):.4f} (most {max(errors):.3f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", default=find_package())
    parser.add_argument("--games", type=Path, default=GAMES)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    nets = {
        "core fp32": Miniosl(options.network, backend="native"),
        "core int16": Miniosl(options.network, int16=True),
        "ONNX Runtime fp32": Miniosl(options.network, backend="onnxruntime"),
    }
    states = positions(options.games, 5)
    exact = nets["core fp32"]
    print(f"{exact.network.facts.parameters:,} parameters; {len(states)} positions; evaluations a second:")
    print(f"{'':20}" + "".join(f"{f'batch {batch}':>10}" for batch in BATCHES))
    table = []
    for batch in BATCHES:
        jobs = [partial(ask, net, exact.inputs_of(states[:batch]), batch) for net in nets.values()]
        table.append(best_speeds(jobs, options.seconds / 8))
    for row, name in enumerate(nets):
        print(f"{name:20}" + "".join(f"{speeds[row]:10.0f}" for speeds in table))
    inputs_speed = best_speeds([lambda: (exact.inputs_of(states[:16]), 16)[1]], options.seconds / 8)[0]
    print(f"inputs alone: {inputs_speed:,.0f} a second")
    for leaves in (1, 4, 8):
        found = engine_speed(exact, states[3::7], leaves, options.seconds)
        print(
            f"search, {leaves} leaves a root: {found[0]:.0f} evaluations a second, its network alone {found[1]:.0f}: "
            f"{found[0] / found[1]:.1%}, {found[2]:.1f} a batch"
        )
    print("against core fp32:")
    for name in ("core int16", "ONNX Runtime fp32"):
        print(f"{name:20}{compare(exact, nets[name], states)}")
    bare = [GAME.start(sfen=GAME.sfen(state)) for state in states]
    print(f"{'history filled in':20}{compare(exact, exact, states, bare)}")
    package = Miniosl(options.network, fill_history=False)
    print(f"{'no history':20}{compare(exact, package, states, bare)}")


if __name__ == "__main__":
    main()
