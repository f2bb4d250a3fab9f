"""Tengen grows a champion for a game and lets you play it, match it and ask it anything."""

from tengen.games import Game, GameError, IllegalAction, State, game, register
from tengen.search import Pool, Restriction, SearchResult, SearchSettings, search

__version__ = "0.1.0"
__all__ = [
    "Game",
    "GameError",
    "IllegalAction",
    "Pool",
    "Restriction",
    "SearchResult",
    "SearchSettings",
    "State",
    "__version__",
    "game",
    "register",
    "search",
]
