"""Measure the strength of learning runs over the processor time that they take, two worker processes included.

    python benchmarks/time_to_strength.py connect_four --minutes 60 --seed 1 --out runs/connect-four-1
    python benchmarks/time_to_strength.py go9 --minutes 180 --out runs/go9 --set net.channels=64
    python benchmarks/time_to_strength.py pyrga --out runs/before --python ../before/bin/python
    python benchmarks/time_to_strength.py --show now=runs/c4-1 now=runs/c4-2 before=runs/old --chart curves.svg

Runs `tengen learn` with its default settings for the game, on one worker for each core, and measures the newest network
every few minutes while the run is paused:

    connect_four  1,000 random positions of 10 to 36 plies, solved exactly
    pyrga         1,000 endings, solved exactly, and a match with rollout:1000
    othello6      6x6 Othello, a game in Python that `tengen learn` plans for the time: 300 endings, and rollout:200
    go7, go9      a match with GNU Go at level 10 (apt-get install gnugo)

In solved positions in which a mistake is possible, the figures are how often the network's first choice and the choice
of 200 visits keep the best result; in all of them, the correlation of the network's value with the best result. The
searches use the run's `player` setting. A match is played with 200 visits, each opening from both sides.

`tengen learn` does not rate its champion meanwhile, because the ratings would be part of the time. Time for measuring
does not count. The same command continues an interrupted run. With --python the run is made by another installation of
the package, such as an earlier version; its networks are measured by this one. Words after `--` go to `tengen learn`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strength_charts import COLUMNS, draw_chart, format_table, read_groups
from strength_measures import COURSES, Course, Measurement
from strength_process import Spent, TimedProgram, read_spent

import tengen
from tengen.runs import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.runs import Step

POLL_S = 0.5
POINTS = 15
"""Measurements of a run, about; the first networks are measured as well."""
FIRST = 2
ITERATIONS = 100_000
"""More than any run completes: time ends it."""


def learn_command(course: Course, options: argparse.Namespace) -> list[str]:
    """Return the command of the learning run."""
    settings = {f"game.{name}": value for name, value in course.settings.items()}
    settings |= {"seed": options.seed, "anchor": '""'}
    changes = [f"{name}={value}" for name, value in settings.items()] + options.set
    command = [options.python, "-m", "tengen", "learn", course.game, "--run", str(options.out / "run")]
    command += ["--workers", options.workers, "--no-final-match"]
    command += [word for change in changes for word in ("--set", change)]
    if course.is_planned:
        cores = len(os.sched_getaffinity(0))
        return [*command, "--minutes", f"{options.minutes / cores:g}", *options.more]
    return [*command, "--iters", str(ITERATIONS), *options.more]


class Curve:
    """The networks of a run with the time that they took, and the measurements of some of them."""

    def __init__(self, folder: Path, measurement: Measurement, every_s: float) -> None:
        self._run = folder / "run"
        self._measurement = measurement
        self._every_s = every_s
        self._networks_file, self._curve_file = folder / "networks.jsonl", folder / "curve.jsonl"
        self._networks, self._rows = read_lines(self._networks_file), read_lines(self._curve_file)

    def note(self, spent: Spent) -> bool:
        """Record the time of networks that are new, and return whether there are any."""
        known = {network["step"] for network in self._networks}
        new = [step for step in self._trained() if step.id not in known]
        for step in new:
            times = {"processor_s": spent.processor_s, "wall_s": spent.wall_s}
            self._networks.append({"step": step.id, "iteration": step.iteration, **times})
            append_line(self._networks_file, self._networks[-1])
        return bool(new)

    def measure(self, *, is_over: bool = False) -> None:
        """Measure the networks whose turn it is; at the end of the run also the last one."""
        steps = {step.id: step for step in self._trained()}
        measured = {row["step"] for row in self._rows}
        last_s = self._rows[-1]["processor_s"] if self._rows else -self._every_s
        for number, network in enumerate(self._networks):
            is_last = is_over and network is self._networks[-1]
            is_due = is_last or number < FIRST or network["processor_s"] >= last_s + self._every_s
            if network["step"] in measured or network["step"] not in steps or not is_due:
                continue
            step = steps[network["step"]]
            row = network | {"games": self._games(step)} | self._measurement.of(step)
            last_s = network["processor_s"]
            self._rows.append(row)
            append_line(self._curve_file, row)
            print(format_table([row], has_head=len(self._rows) == 1), flush=True)

    def _trained(self) -> list[Step]:
        return Run.open(self._run).steps("train") if (self._run / "run.toml").exists() else []

    def _games(self, trained: Step) -> int:
        """Return the games that were played before a network was trained."""
        played = [step for step in Run.open(self._run).steps("self-play") if step.iteration <= trained.iteration]
        return sum(int(step.metrics["games"]) for step in played)


def read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def append_line(file: Path, row: dict[str, Any]) -> None:
    with file.open("a") as lines:
        lines.write(json.dumps(row) + "\n")


def learn(course: Course, options: argparse.Namespace) -> int:
    """Learn until the time is used up, or until the run is complete. Return the exit code."""
    options.out.mkdir(parents=True, exist_ok=True)
    game = tengen.game(course.game, **course.settings)
    positions = course.positions if options.positions is None else options.positions
    match_games = course.match_games if options.match_games is None else options.match_games
    measurement = Measurement(course, game, positions, match_games, options.visits)
    limit_s = 60 * options.minutes
    curve = Curve(options.out, measurement, limit_s / POINTS if options.every is None else 60 * options.every)
    failure = 0
    if read_spent(options.out).processor_s < limit_s:
        program = TimedProgram(learn_command(course, options), options.out)
        try:
            follow(program, curve, limit_s, is_measuring=not (options.after or course.is_planned))
            failure = program.exit_code or 0
        finally:
            program.close()
    curve.measure(is_over=True)
    if failure:
        log = (options.out / "learn.log").read_text(errors="replace").splitlines()
        print("tengen learn has failed:", *log[-10:], sep="\n", file=sys.stderr)
    return failure


def follow(program: TimedProgram, curve: Curve, limit_s: float, *, is_measuring: bool) -> None:
    while program.is_running:
        spent = program.spent()
        if curve.note(spent) and is_measuring:
            with program.paused():
                curve.measure()
        if spent.processor_s >= limit_s:
            return
        time.sleep(POLL_S)
    curve.note(program.spent())


def show(words: Sequence[str], chart: Path | None, column: str) -> None:
    """Print the tables of the curves, and draw a chart of one column if a file is given."""
    curves: dict[str, list[list[dict[str, Any]]]] = {}
    for name, folders in read_groups(words).items():
        for folder in folders:
            rows = read_lines(Path(folder) / "curve.jsonl")
            curves.setdefault(name, []).append(rows)
            print(f"{name + ': ' if name else ''}{folder}\n{format_table(rows)}\n")
    if chart is not None:
        chart.write_text(draw_chart(curves, column), encoding="utf-8")


def read_arguments() -> argparse.Namespace:
    words, more = sys.argv[1:], []
    if "--" in words:
        words, more = words[: words.index("--")], words[words.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("course", nargs="?", choices=COURSES, default="connect_four", help="the game; see above")
    parser.add_argument("--out", type=Path, help="folder of the run and its curve")
    parser.add_argument("--minutes", type=float, default=60.0, help="processor time (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting of the run")
    parser.add_argument("--workers", default="local", help="of the run (default: a process for each core)")
    parser.add_argument("--python", default=sys.executable, help="the Python whose Tengen learns (default: this one)")
    parser.add_argument(
        "--every", type=float, metavar="MINUTES", help=f"between measurements (default: about {POINTS})"
    )
    parser.add_argument("--after", action="store_true", help="measure at the end, without pausing the run")
    parser.add_argument("--positions", type=int, help="solved positions with mistakes (default: the course's)")
    parser.add_argument("--match-games", type=int, help="games of a match, 0 for none (default: the course's)")
    parser.add_argument("--visits", type=int, default=200, help="of a search (default %(default)s)")
    parser.add_argument("--show", nargs="+", metavar="[NAME=]DIR", help="print the curves of these folders instead")
    parser.add_argument("--chart", type=Path, metavar="FILE.svg", help="with --show: draw them as well")
    parser.add_argument("--column", choices=COLUMNS, default="search", help="of the chart (default %(default)s)")
    options = parser.parse_args(words)
    options.more = more
    if options.show is None and options.out is None:
        parser.error("name the folder of the run, --out DIR, or folders to --show")
    return options


def main() -> int:
    options = read_arguments()
    if options.show is not None:
        show(options.show, options.chart, options.column)
        return 0
    return learn(COURSES[options.course], options)


if __name__ == "__main__":
    sys.exit(main())
