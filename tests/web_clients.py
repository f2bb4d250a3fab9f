"""Clients of the page's server that are no browser: for loops of minutes and for measurements."""

import json
import random
import time
import urllib.request
from urllib.parse import urlsplit

from websockets.sync.client import connect


def post(address, path, body):
    request = urllib.request.Request(
        f"{address.rstrip('/')}{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Origin": address.rstrip("/")},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def get(address, path):
    with urllib.request.urlopen(f"{address.rstrip('/')}{path}", timeout=60) as answer:
        return json.load(answer)


class Watcher:
    """What somebody at a table knows. What the board said last is kept."""

    def __init__(self, address, table, key):
        self.host = urlsplit(address).netloc
        self.table, self.key = table, key
        self.ply = -1
        self.actions = {}
        self.board = {}
        self.socket = None

    @property
    def may_play(self):
        return bool(self.board.get("is_turn")) and bool(self.actions) and self.board["actor"] is not None

    @property
    def is_over(self):
        return self.board.get("actor", 0) is None

    def choose(self, rng=random):
        """Any legal action, as a message."""
        return {"t": "play", "ply": self.ply, "action": rng.choice(sorted(self.actions))}

    def connection(self, connect):
        where = {"origin": f"http://{self.host}", "subprotocols": ["tengen"], "max_size": None}
        return connect(f"ws://{self.host}/socket", **where)

    def take(self, text):
        """Whether it was a board."""
        message = json.loads(text)
        if message["t"] == "problem":
            raise AssertionError(message)
        if message["t"] != "board":
            return False
        self.board, self.ply = message, message["ply"]
        if message.get("gone") is not None:
            for action in message["gone"]:
                self.actions.pop(action, None)
            self.actions.update({action: name for action, name, _ in message.get("actions") or ()})
        elif message.get("actions") is not None:
            self.actions = {action: name for action, name, _ in message["actions"]}
        return True


class Seat(Watcher):
    """A person at a table, or one who watches."""

    def open(self, timeout=60):
        self.close()
        self.actions = {}
        self.socket = self.connection(connect)
        self.send(t="open", table=self.table, key=self.key)
        self.hear_board(timeout)

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def send(self, **message):
        self.socket.send(json.dumps(message))

    def hear_board(self, timeout=60):
        """Waits for the next one."""
        end = time.monotonic() + timeout
        while not self.take(self.socket.recv(max(0.0, end - time.monotonic()))):
            pass
        return self.board

    def play(self, rng=random):
        self.send(**self.choose(rng))


class LoopSeat(Watcher):
    """The same for hundreds in one loop."""

    async def open(self):
        from websockets.asyncio.client import connect as open_socket

        self.socket = await self.connection(open_socket)
        await self.send(t="open", table=self.table, key=self.key)
        await self.hear_board()

    async def close(self):
        if self.socket is not None:
            await self.socket.close()

    async def send(self, **message):
        await self.socket.send(json.dumps(message))

    async def hear_board(self):
        while not self.take(await self.socket.recv()):
            pass
        return self.board
