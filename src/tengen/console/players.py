"""Players as people name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.arena import find_champion, find_player
from tengen.arena.game_player import find_builtin_player
from tengen.console.levels import level_player, read_level

if TYPE_CHECKING:
    from tengen.arena import Player
    from tengen.games import Game

__all__ = ["read_player", "resolve_player"]


def read_player(text: str, game: Game) -> Player:
    """Return a player as find_player() does, which also may be `level:NAME`."""
    player = find_player(resolve_player(text, game) if text.startswith("level:") else text, game)
    player.name = text
    return player


def resolve_player(text: str, game: Game) -> str:
    """Return the text with files instead of names: the player that a level, `champion` or a folder stands for."""
    if text.startswith("level:"):
        return level_player(read_level(text.removeprefix("level:")), game)
    champion = None if find_builtin_player(text, game) is not None else find_champion(text, game)
    return text if champion is None else str(champion.resolved)
