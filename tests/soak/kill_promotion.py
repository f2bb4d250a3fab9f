"""Kills champion cycles and leagues at random moments, resumes them each time, and compares what they end with.

    python tests/soak/kill_promotion.py --kills 50

Every run must end with the decisions, the champion and all the steps of a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from run_killer import entries, kill_at_random

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
        "steps": [(steps[step.id], step.sha256) for step in run.steps()],
    }


def start(kind, path) -> subprocess.Popen:
    command = [sys.executable, __file__, "--child", str(path), "--kind", kind]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def soak(folder, kind, kills, seed, longest_s) -> bool:
    wanted = outcome(KINDS[kind](folder / f"{kind}-undisturbed"))
    print(f"{kind}, undisturbed: {len(wanted['steps'])} steps, decisions {wanted['decisions']}", flush=True)
    chance, killed, amid, number, equal = random.Random(seed), 0, 0, 0, True
    while killed < kills:
        number += 1
        path = folder / f"{kind}-{number}"
        while killed < kills and kill_at_random(start(kind, path), path, chance, longest_s):
            killed += 1
            amid += any(name.startswith(".tmp-") for name in entries(path))
        with start(kind, path) as child:
            if child.wait():
                raise RuntimeError(f"the {kind} in {path} ended with {child.returncode}")
        run = Run.open(path)
        found, problems = outcome(run), run.verify()
        if found != wanted or problems:
            equal = False
            print(f"{kind} {number} is DIFFERENT: {found} {problems}", flush=True)
    print(f"{kind}: {killed} kills in {number} runs, {amid} left a step unfinished; ", end="")
    print("every run ended as the undisturbed one" if equal else "SOME RUN ENDED OTHERWISE", flush=True)
    return equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="of each kind of run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=0.1, help="seconds into a step, at most")
    parser.add_argument("--kind", choices=sorted(KINDS), help="only this one")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print("begun", flush=True)
        KINDS[given.kind](given.child)
        return
    kinds = [given.kind] if given.kind else sorted(KINDS)
    with tempfile.TemporaryDirectory() as folder:
        results = [soak(Path(folder), kind, given.kills, given.seed, given.longest) for kind in kinds]
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
