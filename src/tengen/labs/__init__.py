"""Laboratories: what belongs to one game's way of learning, a package a game, with its commands and players.

A laboratory is found by its game's id. It has `find_builtin_player(name, game)` for the players that it brings, and
the table of `tengen <game>` in `commands`.
"""

__all__ = ["matgo"]
