"""A bar for long work: two moving lines in a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from tengen._text import rate_text, time_text
from tengen.console.output import error_console, output_console

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from rich.console import Console, RenderableType

__all__ = ["Bar", "rate_text", "time_text"]

_GLANCE_S = 0.1
_SOON_S, _FIRST_LINE_S, _NEXT_LINE_S = 1.0, 10.0, 10.0


class _TwoLines(Progress):
    """A progress bar with a second line for figures, which do not fit into 80 columns together."""

    def get_renderables(self) -> Iterable[RenderableType]:
        yield self.make_tasks_table(self.tasks)
        for task in self.tasks:
            yield Text(f"  {task.fields['figures']}", no_wrap=True, overflow="ellipsis")


class Bar:
    """Progress of long work on stderr: two lines that move in a terminal, elsewhere a plain line now and then.

    The first plain line comes after ten seconds; with `has_lines` after one, for commands that usually take minutes.
    """

    def __init__(self, *, has_lines: bool = False) -> None:
        console = error_console()
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
        )
        self._progress = _TwoLines(
            *columns, console=console, transient=True, redirect_stdout=False, disable=not console.is_terminal
        )
        self._task: TaskID | None = None
        self._glance = 0.0
        self._is_plain = not console.is_terminal
        self._next_line = time.monotonic() + (_SOON_S if has_lines else _FIRST_LINE_S)
        self._text, self._total = "", 0
        self._done, self._figures, self._note = 0, "", ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, text: str, total: int, figures: str = "") -> None:
        self.end()
        self._text, self._total = text, total
        self._done, self._figures = 0, figures
        self._task = self._progress.add_task(text, total=total, figures=figures)

    def advance(self, done: int, figures: str = "") -> None:
        self._done, self._figures = done, figures
        self._show()

    def note(self, text: str) -> None:
        """How the workers do, shown behind the figures from now on."""
        self._note = text
        self._show()

    def _show(self) -> None:
        now = time.monotonic()
        # Training makes many small steps; showing each would take too much time.
        if self._task is not None and now >= self._glance:
            self._glance = now + _GLANCE_S
            figures = " · ".join(part for part in (self._figures, self._note) if part)
            self._progress.update(self._task, completed=self._done, figures=figures)
            if self._is_plain and now >= self._next_line:
                self._next_line = now + _NEXT_LINE_S
                line = f"{self._text}: {self._done} of {self._total}" + (f", {figures}" if figures else "")
                self._progress.console.print(line, soft_wrap=True, markup=False)

    def end(self) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None

    def say(self, text: Text | str) -> None:
        """A line on stdout, above the moving ones where both share a terminal."""
        console: Console = output_console()
        if console.is_terminal and not self._progress.disable:
            console = self._progress.console
        console.print(text, soft_wrap=True, markup=False)

    def warn(self, text: str) -> None:
        """Print a warning on stderr, above the moving lines."""
        self._progress.console.print(Text(f"tengen: {text}", style="yellow"), soft_wrap=True)
