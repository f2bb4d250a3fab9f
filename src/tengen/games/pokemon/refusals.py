"""Why a side may not choose an action."""

from __future__ import annotations

from typing import Any

from tengen.games.pokemon.action_names import MOVES, TEAM, move_of
from tengen.games.pokemon.facts import display_name, find_species

__all__ = ["why_illegal"]

_LOCKS = {
    "lockedmove": "is locked into",
    "twoturnmove": "is in the middle of",
    "choicelock": "is locked by its item into",
}


def why_illegal(side: dict[str, Any], action: int) -> str:
    """`side` is the asking side of a position, as it sees itself."""
    if action < TEAM:
        return _why_no_switch(side, action)
    if side.get("request") == "switch":
        return "a Pokémon must be sent in first, so only switches are possible"
    member = side["team"][side["active"]]
    name, slot = display_name(member["species"]), (action - TEAM) % MOVES
    move = move_of(side, slot)
    if not move:
        return f"{name} has no move {slot + 1}"
    if action >= TEAM + MOVES:
        reason = _why_no_dynamax(side, member, name)
        if reason:
            return reason
    lock = _lock(member, move)
    if lock:
        return f"{name} {lock}"
    if not member["moves"][slot][1]:
        return f"{display_name(move)} has no PP left"
    return f"{name} can't use {display_name(move)} now"


def _why_no_switch(side: dict[str, Any], slot: int) -> str:
    member = side["team"][slot]
    name = display_name(member["species"])
    if slot == side["active"]:
        return f"{name} is on the field already" if not member["fainted"] else f"{name} has fainted"
    if member["fainted"]:
        return f"{name} has fainted"
    return f"{display_name(side['team'][side['active']]['species'])} can't leave the field now"


def _why_no_dynamax(side: dict[str, Any], member: dict[str, Any], name: str) -> str:
    if (member.get("volatiles") or {}).get("dynamax"):
        return f"{name} is Dynamaxed already: its moves are Max Moves"
    if side["dynamaxUsed"]:
        return "this side has Dynamaxed already, which it may do once in a battle"
    if find_species(member["species"]).cannot_dynamax:
        return f"{name} can't Dynamax"
    return ""


def _lock(member: dict[str, Any], move: str) -> str:
    for name, words in _LOCKS.items():
        state = (member.get("volatiles") or {}).get(name)
        if state and state.get("move") and state["move"] != move:
            return f"{words} {display_name(state['move'])}"
    return ""
