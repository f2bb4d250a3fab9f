"""Which sets of a forme have a move, an item, an ability: whole numbers, bit i for set i of the core's table."""

from __future__ import annotations

import functools
from collections.abc import Callable

from tengen.games.pokemon.facts import PokemonSet, find_move, formes, read_sets

# Moves whose type depends on more than the move.
CHANGING_TYPES = frozenset(
    [
        "judgment",
        "multiattack",
        "revelationdance",
        "weatherball",
        "terrainpulse",
        "naturepower",
        "aurawheel",
        "hiddenpower",
        "technoblast",
    ]
)
# Abilities that change the type of some attacks.
TYPE_ABILITIES = frozenset(["aerilate", "galvanize", "pixilate", "refrigerate", "normalize", "liquidvoice"])


@functools.cache
def known_formes() -> frozenset[str]:
    return frozenset(formes())


class FormeSets:
    """The sets of a forme. There is one object a forme; it keeps the masks it was asked for."""

    def __init__(self, forme: str) -> None:
        self.forme = forme
        self.sets = read_sets(forme)
        self.all = (1 << len(self.sets)) - 1
        self.moves = tuple(frozenset(one.moves) for one in self.sets)
        self._masks: dict[tuple[str, str], int] = {}

    def where(self, holds: Callable[[PokemonSet], bool]) -> int:
        return sum(1 << i for i, one in enumerate(self.sets) if holds(one))

    def with_move(self, move: str) -> int:
        return self._cached("move", move, lambda one: move in one.moves)

    def with_item(self, item: str) -> int:
        return self._cached("item", item, lambda one: one.item == item)

    def with_ability(self, ability: str) -> int:
        return self._cached("ability", ability, lambda one: one.ability == ability)

    def with_max_move(self, kind: str) -> int:
        """Sets that a Max Move of a type may come from; 'Status' for Max Guard."""
        return self._cached("max", kind, lambda one: any(may_become(one, move, kind) for move in one.moves))

    def _cached(self, what: str, name: str, holds: Callable[[PokemonSet], bool]) -> int:
        mask = self._masks.get((what, name))
        if mask is None:
            mask = self._masks[what, name] = self.where(holds)
        return mask


def may_become(one: PokemonSet, move: str, kind: str) -> bool:
    facts = find_move(move)
    if facts.is_status or kind == "Status":
        return facts.is_status and kind == "Status"
    # Ion Deluge (by Plasma Fists) makes Normal moves Electric.
    is_changed = (
        move in CHANGING_TYPES or one.ability in TYPE_ABILITIES or (facts.type == "Normal" and kind == "Electric")
    )
    return is_changed or facts.type == kind


@functools.cache
def sets_of(forme: str) -> FormeSets | None:
    """None for a forme that no set of random battles is of."""
    if forme not in known_formes():
        return None
    return FormeSets(forme)
