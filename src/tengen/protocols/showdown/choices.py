"""Actions as the words of `/choose`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.games.pokemon.requests import DYNAMAX, MOVE, name_of, place_of_move, team_of

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

__all__ = ["DEFAULT", "format_choice", "is_stale"]

DEFAULT: Final = "default"
"""The server chooses."""
_STALE: Final = ("too late", "nothing to choose", "Can't undo", "nothing to cancel")


def format_choice(tracker: Tracker, action: int) -> str:
    """Return the words of an action for the last request.

    Pokémon and moves are looked up in the request by name, because places in the party change. Raise ValueError if the
    request does not have them.
    """
    if action < MOVE:
        team = list(tracker.own.team)
        party = [name_of(one) for one in team_of(tracker.request)]
        if action >= len(team) or team[action] not in party:
            raise ValueError(f"the request does not list the Pokémon in team slot {action + 1}")
        return f"switch {party.index(team[action]) + 1}"
    place = place_of_move(tracker, (action - MOVE) % (DYNAMAX - MOVE))
    return f"move {place} dynamax" if action >= DYNAMAX else f"move {place}"


def is_stale(error: str) -> bool:
    """Return True for a server's error about a choice of an earlier request, which needs no new choice."""
    return error.startswith("[Invalid choice]") and any(words in error for words in _STALE)
