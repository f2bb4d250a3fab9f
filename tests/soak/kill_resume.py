"""Kills a learning run at random moments, resumes it each time, and compares what it ends with.

    python tests/soak/kill_resume.py --kills 50

A run that is complete before all kills are spent is followed by another one. Every one of them must end with the
champion, and with all the steps, of a run that nobody disturbed.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from run_killer import kill_arguments, soak

import tengen
from tengen.champion import LearnSettings, Loop, change_settings, open_run
from tengen.cluster import open_workers
from tengen.runs import Run

TINY = {
    "seed": 5,
    "games_per_iter": 4,
    "bootstrap_games": 4,
    "bootstrap_visits": 8,
    "reuse": 2.0,
    "window": 2,
    "player": "NETWORK@16",
    "eval_games": 4,
    "eval_visits": 4,
    "anchor": "random",
    "anchor_games": 2,
    "anchor_every": 2,
    "net": {"channels": 8, "blocks": 1},
    "selfplay": {"parallel": 2, "search": {"visits": 8, "fast_visits": 0, "full_probability": 1.0}},
    "train": {"batch_size": 32, "threads": 1},
}


def tiny_settings(**changes) -> LearnSettings:
    return change_settings(change_settings(LearnSettings(), TINY), changes)


def learn(path, iterations, workers="inline", game="pyrga", settings=None) -> Run:
    """What `tengen learn` does, without its words."""
    game = tengen.game(game) if isinstance(game, str) else game
    run, settings = open_run(path, game, settings or tiny_settings())
    with run.lock(), open_workers(workers) as hands:
        Loop(run, game, settings, hands).run_until(iterations)
    return run


def start(iterations, path, workers) -> subprocess.Popen:
    command = [sys.executable, __file__, "--child", str(path), "--iterations", str(iterations), "--workers", workers]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def main() -> None:
    parser = kill_arguments(__doc__, kills=50, longest_s=0.6)
    parser.add_argument("--iterations", type=int, default=4)
    given = parser.parse_args()
    if given.child:
        importlib.import_module("tengen.nets")  # takes seconds, in which a kill would meet nothing of interest

        print("begun", flush=True)
        learn(given.child, given.iterations, given.workers)
        return
    with tempfile.TemporaryDirectory() as folder:
        begin = partial(start, given.iterations)
        sys.exit(not soak(Path(folder), begin, given.kills, given.seed, given.longest, given.workers))


if __name__ == "__main__":
    main()
