"""Conditions of a Pokémon on the field, as positions write them, from when they began."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.pokemon.tracked import TrackedPokemon, TrackedSide

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

# Those that end by themselves, and after how many ends of turn.
LASTS = {"disable": 5, "encore": 3, "magnetrise": 5, "taunt": 3, "throatchop": 2, "yawn": 2}
LASTS |= {"bounce": 2, "fly": 2, "phantomforce": 2, "twoturnmove": 2}
ENDLESS = frozenset(
    "attract curse destinybond flashfire focusenergy leechseed noretreat smackdown torment trapped unburden".split()
)
CHARGED = frozenset("bounce fly geomancy meteorbeam phantomforce solarbeam".split())
CHOICE_ITEMS = ("choiceband", "choicescarf", "choicespecs")


def number(value: object) -> int:
    return value if isinstance(value, int) else 0


def volatiles_of(
    tracker: Tracker, side: TrackedSide, pokemon: TrackedPokemon, made: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """`made` is the Pokémon as it is written so far: its set, its hit points."""
    field = side.field
    foe = f"p{2 - tracker.sides.index(side)}:{active_slot(tracker.sides[1 - tracker.sides.index(side)])}"
    found: dict[str, dict[str, Any]] = {}
    for name, facts in field.volatiles.items():
        gone = tracker.upkeeps - number(facts.get("upkeep"))
        if name == "dynamax":
            found[name] = {"turns": gone}
        elif name == "substitute":
            full = max(1, made["stats"][0] // 4)
            found[name] = {"hp": max(1, full // 2) if facts.get("hit") else full}
        elif name == "confusion":
            tries = number(facts.get("tries"))
            found[name] = {"time": max(1, 4 - tries), "length": max(1, 4 - tries) + tries}
        elif name == "lockedmove":
            tries = number(facts.get("tries"))
            found[name] = {"move": facts["move"], "duration": 2, "trueDuration": 1, "length": 1 + tries}
        elif name == "partiallytrapped":
            found[name] = {"duration": max(1, 6 - gone), "length": 6, "source": foe, "boundDivisor": 8}
        elif name == "twoturnmove":
            found |= charging(str(facts["move"]))
        elif name in LASTS:
            found[name] = {"duration": max(1, LASTS[name] - gone)}
            if facts.get("move"):
                found[name]["move"] = facts["move"]
            elif name in ("encore", "disable") and field.last_base_move:
                found[name]["move"] = field.last_base_move
        elif name in ENDLESS:
            found[name] = {"source": foe}
    if field.protects and field.protected_at == tracker.upkeeps:
        found["stall"] = {"counter": 3 ** min(field.protects, 6), "duration": 1}
    if made["item"] in CHOICE_ITEMS and field.moves_used:
        found["choicelock"] = {"move": field.moves_used[-1]}
    return found


def charging(move: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {"twoturnmove": {"move": move, "duration": 1}}
    if move in CHARGED:
        found[move] = {"duration": 1}
    return found


def active_slot(side: TrackedSide) -> int:
    names = list(side.team)
    return names.index(side.active) if side.active in names else 0
