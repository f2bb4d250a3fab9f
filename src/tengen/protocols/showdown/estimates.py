"""Damage by the formula alone, of Pokémon as a tracker knows them: for players that look no further."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tengen.games.pokemon.facts import effectiveness, find_species

if TYPE_CHECKING:
    from tengen.games.pokemon.facts import PokemonMove
    from tengen.games.pokemon.tracked import TrackedField, TrackedPokemon

__all__ = ["STATS", "Fighter", "damage", "expected_hits", "fighter", "usual_stats"]

STATS = ("hp", "atk", "def", "spa", "spd", "spe")


@dataclass(frozen=True)
class Fighter:
    """One Pokémon as far as damage needs it."""

    level: int
    types: tuple[str, ...]
    stats: dict[str, int]
    """With max HP under "hp"."""
    hp_fraction: float = 1.0
    boosts: dict[str, int] = field(default_factory=dict)

    def stat(self, name: str) -> float:
        boost = max(-6, min(6, self.boosts.get(name, 0)))
        return self.stats[name] * (2 + max(0, boost)) / (2 + max(0, -boost))


def usual_stats(base: list[int], level: int) -> dict[str, int]:
    """As in a random battle: 85 EVs and 31 IVs everywhere, a neutral nature."""
    inner = [(2 * value + 31 + 85 // 4) * level // 100 for value in base]
    return {"hp": inner[0] + level + 10} | {name: inner[i] + 5 for i, name in enumerate(STATS) if i}


def fighter(pokemon: TrackedPokemon, on_field: TrackedField | None = None) -> Fighter:
    """Own stats as the request says them, the other side's by its species."""
    species = find_species(pokemon.shown or pokemon.forme)
    if not species.id:
        species = find_species(pokemon.forme)
    stats = usual_stats(list(species.base_stats), pokemon.level)
    stats |= {name: value for name, value in pokemon.stats.items() if name in STATS}
    types = tuple(species.types) or ("Normal",)
    if on_field is not None and on_field.types:
        types = on_field.types
    fraction = 0.0 if pokemon.is_fainted else pokemon.hp / max(1, pokemon.max_hp)
    boosts = dict(on_field.boosts) if on_field is not None else {}
    return Fighter(pokemon.level, types, stats, min(1.0, fraction), boosts)


def damage(attacker: Fighter, defender: Fighter, kind: str, power: float, *, is_physical: bool) -> float:
    """The highest roll, as a share of the defender's max HP."""
    if power <= 0:
        return 0.0
    attack = attacker.stat("atk" if is_physical else "spa")
    defence = max(1.0, defender.stat("def" if is_physical else "spd"))
    amount = (2 * attacker.level / 5 + 2) * power * attack / defence / 50 + 2
    amount *= 1.5 if kind in attacker.types else 1.0
    amount *= effectiveness(kind, defender.types)
    return amount / max(1, defender.stats["hp"])


def expected_hits(move: PokemonMove) -> float:
    least, most = move.hits
    return (least + most) / 2 if most else 1.0
