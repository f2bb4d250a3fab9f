"""Actions as the words of `/choose`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.games.pokemon.requests import DYNAMAX, MOVE, active_of, name_of, team_of

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

__all__ = ["DEFAULT", "format_choice"]

DEFAULT: Final = "default"
"""The server chooses."""


def format_choice(tracker: Tracker, action: int) -> str:
    """Team slots are places in the party by now, and a request that has one move only calls it the first."""
    request = tracker.request
    if action < MOVE:
        name = list(tracker.own.team)[action]
        return f"switch {[name_of(one) for one in team_of(request)].index(name) + 1}"
    moves = active_of(request).get("moves")
    slot = (action - MOVE) % (DYNAMAX - MOVE) + 1
    if isinstance(moves, list) and len(moves) == 1:
        slot = 1
    return f"move {slot} dynamax" if action >= DYNAMAX else f"move {slot}"
