"""Tengen grows a champion for a game and lets you play it, match it and ask it anything."""

__version__ = "0.1.0"
