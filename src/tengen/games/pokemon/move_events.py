"""Handlers of moves: what was used, at what cost, and what it shows of a set."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tengen.games.pokemon.facts import PokemonMove, find_move
from tengen.games.pokemon.protocol import Ident, Message, parse_effect, parse_ident, to_id
from tengen.games.pokemon.set_masks import may_become
from tengen.games.pokemon.tracked import TrackedField, TrackedMove, TrackedPokemon

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

RAMPAGES = frozenset(["outrage", "petaldance", "thrash"])
# The types of Max Moves.
MAX_TYPES = {
    "maxguard": "Status",
    "maxflutterby": "Bug",
    "maxdarkness": "Dark",
    "maxwyrmwind": "Dragon",
    "maxlightning": "Electric",
    "maxstarfall": "Fairy",
    "maxknuckle": "Fighting",
    "maxflare": "Fire",
    "maxairstream": "Flying",
    "maxphantasm": "Ghost",
    "maxovergrowth": "Grass",
    "maxquake": "Ground",
    "maxhailstorm": "Ice",
    "maxstrike": "Normal",
    "maxooze": "Poison",
    "maxmindstorm": "Psychic",
    "maxrockfall": "Rock",
    "maxsteelspike": "Steel",
    "maxgeyser": "Water",
}


def on_move(tracker: Tracker, message: Message) -> None:
    ident, move = message.ident, to_id(message.arg(1))
    pokemon, field = tracker.find(ident), tracker.field_of(ident)
    if pokemon is None or field is None or ident is None or not move:
        return
    facts = find_move(move)
    cause = parse_effect(message.tags.get("from", ""))[1]
    tracker.last_mover = ident
    field.volatiles.pop("twoturnmove", None)
    for name in [name for name, facts_now in field.volatiles.items() if facts_now.get("brief") is False]:
        del field.volatiles[name]
    if cause in ("", "lockedmove"):
        field.last_move = move
        field.move_actions += 1
        field.has_acted = True
    if move in ("struggle", "recharge") or cause not in ("", "lockedmove", "sleeptalk"):
        return
    if facts.is_max:
        note_max_move(tracker, ident, pokemon, move)
        return
    note_rampage(field, move, cause)
    if not cause:
        field.moves_used.append(move)
    field.last_base_move = move
    if not facts.id:
        return
    known = field.copied_moves if field.transformed_into else pokemon.moves
    one = known.setdefault(move, TrackedMove(0, facts.pp))
    if cause == "":
        target = parse_ident(message.arg(2))
        hits_foe = target is not None and target.side != ident.side
        one.used += 2 if is_pressed(tracker, ident, facts, hits_foe) else 1
        note_wish(tracker, ident, move)
    if not field.transformed_into:
        tracker.restrict(pokemon, lambda sets: sets.with_move(move))


def note_wish(tracker: Tracker, ident: Ident, move: str) -> None:
    if move in ("wish", "healingwish"):
        facts: dict[str, object] = {"turn": tracker.turn, "upkeep": tracker.upkeeps, "source": ident.name}
        tracker.sides[ident.side].slot_conditions.setdefault(move, facts)


def note_max_move(tracker: Tracker, ident: Ident, pokemon: TrackedPokemon, move: str) -> None:
    """PP is taken from the base move, which may be any of its type."""
    kind = MAX_TYPES.get(move) or find_move(move).type
    field = tracker.sides[ident.side].field
    known = field.copied_moves if field.transformed_into else pokemon.moves
    if tracker.is_other(ident) and not field.transformed_into:
        tracker.restrict(pokemon, lambda sets: sets.with_max_move(kind))
    cost = 2 if is_pressed(tracker, ident, find_move(move), move != "maxguard") else 1
    base = base_move(pokemon, kind) if tracker.is_other(ident) else own_base_move(pokemon, kind)
    if base is not None and not field.transformed_into:
        known.setdefault(base, TrackedMove(0, find_move(base).pp)).used += cost
    else:
        pokemon.max_moves[kind] = pokemon.max_moves.get(kind, 0) + cost


def base_move(pokemon: TrackedPokemon, kind: str) -> str | None:
    """The one move that a Max Move of this type can come from, whatever the set is; None: there are several."""
    evidence = pokemon.evidence
    if evidence is None or evidence.disguise:
        return None
    found: set[str] = set()
    for i, one in enumerate(evidence.sets.sets):
        if evidence.mask >> i & 1:
            found.update(move for move in one.moves if may_become(one, move, kind))
    return found.pop() if len(found) == 1 else None


def is_pressed(tracker: Tracker, ident: Ident, facts: PokemonMove, hits_foe: bool) -> bool:
    foe = tracker.sides[1 - ident.side].pokemon
    return foe is not None and foe.ability == "pressure" and (facts.pressure_always or hits_foe)


def note_rampage(field: TrackedField, move: str, cause: str) -> None:
    locked = field.volatiles.get("lockedmove")
    if cause == "lockedmove" and locked is not None:
        locked["tries"] = int(str(locked["tries"])) + 1
    elif move in RAMPAGES and not cause:
        field.volatiles["lockedmove"] = {"move": move, "tries": 1}
    elif locked is not None:
        del field.volatiles["lockedmove"]


def on_missed(tracker: Tracker, _: Message) -> None:
    """A rampage that does not hit is over, and nothing confuses its user."""
    last = tracker.last_mover
    field = tracker.field_of(last)
    if field is not None:
        field.volatiles.pop("lockedmove", None)


def on_cant(tracker: Tracker, message: Message) -> None:
    pokemon, field = tracker.find(message.ident), tracker.field_of(message.ident)
    if field is not None:
        field.move_actions += 1
        field.has_acted = True
    if pokemon is not None and message.arg(1) == "slp":
        pokemon.status_turns += 1


def on_prepare(tracker: Tracker, message: Message) -> None:
    field = tracker.field_of(message.ident)
    if field is not None:
        field.volatiles["twoturnmove"] = {"move": to_id(message.arg(1)), "turn": tracker.turn}


def on_anim(tracker: Tracker, message: Message) -> None:
    """A move that needed no charging after all."""
    field = tracker.field_of(message.ident)
    if field is not None:
        field.volatiles.pop("twoturnmove", None)


def own_base_move(pokemon: TrackedPokemon, kind: str) -> str | None:
    moves = [find_move(move) for move in pokemon.moves]
    found = [facts.id for facts in moves if ("Status" if facts.is_status else facts.type) == kind]
    return found[0] if len(found) == 1 else None


MOVE_HANDLERS: dict[str, Callable[[Tracker, Message], None]] = {
    "move": on_move,
    "cant": on_cant,
    "-prepare": on_prepare,
    "-anim": on_anim,
    "-miss": on_missed,
    "-immune": on_missed,
    "-fail": on_missed,
}
