"""Kinds of players that rooms above the arena bring, such as programs of others: found by the word before the colon."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from tengen.arena.players import Player

__all__ = ["PlayerReader", "find_player_kind", "is_program", "register_player_kind"]

PlayerReader: TypeAlias = "Callable[[str], Player]"
"""Makes a player from its whole specification; a ValueError says what does not fit."""

_SHIPPED: Final = {
    "gtp": "tengen.protocols.gtp.player",
    "showdown": "tengen.protocols.showdown.player",
    "usi": "tengen.protocols.usi.player",
}
"""Modules that register a kind when they are imported, which they are when a player of it is named: the arena knows
their names and nothing else."""

_registered: dict[str, PlayerReader] = {}


def register_player_kind(kind: str, read: PlayerReader) -> None:
    """Makes players called KIND:… known wherever players are named."""
    _registered[kind] = read


def find_player_kind(spec: str) -> PlayerReader | None:
    """Who reads the specification; None where it is of no such kind."""
    kind, colon, _ = spec.partition(":")
    if colon and kind in _SHIPPED:
        import_module(_SHIPPED[kind])
    return _registered.get(kind) if colon else None


def is_program(spec: str) -> bool:
    """Whether it names a program by its command: no other part of the text is then what it seems, such as a file."""
    return find_player_kind(spec) is not None
