"""What choices are called: by number, and in a position by the names of moves and Pokémon."""

from __future__ import annotations

from typing import Any

from tengen.games.pokemon.facts import display_name
from tengen.games.pokemon.max_moves import is_dynamaxed, max_move_of

__all__ = ["MOVES", "NAMES", "TEAM", "move_of", "names_of", "touches"]

TEAM, MOVES = 6, 4
NAMES = (
    *(f"switch {slot}" for slot in range(1, TEAM + 1)),
    *(f"move {slot}" for slot in range(1, MOVES + 1)),
    *(f"dynamax {slot}" for slot in range(1, MOVES + 1)),
)


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
    member = side["team"][side["active"]]
    big = max_move_of(member, move_of(side, (action - TEAM) % MOVES))
    if action >= TEAM + MOVES:
        return (f"dynamax {name}", *([big] if big else []))
    if big and is_dynamaxed(member):
        return (f"{big} ({name})", name, f"move {name}", big)
    return (name, f"move {name}")


def touches(action: int) -> tuple[str, ...]:
    """A switch; or a move, and whether it is used as it is or by who dynamaxes."""
    if action < TEAM:
        return (NAMES[action],)
    move = NAMES[TEAM + (action - TEAM) % MOVES]
    return move, "use" if action < TEAM + MOVES else "Dynamax"
