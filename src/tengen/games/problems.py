"""Problems: positions in which a person is to find the way to a goal, against the best defence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tengen.games.state import State

__all__ = ["Judgement", "Problems"]


@dataclass(frozen=True)
class Judgement:
    """Of a move of who is to reach the goal."""

    keeps: bool | None
    """Whether the goal can still be reached; None: that is not known."""
    text: str
    """A sentence without its stop, in the game's language."""


class Problems(Protocol):
    """Some of them, in order. Texts are for people, in the game's language."""

    def __len__(self) -> int: ...

    def start(self, number: int) -> State:
        """Who is to move there is to reach the goal."""

    def task(self, number: int) -> str:
        """What is asked."""

    def solution(self, state: State) -> tuple[int, ...]:
        """Actions to the goal, the defence the longest that is known; empty: none is known."""

    def judge(self, before: State, action: int) -> Judgement:
        """What a move did to the chances of reaching it."""

    def defend(self, state: State) -> int:
        """The best answer of the other side."""
