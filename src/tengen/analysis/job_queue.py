"""Jobs that wait for their start: fair between clients."""

from __future__ import annotations

import heapq
import itertools
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Mapping

    from tengen.analysis.job import Job

__all__ = ["JobQueue"]

MAX_REMEMBERED = 10_000
"""Clients of whom it is known when their turn was last."""


class JobQueue:
    """Clients take turns; within a client the highest priority comes first, then who came first. Not for threads."""

    def __init__(self) -> None:
        self._heaps: dict[Hashable, list[tuple[int, int, Job]]] = {}
        # Also of clients with nothing left: else those who ask for one thing at a time would always be new, and before
        # those who asked for much at once.
        self._served: OrderedDict[Hashable, int] = OrderedDict()
        self._numbers = itertools.count()

    def __bool__(self) -> bool:
        return bool(self._heaps)

    def count(self, client: Hashable) -> int:
        return len(self._heaps.get(client, ()))

    def add(self, job: Job) -> None:
        entry = (-job.priority, next(self._numbers), job)
        heapq.heappush(self._heaps.setdefault(job.client, []), entry)

    def take(self, busy: Mapping[Hashable, int], held: Container[Hashable], *, is_full: bool) -> Job | None:
        """The next job: of the client with the fewest running, then of who waited longest for a turn.

        `busy` is how many jobs of each client run. When all places are taken (`is_full`), a client of which none runs
        gets one more, so that nobody can keep the others out.
        """
        able = [client for client in self._heaps if client not in held and not (is_full and busy.get(client))]
        if not able:
            return None
        client = min(able, key=lambda c: (busy.get(c, 0), self._served.get(c, -1), self._heaps[c][0][:2]))
        self._served[client] = next(self._numbers)
        self._served.move_to_end(client)
        if len(self._served) > MAX_REMEMBERED:
            self._served.popitem(last=False)
        _, _, job = heapq.heappop(self._heaps[client])
        if not self._heaps[client]:
            del self._heaps[client]
        return job

    def remove(self, match: Callable[[Job], bool], client: Hashable | None = None) -> list[Job]:
        """Takes out what matches, of one client or of all, in order."""
        taken: list[Job] = []
        for owner in [client] if client is not None else list(self._heaps):
            left = []
            for entry in sorted(self._heaps.get(owner, ()), key=lambda entry: entry[:2]):
                if match(entry[2]):
                    taken.append(entry[2])
                else:
                    left.append(entry)
            if left:
                self._heaps[owner] = left
            else:
                self._heaps.pop(owner, None)
        return taken

    def forget(self, client: Hashable) -> None:
        """The client is gone."""
        self._served.pop(client, None)
