"""What a server sends, taken apart: a room, and lines of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Frame", "parse_frame"]


@dataclass(frozen=True)
class Frame:
    room: str
    """Empty: the server itself."""
    lines: list[str]

    @property
    def messages(self) -> list[tuple[str, str]]:
        """(kind, the rest) of the lines that have a kind."""
        found = []
        for line in self.lines:
            if line.startswith("|"):
                kind, _, rest = line[1:].partition("|")
                found.append((kind, rest))
        return found


def parse_frame(text: str) -> Iterator[Frame]:
    """A message of the server; never raises."""
    lines = text.split("\n")
    room = ""
    if lines[0].startswith(">"):
        room = lines.pop(0)[1:].strip()
    if lines:
        yield Frame(room, lines)
