"""How long a move takes to come back when many look at the page: 200 clients at 50 tables, a move every 3 s at each.

Then the same while 40 others get ten reports of an analysis a second, together as many as 2 for each of the 200. The
reports are canned: how long a search takes is not what is measured here.

python benchmarks/web_clients.py [--clients 200] [--seconds 60] [--game go]
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from live_browser import web_server
from web_clients import LoopSeat, Watcher, get, post
from websockets.asyncio.client import connect

TESTS = Path(__file__).parents[1] / "tests"
CANNED = f"import sys; sys.path.insert(0, {str(TESTS)!r}); import canned_engine; canned_engine.install()"
TABLES = 50
ANALYSTS = 40
"""As many as get ten reports a second each."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--clients", type=int, default=200)
    options.add_argument("--seconds", type=float, default=60.0, help="of each of the two measurements")
    options.add_argument("--every", type=float, default=3.0, metavar="S", help="between two moves at a table")
    options.add_argument("--game", default="go")
    options.add_argument("--analysts", type=int, default=ANALYSTS, help="of the second measurement; 0 leaves it out")
    given = options.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f}")
    for analysts in (0, given.analysts) if given.analysts else (0,):
        asyncio.run(measure(given, analysts))


async def measure(given: argparse.Namespace, analysts: int) -> None:
    with tempfile.TemporaryDirectory() as folder, web_server(folder, before=CANNED) as (address, server):
        tables = [sit_down(address, given.game) for _ in range(min(TABLES, max(1, given.clients // 4)))]
        pairs = [[LoopSeat(address, table, key) for key in keys] for table, keys, _ in tables]
        count = max(0, given.clients - 2 * len(tables))
        watchers = [LoopSeat(address, table, key) for table, _, key in (tables[i % len(tables)] for i in range(count))]
        waits: list[float] = []
        reports: list[int] = []
        async with asyncio.timeout(120):
            await asyncio.gather(*(seat.open() for seat in (*watchers, *(seat for pair in pairs for seat in pair))))
        others = [asyncio.create_task(watch(seat)) for seat in watchers]
        others += [asyncio.create_task(analyze(address, reports)) for _ in range(analysts)]
        if analysts:
            await asyncio.sleep(5)  # until all of them are at it
        reports.clear()
        before, began = processor_s(server.pid), time.monotonic()
        end = began + given.seconds
        await asyncio.gather(*(play(pair, end, given.every, waits) for pair in pairs))
        spent, took = processor_s(server.pid) - before, time.monotonic() - began
        failed = [task.exception() for task in others if task.done()]
        for task in others:
            task.cancel()
        await asyncio.gather(
            *others,
            *(seat.close() for seat in (*watchers, *(seat for pair in pairs for seat in pair))),
            return_exceptions=True,
        )
    if any(failed):
        raise SystemExit(f"{len(failed)} clients failed: {failed[0]!r}")
    tell(given, len(watchers) + 2 * len(pairs), len(pairs), waits, f"{1000 * spent / len(waits):.1f}")
    if analysts:
        print(
            f"  with {analysts} who analyze: {len(reports) / took:.0f} reports a second; their cost is in that figure"
        )


def tell(given: argparse.Namespace, clients: int, tables: int, waits: list[float], spent: str) -> None:
    waits.sort()
    print(
        f"{clients} clients at {tables} tables of {given.game}, {len(waits)} moves: "
        f"median {1000 * statistics.median(waits):.0f} ms, p95 {1000 * waits[int(0.95 * len(waits))]:.0f} ms, "
        f"longest {1000 * waits[-1]:.0f} ms; {spent} ms of the server's processor a move",
        flush=True,
    )


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def sit_down(address: str, game: str) -> tuple[str, list[str], str]:
    made = post(address, "/api/tables", {"game": game, "seats": [None, None]})
    keys = get(address, f"/api/tables/{made['table']}/keys")
    return made["table"], keys["seats"], keys["watch"]


async def watch(seat: LoopSeat) -> None:
    while True:
        await seat.hear_board()


async def play(pair: list[LoopSeat], end: float, every_s: float, waits: list[float]) -> None:
    rng = random.Random(id(pair))
    await asyncio.sleep(rng.uniform(0, every_s))
    while time.monotonic() < end and not pair[0].is_over:
        mover = next(seat for seat in pair if seat.may_play)
        other = next(seat for seat in pair if seat is not mover)
        began, ply = time.monotonic(), mover.ply
        await mover.send(**mover.choose(rng))
        while mover.ply <= ply:
            await mover.hear_board()
        waits.append(time.monotonic() - began)
        while other.ply <= ply:
            await other.hear_board()
        await asyncio.sleep(max(0.0, every_s - (time.monotonic() - began)))


async def analyze(address: str, reports: list[int]) -> None:
    """An empty board of 19x19, asked about again whenever the engine stops."""
    made = await asyncio.to_thread(post, address, "/api/studies", {"data": "", "game": "go"})
    async with Watcher(address, "", "").connection(connect) as socket:
        await socket.send(json.dumps({"t": "open", "study": made["study"], "node": 0}))
        while True:
            message: dict[str, Any] = json.loads(await socket.recv())
            if message["t"] == "problem":
                raise RuntimeError(message["text"])
            if message["t"] == "analysis":
                reports.append(message["root"]["visits"])
            if message["t"] == "board" or message.get("is_done"):
                await socket.send(json.dumps({"t": "ask", "node": 0, "visits": 100_000}))


if __name__ == "__main__":
    main()
