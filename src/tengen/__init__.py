"""Tengen grows a champion for a game and lets you play it, match it and ask it anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games import Game, GameError, IllegalAction, State, game, register
from tengen.search import Pool, Restriction, SearchResult, SearchSettings, search

if TYPE_CHECKING:
    from tengen.analysis import Engine

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


def __getattr__(name: str) -> Any:
    # The engine brings much along that a search does not need: it is imported when it is first asked for.
    if name == "Engine":
        from tengen.analysis import Engine

        return Engine
    raise AttributeError(f"module 'tengen' has no attribute {name!r}")
