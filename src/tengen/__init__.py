"""Tengen grows a champion for a game and lets you play it, match it and ask it anything."""

from tengen.games import Game, GameError, IllegalAction, State, game, register

__version__ = "0.1.0"
__all__ = ["Game", "GameError", "IllegalAction", "State", "__version__", "game", "register"]
