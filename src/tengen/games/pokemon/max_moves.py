"""What a Pokémon's moves are called while it is Dynamaxed."""

from __future__ import annotations

import functools
from typing import Any

from tengen.games.pokemon.facts import find_move, moves_where, read_sets

__all__ = ["is_dynamaxed", "max_move_of"]

_NORMAL_BECOMES = {"pixilate": "Fairy", "aerilate": "Flying", "refrigerate": "Ice", "galvanize": "Electric"}
# Their type is decided when they are used.
_CHANGING = {"aurawheel", "judgment", "multiattack", "revelationdance", "technoblast", "terrainpulse", "weatherball"}
_CHANGING_ABILITIES = {"liquidvoice", "normalize"}


def is_dynamaxed(member: dict[str, Any]) -> bool:
    return bool((member.get("volatiles") or {}).get("dynamax"))


def max_move_of(member: dict[str, Any], move: str) -> str:
    """The name of the Max Move that a move of the Pokémon becomes; "" where a position does not tell: of Pokémon that
    may Gigantamax, and of moves whose type is decided when they are used."""
    facts = find_move(move)
    if not facts.id or move == "struggle" or move in _CHANGING or member["ability"] in _CHANGING_ABILITIES:
        return ""
    if facts.is_status:
        return find_move("maxguard").name
    if _may_gigantamax(member["species"]):
        return ""
    kind = _NORMAL_BECOMES.get(member["ability"], facts.type) if facts.type == "Normal" else facts.type
    return _max_moves().get(kind, "")


@functools.cache
def _may_gigantamax(species: str) -> bool:
    try:
        return any(one.gigantamax for one in read_sets(species))
    except ValueError:
        return False


@functools.cache
def _max_moves() -> dict[str, str]:
    """By type."""
    plain = moves_where(lambda move: move.is_max and not move.is_status and move.id.startswith("max"))
    return {move.type: move.name for move in plain}
