"""Moves, species, items and sets by the simulator's ids: the core's tables in Python."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "PokemonMove",
    "PokemonSet",
    "PokemonSpecies",
    "display_name",
    "effectiveness",
    "find_move",
    "find_species",
    "formes",
    "has_ability",
    "has_item",
    "has_species",
    "moves_where",
    "read_sets",
]


@dataclass(frozen=True, slots=True)
class PokemonMove:
    id: str
    """Empty: there is no such move."""
    name: str
    type: str
    is_status: bool
    is_physical: bool
    is_contact: bool
    is_max: bool
    is_pivot: bool
    has_secondary: bool
    pressure_always: bool
    pp: int
    priority: int
    power: int
    """0: none, or it varies."""
    max_power: int
    """As a Max Move."""
    accuracy: int
    """In percent; 0: it cannot miss."""
    hits: tuple[int, int]
    """At least and at most; 0: one."""


@dataclass(frozen=True, slots=True)
class PokemonSpecies:
    """A species in a forme."""

    id: str
    """Empty: there is no such species."""
    name: str
    base_stats: list[int]
    """HP, attack, defence, special attack, special defence, speed."""
    types: list[str]
    cannot_dynamax: bool


@dataclass(frozen=True, slots=True)
class PokemonSet:
    """A complete set of a random battle."""

    key: str
    ability: str
    item: str
    """Empty: none."""
    moves: list[str]
    """Sorted by name."""
    level: int
    gigantamax: bool
    base_stats: list[int]
    evs: list[int]
    ivs: list[int]


def find_move(key: str) -> PokemonMove:
    moves = _moves()
    return moves.get(key) or moves[""]


def moves_where(fits: Callable[[PokemonMove], bool]) -> list[PokemonMove]:
    return [move for move in _moves().values() if fits(move)]


def find_species(key: str) -> PokemonSpecies:
    species = _species()
    return species.get(key) or species[""]


def has_species(key: str) -> bool:
    return bool(key) and key in _species()


def has_item(key: str) -> bool:
    return bool(key) and key in _names("items")


def has_ability(key: str) -> bool:
    return bool(key) and key in _names("abilities")


@functools.cache
def type_names() -> frozenset[str]:
    return frozenset(_tables()["types"])


def display_name(key: str) -> str:
    """Return the name of a move, species, item or ability; an unknown id is returned as it is."""
    move, species = find_move(key), find_species(key)
    return move.name or species.name or _names("items").get(key) or _names("abilities").get(key) or key


def formes() -> list[str]:
    """Those that players see in random battles."""
    found: list[str] = _tables()["formes"]
    return found


@functools.cache
def read_sets(forme: str) -> tuple[PokemonSet, ...]:
    """Set i is bit i of a forme's masks. ValueError for a forme that random battles do not have."""
    return tuple(PokemonSet(**row) for row in _core.pokemon_sets(forme))


def effectiveness(attack: str, defence: Iterable[str]) -> float:
    """Return the factor of an attack of a type against these types."""
    row = _chart().get(attack, {})
    factor = 1.0
    for kind in defence:
        factor *= row.get(kind, 1.0)
    return factor


@functools.cache
def _tables() -> dict[str, Any]:
    return _core.pokemon_tables()


@functools.cache
def _moves() -> dict[str, PokemonMove]:
    return {row["id"]: PokemonMove(**row) for row in _tables()["moves"]}


@functools.cache
def _species() -> dict[str, PokemonSpecies]:
    return {row["id"]: PokemonSpecies(**row) for row in _tables()["species"]}


@functools.cache
def _names(kind: str) -> dict[str, str]:
    return dict(_tables()[kind])


@functools.cache
def _chart() -> dict[str, dict[str, float]]:
    types, chart = _tables()["types"], _tables()["chart"]
    return {
        attack: {defence: 0.0 if cell is None else 2.0**cell for defence, cell in zip(types, row, strict=True)}
        for attack, row in zip(types, chart, strict=True)
    }
