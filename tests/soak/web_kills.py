"""Kills the server of `tengen web` again and again while people play: no move that was shown is ever lost.

python tests/soak/web_kills.py [--kills 200]

Servers are forked from a process that has loaded everything, so that a kill takes two seconds. Three people play at
once, and half of the kills come while a move is on its way.
"""

import argparse
import contextlib
import json
import multiprocessing
import random
import socket
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from live_browser import serve_here
from web_clients import Seat, post
from websockets.exceptions import ConnectionClosed

GAMES = ("pyrga", "connect_four", "go", "matgo")
PEOPLE = 3
LONGEST_S = 1.0
"""Between two kills, at most."""
PATIENCE_S = 60.0


class Person:
    """Plays one game after another, and knows every action of theirs that was shown."""

    def __init__(self, folder, rng):
        self.folder, self.rng = folder, rng
        self.seat = None
        self.own = {}
        self.sent = None
        self.moves = self.tables = 0

    def sit_down(self, address):
        """At the same table as before, if the game goes on. Raises a SystemExit if a move is lost."""
        if self.seat is None or self.seat.is_over:
            made = post(address, "/api/tables", {"game": self.rng.choice(GAMES), "seats": [None, "beginner"]})
            self.seat = Seat(address, made["table"], made["key"])
            self.own, self.sent = {}, None
            self.tables += 1
        shown, text = self.seat.ply, self.seat.board.get("last_text")
        self.seat.open(PATIENCE_S)
        self._note_shown()
        if self.seat.ply < shown or (self.seat.ply == shown and self.seat.board.get("last_text") != text):
            found = f"{self.seat.ply} ({self.seat.board.get('last_text')})"
            raise SystemExit(f"lost: ply {shown} ({text}) was shown, {found} is there, table {self.seat.table}")
        self._check_file()

    def _check_file(self):
        lines = (self.folder / "tables" / f"{self.seat.table}.jsonl").read_text(encoding="utf-8").splitlines()
        played = [line["play"] for line in map(json.loads, lines) if "play" in line]
        for ply, action in self.own.items():
            if played[ply] != action:
                raise SystemExit(f"lost: {action} was shown at ply {ply}, {played[ply]} is in the file")

    def play(self):
        if self.seat.may_play and self.sent is None:
            message = self.seat.choose(self.rng)
            self.seat.send(**message)
            self.sent = message["ply"], message["action"]
            self.moves += 1

    def hear(self, timeout_s):
        try:
            self.seat.hear_board(timeout=timeout_s)
            self._note_shown()
        except TimeoutError:
            pass

    def _note_shown(self):
        """A move that is on the board was not only sent."""
        if self.sent is not None and self.seat.ply > self.sent[0]:
            self.own[self.sent[0]] = self.sent[1]
        self.sent = None if self.sent is None or self.seat.ply > self.sent[0] or self.seat.may_play else self.sent


def wait_for_port(port):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.01)
    raise SystemExit("the server did not start again")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    rng = random.Random(given.seed)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", "uvicorn", "tengen.cli.web", "tengen.web.app"])
    began, slowest = time.monotonic(), 0.0
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as free:
        folder, port = Path(name), free.getsockname()[1]
        free.close()
        address = f"http://127.0.0.1:{port}/"
        people = [Person(folder, random.Random(rng.random())) for _ in range(PEOPLE)]
        for kill in range(1, given.kills + 1):
            started = time.monotonic()
            server = context.Process(target=serve_here, args=(folder, port), daemon=True)
            server.start()
            try:
                wait_for_port(port)
                for person in people:
                    person.sit_down(address)
                slowest = max(slowest, time.monotonic() - started)
                play_on(people, rng)
            finally:
                server.kill()
                server.join()
            if kill % 20 == 0 or kill == given.kills:
                tell(kill, people, slowest, time.monotonic() - began)
    print("no shown move was lost")


def play_on(people, rng):
    """Until it is time for the kill; then half of them have just sent a move."""
    until = time.monotonic() + rng.uniform(0.0, LONGEST_S)
    try:
        while time.monotonic() < until:
            for person in people:
                person.play()
                person.hear(0.02)
        for person in people:
            if rng.random() < 0.5:
                person.play()
    except ConnectionClosed:
        raise SystemExit("the server closed a connection by itself") from None


def tell(kills, people, slowest, took):
    moves, tables = sum(person.moves for person in people), sum(person.tables for person in people)
    shown = sum(len(person.own) for person in people)
    print(
        f"{kills} kills in {took:.0f} s: {moves} moves sent at {tables} tables, {shown} moves of games under way found "
        f"in their files; all boards were back after {slowest:.1f} s at most",
        flush=True,
    )


if __name__ == "__main__":
    main()
