"""Searches for people: sensible settings, and a progress bar when it takes long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, Progress, TextColumn

from tengen.console.output import error_console
from tengen.search import SearchSettings, default_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game
    from tengen.search import Pool, SearchResult

__all__ = ["MAX_VISITS", "run_search", "settings_for"]

# A search by the clock alone ends here too, before its tree fills the memory: a visit takes some 100 to 200 bytes.
MAX_VISITS = 10_000_000
_PATIENCE_S = 1.0
_GLANCE_S = 0.1


def settings_for(
    game: Game, evaluator: AnyEvaluator, visits: int, changes: Mapping[str, Any] | None = None
) -> SearchSettings:
    """How to search a game of which no more is known than its nature; `changes` are the person's own."""
    is_open = game.players == 2 and game.zero_sum and not (game.hidden or game.chance or game.simultaneous)
    can_solve = is_open and evaluator != "flat"
    settings: dict[str, Any] = {"visits": visits, "solve": can_solve} | dict(changes or {})
    return default_settings(evaluator, **settings)


def run_search(pool: Pool, root: int, *, seconds: float | None = None) -> SearchResult:
    """Searches until the pool is done or the time is up."""
    began = time.monotonic()
    console = error_console()
    progress = Progress(
        TextColumn("searching"),
        BarColumn(),
        TextColumn("{task.fields[visits]:,} visits, {task.fields[elapsed]:.0f} s"),
        console=console,
        transient=True,
    )
    shown = None
    glance = _PATIENCE_S
    try:
        while not pool.step():
            elapsed = time.monotonic() - began
            # However short the time, some move must have been looked at.
            if seconds is not None and elapsed >= seconds and pool.result(root).moves:
                break
            if elapsed < glance or not console.is_terminal:
                continue
            glance = elapsed + _GLANCE_S
            visits = pool.result(root).visits
            done = max(visits / pool.settings.visits, elapsed / seconds if seconds else 0.0)
            if shown is None:
                progress.start()
                shown = progress.add_task("", total=1.0, visits=visits, elapsed=elapsed)
            progress.update(shown, completed=min(done, 1.0), visits=visits, elapsed=elapsed)
    finally:
        if shown is not None:
            progress.stop()
    return pool.result(root, elapsed_s=time.monotonic() - began)
