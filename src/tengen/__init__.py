"""Tengen grows a champion for a game and lets you play it, match it and ask it anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

# This import is not lazy: the package of the same name would replace the function when it is first imported.
from tengen.search import search

if TYPE_CHECKING:
    from tengen.analysis import Engine
    from tengen.champion import LearningRun as Run
    from tengen.champion import LearnSettings, learn
    from tengen.games import Game, GameError, IllegalAction, State, game, register
    from tengen.search import Pool, Restriction, SearchResult, SearchSettings
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "analysis": ["Engine"],
            "arena": [],
            "champion": ["LearnSettings", "LearningRun as Run", "learn"],
            "evaluators": [],
            "games": ["Game", "GameError", "IllegalAction", "State", "game", "register"],
            "learning": [],
            "nets": [],
            "search": ["Pool", "Restriction", "SearchResult", "SearchSettings"],
            "selfplay": [],
        },
    )

__version__ = "0.1.0"
__all__ = [
    "Engine",
    "Game",
    "GameError",
    "IllegalAction",
    "LearnSettings",
    "Pool",
    "Restriction",
    "Run",
    "SearchResult",
    "SearchSettings",
    "State",
    "__version__",
    "game",
    "learn",
    "register",
    "search",
]
