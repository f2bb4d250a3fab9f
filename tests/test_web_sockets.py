"""The messages to a tab and their timing."""

import asyncio
import json
import socket

from tengen.cli.web import listen
from tengen.web.messages import Problem, Tree
from tengen.web.sockets import Socket


class SlowReader:
    """A connection that receives one message for each call of a method."""

    def __init__(self):
        self.sent = []
        self.may_read = asyncio.Semaphore(0)

    async def send_text(self, text):
        await self.may_read.acquire()
        self.sent.append(json.loads(text))

    async def close(self, code=1000):
        pass


def test_changes_are_told_when_they_can_be_sent():
    """Reports that wait are merged into the last one, and none is lost."""
    nodes = []

    async def work():
        reader = SlowReader()
        tab = Socket(reader, is_owner=True)
        writing = asyncio.create_task(tab.write())
        tab.send(Problem("first"))
        await asyncio.sleep(0)
        for node in range(3):
            nodes.append({"id": node})
            tab.report_changes(Tree.t, lambda: Tree("s", tuple(nodes), ()))
            await asyncio.sleep(0)
        tab.send(Problem("before them"))
        tab.close()
        for _ in range(4):
            reader.may_read.release()
        await writing
        return reader.sent

    sent = asyncio.run(work())
    assert [message["t"] for message in sent] == ["problem", "problem", "tree"]
    assert sent[-1]["nodes"] == nodes


def test_small_messages_do_not_wait_for_those_before():
    """With Nagle's algorithm a board after a tree would wait 40 ms for the acknowledgment of the tree."""
    settings = []

    async def work():
        def note(_, writer):
            there = writer.get_extra_info("socket")
            settings.append(there.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listener = listen("127.0.0.1", 0)
        async with await asyncio.start_server(note, sock=listener):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            assert await reader.read() == b""
            writer.close()

    asyncio.run(work())
    assert settings == [1]
