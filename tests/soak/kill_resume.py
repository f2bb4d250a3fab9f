"""Kills a learning run at random moments, resumes it each time, and compares what it ends with.

    python tests/soak/kill_resume.py --kills 50

A run that is complete before all kills are spent is followed by another one. Every one of them must end with the
champion, and with all the steps, of a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import importlib
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from run_killer import complete, entries, kill_at_random

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


def outcome(run: Run) -> dict[str, object]:
    """All that two equal runs have in common: no times, no folder names."""
    steps = {step.id: f"{step.name} {step.iteration or 0}" for step in run.steps()}
    return {
        "champion": run.champion.sha256,
        "reigns": [steps.get(promotion.step, "one in quarantine") for promotion in run.champions()],
        "steps": sorted((steps[step.id], step.sha256) for step in run.steps()),
    }


def start(path, iterations, workers="inline") -> subprocess.Popen:
    command = [sys.executable, __file__, "--child", str(path), "--iterations", str(iterations), "--workers", workers]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def finish(path, iterations, workers="inline") -> Run:
    with start(path, iterations, workers) as child:
        if child.wait():
            raise RuntimeError(f"the run in {path} ended with {child.returncode}")
    return Run.open(path)


def soak(folder, kills, iterations, seed, workers, longest_s) -> bool:
    undisturbed = finish(folder / "undisturbed", iterations)
    wanted, order = outcome(undisturbed), [step.name for step in undisturbed.steps()]
    print(f"undisturbed: {len(order)} steps, champion {wanted['champion']}", flush=True)
    chance, killed, amid, number, equal = random.Random(seed), 0, 0, 0, True
    before: Counter[str] = Counter()
    while killed < kills:
        number += 1
        path, first = folder / f"run-{number}", killed
        while killed < kills and kill_at_random(start(path, iterations, workers), path, chance, longest_s):
            killed += 1
            amid += any(name.startswith(".tmp-") for name in entries(path))
            before[[*order, "the end"][complete(path)]] += 1
        run = finish(path, iterations, workers)
        found, problems = outcome(run), run.verify()
        is_equal = found == wanted and not problems
        equal = equal and is_equal
        verdict = "all steps equal" if is_equal else f"DIFFERENT {found} {problems}"
        print(f"run {number}: killed {killed - first} times, champion {found['champion']}, {verdict}", flush=True)
    moments = ", ".join(f"{count} before {name}" for name, count in sorted(before.items()))
    print(f"{killed} kills in {number} runs: {moments}; {amid} left a step unfinished")
    print("every run ended as the undisturbed one" if equal else "SOME RUN ENDED OTHERWISE")
    return equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=0.6, help="seconds into a step, at most")
    parser.add_argument("--workers", default="inline", help="of the disturbed runs")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        importlib.import_module("tengen.nets")  # takes seconds, in which a kill would meet nothing of interest

        print("begun", flush=True)
        learn(given.child, given.iterations, given.workers)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        sys.exit(not soak(path, given.kills, given.iterations, given.seed, given.workers, given.longest))


if __name__ == "__main__":
    main()
