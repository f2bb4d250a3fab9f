"""Measure how much of its time `tengen usi` uses, and how many moves come too late, on an idle and on a busy machine.

    python benchmarks/usi_time.py --byoyomi 300 --moves 100 --load 0 10

The engine plays both sides of games from the start position by byoyomi. The time of a move runs from the `go` that is
sent to the `bestmove` that is received, as a board measures it. `--load N` runs N busy processes for each core at
the same time. `--cores 1` keeps the benchmark and its busy processes on one core, so that others can use the rest.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BUSY = "while True: pass"
WARM_UP_MOVES = 3
"""Moves at the start that are not counted: the engine has not measured its delays yet."""


class Program:
    """A USI engine, spoken to line by line."""

    def __init__(self, words: list[str]) -> None:
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def until(self, word: str) -> str:
        """Return the first line that starts with the word."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(word):
                return line.strip()
        raise RuntimeError(f"the engine ended before it wrote {word!r}")

    def close(self) -> None:
        self.send("quit")
        self._process.wait()


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def move_times(words: list[str], options: list[str], byoyomi_ms: int, moves: int) -> list[float]:
    """Return the milliseconds that each of so many moves took."""
    program = Program(words)
    program.send("usi")
    program.until("usiok")
    for option in options:
        name, _, value = option.partition("=")
        program.send(f"setoption name {name} value {value}")
    program.send("isready")
    program.until("readyok")
    taken: list[float] = []
    played: list[str] = []
    while len(taken) < moves + WARM_UP_MOVES:
        program.send(f"position startpos moves {' '.join(played)}" if played else "position startpos")
        began = time.monotonic()
        program.send(f"go btime 0 wtime 0 byoyomi {byoyomi_ms}")
        answer = program.until("bestmove").split()[1]
        taken.append(1000 * (time.monotonic() - began))
        played = [] if answer in ("resign", "win") or len(played) >= 100 else [*played, answer]
    program.close()
    return taken[WARM_UP_MOVES:]


def report(load: int, cores: int, taken: list[float], byoyomi_ms: int) -> str:
    late = [ms for ms in taken if ms > byoyomi_ms]
    ordered = sorted(taken)
    return (
        f"{load:>4} {load * cores:>5} {len(taken):>6} {statistics.median(taken):>7.0f} "
        f"{100 * statistics.mean(min(ms, byoyomi_ms) for ms in taken) / byoyomi_ms:>6.0f} % "
        f"{ordered[int(0.95 * (len(ordered) - 1))]:>6.0f} {ordered[-1]:>6.0f} {len(late):>5}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoyomi", type=int, default=300, metavar="MS", help="time of each move, in milliseconds")
    parser.add_argument("--moves", type=int, default=100, metavar="N", help="moves at each load")
    parser.add_argument(
        "--load", type=int, nargs="+", default=[0, 10], metavar="N", help="busy processes for each core"
    )
    parser.add_argument("--cores", type=int, default=0, metavar="N", help="cores to stay on; 0 for all")
    parser.add_argument("--net", default=None, help="the network of `tengen usi`")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the engine")
    args = parser.parse_args()
    if args.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.cores])
    cores = len(os.sched_getaffinity(0))
    words = [sys.executable, "-m", "tengen", "usi", *(["--net", args.net] if args.net else [])]
    print(f"{args.byoyomi} ms byoyomi, {cores} cores, load average at the start {os.getloadavg()[0]:.1f}")
    print("load  busy  moves  median   used     95 %   most  late")
    for load in args.load:
        with busy_processes(load * cores):
            print(
                report(load, cores, move_times(words, args.option, args.byoyomi, args.moves), args.byoyomi), flush=True
            )


if __name__ == "__main__":
    main()
