"""Repairs of a position that was written from a server's lines, so that the core accepts whatever a server sent."""

from __future__ import annotations

from typing import Any

from tengen.games.pokemon.facts import find_move, has_ability, has_item, type_names

__all__ = ["clean_field", "clean_pokemon"]

Position = dict[str, Any]

STATUSES = ("brn", "frz", "par", "psn", "slp", "tox")
WEATHERS = ("sunnyday", "raindance", "sandstorm", "hail")
TERRAINS = ("electricterrain", "grassyterrain", "mistyterrain", "psychicterrain")
PSEUDO_WEATHERS = ("trickroom", "gravity", "iondeluge")
# Volatile conditions that are about a move.
NEED_MOVE = ("choicelock", "disable", "encore", "lockedmove", "twoturnmove")
MOST = 2000  # of any number that a Pokémon has


def clean_field(field: Position) -> Position:
    """Remove weather, terrain and pseudo-weather that no random battle has."""
    for key, known in (("weather", WEATHERS), ("terrain", TERRAINS)):
        if key in field and field[key]["id"] not in known:
            del field[key]
    if "pseudoWeather" in field:
        field["pseudoWeather"] = {
            name: room for name, room in field["pseudoWeather"].items() if name in PSEUDO_WEATHERS
        }
    return field


def clean_pokemon(made: Position) -> Position:
    """Remove names that no random battle has, and bring numbers into their ranges."""
    for key in ("item", "lastItem"):
        if made.get(key) and not has_item(made[key]):
            made[key] = ""
    if not has_ability(made["ability"]):
        made["ability"] = made["setAbility"]
    if made.get("status") not in STATUSES:
        made.pop("status", None)
    if made.get("status") == "tox":
        made["statusState"]["stage"] = min(made["statusState"]["stage"], 15)
    made["stats"] = [_bound(value, 1, MOST) for value in made["stats"]]
    if "curStats" in made:
        made["curStats"] = [_bound(value, 1, MOST) for value in made["curStats"]]
    most = made.get("maxhp", made["stats"][0])
    if "maxhp" in made:
        made["maxhp"] = most = 2 * made["stats"][0]
    made["hp"] = 0 if made.get("fainted") else _bound(made["hp"], 1, most)
    made["level"] = _bound(made["level"], 1, 100)
    made["activeTurns"] = min(made.get("activeTurns", 0), 255)
    for moves in (made["moves"], made.get("baseMoves", [])):
        for move in moves:
            move[1] = _bound(move[1], 0, move[2])
    _clean_types(made)
    made["volatiles"] = _clean_volatiles(made.get("volatiles", {}))
    return made


def _clean_types(made: Position) -> None:
    if "types" in made:
        made["types"] = [name for name in made["types"] if name in type_names()][:2]
        if not made["types"]:
            del made["types"]
    if made.get("addedType") and made["addedType"] not in type_names():
        del made["addedType"]


def _clean_volatiles(volatiles: Position) -> Position:
    kept = {}
    for name, state in volatiles.items():
        if name in NEED_MOVE and not find_move(str(state.get("move", ""))).id:
            continue
        if name == "dynamax":
            state["turns"] = min(state["turns"], 3)
        kept[name] = state
    return kept


def _bound(value: int, least: int, most: int) -> int:
    return max(least, min(most, value))
