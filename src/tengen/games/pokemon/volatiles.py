"""Conditions of a Pokémon on the field, as positions write them, from when they began."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tengen.games.pokemon.tracked import TrackedSide

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

Written = dict[str, Any]

# Those that end by themselves, and after how many ends of turn.
LASTS = {"disable": 5, "encore": 3, "magnetrise": 5, "roost": 1, "taunt": 3, "throatchop": 2, "yawn": 2}
LASTS |= {"bounce": 2, "fly": 2, "phantomforce": 2, "twoturnmove": 2}
ENDLESS = frozenset(
    [
        "attract",
        "curse",
        "destinybond",
        "flashfire",
        "focusenergy",
        "leechseed",
        "noretreat",
        "smackdown",
        "torment",
        "trapped",
        "unburden",
    ]
)
CHARGED = frozenset(["bounce", "fly", "geomancy", "meteorbeam", "phantomforce", "solarbeam"])
CHOICE_ITEMS = ("choiceband", "choicescarf", "choicespecs")


def number(value: object) -> int:
    return value if isinstance(value, int) else 0


def volatiles_of(tracker: Tracker, side: TrackedSide, made: dict[str, Any]) -> dict[str, Written]:
    """`made` is the Pokémon on the field as it is written so far: its set, its hit points."""
    field = side.field
    number_of_side = tracker.sides.index(side)
    foe = f"p{2 - number_of_side}:{active_slot(tracker.sides[1 - number_of_side])}"
    found: dict[str, Written] = {}
    for name, facts in field.volatiles.items():
        gone = tracker.upkeeps - number(facts.get("upkeep"))
        if name == "twoturnmove":
            found |= charging(str(facts["move"]))
        elif name == "substitute":
            full = max(1, made["stats"][0] // 4)
            found[name] = {"hp": max(1, full // 2) if facts.get("hit") else full}
        elif name in ENDLESS:
            found[name] = {"source": foe}
        elif name in LASTS:
            move = facts.get("move") or (field.last_base_move if name in ("encore", "disable") else "")
            found[name] = {"duration": max(1, LASTS[name] - gone)} | ({"move": move} if move else {})
        elif name in HIDDEN:
            found[name] = HIDDEN[name](facts, gone) | ({"source": foe} if name == "partiallytrapped" else {})
    if field.protects and field.protected_at == tracker.upkeeps:
        found["stall"] = {"counter": 3 ** min(field.protects, 6), "duration": 1}
    if made["item"] in CHOICE_ITEMS and field.moves_used:
        found["choicelock"] = {"move": field.moves_used[-1]}
    return found


def confusion(facts: Written, _: int) -> Written:
    tries = number(facts.get("tries"))
    return {"time": max(1, 4 - tries), "length": max(1, 4 - tries) + tries}


def rampage(facts: Written, _: int) -> Written:
    return {"move": facts["move"], "duration": 2, "trueDuration": 1, "length": 1 + number(facts.get("tries"))}


def binding(_: Written, gone: int) -> Written:
    return {"duration": max(1, 6 - gone), "length": 6, "boundDivisor": 8}


def dynamax(_: Written, gone: int) -> Written:
    return {"turns": gone}


# Those whose length chance has set, and Dynamax.
HIDDEN: dict[str, Callable[[Written, int], Written]] = {
    "confusion": confusion,
    "dynamax": dynamax,
    "lockedmove": rampage,
    "partiallytrapped": binding,
}


def charging(move: str) -> dict[str, Written]:
    found: dict[str, Written] = {"twoturnmove": {"move": move, "duration": 1}}
    if move in CHARGED:
        found[move] = {"duration": 1}
    return found


def active_slot(side: TrackedSide) -> int:
    names = list(side.team)
    return names.index(side.active) if side.active in names else 0
