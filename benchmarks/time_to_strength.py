"""Measure the strength of a learning run of Connect Four over processor time, against an exact solver.

    python benchmarks/time_to_strength.py --minutes 20 --out runs/time-to-strength --seed 1
    python benchmarks/time_to_strength.py --minutes 20 --out runs/other --set games_per_iter=256 --set net.channels=48

Learns with the settings that `tengen learn connect_four` takes by default, in one process, and measures the newest
network after every few iterations on random positions: how often the network's first choice and the choice of 200
visits keep the best result if at least one move is a mistake, and the correlation of the network's value with the best
result in all of them. (Positions with a mistake are never lost, so they would hardly tell good values from bad ones.)
Time for measuring does not count. The same command continues an interrupted run.

The positions are drawn with a fixed seed, 10 to 36 plies from the start, and solved by connect_four_solver.cpp, which
is compiled with the C++ compiler on the first run; solving takes a minute or two and is kept beside the run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tengen
from tengen.champion import Loop, change_settings, open_run, settings_for
from tengen.cluster import open_workers
from tengen.evaluators import find_evaluator
from tengen.search import Pool, SearchSettings

if TYPE_CHECKING:
    from tengen.games import Game, State

SOLVER = Path(__file__).with_name("connect_four_solver.cpp")
POSITIONS_SEED = 2026
PLIES = (10, 36)
VISITS = 200
EVERY = 3
"""Iterations between two measurements."""


@dataclass(frozen=True)
class Solved:
    """A position and the value of every move in it for the player who makes it: 1, 0 or -1; None for a full column."""

    state: State
    values: tuple[int | None, ...]

    @property
    def best(self) -> int:
        return max(value for value in self.values if value is not None)

    @property
    def has_mistakes(self) -> bool:
        return any(value is not None and value < self.best for value in self.values)

    def keeps(self, action: int) -> bool:
        """Return True if a move keeps the best result."""
        return self.values[action] == self.best


def compile_solver(folder: Path) -> Path:
    """Return the solver's program, which is compiled if it is not there."""
    program = folder / "connect_four_solver"
    if not program.exists():
        command = [os.environ.get("CXX", "c++"), "-O3", "-std=c++20", "-o", str(program), str(SOLVER)]
        subprocess.run(command, check=True)
    return program


def draw_positions(game: Game, count: int, folder: Path) -> list[Solved]:
    """Return random positions, so many that `count` of them have mistakes."""
    file = folder / f"positions-{count}.txt"
    if file.exists():
        return [read_position(game, line) for line in file.read_text().splitlines()]
    rng = random.Random(POSITIONS_SEED)
    lines: list[str] = []
    seen: set[int] = set()
    found: list[Solved] = []
    mistakes = 0
    with subprocess.Popen([compile_solver(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as solver:
        assert solver.stdin is not None
        assert solver.stdout is not None
        while mistakes < count:
            state, moves = game.start(0), ""
            plies = rng.randint(*PLIES)
            while len(moves) < plies and not state.is_over:
                action = rng.choice(state.legal())
                state, moves = state.play(action), f"{moves}{action}"
            if state.is_over or state.key in seen:
                continue
            seen.add(state.key)
            solver.stdin.write(f"{moves}\n")
            solver.stdin.flush()
            lines.append(f"{moves} {solver.stdout.readline().strip()}")
            found.append(read_position(game, lines[-1]))
            mistakes += found[-1].has_mistakes
            if found[-1].has_mistakes and mistakes % 100 == 0:
                print(f"{mistakes} of {count} positions solved", file=sys.stderr, flush=True)
        solver.stdin.close()
    file.write_text("".join(f"{line}\n" for line in lines))
    return found


def read_position(game: Game, line: str) -> Solved:
    moves, *values = line.split()
    state = game.start(0)
    for column in moves:
        state = state.play(int(column))
    return Solved(state, tuple(None if value == "x" else int(value) for value in values))


def measure(game: Game, network: Path, positions: list[Solved]) -> dict[str, float]:
    """Return how often the network's policy and a search with it keep the best result, and what its value is worth."""
    evaluator: Any = find_evaluator(str(network), game)
    answer = evaluator.answer(np.stack([each.state.encode(each.state.actor) for each in positions]))
    odds = np.exp(answer["value"] - answer["value"].max(axis=1, keepdims=True))
    value = (odds[:, 0] - odds[:, 2]) / odds.sum(axis=1)
    best = np.array([each.best for each in positions])
    hard = [i for i, each in enumerate(positions) if each.has_mistakes]
    pool = Pool(game, SearchSettings(visits=VISITS), evaluator)
    roots = [pool.add(positions[i].state, seed=1) for i in hard]
    pool.run()
    first = [max(positions[i].state.legal(), key=answer["policy"][i].__getitem__) for i in hard]
    searched = [pool.choose(root, temperature=0) for root in roots]
    return {
        "policy": float(np.mean([positions[i].keeps(action) for i, action in zip(hard, first, strict=True)])),
        "search": float(np.mean([positions[i].keeps(action) for i, action in zip(hard, searched, strict=True)])),
        "value_correlation": float(np.corrcoef(value, best)[0, 1]),
    }


def processor_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def learn(loop: Loop, minutes: float, positions: list[Solved], curve: Path) -> None:
    """Learn for so many minutes of processor time, and append every measurement to the curve's file."""
    rows = [json.loads(line) for line in curve.read_text().splitlines()] if curve.exists() else []
    iteration, spent_s = (rows[-1]["iteration"], rows[-1]["processor_s"]) if rows else (0, 0.0)
    loop.run_until(iteration)
    while spent_s < 60 * minutes:
        iteration += 1
        begun = processor_s()
        loop.iterate(iteration)
        spent_s += processor_s() - begun
        if iteration > 3 and iteration % EVERY and spent_s < 60 * minutes:
            continue
        trained, played = loop.run.find("train", iteration), loop.run.find("self-play", iteration)
        assert played is not None
        if trained is None:
            continue
        row = {"iteration": iteration, "processor_s": spent_s, "games": played.metrics["games"]}
        row |= measure(loop.game, trained.file("net.onnx"), positions)
        with curve.open("a") as file:
            file.write(json.dumps(row) + "\n")
        show(row)


def show(row: dict[str, float]) -> None:
    print(
        f"{row['processor_s'] / 60:6.1f} min  iteration {row['iteration']:3.0f}  policy {100 * row['policy']:5.1f} %  "
        f"{VISITS} visits {100 * row['search']:5.1f} %  value {row['value_correlation']:+.3f}",
        flush=True,
    )


def read_changes(texts: list[str]) -> dict[str, Any]:
    """Return the nested tables of settings that `a.b=value` texts name."""
    tables: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        *path, last = name.split(".")
        table = tables
        for part in path:
            table = table.setdefault(part, {})
        try:
            table[last] = json.loads(value)
        except ValueError:
            table[last] = value
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0, help="processor time (default %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run and its curve")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--positions", type=int, default=1000, help="solved positions (default %(default)s)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting of the run")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    game = tengen.game("connect_four")
    positions = draw_positions(game, options.positions, options.out)
    changes = read_changes(options.set) | {"seed": options.seed, "anchor": ""}
    run, settings = open_run(options.out / "run", game, change_settings(settings_for(game), changes))
    with run.lock(), open_workers("inline") as workers:
        learn(Loop(run, game, settings, workers), options.minutes, positions, options.out / "curve.jsonl")


if __name__ == "__main__":
    main()
