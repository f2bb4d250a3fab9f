"""Trees of earlier searches, which are reused for later positions of the same game."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.analysis.memory import memory_limit

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from tengen.analysis.job import Job
    from tengen.games import State
    from tengen.games.state import Played
    from tengen.search import Pool

__all__ = ["CachedTree", "TreeCache", "room_for_trees"]

MAX_TREES = 8
TREE_BYTES = 4 << 30
"""Default limit of all trees together, in bytes. Less than 8 GiB of memory lower it to half of them."""


@dataclass(eq=False)
class CachedTree:
    pool: Pool
    root: int
    played: tuple[Played, ...]
    """Actions before its root."""
    client: Hashable
    bytes: int


class TreeCache:
    """The latest few trees. They are idle: pools do not search them."""

    def __init__(self) -> None:
        self._trees: OrderedDict[Hashable, CachedTree] = OrderedDict()

    @property
    def bytes(self) -> int:
        return sum(tree.bytes for tree in self._trees.values())

    def add(self, job: Job, played: tuple[Played, ...], pool: Pool, root: int) -> None:
        """Take over a root of a pool."""
        key = _key(job)
        if not pool.progress(root)[1]:
            # Otherwise the next batch of the pool would continue a search that was ended early.
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
        """Drop the oldest tree; return False if there is none."""
        for key in self._trees:
            self._remove(key)
            return True
        return False

    def clear(self, client: Hashable | None = None) -> None:
        """Drop all trees, or those of a client."""
        for key in [key for key, tree in self._trees.items() if client is None or tree.client == client]:
            self._remove(key)

    def _remove(self, key: Hashable) -> None:
        tree = self._trees.pop(key, None)
        if tree is not None:
            tree.pool.remove(tree.root)


def room_for_trees() -> int:
    """Return the bytes that all trees together may take."""
    memory = memory_limit()
    return TREE_BYTES if memory is None else min(TREE_BYTES, memory // 2)


def _key(job: Job) -> Hashable:
    # A tree is reused only with the settings that it was grown with, except for the number of visits.
    return job.client, job.game, id(job.evaluator), job.tree_key, job.settings.replace(visits=1), job.aux
