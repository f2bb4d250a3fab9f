"""Series of games: what one leaves goes into the next, such as gold and who begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tengen.games.state import State

__all__ = ["GameSeries"]


class GameSeries(Protocol):
    """Where a series stands between two games, its rounds. A value, as a state is: after() answers the next one.

    Texts are for the person in a seat, one a line.
    """

    def in_language(self, lang: str) -> GameSeries:
        """The same; its texts are in a language that the game speaks."""

    def opening(self, seat: int, words: str = "") -> Sequence[str]:
        """What is told before the next round is dealt."""

    def deal(self, words: str = "") -> State:
        """The next round; `words` are a player's own and go into its shuffle."""

    def closing(self, state: State, seat: int, words: str = "") -> Sequence[str]:
        """What is told once that round is over; how the next one is asked for is told by who asks the person."""

    def after(self, state: State) -> GameSeries:
        """Between the round that ended so and the next."""

    def void(self) -> GameSeries:
        """As if the round had not been dealt; the next deal is another one."""

    def to_plain(self) -> Mapping[str, Any]:
        """For JSON: what the next rounds depend on, and nothing that gives a deal away."""
