"""A Showdown server for clients under test: its battles are recorded ones, whatever is chosen."""

import asyncio
import json
import threading

from pokemon_logs import read_logs
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from tengen.protocols.showdown.deciding import Decider, Decision
from tengen.protocols.showdown.settings import to_user_id

FORMAT = "gen8randombattle"
LOGS = read_logs()
SHORT = min(range(len(LOGS)), key=lambda i: len(LOGS[i]["p1"]))


def steps(view):
    """The lines up to each request, and that; the last step has none."""
    lines = []
    for line in view:
        if line.startswith("|request|"):
            yield lines, json.loads(line.removeprefix("|request|"))
            lines = []
        else:
            lines.append(line)
    yield lines, None


class Side:
    """One player's view of one battle."""

    def __init__(self, battle, user, number):
        self.battle, self.user = battle, user
        names = dict(zip("AB", battle.names, strict=True))
        view = [self._rename(line, names) for line in LOGS[battle.log][f"p{number + 1}"]]
        self.steps = list(steps(view))
        self.at = 0
        self.said = []
        self.request = None
        self.choices = []
        self.refused = 0

    def _rename(self, line, names):
        parts = line.split("|")
        if len(parts) > 3 and parts[1] == "player":
            parts[3] = names[parts[3]]
        elif len(parts) == 3 and parts[1] == "win":
            parts[2] = names[parts[2]]
        return "|".join(parts)

    def advance(self):
        """Messages until it must choose, or to the end."""
        frames = []
        while self.at < len(self.steps):
            lines, request = self.steps[self.at]
            self.at += 1
            self.said += lines
            self.request = None
            if request is not None:
                self.battle.server.rqid += 1
                self.request = request | {"rqid": self.battle.server.rqid}
            asked = [f"|request|{json.dumps(self.request)}"] if self.request else []
            parts = [asked, lines] if self.battle.server.request_first else [lines, asked]
            frames += [part for part in parts if part]
            if self.request and not self.request.get("wait"):
                break
        return frames

    @property
    def is_over(self):
        return self.at == len(self.steps) and self.request is None


class Battle:
    def __init__(self, server, number, names):
        self.server, self.room, self.names = server, f"battle-{FORMAT}-{number}", names
        self.log = server.logs[(number - 1) % len(server.logs)]
        self.sides = {to_user_id(name): Side(self, name, i) for i, name in enumerate(names)}


class FakeShowdown:
    """In a thread of its own. Opponents who are not connected accept every challenge and play on their own."""

    def __init__(
        self,
        *,
        logs=(SHORT,),
        request_first=False,
        cut_after=(),
        refuse_name="",
        invalid=0,
        timer_s=None,
        on_choice=None,
    ):
        self.logs, self.request_first, self.refuse_name = list(logs), request_first, refuse_name
        self.cut_after = list(cut_after)  # choices after which a connection is cut, one cut each
        self.invalid = invalid  # so many choices of every request are called so
        self.timer_s = timer_s
        self.on_choice = on_choice
        self.rqid = 0
        self.heard = []
        self.choices = 0
        self.battles = {}
        self.users = {}
        self.names = {}
        self.challenges = {}
        self.logins = 0
        self.forget_battles = False
        self._ready = threading.Event()

    def __enter__(self):
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(60)

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/showdown/websocket"

    async def _main(self):
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with serve(self._talk, "127.0.0.1", 0, close_timeout=1) as server:
            self.port = server.sockets[0].getsockname()[1]
            self._ready.set()
            await self._stop.wait()

    async def _talk(self, socket):
        socket.user = ""
        try:
            await socket.send("|updateuser| Guest 1|0|1|{}")
            await socket.send("|challstr|4|abc")
            async for text in socket:
                self.heard.append(text)
                room, _, command = text.partition("|")
                await self._obey(socket, room, command)
        except ConnectionClosed:
            pass
        finally:
            if self.users.get(socket.user) is socket:
                del self.users[socket.user]

    async def _obey(self, socket, room, command):
        verb, _, rest = command.partition(" ")
        handler = getattr(self, f"_on_{verb.removeprefix('/')}", None)
        if handler is not None:
            await handler(socket, room, rest)

    async def _on_trn(self, socket, room, rest):
        name = rest.partition(",")[0]
        if to_user_id(name) == to_user_id(self.refuse_name):
            await socket.send(f"|nametaken|{name}|Somebody else is using it.")
            return
        self.logins += 1
        socket.user = to_user_id(name)
        self.names[socket.user] = name
        self.users[socket.user] = socket
        await socket.send(f"|updateuser| {name}|1|1|{{}}")

    async def _on_challenge(self, socket, room, rest):
        name, _, format_name = rest.partition(", ")
        if name == "nobody":
            await socket.send("|popup|The user 'nobody' was not found.")
            return
        other = self.users.get(to_user_id(name))
        if other is None:
            await self._begin(socket.user, name)
            return
        self.challenges[socket.user] = to_user_id(name)
        await other.send(f"|pm| {socket.user}| {name}|/challenge {format_name}|{format_name}||Accept|Reject")

    async def _on_accept(self, socket, room, rest):
        challenger = to_user_id(rest)
        if self.challenges.pop(challenger, None) == socket.user:
            await self._begin(challenger, socket.user)

    async def _on_search(self, socket, room, rest):
        await self._begin(socket.user, "stranger")

    async def challenge_from(self, name, user, format_name=FORMAT):
        self.challenges[name] = user
        await self.users[user].send(f"|pm| {name}| {user}|/challenge {format_name}|{format_name}||")

    async def _begin(self, *names):
        names = [self.names.get(to_user_id(name), name) for name in names]
        battle = Battle(self, len(self.battles) + 1, names)
        self.battles[battle.room] = battle
        for user, side in battle.sides.items():
            if user in self.users:
                await self._send(user, battle, ["|init|battle", f"|title|{names[0]} vs. {names[1]}", f"|j|☆{user}"])
                await self._tell(user, battle, side.advance())

    async def _send(self, user, battle, lines):
        socket = self.users.get(user)
        if socket is not None:
            await socket.send("\n".join([f">{battle.room}", *lines]))

    async def _tell(self, user, battle, frames):
        if self.timer_s is not None:
            await self._send(user, battle, [f"|inactive|Time left: {self.timer_s} sec this turn | 300 sec total"])
        for frame in frames:
            await self._send(user, battle, frame)

    async def _on_choose(self, socket, room, rest):
        battle = self.battles[room]
        side = battle.sides[socket.user]
        choice, _, number = rest.partition("|")
        side.choices.append(choice)
        self.choices += 1
        if self.on_choice is not None and await self.on_choice(self, socket, battle, side, choice):
            return
        # The number of the request may be missing: poke-env's players do not send it.
        if side.request is None or number not in ("", str(side.request["rqid"])):
            await self._send(socket.user, battle, ["|error|[Invalid choice] Sorry, too late to make a different move"])
            return
        side.refused += 1
        if side.refused <= self.invalid:
            await self._send(socket.user, battle, ["|error|[Invalid choice] Can't move: whatever you said"])
            return
        side.refused = 0
        if self.cut_after and self.choices >= self.cut_after[0]:
            self.cut_after.pop(0)
            socket.transport.abort()
            return
        await self._tell(socket.user, battle, side.advance())

    async def _on_join(self, socket, room, rest):
        battle = None if self.forget_battles else self.battles.get(rest)
        if battle is None:
            await socket.send(f">{rest}\n|noinit|nonexistent|The room does not exist.")
            return
        side = battle.sides[socket.user]
        await self._send(socket.user, battle, ["|init|battle", *side.said])
        if side.request is not None:
            await self._send(socket.user, battle, [f"|request|{json.dumps(side.request)}"])


class First(Decider):
    """Always the first action; notes what it was asked."""

    name = "first"

    def __init__(self, act=None):
        self.asked = []
        self.act = act

    def decide(self, situation):
        self.asked.append(situation)
        if self.act is not None:
            self.act(situation)
        return Decision(situation.actions[0], 0.5)
