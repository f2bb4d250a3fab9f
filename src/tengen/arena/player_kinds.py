"""Kinds of players that packages above the arena bring, such as other programs: found by the word before the colon.

A distribution registers a kind as an entry point of the group `tengen.players`, whose name is the word and whose object
makes a player from the whole text. Games' laboratories are registered in the same way (tengen.arena.laboratory).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from tengen.arena.players import Player

__all__ = ["PLAYERS", "PlayerReader", "check_registration", "find_player_kind", "is_program", "registered"]

PlayerReader: TypeAlias = "Callable[[str], Player]"
"""Makes a player from its whole specification; raises a ValueError for a text that does not fit."""

PLAYERS: Final = "tengen.players"
"""The group of entry points that are kinds of players."""
_DISTRIBUTION: Final = "tengen-games"


def find_player_kind(spec: str) -> PlayerReader | None:
    """Return the reader of a specification; None if its kind is not registered."""
    kind, colon, _ = spec.partition(":")
    return _load(kind) if colon and kind in registered(PLAYERS) else None


def is_program(spec: str) -> bool:
    """Return whether a text names a program by its command. No other part of such a text is a file or a setting."""
    kind, colon, _ = spec.partition(":")
    return bool(colon) and kind in registered(PLAYERS)


@cache
def registered(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name."""
    return {point.name: point for point in entry_points(group=group)}


def check_registration(group: str) -> None:
    """Raise a ValueError if the installation does not register what this distribution has in a group."""
    if not any(point.dist is not None and point.dist.name == _DISTRIBUTION for point in registered(group).values()):
        raise ValueError(
            f"{_DISTRIBUTION} is installed without its entry points {group}: its metadata are of another version or "
            "missing. Install it again"
        )


@cache
def _load(kind: str) -> PlayerReader:
    reader: PlayerReader = registered(PLAYERS)[kind].load()
    return reader
