"""Names of choices: by number, and in a position by moves and Pokémon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.action_names import name_of
from tengen.games.pokemon.facts import display_name
from tengen.games.pokemon.max_moves import is_dynamaxed, max_move_in

if TYPE_CHECKING:
    from tengen.games.translation import Translation

__all__ = ["MOVES", "NAMES", "TEAM", "move_of", "names_of", "number_name", "touches"]

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


def number_name(words: Translation, action: int) -> str:
    """An action by number, in the reader's language."""
    kind, slot = name_of(NAMES, action).split()
    return words(f"{kind} {{what}}", what=slot)


def names_of(words: Translation, side: dict[str, Any], action: int) -> tuple[str, ...]:
    """Return the names of an action for a side that knows its own team, starting with the one to show."""
    if action < TEAM:
        name = display_name(side["team"][action]["species"])
        return (words("switch {what}", what=name), name, f"switch {name}")
    name = display_name(move_of(side, (action - TEAM) % MOVES))
    if not name:
        return (number_name(words, action),)
    member = side["team"][side["active"]]
    max_move = max_move_in(member, (action - TEAM) % MOVES)
    big = "" if max_move is None else max_move.name
    if action >= TEAM + MOVES:
        return (words("dynamax {what}", what=name), f"dynamax {name}", *([big] if big else []))
    plain = (name, words("move {what}", what=name), f"move {name}")
    return (f"{big} ({name})", *plain, big) if big and is_dynamaxed(member) else plain


def touches(words: Translation, action: int) -> tuple[str, ...]:
    """A switch; or a move, and whether it is used as it is or by who dynamaxes."""
    if action < TEAM:
        return (number_name(words, action),)
    move = number_name(words, TEAM + (action - TEAM) % MOVES)
    return move, words("use" if action < TEAM + MOVES else "Dynamax")
