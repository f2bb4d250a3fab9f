"""When a WebSocket client counts as stalled: judged by its progress, never by a single moment."""

import asyncio
import contextlib
from collections import deque

import pytest

from tengen.analysis import websocket


class StuckAt:
    """A connection whose client takes each response one check after it was queued, up to some check."""

    def __init__(self, last):
        self.last = last
        self.checks = 0
        self.transport = self

    def get_write_buffer_size(self):
        return 0

    async def sleep(self, client):
        self.checks += 1
        if self.checks == 1000:
            raise asyncio.CancelledError
        if self.checks <= self.last:
            client._sent += len(client._waiting)
            client._waiting.clear()
        if self.checks % 20 == 0 or self.checks > self.last:
            client._waiting.append("just queued")


@pytest.mark.parametrize(("last", "checks"), [(10_000, 1000), (39, 39 + websocket._CHECKS)])
def test_a_response_that_was_just_queued_makes_nobody_stalled(monkeypatch, last, checks):
    """A client is disconnected only if it is found stuck again and again; the checks stand for its patience."""
    connection = StuckAt(last)
    client = object.__new__(websocket._Client)
    client._patience_s, client._waiting, client._sent, client._connection = 1.0, deque(), 0, connection
    cut_off = []
    monkeypatch.setattr(client, "_cut_off", lambda: cut_off.append(connection.checks))
    monkeypatch.setattr(asyncio, "sleep", lambda _: connection.sleep(client))
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(client._watch())
    assert connection.checks == checks
    assert cut_off == ([] if last > checks else [checks])
