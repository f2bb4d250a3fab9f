"""Looking ahead over the enforcer's best moves, with the prophet at the leaves, in many positions at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.labs.shogi.planes import pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.shogi import Shogi
    from tengen.labs.shogi.models import Enforcer, Prophet

__all__ = ["look_ahead"]

_ROUND = 8
"""Candidates that are judged together where all of them may be: the prophet mostly approves of an early one."""
_APPROVED = 0.5


@dataclass
class _Node:
    """A position after a move. What it is worth is worth to who made the move."""

    position: Any
    worth: float | None = None
    children: list[_Node] = field(default_factory=list)


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
    """For each position the first action of its order that the prophet approves of, `depth` plies ahead, where both
    sides choose among the enforcer's `width` best (0: all candidates); else, or if `best`, the one of most worth."""
    tried: list[list[float]] = [[] for _ in positions]
    waiting = [i for i, order in enumerate(orders) if len(order) > 1]
    limits = [min(len(order), width) if width else len(order) for order in orders]
    while waiting:
        asked = [
            (i, orders[i][number])
            for i in waiting
            for number in range(len(tried[i]), limits[i] if best else min(limits[i], len(tried[i]) + (width or _ROUND)))
        ]
        nodes = [_Node(game.shogi.apply(positions[i], action)) for i, action in asked]
        _judge(game, prophet, enforcer, nodes, depth, width)
        for (i, _), node in zip(asked, nodes, strict=True):
            assert node.worth is not None
            tried[i].append(node.worth)
        waiting = [i for i in waiting if len(tried[i]) < limits[i] and (best or max(tried[i]) <= _APPROVED)]
    return [int(_pick(order, worths, best)) for order, worths in zip(orders, tried, strict=True)]


def _pick(order: Sequence[int], worths: list[float], best: bool) -> int:
    if not best:
        for action, worth in zip(order, worths, strict=False):
            if worth > _APPROVED:
                return action
    return order[int(np.argmax(worths))] if worths else order[0]


def _judge(
    game: Shogi, prophet: Prophet, enforcer: Enforcer | None, nodes: list[_Node], depth: int, width: int
) -> None:
    """Gives every node its worth."""
    levels = [nodes]
    for _ in range(depth - 1):
        assert enforcer is not None
        levels.append(_expand(game, enforcer, levels[-1], width))
    leaves = [node for node in levels[-1] if not _is_over(game, node)]
    for node, chance in zip(leaves, prophet.judge(pack(game, [node.position for node in leaves])), strict=True):
        node.worth = float(chance)
    for level in reversed(levels[:-1]):
        for node in level:
            if node.children:
                # The opponent chooses what is worth most to the opponent.
                node.worth = 1 - max(child.worth for child in node.children if child.worth is not None)


def _expand(game: Shogi, enforcer: Enforcer, nodes: list[_Node], width: int) -> list[_Node]:
    going_on = [node for node in nodes if not _is_over(game, node)]
    found = enforcer.candidates(pack(game, [node.position for node in going_on])) if going_on else []
    for node, candidates in zip(going_on, found, strict=True):
        actions = candidates.actions[:width] if width else candidates.actions
        node.children = [_Node(game.shogi.apply(node.position, int(action))) for action in actions]
    return [child for node in going_on for child in node.children]


def _is_over(game: Shogi, node: _Node) -> bool:
    """Then its worth is what was paid."""
    if game.actor(node.position) is not None:
        return False
    mover = 1 - game.shogi.side(node.position)
    node.worth = (1 + game.shogi.payoff(node.position)[mover]) / 2
    return True
