"""Tengen grows a champion for a game and lets you play it, match it and ask it anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

# Not when it is first asked for: the package of the same name would then stand in its place.
from tengen.search import search

if TYPE_CHECKING:
    from tengen.analysis import Engine
    from tengen.games import Game, GameError, IllegalAction, State, game, register
    from tengen.search import Pool, Restriction, SearchResult, SearchSettings
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "analysis": ["Engine"],
            "evaluators": [],
            "games": ["Game", "GameError", "IllegalAction", "State", "game", "register"],
            "nets": [],
            "search": ["Pool", "Restriction", "SearchResult", "SearchSettings"],
        },
    )

__version__ = "0.1.0"
__all__ = [
    "Engine",
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
