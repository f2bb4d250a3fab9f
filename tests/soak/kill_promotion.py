"""Kills champion cycles and leagues at random moments, resumes them each time, and compares what they end with.

    python tests/soak/kill_promotion.py --kills 50

Every run must end with the decisions, the champion and all the steps of a run that nobody disturbed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from run_killer import kill_arguments, soak

import tengen
from tengen.champion import Contestant, Cycle, CycleSettings, League, open_cycle, open_league, read_pool
from tengen.cluster import open_workers
from tengen.runs import Run

POOL = """
focal = "greedy"
games = 48
chunk_games = 8
seed = 3
exploration = { rate = 0.3, min = 0.1, decay_k = 2.0 }
opponents = [{ player = "random", weight = 2 }, { player = "pimc:5" }, { player = "greedy" }]
"""
CHALLENGERS = ("random", "greedy", "pimc:10", "random")


def run_cycle(path, workers="inline") -> Run:
    """What `tengen cycle` does, without its words."""
    game = tengen.game("matgo")
    champion = Contestant.of("random")
    run, settings = open_cycle(path, game, CycleSettings(seed=4, games=40, chunk_games=8), champion)
    with run.lock(), open_workers(workers) as hands:
        Cycle(run, game, settings, hands).play(champion, [Contestant.of(text) for text in CHALLENGERS])
    return run


def run_league(path, workers="inline") -> Run:
    game = tengen.game("matgo")
    pool = read_pool(POOL)
    players = [Contestant.of(text) for text in (pool.focal, *(each.player for each in pool.opponents))]
    run = open_league(path, game, pool, players)
    with run.lock(), open_workers(workers) as hands:
        League(run, game, hands).play(players)
    return run


KINDS = {"cycle": run_cycle, "league": run_league}


def start(kind, path, workers) -> subprocess.Popen:
    command = [sys.executable, __file__, "--child", str(path), "--kind", kind, "--workers", workers]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def main() -> None:
    parser = kill_arguments(__doc__, kills=50, longest_s=0.1)
    parser.add_argument("--kind", choices=sorted(KINDS), help="only this one")
    given = parser.parse_args()
    if given.child:
        print("begun", flush=True)
        KINDS[given.kind](given.child, given.workers)
        return
    equal = True
    for kind in [given.kind] if given.kind else sorted(KINDS):
        print(f"{kind}:", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            begin = partial(start, kind)
            equal &= soak(Path(folder), begin, given.kills, given.seed, given.longest, given.workers)
    sys.exit(not equal)


if __name__ == "__main__":
    main()
