"""Measure OpenSpiel's AlphaZero on Connect Four as time_to_strength.py measures Tengen: over processor time.

    python3 -m venv openspiel && openspiel/bin/pip install open_spiel jax flax optax chex
    python benchmarks/openspiel_alphazero.py --python openspiel/bin/python --minutes 60 --out runs/openspiel
    python benchmarks/time_to_strength.py --show Tengen=runs/connect-four-1 OpenSpiel=runs/openspiel

The settings are those of OpenSpiel's example (open_spiel/python/examples/alpha_zero.py of version 2.0), with an actor
for each core instead of two, no evaluators, whose games would take time, 10 moves of temperature instead of 2, because
the example's game is tic-tac-toe, and the faster of its two interfaces to flax. --set changes settings, such as
replay_buffer_size: a quarter of the buffer must be new before a step of training. OpenSpiel evaluates one position
at a time, operation by operation; with --compiled the actors call one compiled function, which OpenSpiel does not have.

The positions, the pauses and the clock are those of time_to_strength.py; the searches are OpenSpiel's own with the
network, and take longer, so that only the first positions are searched.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from strength_charts import format_table
from strength_measures import COURSES
from strength_positions import find_positions, positions_file
from strength_process import Spent, TimedProgram, read_spent
from time_to_strength import POINTS, append_line, read_lines

import tengen

WORKER = Path(__file__).with_name("openspiel_worker.py")
POLL_S = 0.5
SETTINGS: dict[str, Any] = {
    "game": "connect_four",
    "learning_rate": 1e-3,
    "weight_decay": 1e-4,
    "decouple_weight_decay": False,
    "train_batch_size": 128,
    "replay_buffer_size": 8192,
    "replay_buffer_reuse": 4,
    "max_steps": 0,
    "checkpoint_freq": 1,
    "actors": 0,
    "evaluators": 0,
    "evaluation_window": 50,
    "eval_levels": 7,
    "uct_c": 1.41,
    "max_simulations": 40,
    "policy_alpha": 1.0,
    "policy_epsilon": 0.25,
    "temperature": 1.0,
    "temperature_drop": 10,
    "nn_model": "resnet",
    "nn_width": 256,
    "nn_depth": 2,
    "nn_api_version": "nnx",
    "verbose": False,
    "quiet": True,
}


class Checkpoints:
    """The checkpoints of a run with the time that they took, and the measurements of some of them."""

    def __init__(self, options: argparse.Namespace, positions: Path, every_s: float) -> None:
        self._options, self._positions, self._every_s = options, positions, every_s
        self._run = options.out / "run"
        self._curve_file = options.out / "curve.jsonl"
        self._rows = read_lines(self._curve_file)

    def measure(self, spent: Spent, *, is_over: bool = False) -> None:
        """Measure the newest checkpoint if its turn has come."""
        lines = read_lines(self._run / "learner.jsonl")
        complete = [line for line in lines if (self._run / f"checkpoint-{line['step']}").is_dir()]
        last_s = self._rows[-1]["processor_s"] if self._rows else -self._every_s
        is_new = bool(complete) and (not self._rows or complete[-1]["step"] > self._rows[-1]["iteration"])
        if not is_new or not (is_over or spent.processor_s >= last_s + self._every_s):
            return
        step = complete[-1]["step"]
        words = [self._options.python, str(WORKER), "measure", str(self._options.out / "settings.json"), str(step)]
        words += [str(self._positions), str(self._options.visits), str(self._options.searched)]
        ran = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ | {"COMPILED": "1"})
        row = {"iteration": step, "games": complete[-1]["total_trajectories"], "processor_s": spent.processor_s}
        row |= {"wall_s": spent.wall_s, **json.loads(ran.stdout.splitlines()[-1])}
        self._rows.append(row)
        append_line(self._curve_file, row)
        print(format_table([row], has_head=len(self._rows) == 1), flush=True)


def learn(options: argparse.Namespace) -> int:
    """Learn until the time is used up and return the exit code. OpenSpiel cannot continue a run."""
    if read_spent(options.out).processor_s:
        print(f"{options.out} has a run already, and OpenSpiel cannot continue it: name a new folder", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    changes = {name: json.loads(value) for name, _, value in (text.partition("=") for text in options.set)}
    settings = SETTINGS | {"actors": len(os.sched_getaffinity(0)), "path": str((options.out / "run").absolute())}
    (options.out / "settings.json").write_text(json.dumps(settings | changes, indent=2) + "\n")
    course, game = COURSES["connect_four"], tengen.game("connect_four")
    assert course.plies is not None
    find_positions(game, options.positions, course.plies)
    limit_s = 60 * options.minutes
    positions = positions_file(game, options.positions, course.plies)
    checkpoints = Checkpoints(options, positions, limit_s / POINTS if options.every is None else 60 * options.every)
    command = [options.python, str(WORKER), "learn", str(options.out / "settings.json")]
    program = TimedProgram(command, options.out, {"COMPILED": "1"} if options.compiled else {})
    try:
        while program.is_running and (spent := program.spent()).processor_s < limit_s:
            with program.paused():
                checkpoints.measure(spent)
            time.sleep(POLL_S)
        failure = program.exit_code or 0
    finally:
        program.close()
    checkpoints.measure(read_spent(options.out), is_over=True)
    if failure:
        log = (options.out / "learn.log").read_text(errors="replace").splitlines()
        print("OpenSpiel has failed:", *log[-10:], sep="\n", file=sys.stderr)
    return failure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="a Python with open_spiel, jax, flax, optax and chex")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run and its curve")
    parser.add_argument("--minutes", type=float, default=60.0, help="processor time (default %(default)s)")
    parser.add_argument(
        "--every", type=float, metavar="MINUTES", help=f"between measurements (default: about {POINTS})"
    )
    parser.add_argument("--positions", type=int, default=1000, help="solved positions (default %(default)s)")
    parser.add_argument("--searched", type=int, default=200, help="positions that are searched (default %(default)s)")
    parser.add_argument("--visits", type=int, default=200, help="of a search (default %(default)s)")
    parser.add_argument("--compiled", action="store_true", help="evaluate by a compiled function; see above")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=JSON", help="change a setting")
    return learn(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
