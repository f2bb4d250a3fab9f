"""What a game's format for its records adds to reviews."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

    from tengen.analysis.review.played_game import PlayedGame
    from tengen.analysis.review.review import Review

__all__ = ["RecordFormat"]


class RecordFormat(ABC):
    """Reads records, and writes reviews of the games that it read."""

    suffix: ClassVar[str]
    """Of the files that it writes."""
    suffixes: ClassVar[tuple[str, ...]]
    """Of the files that it reads."""

    @abstractmethod
    def load(self, path: Path, number: int = 1, *, rules: str | None = None, komi: float | None = None) -> PlayedGame:
        """A game of a file that may hold several. `rules` and `komi` stand over those of the file.

        Raises a ValueError where the file does not read, and ReviewError where the game can't be reviewed.
        """

    @abstractmethod
    def played(self, record: Any) -> PlayedGame:
        """The game of a record that a program has read already."""

    @abstractmethod
    def format_page(self, review: Review) -> str:
        """A whole HTML document that needs nothing but a browser."""

    @abstractmethod
    def format_record(self, review: Review) -> bytes:
        """The game's record with the review in it."""
