"""Measure how the games per second of `tengen learn --async` grow with the nodes of a cluster.

    python benchmarks/async_scaling.py --nodes 2

The nodes are machines in network namespaces of this one, with one slot each, as in tests/cluster_lab.py; the
coordinator and its trainer are a third one. So a machine with fewer idle cores than nodes shows less than a real
cluster would. Training is kept short (`reuse`), because all share the same cores here. Games are counted when their
chunks are stored, from the first chunk that every slot has begun after another one to the last. Needs root and Ray.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from cluster_lab import Cluster, Lab, why_not

LEARN = """
    import tengen
    from tengen.champion import change_settings, open_run, settings_for
    from tengen.champion.async_chunks import ChunkStore
    from tengen.champion.async_loop import AsyncLoop, Clock
    game = tengen.game({game!r})
    changes = {{"asynchronous": True, "bootstrap_games": 0, "anchor": "", "gate": "none", "reuse": {reuse}}}
    changes |= {{"actors": {{"chunk_games": {chunk}}}, "selfplay": {{"parallel": {chunk}}}}}
    run, settings = open_run({folder!r}, game, change_settings(settings_for(game), changes))
    came, add = [], ChunkStore.add
    def note(store, facts, games):
        add(store, facts, games)
        came.append((time.monotonic(), games.figures["games"]))
    ChunkStore.add = note
    size = crew.size
    try:
        with run.lock():
            AsyncLoop(run, game, settings, crew, None, Clock({seconds})).run_until(1_000_000)
    finally:
        ChunkStore.add = add
    first = 2 * size - 1
    games = sum(count for _, count in came[first + 1 :])
    print(games / (came[-1][0] - came[first][0]), len(run.steps("train")))
    """


def measure(cluster: Cluster, folder: Path, options: argparse.Namespace, nodes: int) -> float:
    """Return the games per second with this number of nodes, and print them."""
    cluster.coordinate(f"while crew.size != {nodes}: time.sleep(0.1)")
    names = {"game": options.game, "chunk": options.chunk, "reuse": options.reuse, "seconds": options.seconds}
    found = cluster.coordinate(LEARN.format(folder=str(folder / f"run-{nodes}"), **names), 60 + 20 * options.seconds)
    speed, trained = map(float, found.split())
    print(f"{nodes} node{'s' if nodes > 1 else ''}: {speed:8.2f} games/s, {trained:.0f} networks trained", flush=True)
    return speed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each number of nodes (default %(default)s)")
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--chunk", type=int, default=64, help="games of a chunk (default %(default)s)")
    parser.add_argument("--reuse", type=float, default=0.1, help="of samples in training (default %(default)s)")
    options = parser.parse_args()
    trouble = why_not()
    if trouble:
        print(f"there can be no machines in namespaces here: {trouble}", file=sys.stderr)
        return 1
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    print(f"{cores} cores, a load of {load:.1f} before the measurement")
    with tempfile.TemporaryDirectory() as folder, Lab(folder) as lab:
        cluster = Cluster(lab, (1,))
        speeds = [measure(cluster, Path(folder), options, 1)]
        for nodes in range(2, options.nodes + 1):
            cluster.grow(1)
            speeds.append(measure(cluster, Path(folder), options, nodes))
            print(f"{nodes} nodes play {speeds[-1] / speeds[0]:.2f} times as many games as one")
        cluster.disconnect()
    return 0


if __name__ == "__main__":
    sys.exit(main())
