"""Pokémon in the analysis room: battles by what one side was sent, and the answers that a choice fears."""

from tengen.analysis.pokemon.adapter import PokemonAdapter as Adapter
from tengen.analysis.pokemon.answers import PokemonAnswer, PokemonMoveInfo

__all__ = ["Adapter", "PokemonAnswer", "PokemonMoveInfo"]
