"""How much of self-play's time the network takes, and how many simulations a second come out.

    python benchmarks/selfplay_speed.py

Plays games at 200 visits a move with fresh networks: the size that learning runs use by default, and 64 channels x 6
blocks through ONNX Runtime in fp32 and through OpenVINO in int8; each in one process, the last two in two as well.

- evaluator: its share of all time, and its throughput in self-play against the same batches by themselves;
- simulations: visits that were made, those answered by the cache and those that ended in a finished game included,
  those kept from the move before not; a second of processor time, so per core, and of wall time.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tengen
import tengen.selfplay.deciders
from tengen.evaluators import Evaluation, Evaluator, Leaves, NetworkEvaluator, find_evaluator
from tengen.evaluators.fastest import Positions
from tengen.nets import Architecture, build, count_parameters, export_onnx, quantize
from tengen.search import Pool, SearchSettings
from tengen.selfplay import SelfPlaySettings, play_games

BASELINE = 322.0
"""Simulations a second on one core of a program that walks its tree in Python and asks PyTorch."""
GOALS = {"ONNX Runtime fp32": 25.0, "OpenVINO int8": 50.0}


@dataclass
class Figures:
    games: int
    simulations: int
    decided: int
    """Visits behind the moves, those kept from the move before included."""
    rows: int
    batches: int
    wall: float
    cpu: float
    inside_wall: float
    inside_cpu: float
    network_cpu: float
    raw_cpu: float
    """Processor time of the sampled batches by themselves."""
    raw_rows: int
    sampled_cpu: float
    """Processor time of the sampled batches in self-play."""


class Timed(Evaluator):
    """A network with a stopwatch."""

    def __init__(self, network: NetworkEvaluator) -> None:
        self.network = network
        self.rows = self.batches = 0
        self.wall = self.cpu = self.network_cpu = 0.0
        self.sample: list[tuple[np.ndarray, float]] = []

    def evaluate(self, leaves: Leaves) -> Evaluation:
        from tengen.evaluators.network import read_answer

        wall, cpu = time.perf_counter(), time.process_time()
        features = leaves.features
        answer = self.network.answer(features)
        asked = time.process_time() - cpu
        result = read_answer(leaves.game, answer, np.asarray(leaves.viewers))
        self.cpu += time.process_time() - cpu
        self.wall += time.perf_counter() - wall
        self.network_cpu += asked
        self.rows += len(features)
        self.batches += 1
        if self.batches % 37 == 0:
            self.sample.append((np.array(features), asked))
        return result


class CountingPool(Pool):
    """Knows which visits were there before a search began."""

    kept = 0

    def advance(self, root: int, action: Any, state: Any = None) -> Any:
        after = super().advance(root, action, state)
        if not after.is_over:
            CountingPool.kept += self.report(root).visits
        return after


def measure(name: str, settings: SelfPlaySettings, games: int, seed: int) -> Figures:
    game = tengen.game("pyrga")
    network = find_evaluator(name, game)
    assert isinstance(network, NetworkEvaluator)
    warm(network, settings.parallel)
    timed = Timed(network)
    tengen.selfplay.deciders.Pool = CountingPool  # type: ignore[misc]
    CountingPool.kept = 0
    wall, cpu = time.perf_counter(), time.process_time()
    records = play_games(game, timed, settings, [seed + i for i in range(games)])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    began = time.process_time()
    for features, _ in timed.sample:
        network.answer(features)
    raw = time.process_time() - began
    decided = sum(decision.visits for record in records for decision in record.decisions)
    return Figures(
        games=len(records),
        simulations=decided - CountingPool.kept,
        decided=decided,
        rows=timed.rows,
        batches=timed.batches,
        wall=wall,
        cpu=cpu,
        inside_wall=timed.wall,
        inside_cpu=timed.cpu,
        network_cpu=timed.network_cpu,
        raw_cpu=raw,
        raw_rows=sum(len(features) for features, _ in timed.sample),
        sampled_cpu=sum(seconds for _, seconds in timed.sample),
    )


def warm(network: NetworkEvaluator, rows: int) -> None:
    """Kernels are compiled once in a process, not once a game."""
    shape = tengen.game("pyrga").shape
    for count in range(1, rows + 1):
        network.answer(np.zeros((count, *shape), np.float32))


def tell(label: str, f: Figures) -> float:
    speed = f.simulations / f.cpu
    print(f"\n{label}: {f.games} games, {f.simulations:,} simulations, load {os.getloadavg()[0]:.1f}")
    print(
        f"  evaluator    {100 * f.inside_cpu / f.cpu:.1f} % of processor time, {100 * f.inside_wall / f.wall:.1f} % of "
        f"wall time; the network alone {100 * f.network_cpu / f.cpu:.1f} %"
    )
    print(
        f"  throughput   {f.rows / f.inside_cpu:,.0f} positions/s in batches of {f.rows / f.batches:.1f}; the network "
        f"{f.raw_rows / f.sampled_cpu:,.0f}, by itself on the same batches {f.raw_rows / f.raw_cpu:,.0f} "
        f"({100 * f.raw_cpu / f.sampled_cpu:.1f} %)"
    )
    print(
        f"  simulations  {speed:,.0f}/s per core = {speed / BASELINE:.1f} x {BASELINE:g}; "
        f"{f.simulations / f.wall:,.0f}/s of wall time; {f.simulations / f.rows:.2f} for each evaluation; "
        f"with kept visits {f.decided / f.cpu:,.0f}/s",
        flush=True,
    )
    return speed / BASELINE


def write_networks(folder: Path) -> dict[str, str]:
    """The evaluators' names."""
    game = tengen.game("pyrga")
    features = Positions.drawn(game, 512).features
    names = {}
    sizes = {"default": {}, "large": {"channels": 64, "blocks": 6, "squeeze": False, "pooling": False}}
    for size, choices in sizes.items():
        network = build(Architecture.of(game, **choices), 1).eval()
        data = export_onnx(network)
        (folder / f"{size}.onnx").write_bytes(data)
        (folder / f"{size}.int8.onnx").write_bytes(quantize(data, features))
        a = network.architecture
        names[size] = f"{a.channels} channels x {a.blocks} blocks, {count_parameters(network):,} parameters"
    return names


def in_two(name: str, settings: SelfPlaySettings, games: int) -> None:
    began = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        both = pool.starmap(measure, [(name, settings, games, seed) for seed in (1, 1_000_000)])
    elapsed = time.perf_counter() - began
    per_core = [f.simulations / f.cpu for f in both]
    at_once = sum(f.simulations / f.wall for f in both)
    print(
        f"  two processes {sum(per_core):,.0f}/s on two cores of their own ({per_core[0]:,.0f} + {per_core[1]:,.0f}), "
        f"{at_once:,.0f}/s of wall time; {elapsed:.0f} s with start and compilation",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--parallel", type=int, default=64)
    parser.add_argument("--cache", type=int, default=1 << 15, help="entries of the evaluation cache")
    parser.add_argument("--sizes", nargs="*", default=["default", "large"], help="of default and large")
    parser.add_argument("--one", action="store_true", help="one process only")
    given = parser.parse_args()
    search = SearchSettings(visits=given.visits, noise_fraction=0.25, cache_entries=given.cache)
    settings = SelfPlaySettings(search=search, parallel=given.parallel)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        names = write_networks(folder)
        back_ends = {"ONNX Runtime fp32": "{}.onnx", "OpenVINO int8": "openvino:{}.int8.onnx"}
        for size in given.sizes:
            for label, pattern in back_ends.items():
                name = pattern.format(folder / size)
                ratio = tell(f"{names[size]}, {label}", measure(name, settings, given.games, 1))
                if size == "large":
                    goal = GOALS[label]
                    print(f"  goal         {goal:g} x: {'met' if ratio >= goal else 'missed'}")
                if size == "large" and not given.one:
                    in_two(name, settings, given.games)


if __name__ == "__main__":
    main()
