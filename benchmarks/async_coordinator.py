"""Measure how many chunks of games a second the coordinator of `tengen learn --async` handles.

    python benchmarks/async_coordinator.py
    python benchmarks/async_coordinator.py --actors 64 --rates 4 16 64 256 --seconds 5

Actors only sleep: each returns the same finished chunk of games after a while, so that all of them together offer
chunks at the given rate. They are simulated in the coordinator's process, because 64 processes of Python would keep a
small machine busy; what it costs to receive a chunk from a local worker is measured apart. All else is real: the loop,
files that are synchronized with the disk, and steps of self-play. A trainer that does nothing takes each iteration as
soon as it is there.

Prints a row for each rate: chunks offered and handled a second, and the coordinator's share of one processor.
"""

from __future__ import annotations

import argparse
import heapq
import tempfile
import time
from multiprocessing import Pipe
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tengen
from tengen.arena import find_player
from tengen.champion import async_loop, change_settings, open_run, settings_for
from tengen.champion.async_actors import timed
from tengen.champion.async_training import TrainingResult
from tengen.champion.packed_games import play_packed
from tengen.cluster import LocalWorkers
from tengen.selfplay import SelfPlaySettings

if TYPE_CHECKING:
    from collections.abc import Callable

GAMES = 16


class Sleepers(LocalWorkers):
    """Workers whose tasks take a fixed time and return a fixed value."""

    def __init__(self, actors: int, seconds: float, value: Any) -> None:
        super().__init__(0)
        self._actors = actors
        self._seconds = seconds
        self._value = value
        self._queue: list[tuple[float, int]] = []
        self._free: list[float] = []
        self._last_task = 0

    @property
    def is_inline(self) -> bool:
        return False

    @property
    def size(self) -> int:
        return self._actors

    def submit(self, _function: Callable[..., object], *_args: object) -> int:
        if not self._last_task:  # the first chunks end one after the other, as they do after a while
            begin = time.monotonic() - self._seconds
            self._free = [begin + self._seconds * i / self._actors for i in range(self._actors)]
        self._last_task += 1
        free = heapq.heappop(self._free)
        began = free if self._last_task <= self._actors else max(time.monotonic(), free)
        heapq.heappush(self._queue, (began + self._seconds, self._last_task))
        heapq.heappush(self._free, began + self._seconds)
        return self._last_task

    def poll(self, timeout_s: float, _listener: object = None) -> list[tuple[int, Any]]:
        if not self._queue:
            return []
        wait = min(timeout_s, self._queue[0][0] - time.monotonic())
        if wait > 0:
            time.sleep(wait)
        found = []
        while self._queue and self._queue[0][0] <= time.monotonic():
            found.append((heapq.heappop(self._queue)[1], (0.0, self._value)))
        return found


class NoTrainer:
    """A trainer that returns the network as it was."""

    def __init__(self, **_options: object) -> None:
        self.job: Any = None
        self.done, self.figures = 0, {}
        self._files: dict[str, bytes] = {}

    def __enter__(self) -> NoTrainer:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def start(self, _game: object, job: Any) -> None:
        self.job = job
        if not self._files:
            self._files = {name: job.base.file(name).read_bytes() for name in job.base.files}

    def poll(self, _timeout_s: float) -> TrainingResult | None:
        if self.job is None:
            return None
        job, self.job = self.job, None
        return TrainingResult(job, 0.0, self._files, {"loss": 0.0})


def measure(folder: Path, actors: int, rate: float, seconds: float, value: Any) -> tuple[float, float]:
    """Return the chunks handled a second and the coordinator's share of a processor."""
    game = tengen.game("connect_four")
    changes = {"asynchronous": True, "bootstrap_games": 0, "anchor": "", "games_per_iter": 1024}
    changes |= {"gate": "none", "actors": {"chunk_games": GAMES, "stale_after": 10_000}}
    run, settings = open_run(folder, game, change_settings(settings_for(game), changes))
    handled = 0

    class Store(async_loop.ChunkStore):
        def add(self, *args: Any) -> None:
            nonlocal handled
            super().add(*args)
            handled += 1

    async_loop.ChunkStore, async_loop.Trainer = Store, NoTrainer  # type: ignore[misc,assignment]
    with run.lock():
        loop = async_loop.AsyncLoop(run, game, settings, Sleepers(actors, actors / rate, value))
        loop._goal = 1_000_000  # noqa: SLF001 - the loop is driven for a time, not for iterations
        loop._open()  # noqa: SLF001
        with NoTrainer() as loop._trainer:  # type: ignore[assignment] # noqa: SLF001
            began, cpu = time.monotonic(), time.process_time()
            while time.monotonic() - began < seconds:
                loop._turn()  # noqa: SLF001
            spent, own = time.monotonic() - began, time.process_time() - cpu
    return handled / spent, own / spent


def pipe_seconds(value: Any) -> float:
    """Return the seconds of processor time in which a chunk is received from a local worker."""
    ours, theirs = Pipe()
    count, own = 100, 0.0
    payload = bytes(ForkingPickler.dumps((0.0, value)))
    for _ in range(count):
        for begin in range(0, len(payload), 1 << 15):  # no more than fits into the pipe at a time
            theirs.send_bytes(payload[begin : begin + (1 << 15)])
            began = time.process_time()
            ours.recv_bytes()
            own += time.process_time() - began
        began = time.process_time()
        ForkingPickler.loads(payload)
        own += time.process_time() - began
    return own / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actors", type=int, default=64)
    parser.add_argument("--rates", type=float, nargs="+", default=[1, 4, 16, 64, 128, 256, 512, 1024])
    parser.add_argument("--seconds", type=float, default=5.0, help="for each rate (default %(default)s)")
    given = parser.parse_args()
    game = tengen.game("connect_four")
    play = SelfPlaySettings(search={"visits": 8})
    _, value = timed(play_packed, game, find_player("uniform@8", game), play, range(GAMES), [])
    size = len(value.records) + len(value.samples)
    received = 1000 * pipe_seconds(value)
    print(f"chunks of {GAMES} games of Connect Four, {size / 1024:.0f} KiB; receiving one takes {received:.2f} ms")
    print(f"{'actors':>7} {'offered/s':>10} {'handled/s':>10} {'coordinator':>12}")
    for rate in given.rates:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            handled, share = measure(Path(folder) / "run", given.actors, rate, given.seconds, value)
        print(f"{given.actors:7} {rate:10.1f} {handled:10.1f} {100 * share:10.1f} %", flush=True)


if __name__ == "__main__":
    main()
