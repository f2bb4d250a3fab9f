"""Formats of records, as reviews read and write them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tengen.games.translation import ENGLISH, Translation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tengen.analysis.review.played_game import PlayedGame
    from tengen.analysis.review.review import Review

__all__ = ["RecordFormat", "TreeMove"]


@dataclass(frozen=True)
class TreeMove:
    """A position of a record with variations, which is a list of these: the main line first, from the start on; each
    after the one that it follows, and after those that are preferred to it."""

    parent: int
    """Its place in the list; the start has none, -1."""
    name: str
    """Name of the move that led here, as the game writes it."""
    comment: str = ""
    player: int | None = None
    """Player who made the move; None if the record does not name one."""


class RecordFormat(ABC):
    """Reads records, and writes reviews of the games that it read."""

    suffix: ClassVar[str]
    """Suffix of the files that the format writes."""
    suffixes: ClassVar[tuple[str, ...]]
    """Suffixes of the files that the format reads."""
    tree_suffix: ClassVar[str] = ""
    """Suffix of the files that add_tree() writes; empty if the format has no trees."""

    languages: ClassVar[tuple[str, ...]] = (ENGLISH,)
    """Languages of the reviews that the format writes."""

    @abstractmethod
    def load(self, path: Path, number: int = 1, *, rules: str | None = None, komi: float | None = None) -> PlayedGame:
        """A game of a file that may hold several. `rules` and `komi` stand over those of the file.

        Raises a ValueError where the file does not read, and ReviewError where the game can't be reviewed.
        """

    @abstractmethod
    def played(self, record: Any) -> PlayedGame:
        """The game of a record that a program has read already."""

    @abstractmethod
    def format_page(self, review: Review, lang: str = ENGLISH) -> str:
        """Return a whole HTML document that needs nothing but a browser, in one of `languages`."""

    @abstractmethod
    def format_record(self, review: Review, lang: str = ENGLISH) -> bytes:
        """Return the game's record with the review in it, in one of `languages`."""

    def words_in(self, lang: str) -> Translation:
        """Return the translation of a review's texts into one of `languages`."""
        return Translation(lang)

    def suffix_in(self, lang: str) -> str:  # noqa: ARG002
        """Return the suffix of the file that format_record() writes in a language."""
        return self.suffix

    def read_tree(self, played: PlayedGame) -> Sequence[TreeMove]:  # noqa: ARG002
        """All that a record holds which load() has read. By default its main line is all, without comments."""
        return ()

    def add_tree(self, data: bytes, tree: Sequence[TreeMove], about: Mapping[str, Any]) -> bytes:
        """A saved game, which has the tree's main line, with its variations and comments and what is known of it."""
        raise NotImplementedError
