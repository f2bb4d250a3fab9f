"""What a cluster costs, on machines in network namespaces of this one:

    python benchmarks/cluster_overhead.py

Milliseconds of the coordinator a task, seconds to connect, and how many games a second two nodes with a slot each play
for every one that a single slot plays; beside it, what local processes reach here, which says how much the two cores
themselves allow. Needs root, Ray, and two idle cores; takes some three minutes.

Games are counted while there is more to do than slots, after each slot has played some: neither the start of a process
nor the end of the work, when slots fall idle, is in the figures. Workers have one thread each, and the system decides
which core they run on.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from cluster_lab import Cluster, Coordinator, Lab

TASKS = """
    crew.map(square, range(100))
    began, cpu = time.monotonic(), time.process_time()
    for number in range({tasks}):
        crew.submit(square, number)
    assert len(list(crew.results())) == {tasks}
    wall, own = time.monotonic() - began, time.process_time() - cpu
    print("ms of wall time a task", 1000 * wall / {tasks})
    print("ms of the coordinator's processor time a task", 1000 * own / {tasks})
    """
GAMES = """
    import tengen
    from tengen.nets.shipped import find_shipped
    from tengen.search import SearchSettings
    from tengen.selfplay import SelfPlaySettings, play_games
    game = tengen.game("pyrga")
    net = File(find_shipped(game).network)
    settings = SelfPlaySettings(search=SearchSettings(visits=100), parallel={chunk})
    size = crew.size
    for number in range({chunks} + 4 * size):
        crew.submit(play_games, game, net, settings, list(range(number * {chunk}, (number + 1) * {chunk})))
    came = []
    for _ in crew.results():
        came.append(time.monotonic())
    # From the first chunk that every slot had begun after another one, to where the last ones have all begun.
    first, last = 2 * size - 1, len(came) - 1 - 2 * size
    print("games", (last - first) * {chunk} / (came[last] - came[first]))
    """


def figures(text: str) -> dict[str, float]:
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--chunks", type=int, default=24)
    parser.add_argument("--chunk", type=int, default=32, help="games of one")
    given = parser.parse_args()
    games = GAMES.format(chunk=given.chunk, chunks=given.chunks)
    speeds = {}
    with tempfile.TemporaryDirectory() as folder, Lab(folder) as lab:
        cluster = Cluster(lab, (1,))
        for processes in (1, 2):
            crew = Coordinator(cluster.head, f"local:{processes}")
            speeds["local", processes] = figures(crew.run(games))["games"]
            crew.close()
            print(f"{processes} local: {speeds['local', processes]:.2f} games/s", flush=True)
        connected = cluster.coordinate("began = time.monotonic(); crew.size; print('s', time.monotonic() - began)")
        print(f"the node is known {figures(connected)['s']:.1f} s after connecting")
        speeds["ray", 1] = figures(cluster.coordinate(games))["games"]
        print(f"1 node x 1 slot: {speeds['ray', 1]:.2f} games/s", flush=True)
        cluster.grow(1)
        cluster.coordinate("while crew.size != 2: time.sleep(0.1)")
        print(json.dumps(figures(cluster.coordinate(TASKS.format(tasks=given.tasks)))))
        speeds["ray", 2] = figures(cluster.coordinate(games))["games"]
        print(f"2 nodes x 1 slot: {speeds['ray', 2]:.2f} games/s", flush=True)
        cluster.disconnect()
    for kind, text in (("local", "two local processes reach"), ("ray", "two nodes reach")):
        print(f"{text} {speeds[kind, 2] / speeds[kind, 1]:.2f} x one")


if __name__ == "__main__":
    main()
