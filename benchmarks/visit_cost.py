"""What a visit with one of KataGo's networks costs: by one thread and by two, on an idle and on a busy machine.

    python benchmarks/visit_cost.py NETWORK.bin.gz [--rounds 3] [--seconds 0.15] [--isa avx2]

Prints a table for each instruction set, the processor's best and AVX2: the processor's milliseconds a visit of the
analysis engine on 9x9 and 19x19, of one query (with several threads, so many leaves at once) and of eight queries at
once, at a load of 0 and at a load of 4, which processes of its own make. `threads` compares two threads with one, of
which 1.1 is the most that it should be; `peer` compares with ONNX Runtime on the same graph in the same run.

All ways take turns; figures and ratios are medians over rounds. Only the processor's time is counted; still, other
programs fill its caches, so ratios say more than figures. Five minutes on two cores; fewer rounds take less.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any

from hold_to_avx2 import hold_to_avx2

SIZES = (9, 19)
QUERIES = (1, 8)
THREADS = (1, 2)
LOADS = (0, 4)
PEER = "ONNX Runtime fp32"
# A load ends by itself when this program is gone.
_LOAD = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(10**5))"


@contextmanager
def load_of(count: int) -> Iterator[None]:
    """So many other programs that want a core each."""
    running: list[subprocess.Popen[bytes]] = []
    try:
        running.extend(subprocess.Popen([sys.executable, "-c", _LOAD]) for _ in range(count))
        time.sleep(0.3 * bool(count))
        yield
    finally:
        for process in running:
            process.kill()
        for process in running:
            process.wait()


def measure(path: str, seconds: float, rounds: int, isa: str) -> Iterator[dict[str, Any]]:
    """Rows and notes, in a process of its own, which uses these instructions only."""
    has_peer = True
    if isa == "avx2":
        try:
            hold_to_avx2()
        except OSError as error:
            has_peer = False
            yield {"note": f"ONNX Runtime can't be held to AVX2 here: {error}"}
    for size in SIZES:
        with ExitStack() as stack:
            evaluators = {threads: dict(_evaluators(path, threads, has_peer=has_peer)) for threads in THREADS}
            # One thread and two are measured one after the other: what else the machine does is alike.
            ways = {
                (name, queries, threads): stack.enter_context(
                    _engine(evaluators[threads][name], size, queries, threads)
                )
                for queries in QUERIES
                for name in evaluators[1]
                for threads in THREADS
            }
            games = _games(path, size)
            for load in LOADS:
                found: dict[tuple[str, int, int], list[float]] = {way: [] for way in ways}
                with load_of(load):
                    for _ in range(rounds):
                        for way, engine in ways.items():
                            found[way].append(_cost(engine, games[: way[1]], size, seconds))
                for way, costs in found.items():
                    yield {"row": [size, load, *way], "costs": costs}


def _evaluators(path: str, threads: int, *, has_peer: bool) -> Iterator[tuple[str, Any]]:
    from tengen.nets.katago import KataGo, load

    yield "fp32", KataGo(load(path, threads=threads))
    yield "int16", KataGo(load(path, threads=threads, int16=True))
    if has_peer:
        yield PEER, KataGo(load(path, threads=threads, backend="onnxruntime"))


def _engine(evaluator: Any, size: int, queries: int, threads: int) -> Any:
    from tengen.analysis import Engine, load_config

    leaves = threads if queries == 1 else 1
    keys = f"numAnalysisThreads={queries},nnMaxBatchSize=16,numSearchThreads={leaves},wideRootNoise=0"
    return Engine("go", evaluator, config=load_config([], [keys]), size=size)


def _cost(engine: Any, games: list[list[str]], size: int, seconds: float) -> float:
    """Milliseconds of the processor's time a visit."""
    visits, done, began = 100 if len(games) == 1 else 25, 0, time.process_time()
    while (taken := time.process_time() - began) < seconds:
        engine.clear_cache()
        asked = [engine.analyze(moves, visits=visits, size=size) for moves in games]
        done += sum(answer.root_info.visits for one in asked for answer in one)
    return 1000 * taken / done


def _games(path: str, size: int) -> list[list[str]]:
    """Moves drawn from the network's own policy."""
    import numpy as np

    import tengen
    from tengen.nets.katago import load

    rng, game, network = random.Random(1), tengen.game("go", size=size), load(path)
    games = []
    for _ in range(max(QUERIES)):
        state, names = game.start(), []
        for _ in range(size):
            odds = np.maximum(network(state).policy[:-1].astype(np.float64), 0)
            action = rng.choices(range(len(odds)), weights=list(odds))[0]
            names.append(game.name(action))
            state = state.play(action)
        games.append(names)
    return games


def run_held(path: str, seconds: float, rounds: int, isa: str) -> list[dict[str, Any]]:
    """measure() with every library held to an instruction set."""
    environment = os.environ | {"TENGEN_MAX_CPU_ISA": isa}
    words = [sys.executable, __file__, path, "--seconds", str(seconds), "--rounds", str(rounds), "--measure", isa]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            return [json.loads(line) for line in process.stdout if line.startswith("{")]
        finally:
            process.kill()


def ratio(mine: list[float], others: list[float]) -> float:
    """Within rounds, in which the machine was alike."""
    return median(x / y for x, y in zip(mine, others, strict=True))


def print_table(isa: str, found: list[dict[str, Any]]) -> None:
    print(f"\n{isa}: CPU-ms a visit")
    for each in found:
        if "note" in each:
            print(f"  {each['note']}")
    costs = {tuple(each["row"]): each["costs"] for each in found if "row" in each}
    columns = [(queries, load) for queries in QUERIES for load in LOADS]
    heads = [f"{queries} quer{'y' if queries == 1 else 'ies'}, load {load}" for queries, load in columns]
    print(f"{'':<25}" + "".join(f"{head:^30}" for head in heads))
    print(f"{'':<25}" + f"{'1 thread':>9}{'2':>6}{'threads':>9}{'peer':>6}" * len(columns))
    for size in SIZES:
        for name in [name for name in ("fp32", "int16", PEER) if (size, 0, name, 1, 1) in costs]:
            row = f"{f'{size}x{size} {name}':<25}"
            for queries, load in columns:
                one, two = (costs[size, load, name, queries, threads] for threads in THREADS)
                peer = costs.get((size, load, PEER, queries, 1))
                row += f"{median(one):>9.2f}{median(two):>6.2f}{ratio(two, one):>9.2f}"
                row += f"{ratio(one, peer):>6.2f}" if peer else " " * 6
            print(row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("--seconds", type=float, default=0.15, help="of processor time at least, for each figure")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--isa", choices=["generic", "avx2", "avx512"], action="append", help="only these")
    parser.add_argument("--measure", metavar="ISA", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        for row in measure(given.network, given.seconds, given.rounds, given.measure):
            print(json.dumps(row), flush=True)
        return
    from tengen import _core

    best = _core.instruction_sets()[-1]
    for isa in given.isa or dict.fromkeys([best, *(["avx2"] if "avx2" in _core.instruction_sets() else [])]):
        began = os.getloadavg()[0]
        found = run_held(given.network, given.seconds, given.rounds, isa)
        print_table(isa, found)
        print(f"(load before: {began:.1f})")


if __name__ == "__main__":
    main()
