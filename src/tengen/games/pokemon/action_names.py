"""What choices are called: by number, and in a position by the names of moves and Pokémon."""

from __future__ import annotations

from typing import Any

from tengen.games.pokemon.facts import display_name

__all__ = ["MOVES", "NAMES", "TEAM", "move_of", "names_of", "to_id"]

TEAM, MOVES = 6, 4
NAMES = (
    *(f"switch {slot}" for slot in range(1, TEAM + 1)),
    *(f"move {slot}" for slot in range(1, MOVES + 1)),
    *(f"dynamax {slot}" for slot in range(1, MOVES + 1)),
)


def to_id(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isascii() and c.isalnum())


def move_of(side: dict[str, Any], slot: int) -> str:
    """The id of a move of the Pokémon on the field; "" if there is none."""
    moves = side["team"][side["active"]]["moves"]
    return str(moves[slot][0]) if slot < len(moves) else ""


def names_of(side: dict[str, Any], action: int) -> tuple[str, ...]:
    """Of an action of a side that knows its own team, the one to show first."""
    if action < TEAM:
        name = display_name(side["team"][action]["species"])
        return (f"switch {name}", name)
    name = display_name(move_of(side, (action - TEAM) % MOVES))
    if not name:
        return (NAMES[action],)
    return (name, f"move {name}") if action < TEAM + MOVES else (f"dynamax {name}",)
