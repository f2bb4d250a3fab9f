"""Knowledge about a Pokémon that a side has met: the sets that fit, in shares."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.games.pokemon.facts import find_species, read_sets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["SeenPokemon", "see_pokemon"]


@dataclass(frozen=True)
class SeenPokemon:
    """Shares are of the sets that are left, each counted alike."""

    forme: str
    level: int
    types: tuple[str, ...]
    sets: int
    """How many are left."""
    moves: Mapping[str, float]
    items: Mapping[str, float]
    """Items that it may hold now, by id; "" is none."""
    abilities: Mapping[str, float]
    """Abilities that it may have now, by id."""


def see_pokemon(forme: str, numbers: Sequence[int], item: str | None = None, ability: str | None = None) -> SeenPokemon:
    """Return what is known of a Pokémon by the numbers of the sets that fit; if none does, any may be its set.

    An item and an ability that are given are its present ones, which are those of its set no more.
    """
    every = read_sets(forme)
    left = [every[number] for number in numbers] or list(every)
    return SeenPokemon(
        forme=forme,
        level=left[0].level,
        types=tuple(find_species(forme).types),
        sets=len(left),
        moves=_shares((move for one in left for move in one.moves), len(left)),
        items=_shares((one.item for one in left), len(left)) if item is None else {item: 1.0},
        abilities=_shares((one.ability for one in left), len(left)) if ability is None else {ability: 1.0},
    )


def _shares(names: Iterable[str], count: int) -> dict[str, float]:
    """The likeliest first."""
    found = Counter(names)
    return {name: found[name] / count for name in sorted(found, key=lambda name: (-found[name], name))}
