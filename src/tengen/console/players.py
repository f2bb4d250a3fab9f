"""Players as people name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.arena import find_champion, find_player, parse_player
from tengen.arena.game_player import find_builtin_player
from tengen.console.levels import level_player, read_level

if TYPE_CHECKING:
    from tengen.arena import Player, PlayerSpec
    from tengen.games import Game

__all__ = ["read_player", "resolve_player"]

_LEVEL = "level:"


def read_player(text: str, game: Game) -> Player:
    """Return a player as find_player() does, which also may be `level:NAME`."""
    player = find_player(resolve_player(text, game) if text.startswith(_LEVEL) else text, game)
    player.name = text
    return player


def resolve_player(text: str, game: Game) -> PlayerSpec:
    """Return the player of a text, with files instead of the names of levels, champions and folders."""
    if text.startswith(_LEVEL):
        return level_player(read_level(text.removeprefix(_LEVEL)), game)
    spec = parse_player(text)
    champion = None if find_builtin_player(text, game) is not None else find_champion(spec, game)
    return spec if champion is None else champion.resolved
