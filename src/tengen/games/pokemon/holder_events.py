"""Handlers of items and abilities: whose they are, and since when."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tengen.games.pokemon.protocol import Ident, Message, parse_effect, to_id
from tengen.games.pokemon.tracked import TrackedPokemon

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

# With these the Pokémon that the line is about has the ability, whoever it is [of].
ABILITY_OF_TARGET = frozenset(
    ["-heal", "-immune", "-curestatus", "-boost", "-activate", "-formechange", "-block", "-fail"]
)
PARTS_OF_AS_ONE = frozenset(["asone", "unnerve", "chillingneigh", "grimneigh"])


def on_item(tracker: Tracker, message: Message) -> None:
    pokemon, item = tracker.find(message.ident), to_id(message.arg(1))
    if pokemon is None:
        return
    kind, cause = message.source
    if cause in ("trick", "switcheroo"):
        note_trick(tracker, message.ident, item)
    if (kind == "ability" and cause == "frisk") or not cause:
        reveal_item(tracker, pokemon, item)
    else:
        pokemon.item, pokemon.item_is_own = item, False
        field = tracker.field_of(message.ident)
        if field is not None:
            field.moves_used.clear()  # none was used with this item


def note_trick(tracker: Tracker, ident: Ident | None, item: str) -> None:
    """What one side has now was the other's before."""
    if ident is not None and not tracker.is_other(ident) and tracker.had_first_item:
        tracker.restrict(tracker.other.pokemon, lambda sets: sets.with_item(item))
        tracker.had_first_item = False


def on_end_item(tracker: Tracker, message: Message) -> None:
    pokemon, item = tracker.find(message.ident), to_id(message.arg(1))
    if pokemon is None:
        return
    reveal_item(tracker, pokemon, item)
    pokemon.item, pokemon.item_is_own, pokemon.lost_item = "", False, item


def reveal_item(tracker: Tracker, pokemon: TrackedPokemon, item: str) -> None:
    """It holds this item now."""
    pokemon.item = item
    if pokemon.item_is_own:
        tracker.restrict(pokemon, lambda sets: sets.with_item(item))


def on_ability(tracker: Tracker, message: Message) -> None:
    pokemon, ability = tracker.find(message.ident), to_id(message.arg(1))
    kind, cause = message.source
    if pokemon is None:
        return
    if cause:
        if kind == "ability":
            reveal_ability(tracker, pokemon, cause)
        pokemon.ability, pokemon.ability_is_own = ability, False
    else:
        reveal_ability(tracker, pokemon, ability)


def on_end_ability(tracker: Tracker, message: Message) -> None:
    pokemon = tracker.find(message.ident)
    if pokemon is not None:
        pokemon.ability, pokemon.ability_is_own = "", False


def reveal_ability(tracker: Tracker, pokemon: TrackedPokemon | None, ability: str) -> None:
    if pokemon is None or not pokemon.ability_is_own or not ability:
        return
    field = tracker.sides[0].field if tracker.sides[0].pokemon is pokemon else tracker.sides[1].field
    if ability in PARTS_OF_AS_ONE and pokemon.forme.startswith("calyrex"):
        return
    pokemon.ability = ability
    if field.transformed_into:
        pokemon.ability_is_own = False
        return
    if pokemon.evidence is not None:
        if not pokemon.evidence.sets.with_ability(ability) and not pokemon.evidence.disguise:
            return
        pokemon.base_ability = ability
        tracker.restrict(pokemon, lambda sets: sets.with_ability(ability))


def note_swap(tracker: Tracker, message: Message) -> None:
    """Two abilities change places, or Mummy replaces one: whose they were is shown."""
    effect = parse_effect(message.arg(1))[1]
    foe, own = tracker.other.pokemon, tracker.own.pokemon
    if foe is None or own is None:
        return
    if effect == "mummy":
        struck = tracker.find(message.of)
        if struck is not None:
            reveal_ability(tracker, struck, to_id(message.arg(2)))
            struck.ability, struck.ability_is_own = "mummy", False
        return
    pair = [to_id(text) for text in message.args[2:4] if text]
    before = [ability for ability in pair if ability != own.ability]
    if before:
        reveal_ability(tracker, foe, before[0])
    foe.ability, own.ability = own.ability, before[0] if before else own.ability
    foe.ability_is_own = own.ability_is_own = False


def note_sources(tracker: Tracker, message: Message) -> None:
    """Items and abilities that a line names as its cause or its effect belong to somebody."""
    ident, of = message.ident, message.of
    kind, cause = message.source
    if kind == "item":
        holder = tracker.find(of if message.kind == "-damage" and of is not None else ident)
        if holder is not None and message.kind not in ("-enditem", "-item") and holder.item_is_own:
            reveal_item(tracker, holder, cause)
    elif kind == "ability" and message.kind not in ("-ability", "-endability"):
        by_target = message.kind in ABILITY_OF_TARGET or of is None or (message.kind == "-item" and cause != "frisk")
        reveal_ability(tracker, tracker.find(ident if by_target else of), cause)
    if message.kind == "-activate" and parse_effect(message.arg(1))[1] in ("skillswap", "wanderingspirit", "mummy"):
        note_swap(tracker, message)
        return
    for text in message.args[1:3]:
        what, name = parse_effect(text)
        if what == "ability" and message.kind in ("-activate", "-start", "-block", "cant", "-fail"):
            reveal_ability(tracker, tracker.find(of if message.kind == "cant" else ident), name)
        elif what == "item" and message.kind == "-activate":
            pokemon = tracker.find(ident)
            if pokemon is not None and pokemon.item_is_own:
                reveal_item(tracker, pokemon, name)
    if message.kind == "-activate" and to_id(message.arg(1)) == "movepoltergeist":
        pokemon = tracker.find(ident)
        if pokemon is not None:
            reveal_item(tracker, pokemon, to_id(message.arg(2)))


HOLDER_HANDLERS: dict[str, Callable[[Tracker, Message], None]] = {
    "-item": on_item,
    "-enditem": on_end_item,
    "-ability": on_ability,
    "-endability": on_end_ability,
}
