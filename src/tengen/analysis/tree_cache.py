"""Trees of earlier searches, for queries that go on with a game."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from tengen.analysis.job import Job
    from tengen.games import State
    from tengen.games.state import Played
    from tengen.search import Pool

__all__ = ["CachedTree", "TreeCache", "room_for_trees"]

MAX_TREES = 8
TREE_BYTES = 4 << 30
"""Of all trees together, by default; at most half of the machine's memory."""


@dataclass(eq=False)
class CachedTree:
    pool: Pool
    root: int
    played: tuple[Played, ...]
    """Before its root."""
    client: Hashable
    bytes: int


class TreeCache:
    """A few, the latest. They rest: a pool spends nothing on them."""

    def __init__(self) -> None:
        self._trees: OrderedDict[Hashable, CachedTree] = OrderedDict()

    @property
    def bytes(self) -> int:
        return sum(tree.bytes for tree in self._trees.values())

    def add(self, job: Job, played: tuple[Played, ...], pool: Pool, root: int) -> None:
        """The pool's root becomes the cache's."""
        key = _key(job)
        if not pool.progress(root)[1]:
            # A search that was ended early would go on with the pool's next batch.
            pool.restart(root, visits=1)
        self._remove(key)
        self._trees[key] = CachedTree(pool, root, played, job.client, pool.report(root).bytes)
        if len(self._trees) > MAX_TREES:
            self.drop_oldest()

    def take(self, job: Job, played: tuple[Played, ...], state: State, asked: Mapping[str, Any]) -> CachedTree | None:
        """The tree of an earlier position of the same game, moved on to the job's and begun anew. It is the caller's
        then."""
        tree = self._trees.pop(_key(job), None)
        if tree is None:
            return None
        if played[: len(tree.played)] == tree.played:
            try:
                for action in played[len(tree.played) :]:
                    tree.pool.advance(tree.root, action)
                tree.pool.replace_root_state(tree.root, state)
                tree.pool.restart(tree.root, **asked)
            except (ValueError, IndexError):
                # Another player's view, or a move that only a tolerant reading of the rules lets pass.
                pass
            else:
                return tree
        tree.pool.remove(tree.root)
        return None

    def drop_oldest(self) -> bool:
        """Answers whether there was one."""
        for key in self._trees:
            self._remove(key)
            return True
        return False

    def clear(self, client: Hashable | None = None) -> None:
        """All, or those of a client."""
        for key in [key for key, tree in self._trees.items() if client is None or tree.client == client]:
            self._remove(key)

    def _remove(self, key: Hashable) -> None:
        tree = self._trees.pop(key, None)
        if tree is not None:
            tree.pool.remove(tree.root)


def room_for_trees() -> int:
    """Bytes that all trees together may take."""
    try:
        return min(TREE_BYTES, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return TREE_BYTES


def _key(job: Job) -> Hashable:
    # A tree goes on only with the settings that it was grown with; how many visits it gets may change.
    return job.client, job.game, id(job.evaluator), job.tree_key, job.settings.replace(visits=1), job.aux
