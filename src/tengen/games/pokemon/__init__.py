"""Pokémon: random battles of the eighth generation, with Dynamax."""

from tengen.games.pokemon.game import Pokemon

__all__ = ["Pokemon"]
