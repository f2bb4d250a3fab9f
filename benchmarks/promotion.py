"""Planted challengers: are weaker ones rejected and stronger ones promoted, every time?

    python benchmarks/promotion.py --runs 20

Each line is one pair of players over many champion cycles, each with deals of its own and a folder of its own. The
gate is the default one of `tengen cycle`. Who is weaker or stronger was found in long matches:
docs/promotion.md has the figures.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import tengen
from tengen.champion import Contestant, Cycle, CycleSettings, GateSettings, open_cycle
from tengen.cluster import open_workers

# Game, champion, challenger, whether it must be promoted, games of a challenge, changes of the gate. PIMC and greedy
# fail with nearly the same share of their gos, so that a guard without regard to errors blocks by luck.
PLANTED: list[tuple[str, str, str, bool, int, dict[str, float]]] = [
    ("matgo", "greedy", "random", False, 200, {}),
    ("matgo", "random", "greedy", True, 200, {}),
    ("matgo", "pimc:100", "random", False, 200, {}),
    ("matgo", "random", "pimc:100", True, 200, {}),
    ("matgo", "pimc:300", "greedy", False, 600, {"guard_z": 1.96}),
    ("matgo", "greedy", "pimc:300", True, 600, {"guard_z": 1.96}),
    ("pyrga", "rollout:200", "rollout:20", False, 100, {}),
    ("pyrga", "rollout:20", "rollout:200", True, 100, {}),
]


def challenge(
    folder: Path, planted: tuple[str, str, str, bool, int, dict[str, float]], seed: int, workers: str
) -> tuple[bool, str]:
    """Whether the challenger was promoted, and by which figure that was decided."""
    name, champion, challenger, _, games, gate = planted
    game = tengen.game(name)
    first = Contestant.of(champion)
    wanted = CycleSettings(seed=seed, games=games, gate=GateSettings(**gate))  # type: ignore[arg-type]
    run, settings = open_cycle(folder, game, wanted, first)
    with run.lock(), open_workers(workers) as hands:
        decision = Cycle(run, game, settings, hands).play(first, [Contestant.of(challenger)])[0]
    reigning = run.champion
    assert reigning is not None
    assert (reigning.metrics["player"] == challenger) == decision.metrics["passed"]
    return bool(decision.metrics["passed"]), str(decision.metrics["decided_by"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", default="inline")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="lines in which this occurs, such as pyrga or pimc:300"
    )
    given = parser.parse_args()
    right = True
    for planted in PLANTED:
        name, champion, challenger, must_pass, games, _ = planted
        if given.only not in f"{name} {challenger} against {champion}":
            continue
        began = time.monotonic()
        words: Counter[str] = Counter()
        good = 0
        for number in range(given.runs):
            with tempfile.TemporaryDirectory() as folder:
                passed, word = challenge(Path(folder) / "run", planted, given.seed + number, given.workers)
            good += passed == must_pass
            words[word] += 1
        right = right and good == given.runs
        verdict = "promoted" if must_pass else "rejected"
        decided = ", ".join(f"{count} by {word}" for word, count in words.most_common())
        print(
            f"{name:<6} {challenger:<11} against {champion:<11} {verdict} in {good} of {given.runs} "
            f"({games} games each, {time.monotonic() - began:.0f} s; decided {decided})",
            flush=True,
        )
    sys.exit(not right)


if __name__ == "__main__":
    main()
