"""Which task goes to which node, which is given up, and which is started a second time: the rules, without Ray."""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Attempt", "Dispatch", "NodeState"]

MAX_LOSSES = 2
"""Ends of a worker under a task after which it is tried again."""
MAX_MOVES = 20
"""Ends of a node under a task after which it is tried again."""
OVERDUE_S = 20.0
OVERDUE_MEDIANS = 5.0
SUSPECT_S = 20.0
"""How long a node under which something ended gets no task, if there are others."""


@dataclass
class NodeState:
    """A node that may be given tasks."""

    id: str
    address: str
    slots: int
    out: int = 0
    """Tasks that it has."""
    suspect_until: float = 0.0
    tasks: int = 0
    """Answers that came from it."""
    seconds: float = 0.0
    """That those took."""
    losses: int = 0


@dataclass(eq=False)
class Attempt:
    """A task on a node."""

    task: int
    node: NodeState
    began: float


@dataclass
class Dispatch:
    nodes: dict[str, NodeState] = field(default_factory=dict)
    attempts: dict[int, list[Attempt]] = field(default_factory=dict)
    """By task, those that are out."""
    moves: dict[int, int] = field(default_factory=dict)
    durations: deque[float] = field(default_factory=lambda: deque(maxlen=101))

    @property
    def size(self) -> int:
        return sum(node.slots for node in self.nodes.values())

    def choose(self, waiting: int, now: float, without: Iterable[NodeState] = ()) -> NodeState | None:
        """The node for a task: the one with most room. Nodes hold twice their slots while there is plenty to do, so
        that none waits for the coordinator, but no more than their slots when it comes to an end."""
        depth = 2 if waiting > self.size else 1
        free = [node for node in self.nodes.values() if node.out < depth * node.slots and node not in without]
        trusted = [node for node in free if node.suspect_until <= now]
        if any(node.suspect_until <= now for node in self.nodes.values() if node not in without):
            free = trusted  # others will have room soon
        return min(free, key=lambda node: (node.out / node.slots, node.address), default=None)

    def start(self, task: int, node: NodeState, now: float) -> Attempt:
        attempt = Attempt(task, node, now)
        self.attempts.setdefault(task, []).append(attempt)
        node.out += 1
        return attempt

    def finish(self, attempt: Attempt, now: float, seconds: float) -> list[Attempt]:
        """An answer; the other attempts at the same task, which nobody waits for any more."""
        self.end(attempt)
        self.durations.append(now - attempt.began)
        attempt.node.tasks += 1
        attempt.node.seconds += seconds
        self.moves.pop(attempt.task, None)
        others = self.attempts.pop(attempt.task, [])
        for other in others:
            other.node.out -= 1
        return others

    def end(self, attempt: Attempt) -> None:
        attempt.node.out -= 1
        left = self.attempts.get(attempt.task, [])
        if attempt in left:
            left.remove(attempt)
        if not left:
            self.attempts.pop(attempt.task, None)

    def lose(self, attempt: Attempt, now: float) -> None:
        """Something ended under it."""
        self.end(attempt)
        attempt.node.losses += 1
        attempt.node.suspect_until = now + SUSPECT_S

    def move(self, task: int) -> bool:
        """Counts a move of a task; False when there were too many."""
        self.moves[task] = self.moves.get(task, 0) + 1
        return self.moves[task] <= MAX_MOVES

    def overdue(self, now: float) -> list[Attempt]:
        """Those to be started once more, if nothing else waits; the longest out first. When all nodes that have a task
        have left, at once: Ray may wait much longer for their answers."""
        usual = statistics.median(self.durations) if self.durations else 0.0
        limit = max(OVERDUE_S, OVERDUE_MEDIANS * usual)
        late = []
        for attempts in self.attempts.values():
            has_left = all(each.node.id not in self.nodes for each in attempts)
            if has_left or (len(attempts) == 1 and now - attempts[0].began > limit):
                late.append(attempts[-1])
        return sorted(late, key=lambda each: each.began)
