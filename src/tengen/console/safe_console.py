"""The console of all commands, in a module of its own because Rich takes long to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.segment import Segment

from tengen._text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import ConsoleOptions, RenderableType

__all__ = ["SafeConsole"]


class SafeConsole(Console):
    """A console that shows control characters in text instead of sending them to the terminal.

    Names and messages from servers, records and runs are printed in many places; this is the one place that they all
    pass. Control codes of rich itself are marked as such in their segments and kept.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)
