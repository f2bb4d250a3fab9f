"""Kills a learning run with --async at random moments, resumes it each time, and checks that it lost no finished game.

    python tests/soak/kill_async.py --kills 50
    python tests/soak/kill_async.py --kills 50 --workers 2

A game is finished when the run has reported its chunk. After each kill, every chunk that was reported must be in the
run exactly once, with its games: either in `chunks/` or in a step of self-play. A run that is complete before all kills
are spent is followed by another one.
"""

from __future__ import annotations

import argparse
import importlib
import os
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from soak.kill_resume import tiny_settings

import tengen
from tengen.champion import open_run
from tengen.champion.async_chunks import CHUNKS, ChunkStore
from tengen.champion.async_loop import AsyncLoop
from tengen.cluster import open_workers
from tengen.runs import Run
from tengen.selfplay import load_records

ACTORS = {"chunk_games": 2, "gate_share": 0.3, "stale_after": 0, "stale_weight": 1.0}


def async_settings(**changes):
    return tiny_settings(**{"asynchronous": True, "actors": ACTORS} | changes)


def learn_async(path, iterations, workers="inline", game="pyrga", settings=None, **options) -> Run:
    """Do what `tengen learn --async` does, without its output."""
    game = tengen.game(game) if isinstance(game, str) else game
    run, settings = open_run(path, game, settings or async_settings())
    with run.lock(), open_workers(workers) as hands:
        AsyncLoop(run, game, settings, hands, **options).run_until(iterations)
    return run


def chunks_of(run: Run) -> dict[int, int]:
    """Return the games of every chunk of a run by its number. A chunk of which nothing is known but its step has -1."""
    found: dict[int, int] = {}
    for step in run.steps("self-play"):
        numbers = step.settings[CHUNKS]
        assert not found.keys() & set(numbers), f"{step.id} repeats a chunk"
        found |= dict.fromkeys(numbers, -1)
        games = len(load_records(step.file("games.jsonl.gz")))
        assert games == step.metrics["games"], f"{step.id} has {games} games instead of {step.metrics['games']}"
    with run.lock():
        for chunk in ChunkStore(run).waiting:
            number = chunk.facts.number
            assert number not in found, f"chunk {number} waits and is in a step"
            found[number] = len(load_records(chunk.read().records))
            assert found[number] == chunk.facts.games
    return found


def check(path: Path, reported: dict[int, int]) -> list[str]:
    """Return what is wrong with a run that was killed after it had reported these chunks."""
    if not (path / "run.toml").exists():
        return [f"chunks {sorted(reported)} are lost"] if reported else []
    run = Run.open(path)
    there = chunks_of(run)
    problems = [f"chunk {number} is lost" for number in reported if number not in there]
    problems += [
        f"chunk {number} has {there[number]} of {games} games"
        for number, games in reported.items()
        if there.get(number, -1) not in (-1, games)
    ]
    return problems + [str(problem) for problem in run.verify()]


def start(path: Path, iterations: int, workers: str) -> subprocess.Popen:
    command = [sys.executable, __file__, "--child", str(path), "--iterations", str(iterations), "--workers", workers]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def kill_later(child: subprocess.Popen, reported: dict[int, int], chance: random.Random, longest_s: float) -> bool:
    """Kill a run up to three chunks after its beginning, somewhere in the next one. Return False if it ended before."""
    lines: queue.Queue[str] = queue.Queue()
    with child:
        reader = threading.Thread(target=lambda: [lines.put(line) for line in child.stdout])
        reader.start()
        goal = 1 + chance.randrange(4)  # the first line is not of a chunk
        while lines.qsize() < goal and child.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, longest_s))
        child.kill()
        reader.join()
    while not lines.empty():
        note(lines.get(), reported)
    if child.returncode not in (0, -signal.SIGKILL):
        raise RuntimeError(f"a resumed run ended with {child.returncode}")
    return child.returncode != 0


def note(line: str, reported: dict[int, int]) -> None:
    """Remember a chunk that a run has reported in a line."""
    words = line.split()
    if words[:1] == ["chunk"] and line.endswith("\n"):
        reported[int(words[1])] = int(words[2])


def soak(folder: Path, kills: int, iterations: int, seed: int, longest_s: float, workers: str) -> bool:
    chance, killed, number, is_good, chunks = random.Random(seed), 0, 0, True, 0
    while killed < kills:
        number += 1
        path, reported, first = folder / f"run-{number}", {}, killed
        while killed < kills and kill_later(start(path, iterations, workers), reported, chance, longest_s):
            killed += 1
            problems = check(path, reported)
            is_good = is_good and not problems
            print(f"kill {killed}: {len(reported)} chunks were reported, {problems or 'none is lost'}", flush=True)
        with start(path, iterations, workers) as child:
            for line in child.stdout:
                note(line, reported)
        problems = check(path, reported)
        run = Run.open(path)
        if child.returncode or len(run.steps("train")) != iterations:
            problems.append(f"it ended with {child.returncode} after {len(run.steps('train'))} trainings")
        is_good = is_good and not problems
        chunks += len(reported)
        print(f"run {number}: killed {killed - first} times, {problems or 'complete'}", flush=True)
    print(
        f"{killed} kills in {number} runs of {chunks} chunks: {'no game was lost' if is_good else 'SOMETHING IS WRONG'}"
    )
    return is_good


def work(path: Path, iterations: int, workers: str) -> None:
    """Carry out the run in this process and report every chunk when it is stored."""
    add = ChunkStore.add

    def report(store, facts, games):
        add(store, facts, games)
        os.write(1, f"chunk {facts.number} {games.figures['games']:.0f}\n".encode())

    ChunkStore.add = report
    importlib.import_module("tengen.nets")  # takes seconds, in which a kill would meet nothing of interest
    print("begun", flush=True)
    learn_async(path, iterations, workers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--longest", type=float, default=3.0, help="seconds until a kill, at most (default %(default)s)"
    )
    parser.add_argument("--workers", default="inline", help="as `tengen learn` takes them (default %(default)s)")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        work(given.child, given.iterations, given.workers)
        return
    with tempfile.TemporaryDirectory() as folder:
        is_good = soak(Path(folder), given.kills, given.iterations, given.seed, given.longest, given.workers)
    sys.exit(not is_good)


if __name__ == "__main__":
    main()
