"""Kills a workflow of prophet and enforcer at random moments, resumes it each time, and compares what it ends with.

    python tests/soak/kill_pairs.py --kills 20

A run that is complete before all kills are spent is followed by another one. Every one of them must end with all the
steps of a run that nobody disturbed, byte for byte.
"""

from __future__ import annotations

import argparse
import importlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from prophet_helpers import write_records

from tengen.champion import change_settings
from tengen.champion.loop import Silent
from tengen.cluster import open_workers
from tengen.labs.shogi.settings import WorkflowSettings
from tengen.labs.shogi.workflow import Workflow, open_workflow
from tengen.runs import Run

TINY = {
    "prophet_epochs": 1,
    "random_num": 40,
    "enforcer_epochs": 1,
    "rounds": 2,
    "rounds_without_prophet": 1,
    "match_num": 6,
    "prefetch_depth": 2,
    "prefetch_width": 2,
    "max_plies": 24,
    "held_out": 0.3,
    "test_positions": 60,
    "arena_games": 2,
    "opponents": "random rollout:4",
    "size": {"channels": 4, "blocks": 1},
    "train": {"batch_size": 32},
}


def tiny_settings(**changes) -> WorkflowSettings:
    return change_settings(change_settings(WorkflowSettings(), TINY), changes)


def go(path, records, workers="inline", settings=None) -> Run:
    """What `tengen shogi workflow` does, without its words."""
    run = open_workflow(path, settings or tiny_settings(), [records])
    with run.lock(), open_workers(workers) as hands:
        Workflow(run, hands, Silent()).go()
    return run


def outcome(run: Run) -> list[tuple[str, int, str]]:
    """All that two equal runs have in common: no times, no folder names."""
    return sorted((step.name, step.iteration or 0, step.sha256) for step in run.steps())


def start(path, records, workers="inline") -> subprocess.Popen:
    command = [sys.executable, __file__, "--child", str(path), "--records", str(records), "--workers", workers]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def entries(path) -> list[str]:
    return [entry.name for entry in (path / "steps").glob("*")]


def complete(path) -> int:
    return sum(not name.startswith(".tmp-") for name in entries(path))


def kill_at_random(path, records, chance, longest_s, workers="inline") -> bool:
    """Whether the run was killed; otherwise it was complete before."""
    with start(path, records, workers) as child:
        child.stdout.readline()
        # Up to three steps further, then somewhere in the next one.
        goal = complete(path) + chance.randrange(4)
        while complete(path) < goal and child.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, longest_s))
        child.kill()
        code = child.wait()
    if code not in (0, -signal.SIGKILL):
        raise RuntimeError(f"a resumed run ended with {code}")
    return code != 0


def finish(path, records, workers="inline") -> Run:
    with start(path, records, workers) as child:
        if child.wait():
            raise RuntimeError(f"the run in {path} ended with {child.returncode}")
    return Run.open(path)


def soak(folder, kills, seed, workers, longest_s) -> bool:
    records = write_records(folder)
    undisturbed = finish(folder / "undisturbed", records)
    wanted, order = outcome(undisturbed), [step.name for step in undisturbed.steps()]
    print(f"undisturbed: {len(order)} steps", flush=True)
    chance, killed, amid, number, equal = random.Random(seed), 0, 0, 0, True
    before: Counter[str] = Counter()
    while killed < kills:
        number += 1
        path, first = folder / f"run-{number}", killed
        while killed < kills and kill_at_random(path, records, chance, longest_s, workers):
            killed += 1
            amid += any(name.startswith(".tmp-") for name in entries(path))
            before[[*order, "the end"][complete(path)]] += 1
        run = finish(path, records, workers)
        problems = run.verify()
        is_equal = outcome(run) == wanted and not problems
        equal = equal and is_equal
        verdict = "all steps equal" if is_equal else f"DIFFERENT {set(outcome(run)) ^ set(wanted)} {problems}"
        print(f"run {number}: killed {killed - first} times, {verdict}", flush=True)
    moments = ", ".join(f"{count} before {name}" for name, count in sorted(before.items()))
    print(f"{killed} kills in {number} runs: {moments}; {amid} left a step unfinished")
    print("every run ended as the undisturbed one" if equal else "SOME RUN ENDED OTHERWISE")
    return equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=1.0, help="seconds into a step, at most")
    parser.add_argument("--workers", default="inline", help="of the disturbed runs")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--records", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        importlib.import_module("tengen.labs.shogi.tasks")  # takes seconds, in which a kill would meet nothing
        print("begun", flush=True)
        go(given.child, given.records, given.workers)
        return
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(not soak(Path(folder), given.kills, given.seed, given.workers, given.longest))


if __name__ == "__main__":
    main()
