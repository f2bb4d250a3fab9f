"""What a tracker knows of the other team, as the core's value: teams are drawn from it without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._core import PokemonKnowledge

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

_WORD = (1 << 64) - 1


def to_words(mask: int) -> list[int]:
    return [mask & _WORD, mask >> 64 & _WORD]


def knowledge(tracker: Tracker) -> PokemonKnowledge:
    """Pokémon that no set of random battles is of are left out."""
    known = PokemonKnowledge()
    seen: list[str] = []
    side = tracker.other
    disguise = 0
    for name, pokemon in side.team.items():
        evidence = pokemon.evidence
        if evidence is None or len(seen) == 6:
            continue
        mask = to_words(evidence.mask & evidence.sets.all)
        known.see(evidence.sets.forme, mask, to_words(evidence.sure), pokemon.hp)
        seen.append(name)
        if name == side.active:
            disguise = evidence.disguise
    known.set_field(
        lead=seen.index(side.lead) if side.lead in seen else -1,
        active=seen.index(side.active) if side.active in seen else -1,
        since_start=side.field.since_start,
        disguise=to_words(disguise),
        before_hp=tracker.hp_before_stay(),
    )
    return known
