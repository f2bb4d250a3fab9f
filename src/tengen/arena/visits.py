"""The number of visits, or worlds, in the text of a player."""

from __future__ import annotations

import re

from tengen.arena.player_kinds import find_player_kind

__all__ = ["GROWN_PLAYER", "PLACEHOLDER", "visits_of", "with_visits"]

PLACEHOLDER = "NETWORK"
"""The word that stands for a network which is not known yet, or is another one every time."""
GROWN_PLAYER = f"{PLACEHOLDER}@200"
"""The player that runs of learning grow unless they name another."""
_VISITS = re.compile(r"(?<=[:@])[0-9]+(?=,|$)")


def visits_of(spec: str) -> int | None:
    """Return the visits, or worlds, that a specification gives each decision; None if it has no such number."""
    found = None if find_player_kind(spec) else _VISITS.search(spec)
    return int(found[0]) if found else None


def with_visits(spec: str, visits: int) -> str:
    """Return the same player with another such number; a player without one stays as it is."""
    return spec if find_player_kind(spec) else _VISITS.sub(str(visits), spec, count=1)
