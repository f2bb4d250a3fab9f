"""Searches for people: sensible settings, until they are done or the time is up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from tengen.search import SearchSettings, default_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game
    from tengen.search import Pool, SearchResult

__all__ = ["SearchRunner", "run_search", "settings_for"]


class SearchRunner(Protocol):
    def __call__(self, pool: Pool, root: int, *, seconds: float | None = None) -> SearchResult:
        """Searches until the pool is done or the time is up."""


def settings_for(
    game: Game, evaluator: AnyEvaluator, visits: int, changes: Mapping[str, Any] | None = None
) -> SearchSettings:
    """How to search a game of which no more is known than its nature; `changes` are the person's own."""
    is_open = game.players == 2 and game.zero_sum and not (game.hidden or game.chance or game.simultaneous)
    can_solve = is_open and evaluator != "flat"
    settings: dict[str, Any] = {"visits": visits, "solve": can_solve} | dict(changes or {})
    return default_settings(evaluator, **settings)


def run_search(
    pool: Pool, root: int, *, seconds: float | None = None, on_step: Callable[[float], None] = lambda _: None
) -> SearchResult:
    """`on_step` hears, again and again, how many seconds it has taken."""
    began = time.monotonic()
    while not pool.step():
        elapsed = time.monotonic() - began
        # However short the time, some move must have been looked at.
        if seconds is not None and elapsed >= seconds and pool.result(root).moves:
            break
        on_step(elapsed)
    return pool.result(root, elapsed_s=time.monotonic() - began)
