"""Broken messages of a server: recorded ones, with parts exchanged, cut, repeated, and bytes from elsewhere."""

import asyncio
import random
from concurrent.futures import Executor, Future

from pokemon_logs import read_logs
from showdown_peers import First

from tengen.protocols.showdown.client import ShowdownClient
from tengen.protocols.showdown.deciding import find_decider
from tengen.protocols.showdown.settings import ShowdownSettings
from tengen.protocols.showdown.wire import Frame, parse_frame

NOISE = [
    "",
    "|",
    "||",
    "p1a: X",
    "p9: ?",
    "-1/0",
    "999999/1 brn",
    "null",
    "{",
    '{"active":[{}]}',
    "[from] ",
    "\x00",
    "é́",
]
KINDS = [
    "request",
    "error",
    "switch",
    "move",
    "-damage",
    "player",
    "init",
    "inactive",
    "turn",
    "-formechange",
    "replace",
]
ROOMS = [f"battle-gen8randombattle-{number}" for number in range(1, 5)]


def real_lines():
    """The end of a battle is left to chance: it would end most of them at once."""
    lines = [line for log in read_logs() for side in ("p1", "p2") for line in log[side]]
    return [line for line in lines if not line.startswith("|win|")]


def broken(rng, real):
    """One line."""
    line = rng.choice(real)
    parts = line.split("|")
    match rng.randrange(9):
        case 0:
            parts[rng.randrange(len(parts))] = rng.choice(NOISE)
        case 1:
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(NOISE))
        case 2:
            del parts[rng.randrange(len(parts))]
        case 3:
            return line[: rng.randrange(len(line) + 1)]
        case 4:
            rng.shuffle(parts)
        case 5 if len(parts) > 1:
            parts[1] = rng.choice(KINDS)
        case 6:
            place = rng.randrange(len(line) + 1)
            return line[:place] + rng.choice(NOISE) + line[place:]
        case 7 if rng.random() < 0.02:
            return rng.choice(
                [
                    "|win|ours",
                    "|tie",
                    "|noinit|x",
                    "|deinit",
                    "|error|[Invalid choice] no",
                    "|error|[Unavailable choice]",
                ]
            )
        case _:
            return line
    return "|".join(parts)


def frames(rng, count, real):
    """Messages of up to eight lines, most of them about battles; `count` lines in all."""
    made = 0
    while made < count:
        size = rng.randint(1, 8)
        made += size
        text = "\n".join(broken(rng, real) for _ in range(size))
        room = rng.choice([*(f">{room}\n" for room in ROOMS), ">lobby\n", ""])
        yield from parse_frame(room + text)


class AtOnce(Executor):
    """In the caller's thread, so that a run is the same every time."""

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - as executors do
            future.set_exception(error)
        return future


async def fuzz(seed, count, spec=None):
    """Feeds broken messages to a client with battles; answers the client and what it would have sent."""
    rng, real, sent = random.Random(seed), real_lines(), []
    settings = ShowdownSettings(name="ours", accept=True, tries=10**9)
    client = ShowdownClient(settings, First() if spec is None else find_decider(spec))
    client._executor = AtOnce()

    class Socket:
        async def send(self, text):
            sent.append(text)

    client._socket = Socket()
    for frame in frames(rng, count, real):
        for room in ROOMS:
            if room not in client._battles:
                await client._take(Frame(room, ["|init|battle"]))
        await client._take(frame)
        while any(not battle.inbox.empty() for battle, _ in client._battles.values()):
            await asyncio.sleep(0)
        if isinstance(client._decider, First):
            client._decider.asked.clear()
    await client._abandon_all()
    return client, sent
