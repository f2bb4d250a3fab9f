"""How much of the network's own speed the analysis engine reaches, and how whole-game queries share it.

    python benchmarks/analysis_speed.py --net net.bin.gz
    python benchmarks/analysis_speed.py --net net.bin.gz --games

The first compares, in turns within one run, visits per second of the engine with evaluations per second of the bare
network on batches of the same size. The second sends 50 whole games of two clients at once.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time

import numpy as np

import tengen
from tengen.analysis import Engine, load_config
from tengen.nets.katago import KataGoNetwork, inputs_of, load
from tengen.nets.katago.positions import Inputs


def sample_game(net: KataGoNetwork, size: int, moves: int, rng: random.Random) -> list[str]:
    """Moves drawn from the network's own policy."""
    game = tengen.game("go", size=size)
    state = game.start()
    names: list[str] = []
    for _ in range(moves):
        policy = np.maximum(np.asarray(net(state).policy, np.float64), 0)
        policy[-1] = 0.0
        action = rng.choices(range(len(policy)), weights=policy)[0]
        names.append(game.name(action))
        state = state.play(action)
    return names


def engine_rate(engine: Engine, games: list[list[str]], size: int, visits: int) -> tuple[float, float]:
    """Visits per second of wall time, and CPU-ms a visit."""
    engine.clear_cache()
    wall, cpu = time.perf_counter(), time.process_time()
    asked = [engine.analyze(moves, visits=visits, size=size) for moves in games]
    done = sum(answer.root_info.visits for one in asked for answer in one)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return done / wall, 1000 * cpu / done


def network_rate(net: KataGoNetwork, inputs: Inputs, batch: int, seconds: float) -> tuple[float, float]:
    """Evaluations per second of wall time, and CPU-ms an evaluation."""
    planes, told = inputs.planes[:batch], inputs.globals[:batch]
    net.answer(planes, told)
    wall, cpu, rows = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - wall < seconds:
        net.answer(planes, told)
        rows += batch
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return rows / wall, 1000 * cpu / rows


def compare(arguments: argparse.Namespace, size: int, threads: int, prefix: str) -> dict[str, float]:
    batch = arguments.batch
    net = load(arguments.net, threads=threads)
    rng = random.Random(1)
    games = [sample_game(net, size, size + size // 2, rng) for _ in range(batch)]
    states = [tengen.game("go", size=size).start(moves=list(zip("bw" * 99, moves, strict=False))) for moves in games]
    inputs = inputs_of(states)
    overrides = [f"numAnalysisThreads={batch},nnMaxBatchSize={batch},wideRootNoise=0"]
    rows = []
    with Engine("go", prefix + arguments.net, config=load_config([], overrides), threads=threads, size=size) as engine:
        if prefix:
            net = engine.evaluator.network
        engine_rate(engine, games, size, 4)
        for _ in range(arguments.rounds):
            ours = engine_rate(engine, games, size, arguments.visits)
            bare = network_rate(net, inputs, batch, arguments.seconds)
            rows.append((ours[0] / bare[0], bare[1] / ours[1], *ours, *bare))
    ratio, cpu_ratio, rate, cpu, bare_rate, bare_cpu = (statistics.median(column) for column in zip(*rows, strict=True))
    kind = "int16" if prefix else "fp32"
    print(
        f"{size}x{size} {kind} {threads} thread{'s' * (threads > 1)}, batch {batch}: {rate:.0f} visits/s "
        f"({cpu:.2f} CPU-ms) against {bare_rate:.0f} bare evaluations/s ({bare_cpu:.2f} CPU-ms): "
        f"{100 * ratio:.0f} % by wall time, {100 * cpu_ratio:.0f} % by CPU time",
        flush=True,
    )
    return {"size": size, "threads": threads, "int16": bool(prefix), "ratio": ratio, "cpu_ratio": cpu_ratio}


def whole_games(arguments: argparse.Namespace) -> None:
    """50 games of 9x9, every turn, half of them asked by each of two clients, the second one later."""
    size, count, length = 9, 50, 40
    net = load(arguments.net)
    rng = random.Random(2)
    games = [sample_game(net, size, length, rng) for _ in range(count)]
    config = load_config([], ["numAnalysisThreads=16,nnMaxBatchSize=16"])
    with Engine("go", arguments.net, config=config, threads=arguments.threads or 2, size=size) as engine:
        began = time.perf_counter()
        asked = [
            engine.analyze(moves, turns=range(length + 1), visits=arguments.visits // 4, size=size) for moves in games
        ]
        ends, visits, turns = [], 0, 0
        for one in asked:
            for answer in one:
                visits += answer.root_info.visits
                turns += 1
            ends.append(time.perf_counter() - began)
        took = time.perf_counter() - began
    print(
        f"{count} whole-game queries on 9x9 ({turns} positions, {visits} visits): {turns / took:.1f} positions/s, "
        f"{visits / took:.0f} visits/s; each query is a client of its own, and they ended between "
        f"{100 * min(ends) / took:.0f} % and 100 % of the time"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", required=True)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--visits", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--sizes", type=int, nargs="+", default=[19, 9])
    parser.add_argument("--threads", type=int, default=0, help="only this number of threads")
    parser.add_argument("--int16", action="store_true", help="also in int16")
    parser.add_argument("--games", action="store_true", help="whole-game queries instead")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.games:
        whole_games(arguments)
        return
    found = [
        compare(arguments, size, threads, prefix)
        for size in arguments.sizes
        for threads in ([arguments.threads] if arguments.threads else [1, 2])
        for prefix in (["", "katago-int16:"] if arguments.int16 else [""])
    ]
    if arguments.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
