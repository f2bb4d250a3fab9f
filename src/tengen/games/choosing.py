"""How an action is chosen by touching a drawing and menus, in any game: the rules that the page keeps.

An action is a set of touches: ids of spots, and entries of a menu.

1. A touch leaves the actions that have it; their other spots light up.
2. An action is chosen when it alone is left and all its spots are touched: entries that decide nothing are not asked.
3. Where what is left differs only by entries and supplies, a menu names it: its actions, or beyond twelve the entries
   and supplies themselves. Actions without a spot can be named at any time before the first touch.
4. A touch that fits nothing starts anew; a second touch of the same place lets go.
5. An action is marked on the last of its spots that is no supply; two such spots make an arrow.

Spots may overlap: a place then has several ids, and a touch means whichever fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tengen.games.spots import Spot
    from tengen.games.state import State

__all__ = ["MENU_SIZE", "Choosing", "Entry", "begin"]

MENU_SIZE = 12


@dataclass(frozen=True, slots=True)
class Entry:
    """Of a menu."""

    text: str
    action: int | None = None
    """It names this action; None: it is a touch of `text`."""


@dataclass(frozen=True)
class Choosing:
    """What has been touched so far. A touch answers the next one."""

    touches: Mapping[int, Sequence[str]]
    """Of each legal action."""
    spots: Mapping[str, bool]
    """Ids, and whether it is a supply."""
    places: tuple[frozenset[str], ...] = ()
    """What was touched: at each touch the ids that its place has."""

    @property
    def left(self) -> list[int]:
        """The actions that fit."""
        return [action for action, parts in self.touches.items() if all(place & set(parts) for place in self.places)]

    @property
    def lit(self) -> set[str]:
        """Spots that a touch would fit."""
        return {part for action in self.left for part in self._open_spots(action)}

    @property
    def chosen(self) -> int | None:
        """The action that is played now."""
        left = self.left
        is_clear = self.places and len(left) == 1 and not self._open_spots(left[0])
        return left[0] if is_clear else None

    @property
    def menu(self) -> list[Entry]:
        """What is named beside the spot, or, before the first touch, below the board."""
        left = self.left
        if not self.places:
            return [Entry(" ".join(self.touches[a]), a) for a in left if not self._open_spots(a)]
        if self.chosen is not None or any(not self.spots[s] for action in left for s in self._open_spots(action)):
            return []
        open_parts = {action: [part for part in self.touches[action] if not self._is_touched(part)] for action in left}
        if len(left) <= MENU_SIZE:
            return [Entry(" ".join(parts or self.touches[action]), action) for action, parts in open_parts.items()]
        return [Entry(text) for text in dict.fromkeys(part for parts in open_parts.values() for part in parts)]

    def touch(self, ids: str | Iterable[str]) -> Choosing:
        """A place by its ids, or an entry of a menu that is a touch. No ids: the ground, which lets go."""
        place = frozenset([ids] if isinstance(ids, str) else ids)
        if place in self.places:
            return replace(self, places=())
        for places in ((*self.places, place), (place,)):
            further = replace(self, places=places)
            if place and further.left:
                return further
        return replace(self, places=())

    def mark(self, action: int) -> tuple[str, ...]:
        """The spot that an action is marked on; two: an arrow; none: it has only entries and supplies."""
        spots = [part for part in self.touches[action] if part in self.spots and not self.spots[part]]
        return tuple(spots[-2:])

    def _is_touched(self, part: str) -> bool:
        return any(part in place for place in self.places)

    def _open_spots(self, action: int) -> list[str]:
        return [part for part in self.touches[action] if part in self.spots and not self._is_touched(part)]


def begin(state: State, player: int | None = None, spots: Sequence[Spot] | None = None) -> Choosing:
    """For the player to act, or, where all act, the one that is named; in its own view."""
    seat = state.actor if player is None else player
    assert isinstance(seat, int), "name the player where all act"
    legal = state.legal(player) if state.actor == "all" else state.legal()
    seen = state.spots(seat) if spots is None else spots
    return Choosing({a: tuple(state.touches(a)) for a in legal}, {spot.id: spot.is_supply for spot in seen})
