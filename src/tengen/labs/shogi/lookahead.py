"""Look-ahead over the enforcer's best moves, with the prophet at the leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.arena import Thought, Variation
from tengen.labs.shogi.planes import pack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tengen.games.shogi import Shogi
    from tengen.labs.shogi.models import Enforcer, Prophet

__all__ = ["deepen", "look_ahead"]

_ROUND = 8
"""Candidates that are judged together if all of them may be: the prophet mostly approves of an early one."""
_APPROVED = 0.5
_STEP_POSITIONS = 64
"""Positions in one batch of a network when a clock runs: a small network evaluates them in some 10 ms."""
_MOST_DEPTH = 64
_MOST_LEAVES = 300_000
"""Deepening ends before a depth that would have more leaves than this: nodes are kept in memory."""


@dataclass
class _Node:
    """A position after a move. Its worth is the winning chance of the player who made the move."""

    position: Any
    action: int
    worth: float | None = None
    children: list[_Node] = field(default_factory=list)

    def best_line(self) -> tuple[int, ...]:
        """Return the move and the best replies to it, as far as the look-ahead went."""
        line, node = [self.action], self
        while node.children:
            node = max(node.children, key=lambda child: -1.0 if child.worth is None else child.worth)
            line.append(node.action)
        return tuple(line)


class _LookAhead:
    """The networks, the width of the tree and the number of positions that they have evaluated."""

    def __init__(self, game: Shogi, prophet: Prophet, enforcer: Enforcer | None, width: int, at_once: int) -> None:
        self.game = game
        self.prophet = prophet
        self.enforcer = enforcer
        self.width = width
        self.at_once = at_once
        self.evaluated = 0
        self.leaves = 0
        """Leaves judged since it was last set to 0."""

    def nodes(self, position: Any, actions: Sequence[int]) -> list[_Node]:
        return [_Node(self.game.shogi.apply(position, int(action)), int(action)) for action in actions]

    def judge(self, nodes: list[_Node], depth: int) -> Iterator[None]:
        """Give every node its worth, `depth` plies ahead. Yields after every batch of a network."""
        levels = [nodes]
        for _ in range(depth - 1):
            level: list[_Node] = []
            going_on = [node for node in levels[-1] if not self._is_over(node)]
            for part in self._parts(going_on):
                self._expand(part)
                yield
            for node in going_on:
                level += node.children
            levels.append(level)
        leaves = [node for node in levels[-1] if not self._is_over(node)]
        self.leaves += len(leaves)
        for part in self._parts(leaves):
            packed = pack(self.game, [node.position for node in part])
            for node, chance in zip(part, self.prophet.judge(packed), strict=True):
                node.worth = float(chance)
            yield
        for upper in reversed(levels[:-1]):
            for node in upper:
                if node.children:
                    # The opponent chooses what is worth most to the opponent.
                    node.worth = 1 - max(child.worth for child in node.children if child.worth is not None)

    def _parts(self, nodes: list[_Node]) -> Iterator[list[_Node]]:
        for begin in range(0, len(nodes), self.at_once):
            part = nodes[begin : begin + self.at_once]
            self.evaluated += len(part)
            yield part

    def _expand(self, nodes: list[_Node]) -> None:
        assert self.enforcer is not None
        found = self.enforcer.candidates(pack(self.game, [node.position for node in nodes]))
        for node, candidates in zip(nodes, found, strict=True):
            actions = candidates.actions[: self.width] if self.width else candidates.actions
            node.children = self.nodes(node.position, [int(action) for action in actions])

    def _is_over(self, node: _Node) -> bool:
        """Return whether the game has ended at the node. Its worth is the result then."""
        if self.game.actor(node.position) is not None:
            return False
        mover = 1 - self.game.shogi.side(node.position)
        node.worth = (1 + self.game.shogi.payoff(node.position)[mover]) / 2
        return True


def look_ahead(
    game: Shogi,
    prophet: Prophet,
    enforcer: Enforcer | None,
    positions: Sequence[Any],
    orders: Sequence[Sequence[int]],
    *,
    depth: int,
    width: int,
    best: bool = False,
) -> list[int]:
    """Return for each position the first action of its order that the prophet approves of, `depth` plies ahead, where
    both sides choose among the enforcer's `width` best (0: all candidates); if there is none, or if `best`, the action
    of most worth."""
    search = _LookAhead(game, prophet, enforcer, width, at_once=1 << 20)
    tried: list[list[float]] = [[] for _ in positions]
    waiting = [i for i, order in enumerate(orders) if len(order) > 1]
    limits = [min(len(order), width) if width else len(order) for order in orders]
    while waiting:
        asked = [
            (i, orders[i][number])
            for i in waiting
            for number in range(len(tried[i]), limits[i] if best else min(limits[i], len(tried[i]) + (width or _ROUND)))
        ]
        nodes = [search.nodes(positions[i], [action])[0] for i, action in asked]
        for _ in search.judge(nodes, depth):
            pass
        for (i, _), node in zip(asked, nodes, strict=True):
            assert node.worth is not None
            tried[i].append(node.worth)
        waiting = [i for i in waiting if len(tried[i]) < limits[i] and (best or max(tried[i]) <= _APPROVED)]
    return [
        int(order[_pick(worths, best)]) if worths else int(order[0])
        for order, worths in zip(orders, tried, strict=True)
    ]


def _pick(worths: Sequence[float], best: bool) -> int:
    """Return the index of the first approved action; if there is none, or if `best`, of the action of most worth."""
    if not best:
        for number, worth in enumerate(worths):
            if worth > _APPROVED:
                return number
    return int(np.argmax(worths))


def deepen(
    game: Shogi,
    prophet: Prophet,
    enforcer: Enforcer | None,
    position: Any,
    order: Sequence[int],
    *,
    depth: int | None,
    width: int,
    best: bool = False,
) -> Iterator[Thought]:
    """Decide as look_ahead() does, one ply ahead, then two, … up to `depth` (None: without a limit).

    Yields a thought after every batch of a network. A depth that is not complete counts if it has an approved move, or
    if it has refuted the choice of the depth before.
    """
    search = _LookAhead(game, prophet, enforcer, width, at_once=_STEP_POSITIONS)
    candidates = list(order[:width] if width else order)
    thought = Thought((Variation((int(order[0]),)),), 0, 1)
    leaves_before = 1
    for plies in range(1, (depth or _MOST_DEPTH) + 1):
        search.leaves = 0
        at_once = _ROUND if plies == 1 else 1
        tried: list[_Node] = []
        while len(tried) < len(candidates) and (best or not any(_worth(node) > _APPROVED for node in tried)):
            nodes = search.nodes(position, candidates[len(tried) : len(tried) + at_once])
            for _ in search.judge(nodes, plies):
                thought = Thought(thought.lines, thought.depth, 1 + search.evaluated)
                yield thought
            tried += nodes
            is_whole = len(tried) == len(candidates)
            if is_whole or _decides(tried, thought.action, best=best):
                thought = Thought(_lines(tried, best), plies, 1 + search.evaluated)
        yield thought
        growth = search.leaves / max(1, leaves_before)
        leaves_before = search.leaves
        if search.leaves == 0 or search.leaves * max(1.0, growth) > _MOST_LEAVES:
            return


def _worth(node: _Node) -> float:
    assert node.worth is not None
    return node.worth


def _decides(tried: list[_Node], choice: int, *, best: bool) -> bool:
    """Return whether the moves tried so far at a depth replace the choice of the depth before."""
    is_approved = not best and any(_worth(node) > _APPROVED for node in tried)
    return is_approved or any(node.action == choice for node in tried)


def _lines(tried: list[_Node], best: bool) -> tuple[Variation, ...]:
    """Return the choice first, then the other moves by their worth."""
    chosen = tried[_pick([_worth(node) for node in tried], best)]
    others = sorted((node for node in tried if node is not chosen), key=lambda node: -_worth(node))
    return tuple(Variation(node.best_line(), 2 * _worth(node) - 1) for node in (chosen, *others))
