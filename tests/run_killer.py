"""Kills a process that works on a run directory at random moments, resumes it, and compares what it ends with."""

from __future__ import annotations

import argparse
import random
import signal
import time
from collections import Counter
from pathlib import Path

from tengen.runs import Run


def entries(path) -> list[str]:
    return [entry.name for entry in (path / "steps").glob("*")]


def complete(path) -> int:
    return sum(not name.startswith(".tmp-") for name in entries(path))


def kill_at_random(child, path, chance, longest_s) -> bool:
    """Whether the run was killed; otherwise it was complete before."""
    with child:
        child.stdout.readline()
        # Up to three steps further, then somewhere in the next one. Where none is further: while it begins.
        goal = complete(path) + chance.randrange(4)
        while complete(path) < goal and child.poll() is None:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, longest_s))
        child.kill()
        code = child.wait()
    if code not in (0, -signal.SIGKILL):
        raise RuntimeError(f"a resumed run ended with {code}")
    return code != 0


def finish(child, path) -> Run:
    with child:
        if child.wait():
            raise RuntimeError(f"the run in {path} ended with {child.returncode}")
    return Run.open(path)


def outcome(run: Run) -> dict[str, object]:
    """All that two equal runs have in common: no times, no folder names."""
    steps = {step.id: f"{step.name} {step.iteration or 0}" for step in run.steps()}
    champion = run.champion
    return {
        "champion": champion and champion.sha256,
        "reigns": [steps.get(promotion.step, "one in quarantine") for promotion in run.champions()],
        "decisions": [
            (step.iteration, step.metrics["passed"], step.metrics["reason"]) for step in run.steps("decision")
        ],
        "steps": sorted((steps[step.id], step.sha256) for step in run.steps()),
    }


def soak(folder, start, kills, seed, longest_s, workers="inline") -> bool:
    """start(path, workers) is a process that begins or resumes the run there, and says a line once it works.

    A run that is complete before all kills are spent is followed by another one."""
    undisturbed = finish(start(folder / "undisturbed", "inline"), folder / "undisturbed")
    wanted, order = outcome(undisturbed), [step.name for step in undisturbed.steps()]
    print(f"undisturbed: {len(order)} steps, champion {wanted['champion']}", flush=True)
    chance, killed, amid, number, equal = random.Random(seed), 0, 0, 0, True
    before: Counter[str] = Counter()
    while killed < kills:
        number += 1
        path, first = folder / f"run-{number}", killed
        while killed < kills and kill_at_random(start(path, workers), path, chance, longest_s):
            killed += 1
            amid += any(name.startswith(".tmp-") for name in entries(path))
            before[[*order, "the end"][complete(path)]] += 1
        run = finish(start(path, workers), path)
        found, problems = outcome(run), run.verify()
        is_equal = found == wanted and not problems
        equal = equal and is_equal
        verdict = "all steps equal" if is_equal else f"DIFFERENT {found} {problems}"
        print(f"run {number}: killed {killed - first} times, {verdict}", flush=True)
    moments = ", ".join(f"{count} before {name}" for name, count in sorted(before.items()))
    print(f"{killed} kills in {number} runs: {moments}; {amid} left a step unfinished")
    print("every run ended as the undisturbed one" if equal else "SOME RUN ENDED OTHERWISE", flush=True)
    return equal


def kill_arguments(description, *, kills, longest_s) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=kills)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=longest_s, help="seconds into a step, at most")
    parser.add_argument("--workers", default="inline", help="of the disturbed runs")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    return parser
