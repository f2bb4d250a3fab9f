"""Many WebSocket clients at once, some of which never read and some of which vanish in the middle of a query.

    python tests/soak/analysis_clients.py --clients 200 --stalled 10 --vanishing 10

Checks that every query of the others gets exactly one last answer for each turn, that those who stall are cut off, that
nothing is searched for those who have gone, and that a SIGTERM answers what is open. Prints figures.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

READY = "Started, ready to begin handling requests"
START = "import tengen.cli; tengen.cli.main()"
GO = [["b", "E5"], ["w", "C3"], ["b", "G3"]]
POSITIONS = {
    "pyrga": {"moves": ["square b2", "circle a2", "square a2"]},
    "connect_four": {"moves": ["d", "c", "d"]},
    "kuhn_poker": {"moves": ["pass", "bet"]},
    "go": {"moves": GO, "boardXSize": 9, "boardYSize": 9, "rules": "chinese"},
}


class Server:
    """The real process."""

    def __init__(self, game, *words, listen="127.0.0.1:0", before=""):
        """`before` is Python to run first."""
        command = [sys.executable, "-c", before + START, "analyze", game, "--listen", listen, *words]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1"})
        self.log = []
        self.address = ""
        ready = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(ready,), daemon=True)
        self._reader.start()
        if not ready.wait(120) or not self.address:
            raise RuntimeError(f"the server did not start: {self.log}")

    def _read(self, ready):
        with self.process.stderr as pipe:
            for raw in pipe:
                line = raw.decode().rstrip("\n")
                self.log.append(line)
                if line.startswith("Listening on "):
                    self.address = line.removeprefix("Listening on ")
                if line == READY:
                    ready.set()
        ready.set()

    def rss(self):
        """Megabytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024
        return 0

    def cpu_s(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self):
        code = self.process.wait(120)
        self._reader.join(10)
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()


@dataclass
class Tally:
    """What went on."""

    answers: int = 0
    reports: int = 0
    latencies: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    cut_off: list[float] = field(default_factory=list)


def connect(address, **more):
    from websockets.asyncio.client import connect as open_connection

    return open_connection(address, max_size=None, open_timeout=120, compression=None, **more)


def forever(name, position=POSITIONS["connect_four"], **more):
    """More than anyone waits for, but not without end if something goes wrong."""
    return {"id": name, **position, "maxVisits": 2**50, "overrideSettings": {"maxTime": 600}, **more}


async def talk(address, position, name, queries, tally):
    """Asks, sometimes changes its mind, and counts the answers. Leaves its connection open."""
    rng = random.Random(name)
    count = len(position["moves"]) + 1
    client = await connect(address)
    wanted, got, sent = Counter(), Counter(), {}
    for number in range(queries):
        turns = sorted(rng.sample(range(count), rng.randint(1, count)))
        request = {
            "id": f"{name}-{number}",
            **position,
            "analyzeTurns": turns,
            "maxVisits": rng.choice([1, 20, 200]),
        }
        if rng.random() < 0.1:
            request |= {"maxVisits": 2**50, "reportDuringSearchEvery": 0.05}
        await client.send(json.dumps(request))
        wanted.update((request["id"], turn) for turn in turns)
        sent[request["id"]] = time.monotonic()
        if request["maxVisits"] == 2**50:
            await client.send(json.dumps({"id": "t", "action": "terminate", "terminateId": request["id"]}))
        if rng.random() < 0.3:
            await take(client, wanted, got, sent, tally)
    while got.total() < wanted.total():
        await take(client, wanted, got, sent, tally)
    if got != wanted:
        tally.problems.append(f"client {name}: {got - wanted} too much, {wanted - got} missing")
    return client


async def take(client, wanted, got, sent, tally):
    answer = json.loads(await asyncio.wait_for(client.recv(), 300))
    if "error" in answer:
        raise RuntimeError(answer)
    if answer.get("isDuringSearch") is False:
        key = answer["id"], answer["turnNumber"]
        got[key] += 1
        tally.answers += 1
        tally.latencies.append(time.monotonic() - sent[answer["id"]])
        if key not in wanted:
            tally.problems.append(f"nobody asked for {key}")
    tally.reports += answer.get("isDuringSearch") is True


def frame(text):
    """A message as a client sends it, masked with zeros."""
    data = text.encode()
    size = bytes([0x80 | len(data)]) if len(data) < 126 else struct.pack("!BH", 0xFE, len(data))
    return b"\x81" + size + bytes(4) + data


async def stall(address, position, name, queries, tally, size=2000):
    """Asks for much, under names of that size, and never reads; ends when it is cut off."""
    where = urlsplit(address)
    loop = asyncio.get_running_loop()
    turns = list(range(len(position["moves"]) + 1))
    request = {**position, "analyzeTurns": turns, "maxVisits": 50, "includePolicy": True}
    with socket.create_connection((where.hostname, where.port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setblocking(False)
        hello = f"GET / HTTP/1.1\r\nHost: {where.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        hello += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        await loop.sock_sendall(client, hello.encode())
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):  # cut off while it still asks
            for number in range(queries):
                name_of_one = f"{name}-{number}-" + "x" * size
                await loop.sock_sendall(client, frame(json.dumps({"id": name_of_one, **request})))
        poll = select.poll()
        poll.register(client, select.POLLRDHUP)
        while not poll.poll(0):
            await asyncio.sleep(0.1)
    tally.cut_off.append(time.monotonic() - began)


async def vanish(address, position, name):
    """Goes away without a word while its queries run and wait."""
    client = await connect(address)
    for number in range(20):
        await client.send(json.dumps(forever(f"{name}-{number}", position, reportDuringSearchEvery=0.01)))
    await client.recv()
    await client.recv()
    client.transport.abort()


async def watch(server, highest):
    while True:
        highest.append(server.rss())
        await asyncio.sleep(0.1)


async def part(server, position, clients, tally):
    """What is open when the server is asked to end gets its last answer."""
    from websockets.exceptions import ConnectionClosed

    for client in clients:
        for number in range(3):
            await client.send(json.dumps(forever(str(number), position, reportDuringSearchEvery=0.02)))

    async def rest(client, has_begun):
        found = Counter()
        try:
            while True:
                answer = json.loads(await client.recv())
                has_begun.set()
                if answer.get("isDuringSearch") is False:
                    found[answer["id"]] += 1
        except ConnectionClosed as closed:
            has_begun.set()
            if closed.rcvd is None or closed.rcvd.code != 1001:
                tally.problems.append(f"closed with {closed}")
        return found

    # Every client reads all the time: one that waits for the first report of another would be stalled.
    begun = [asyncio.Event() for _ in clients]
    readers = [asyncio.create_task(rest(*pair)) for pair in zip(clients, begun, strict=True)]
    await asyncio.gather(*(event.wait() for event in begun))
    server.terminate()
    for found in await asyncio.gather(*readers):
        if found != Counter("012"):
            tally.problems.append(f"open queries got {found} when the server ended")


async def soak(server, position, clients, stalled, vanishing, queries, tally, *, asked_by_stalled=3000, idle_s=2.0):
    highest = [server.rss()]
    watcher = asyncio.create_task(watch(server, highest))
    began = time.monotonic()
    stalls = [
        asyncio.create_task(stall(server.address, position, f"s{i}", asked_by_stalled, tally)) for i in range(stalled)
    ]
    gone = [asyncio.create_task(vanish(server.address, position, f"v{i}")) for i in range(vanishing)]
    talking = clients - stalled - vanishing
    talkers = await asyncio.gather(*(talk(server.address, position, f"c{i}", queries, tally) for i in range(talking)))
    took = time.monotonic() - began
    await asyncio.gather(*gone, *stalls)
    # Nothing is left to do: what the vanished asked for has ended too.
    await asyncio.sleep(1)
    before = server.cpu_s()
    await asyncio.sleep(idle_s)
    idle = (server.cpu_s() - before) / idle_s
    if idle > 0.3:
        tally.problems.append(f"{idle:.0%} of a core is busy, though nobody asks for anything")
    await part(server, position, talkers, tally)
    watcher.cancel()
    return took, highest, idle


def report(tally, took, highest, idle):
    latencies = sorted(tally.latencies)
    at = [latencies[int(share * (len(latencies) - 1))] for share in (0.5, 0.9, 0.99, 1)]
    print(
        f"{tally.answers} last answers and {tally.reports} reports in {took:.1f} s: {tally.answers / took:.0f} a second"
    )
    print("seconds until an answer: " + ", ".join(f"{x:.2f}" for x in at) + " (half, 90%, 99%, all)")
    if tally.cut_off:
        print(f"{len(tally.cut_off)} stalled clients were cut off after {min(tally.cut_off):.0f} s or more")
    print(f"memory: {highest[0]} MB at the start, {max(highest)} MB at most, {highest[-1]} MB at the end")
    print(f"idle afterwards: {idle:.1%} of a core")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="pyrga", choices=POSITIONS)
    parser.add_argument("--net", default="uniform")
    parser.add_argument("--clients", type=int, default=200, help="all of them, those who stall or vanish included")
    parser.add_argument("--stalled", type=int, default=10)
    parser.add_argument("--vanishing", type=int, default=10)
    parser.add_argument("--queries", type=int, default=50, help="of each client that does neither")
    parser.add_argument("--most-memory", type=int, default=1500, help="megabytes")
    given = parser.parse_args()
    server = Server(given.game, "--net", given.net)
    tally = Tally()
    position = POSITIONS[given.game]
    try:
        took, highest, idle = asyncio.run(
            soak(server, position, given.clients, given.stalled, given.vanishing, given.queries, tally)
        )
        code = server.wait()
    finally:
        server.kill()
    report(tally, took, highest, idle)
    if code:
        tally.problems.append(f"the server's exit code is {code}")
    if max(highest) > given.most_memory:
        tally.problems.append(f"more than {given.most_memory} MB were used")
    faults = [line for line in server.log if "Traceback" in line or "failed" in line]
    print("\n".join(text[:500] for text in [*tally.problems[:20], *faults[:20]]) or "no problems")
    sys.exit(bool(tally.problems or faults))


if __name__ == "__main__":
    main()
