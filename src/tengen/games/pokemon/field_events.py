"""Handlers of what stands on the field: stages, volatile conditions, the sides' conditions, weather and terrain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tengen.games.pokemon.protocol import Message, parse_effect, parse_ident, to_id
from tengen.games.pokemon.tracked import (
    BOOSTS,
    LONG_SCREEN_TURNS,
    SCREEN_TURNS,
    SCREENS,
    TrackedCondition,
    TrackedField,
    TrackedMove,
)

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

STACKED = ("spikes", "toxicspikes")
ROOMS = ("trickroom", "gravity", "magicroom", "wonderroom", "mudsport", "watersport", "fairylock")


def _number(text: str) -> int:
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 4 else 0


def _change(field: TrackedField, stat: str, by: int) -> None:
    if stat in BOOSTS:
        field.boosts[stat] = max(-6, min(6, field.boost(stat) + by))


def on_boost(tracker: Tracker, message: Message) -> None:
    field = tracker.field_of(message.ident)
    if field is not None:
        sign = -1 if message.kind == "-unboost" else 1
        _change(field, message.arg(1), sign * _number(message.arg(2)))


def on_set_boost(tracker: Tracker, message: Message) -> None:
    field = tracker.field_of(message.ident)
    if field is not None and message.arg(1) in BOOSTS:
        field.boosts[message.arg(1)] = max(-6, min(6, _number(message.arg(2))))


def on_clear_boost(tracker: Tracker, message: Message) -> None:
    fields = (
        [side.field for side in tracker.sides]
        if message.kind == "-clearallboost"
        else [tracker.field_of(message.ident)]
    )
    for field in fields:
        if field is None:
            continue
        keeps = {"-clearnegativeboost": lambda n: n > 0, "-clearpositiveboost": lambda n: n < 0}.get(message.kind)
        field.boosts = {stat: n for stat, n in field.boosts.items() if keeps is not None and keeps(n)}


def on_invert_boost(tracker: Tracker, message: Message) -> None:
    field = tracker.field_of(message.ident)
    if field is not None:
        field.boosts = {stat: -n for stat, n in field.boosts.items()}


def on_copy_boost(tracker: Tracker, message: Message) -> None:
    field, other = tracker.field_of(message.ident), tracker.field_of(parse_ident(message.arg(1)))
    if field is not None and other is not None:
        field.boosts = dict(other.boosts)


def on_swap_boost(tracker: Tracker, message: Message) -> None:
    field, other = tracker.field_of(message.ident), tracker.field_of(parse_ident(message.arg(1)))
    if field is None or other is None:
        return
    for stat in [name.strip() for name in message.arg(2).split(",")] if message.arg(2) else BOOSTS:
        if stat in BOOSTS:
            field.boosts[stat], other.boosts[stat] = other.boost(stat), field.boost(stat)


def on_start(tracker: Tracker, message: Message) -> None:
    ident, field = message.ident, tracker.field_of(message.ident)
    if field is None or ident is None:
        return
    effect = parse_effect(message.arg(1))[1]
    if effect == "typechange":
        field.types = tuple(part for part in message.arg(2).split("/") if part)
    elif effect == "typeadd":
        field.added_type = message.arg(2)
    elif effect == "dynamax":
        tracker.sides[ident.side].dynamax_used = True
        field.volatiles["dynamax"] = {"upkeep": tracker.upkeeps}
        field.volatiles.pop("substitute", None)
        note_gigantamax(tracker, message)
    elif effect in ("futuresight", "doomdesire"):
        tracker.sides[1 - ident.side].slot_conditions["futuremove"] = {
            "move": effect,
            "turn": tracker.turn,
            "source": ident.name,
        }
    elif effect.startswith("perish"):
        field.volatiles["perishsong"] = {"left": _number(effect[6:]), "turn": tracker.turn}
    elif effect:
        if effect == "confusion":
            field.volatiles.pop("lockedmove", None)
        field.volatiles[effect] = {"upkeep": tracker.upkeeps, "move": to_id(message.arg(2)), "tries": 0}


def note_gigantamax(tracker: Tracker, message: Message) -> None:
    pokemon = tracker.find(message.ident)
    if pokemon is None:
        return
    is_gigantamax = message.arg(2) == "Gmax"
    pokemon.gigantamax = is_gigantamax
    tracker.restrict(pokemon, lambda sets: sets.where(lambda one: one.gigantamax == is_gigantamax))


def on_end(tracker: Tracker, message: Message) -> None:
    ident, field = message.ident, tracker.field_of(message.ident)
    effect = parse_effect(message.arg(1))[1]
    if ident is not None and effect in ("futuresight", "doomdesire"):
        tracker.sides[ident.side].slot_conditions.pop("futuremove", None)
    if field is None:
        return
    if effect == "typechange":
        field.types = ()
    elif "partiallytrapped" in message.tags:
        field.volatiles.pop("partiallytrapped", None)
    else:
        field.volatiles.pop(effect, None)


def on_activate(tracker: Tracker, message: Message) -> None:
    field = tracker.field_of(message.ident)
    effect = parse_effect(message.arg(1))[1]
    if field is None:
        return
    if effect == "confusion" and "confusion" in field.volatiles:
        tries = field.volatiles["confusion"].get("tries")
        field.volatiles["confusion"]["tries"] = (tries if isinstance(tries, int) else 0) + 1
    elif effect == "trapped":
        field.volatiles["trapped"] = {"turn": tracker.turn}
    elif message.of is not None and parse_effect(message.arg(1))[0] == "move" and effect in BINDING:
        field.volatiles["partiallytrapped"] = {"upkeep": tracker.upkeeps, "move": effect}
    elif effect == "substitute":
        field.volatiles.setdefault("substitute", {"turn": tracker.turn})["hit"] = True


PROTECTING = frozenset(["banefulbunker", "endure", "kingsshield", "maxguard", "obstruct", "protect", "spikyshield"])
BINDING = frozenset(
    [
        "bind",
        "clamp",
        "firespin",
        "infestation",
        "magmastorm",
        "sandtomb",
        "snaptrap",
        "thundercage",
        "whirlpool",
        "wrap",
    ]
)


def on_single(tracker: Tracker, message: Message) -> None:
    """Protect and the like: for this turn, or until the next move."""
    field, effect = tracker.field_of(message.ident), parse_effect(message.arg(1))[1]
    if field is None:
        return
    field.volatiles[effect] = {"turn": tracker.turn, "brief": message.kind == "-singleturn"}
    if effect in PROTECTING:
        is_again = field.protected_at == tracker.upkeeps
        field.protects = field.protects + 1 if is_again else 1
        field.protected_at = tracker.upkeeps + 1


def on_transform(tracker: Tracker, message: Message) -> None:
    ident, target = message.ident, parse_ident(message.arg(1))
    field, copied = tracker.field_of(ident), tracker.find(target)
    if field is None or copied is None or target is None:
        return
    field.transformed_into = copied.name
    field.boosts = dict(tracker.sides[target.side].field.boosts)
    field.copied_moves = {move: TrackedMove(0, 5) for move in copied.moves}
    pokemon = tracker.find(ident)
    if pokemon is not None:
        pokemon.ability, pokemon.ability_is_own = copied.ability, False


def on_side_start(tracker: Tracker, message: Message) -> None:
    side, effect = message.arg(0)[:2], parse_effect(message.arg(1))[1]
    if side not in ("p1", "p2"):
        return
    conditions = tracker.sides[int(side[1]) - 1].conditions
    layers = conditions[effect].layers + 1 if effect in STACKED and effect in conditions else 1
    most = 3 if effect == "spikes" else 2
    conditions[effect] = TrackedCondition(min(layers, most), tracker.upkeeps)
    if effect in SCREENS:
        note_screen(tracker, conditions[effect])


def note_screen(tracker: Tracker, screen: TrackedCondition) -> None:
    """Light Clay makes it last longer. Whose item is not known has one if all its sets do: every set of random battles
    that has a screen holds it."""
    setter = tracker.find(tracker.last_mover)
    if setter is None:
        return
    has_clay = setter.item == "lightclay"
    if setter.evidence is not None and setter.item_is_own:
        left = setter.evidence.mask & setter.evidence.sets.all
        has_clay = bool(left) and not left & ~setter.evidence.sets.with_item("lightclay")
    screen.length = LONG_SCREEN_TURNS if has_clay else SCREEN_TURNS


def on_side_end(tracker: Tracker, message: Message) -> None:
    if message.arg(0)[:2] in ("p1", "p2"):
        tracker.sides[int(message.arg(0)[1]) - 1].conditions.pop(parse_effect(message.arg(1))[1], None)


def on_swap_sides(tracker: Tracker, _: Message) -> None:
    first, second = tracker.sides
    first.conditions, second.conditions = second.conditions, first.conditions


def on_weather(tracker: Tracker, message: Message) -> None:
    weather = to_id(message.arg(0))
    if weather in ("", "none"):
        tracker.weather = {}
    elif "upkeep" not in message.tags or tracker.weather.get("id") != weather:
        tracker.weather = {"id": weather, "upkeep": tracker.upkeeps}


def on_field_start(tracker: Tracker, message: Message) -> None:
    effect = parse_effect(message.arg(0))[1]
    if effect.endswith("terrain"):
        tracker.terrain = {"id": effect, "upkeep": tracker.upkeeps}
    elif effect in ROOMS:
        tracker.pseudo_weather[effect] = tracker.upkeeps


def on_field_end(tracker: Tracker, message: Message) -> None:
    effect = parse_effect(message.arg(0))[1]
    if effect.endswith("terrain"):
        tracker.terrain = {}
    tracker.pseudo_weather.pop(effect, None)


FIELD_HANDLERS: dict[str, Callable[[Tracker, Message], None]] = {
    "-boost": on_boost,
    "-unboost": on_boost,
    "-setboost": on_set_boost,
    "-clearboost": on_clear_boost,
    "-clearallboost": on_clear_boost,
    "-clearnegativeboost": on_clear_boost,
    "-clearpositiveboost": on_clear_boost,
    "-invertboost": on_invert_boost,
    "-copyboost": on_copy_boost,
    "-swapboost": on_swap_boost,
    "-start": on_start,
    "-end": on_end,
    "-activate": on_activate,
    "-singleturn": on_single,
    "-singlemove": on_single,
    "-transform": on_transform,
    "-sidestart": on_side_start,
    "-sideend": on_side_end,
    "-swapsideconditions": on_swap_sides,
    "-weather": on_weather,
    "-fieldstart": on_field_start,
    "-fieldend": on_field_end,
}
