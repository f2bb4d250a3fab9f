"""Players as people name them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tengen.arena import find_player, is_program
from tengen.console.levels import level_player, read_level
from tengen.evaluators import find_named
from tengen.evaluators.choice import CHAMPION

if TYPE_CHECKING:
    from tengen.arena import Player
    from tengen.games import Game

__all__ = ["read_player", "resolve_player"]


def read_player(text: str, game: Game) -> Player:
    """As find_player() reads it, and `level:NAME`; of a run's folder, a step's or `champion`, the network is looked up
    now."""
    player = find_player(resolve_player(text, game), game)
    player.name = text
    return player


def resolve_player(text: str, game: Game) -> str:
    """With the path of its network in the place of a folder, or of `champion`; for a level, the player that it is."""
    if text.startswith("level:"):
        return level_player(read_level(text.removeprefix("level:")), game)
    if is_program(text):
        return text
    head = "policy:" if text.startswith("policy:") else ""
    for end in _ends(text):
        name = text[len(head) : end]
        if name == CHAMPION or (name and Path(name).is_dir()):
            return f"{head}{find_named(name, game)}{text[end:]}"
    return text


def _ends(text: str) -> list[int]:
    """Where a folder's name may end, the longest first."""
    return [len(text), *sorted((i for i, letter in enumerate(text) if letter in "@,"), reverse=True)]
