"""Why a side may not choose an action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.pokemon.action_names import MOVES, TEAM, move_of
from tengen.games.pokemon.facts import display_name, find_species

if TYPE_CHECKING:
    from tengen.games.translation import Translation

__all__ = ["why_illegal"]

_LOCKS = {
    "lockedmove": "{name} is locked into {move}",
    "twoturnmove": "{name} is in the middle of {move}",
    "choicelock": "{name} is locked by its item into {move}",
}


def why_illegal(words: Translation, side: dict[str, Any], action: int) -> str:
    """`side` is the asking side of a position, as it sees itself."""
    if action < TEAM:
        return _why_no_switch(words, side, action)
    if side.get("request") == "switch":
        return words("a Pokémon must be sent in first, so only switches are possible")
    member = side["team"][side["active"]]
    name, slot = display_name(member["species"]), (action - TEAM) % MOVES
    move = move_of(side, slot)
    if not move:
        return words("{name} has no move {slot}", name=name, slot=slot + 1)
    if action >= TEAM + MOVES:
        reason = _why_no_dynamax(words, side, member, name)
        if reason:
            return reason
    lock = _lock(words, member, name, move)
    if lock:
        return lock
    if not member["moves"][slot][1]:
        return words("{move} has no PP left", move=display_name(move))
    return words("{name} can't use {move} now", name=name, move=display_name(move))


def _why_no_switch(words: Translation, side: dict[str, Any], slot: int) -> str:
    member = side["team"][slot]
    name = display_name(member["species"])
    if member["fainted"]:
        return words("{name} has fainted", name=name)
    if slot == side["active"]:
        return words("{name} is on the field already", name=name)
    return words("{name} can't leave the field now", name=display_name(side["team"][side["active"]]["species"]))


def _why_no_dynamax(words: Translation, side: dict[str, Any], member: dict[str, Any], name: str) -> str:
    if (member.get("volatiles") or {}).get("dynamax"):
        return words("{name} is Dynamaxed already: its moves are Max Moves", name=name)
    if side["dynamaxUsed"]:
        return words("this side has Dynamaxed already, which it may do once in a battle")
    if find_species(member["species"]).cannot_dynamax:
        return words("{name} can't Dynamax", name=name)
    return ""


def _lock(words: Translation, member: dict[str, Any], name: str, move: str) -> str:
    for condition, text in _LOCKS.items():
        state = (member.get("volatiles") or {}).get(condition)
        if state and state.get("move") and state["move"] != move:
            return words(text, name=name, move=display_name(state["move"]))
    return ""
