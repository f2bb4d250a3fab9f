"""Searches at the terminal: a progress bar when it takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn

from tengen import play
from tengen.console.output import error_console

if TYPE_CHECKING:
    from tengen.search import Pool, SearchResult

__all__ = ["MAX_VISITS", "run_search"]

# A search by the clock alone ends here too, before its tree fills the memory: a visit takes some 100 to 200 bytes.
MAX_VISITS = 10_000_000
_PATIENCE_S = 1.0
_GLANCE_S = 0.1


def run_search(pool: Pool, root: int, *, seconds: float | None = None) -> SearchResult:
    """Searches until the pool is done or the time is up."""
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

    def show(elapsed: float) -> None:
        nonlocal shown, glance
        if elapsed < glance or not console.is_terminal:
            return
        glance = elapsed + _GLANCE_S
        visits = pool.result(root).visits
        done = max(visits / pool.settings.visits, elapsed / seconds if seconds else 0.0)
        if shown is None:
            progress.start()
            shown = progress.add_task("", total=1.0, visits=visits, elapsed=elapsed)
        progress.update(shown, completed=min(done, 1.0), visits=visits, elapsed=elapsed)

    try:
        return play.run_search(pool, root, seconds=seconds, on_step=show)
    finally:
        if shown is not None:
            progress.stop()
