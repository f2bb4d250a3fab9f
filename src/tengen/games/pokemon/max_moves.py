"""The Max Moves of a Pokémon on the field, as a position of its own side has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tengen.games.pokemon.facts import find_move

__all__ = ["MaxMove", "is_dynamaxed", "max_move_in"]


@dataclass(frozen=True)
class MaxMove:
    """The move that another one becomes while its user is Dynamaxed."""

    name: str
    type: str
    power: int
    """0 for Max Guard."""


def is_dynamaxed(member: dict[str, Any]) -> bool:
    return bool((member.get("volatiles") or {}).get("dynamax"))


def max_move_in(member: dict[str, Any], slot: int) -> MaxMove | None:
    """Return the Max Move that the move in a slot would become now, None if the position does not have it."""
    moves = member.get("maxMoves") or []
    if slot >= len(moves):
        return None
    facts = find_move(moves[slot][0])
    return MaxMove(facts.name, facts.type, moves[slot][1]) if facts.is_max else None
