"""Policies for battles, which choose one of the legal actions in a situation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tengen.arena import PlayerSpec
    from tengen.games.pokemon.tracker import Tracker

__all__ = [
    "Considered",
    "Decider",
    "DeciderReader",
    "Decision",
    "Situation",
    "find_decider",
    "register_decider",
]


@dataclass(frozen=True)
class Situation:
    """The knowledge of one side when it must choose. The tracker must not be changed."""

    tracker: Tracker
    actions: tuple[int, ...]
    """The actions of the request: 0-5 switch to that team slot, 6-9 moves, 10-13 Dynamax and that move. Never empty."""
    seconds: float
    """Time limit of the decision; a later one is not used."""
    seed: int
    """For whatever is drawn."""


@dataclass(frozen=True)
class Considered:
    """One action, as the decider thinks of it."""

    action: int
    share: float
    """In the strategy."""
    win_rate: float | None = None
    visits: int = 0


@dataclass(frozen=True)
class Decision:
    action: int
    win_rate: float | None = None
    """Probability from 0 to 1 that our side wins."""
    considered: tuple[Considered, ...] = field(default=())


class Decider(ABC):
    """A policy, called from several threads at the same time with one call for each battle."""

    name: str

    @abstractmethod
    def decide(self, situation: Situation) -> Decision: ...

    def close(self) -> None:
        """No more is asked."""


DeciderReader: TypeAlias = Callable[[str], Decider]
"""Returns the decider of a whole specification. A ValueError names what does not fit."""

_readers: dict[str, DeciderReader] = {}


def register_decider(kind: str, read: DeciderReader) -> None:
    """Register deciders called KIND or KIND:…."""
    _readers[kind] = read


def find_decider(spec: PlayerSpec | str) -> Decider:
    """By its specification, such as `matchup` or `pokemon-seed:100`; anything else is a player of the arena."""
    _load()
    read = _readers.get(str(spec).partition(":")[0])
    if read is not None:
        return read(str(spec))
    from tengen.arena import find_player
    from tengen.games import game
    from tengen.protocols.showdown.game_decider import GAME, GameDecider

    try:
        return GameDecider(find_player(spec, game(GAME)))
    except ValueError as error:
        names = ", ".join(sorted(_readers))
        raise ValueError(f"no player of battles is called {str(spec)!r}: there are {names}; or {error}") from error


def _load() -> None:
    """Modules register what they hold when they are imported."""
    import tengen.protocols.showdown.seed_agent
    import tengen.protocols.showdown.simple_deciders  # noqa: F401
