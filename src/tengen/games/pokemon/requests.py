"""Requests of the simulator: the own team as it is, and the actions that it offers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from tengen.games.pokemon.facts import PokemonSet, find_move
from tengen.games.pokemon.protocol import parse_condition, parse_ident
from tengen.games.pokemon.set_masks import sets_of
from tengen.games.pokemon.tracked import TrackedMove, TrackedPokemon

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

Entry = TypeVar("Entry")

SWITCH, MOVE, DYNAMAX = 0, 6, 10
TRAPPING = ("arenatrap", "magnetpull", "shadowtag")


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def active_of(request: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a request for the active Pokémon; empty if it does not ask for a move."""
    active = _objects(request.get("active"))
    return active[0] if active else {}


def team_of(request: dict[str, Any]) -> list[dict[str, Any]]:
    """In party order."""
    side = request.get("side")
    return _objects(side.get("pokemon"))[:6] if isinstance(side, dict) else []


def may_be_trapped(request: dict[str, Any]) -> bool:
    return bool(active_of(request).get("maybeTrapped"))


def name_of(pokemon: dict[str, Any]) -> str:
    ident = parse_ident(str(pokemon.get("ident", "")))
    return ident.name if ident else ""


def read(text: str) -> dict[str, Any]:
    """Empty for what is no request."""
    try:
        request = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return request if isinstance(request, dict) else {}


def side_of(text: str) -> int | None:
    side = read(text).get("side")
    return int(side["id"][1]) - 1 if isinstance(side, dict) and side.get("id") in ("p1", "p2") else None


def apply(tracker: Tracker, request: dict[str, Any]) -> None:
    is_first = not tracker.request
    tracker.request = request
    for given in team_of(request):
        _take_pokemon(tracker, given)
    names = [name_of(given) for given in team_of(request)]
    if names and all(names):
        tracker.own.order = names
    if is_first:
        # Lines before the first request may have shown Pokémon in another order.
        tracker.own.team = _in_order(tracker.own.team, names)
    for given in team_of(request):
        if given.get("active") and tracker.own.active != name_of(given):
            tracker.own.active, tracker.own.alias = name_of(given), tracker.own.active
    _take_moves(tracker, active_of(request))


def _take_pokemon(tracker: Tracker, given: dict[str, Any]) -> None:
    ident = parse_ident(str(given.get("ident", "")))
    if ident is None or ident.side != tracker.side:
        return
    pokemon = tracker.meet(ident, str(given.get("details", "")))
    if pokemon is None:
        return
    tracker.set_condition(pokemon, parse_condition(str(given.get("condition", ""))))
    pokemon.item, pokemon.ability = str(given.get("item", "")), str(given.get("ability", ""))
    pokemon.base_ability = str(given.get("baseAbility", ""))
    stats = given.get("stats")
    if isinstance(stats, dict):
        pokemon.stats = {str(name): value for name, value in stats.items() if isinstance(value, int)}
    moves = given.get("moves")
    is_copied = bool(given.get("active")) and bool(tracker.own.field.transformed_into)
    if isinstance(moves, list) and not is_copied:
        names = [str(move) for move in moves[:4]]
        for name in names:
            pokemon.moves.setdefault(name, TrackedMove())
        # Lines before the first request may have shown moves in another order.
        pokemon.moves = _in_order(pokemon.moves, names)
    if pokemon.own_set is None and isinstance(moves, list):
        pokemon.own_set = find_set(pokemon, [str(move) for move in moves])


def _in_order(found: dict[str, Entry], names: list[str]) -> dict[str, Entry]:
    """Return the same entries, those that are named first and in that order."""
    first = {name: found[name] for name in names if name in found}
    return first | {name: entry for name, entry in found.items() if name not in first}


def find_set(pokemon: TrackedPokemon, moves: list[str]) -> PokemonSet | None:
    """The set in the table that this is: the one that has most of it."""
    sets = sets_of(pokemon.forme)
    if sets is None:
        return None

    def likeness(one: PokemonSet) -> tuple[int, bool, bool]:
        return len(set(one.moves) & set(moves)), one.item == pokemon.item, one.ability == pokemon.base_ability

    return max(sets.sets, key=likeness)


def _take_moves(tracker: Tracker, active: dict[str, Any]) -> None:
    pokemon, field = tracker.own.pokemon, tracker.own.field
    if pokemon is None:
        return
    given = [move for move in _objects(active.get("moves")) if isinstance(move.get("pp"), int)]
    if given and field.transformed_into:
        field.copied_moves = {}  # in the order of the request
    known = field.copied_moves if field.transformed_into else pokemon.moves
    for move in given[:4]:
        most = move.get("maxpp")
        if isinstance(most, int) and isinstance(move.get("id"), str):
            known[move["id"]] = TrackedMove(most - move["pp"], most)
    if given:
        pokemon.max_moves.clear()  # the request has counted them
    if field.transformed_into and len(given) > 1:
        # A copy shows the whole move list of the one it copied.
        names = [str(move.get("id")) for move in given]
        target = tracker.other.team.get(field.transformed_into)
        for name in names:
            tracker.restrict(target, lambda sets, name=name: sets.with_move(name))  # type: ignore[misc]


def offered(tracker: Tracker) -> list[int]:
    """The actions that the last request offers, as numbers: switches to team slots, moves, Dynamax and move.

    Team slots are the order of the first request, whatever the party's order is now. Empty: wait.
    """
    request = tracker.request
    if request.get("wait") or not request or tracker.is_over:
        return []
    slots = {name: slot for slot, name in enumerate(tracker.own.team)}
    switches = sorted(
        slots[name_of(one)]
        for one in team_of(request)
        if not one.get("active") and name_of(one) in slots and not str(one.get("condition", "")).endswith("fnt")
    )
    if request.get("forceSwitch"):
        return switches
    active = active_of(request)
    if not active:
        return []
    moves = _offered_moves(tracker, active)
    return ([] if active.get("trapped") else switches) + moves


def moves_by_slot(tracker: Tracker) -> list[str]:
    """Return the ids of the own active Pokémon's moves, by the slots that actions and positions count.

    Moves that random battles do not have cannot be played by the rules, so they have no slot.
    """
    field, pokemon = tracker.own.field, tracker.own.pokemon
    known = field.copied_moves if field.transformed_into else pokemon.moves if pokemon else {}
    return [move for move in known if find_move(move).id][:4]


def _offered_moves(tracker: Tracker, active: dict[str, Any]) -> list[int]:
    moves = _objects(active.get("moves"))[:4]
    max_moves = active.get("maxMoves")
    powered = _objects(max_moves.get("maxMoves"))[: len(moves)] if isinstance(max_moves, dict) else []
    known = moves_by_slot(tracker)
    if len(moves) == 1 and active.get("trapped") and moves[0].get("id") in known:
        return [MOVE + known.index(str(moves[0]["id"]))]  # locked into it
    if is_forced_move(moves):
        return [MOVE]
    # The request's order may differ from that of the slots: moves go by their ids.
    slots = {i: known.index(move["id"]) for i, move in enumerate(moves) if move.get("id") in known}
    usable = [i for i in slots if moves[i].get("pp") != 0]
    is_big = tracker.own.field.is_dynamaxed and bool(powered)
    open_now = [i for i in usable if i < len(powered if is_big else moves)]
    actions = [MOVE + slots[i] for i in open_now if not (powered if is_big else moves)[i].get("disabled")]
    if active.get("canDynamax"):
        actions += [DYNAMAX + slots[i] for i in usable if i < len(powered) and not powered[i].get("disabled")]
    return sorted(actions)


def is_forced_move(moves: list[dict[str, Any]]) -> bool:
    """Return True if a request offers only Struggle or recharging, which no set has."""
    return len(moves) == 1 and moves[0].get("id") in ("struggle", "recharge")


def move_name(tracker: Tracker, slot: int) -> str:
    """Return the id of the move that the last request offers in a slot, "" if there is none."""
    moves = _objects(active_of(tracker.request).get("moves"))
    if is_forced_move(moves):
        return str(moves[0]["id"])
    known = moves_by_slot(tracker)
    return known[slot] if slot < len(known) else ""


def place_of_move(tracker: Tracker, slot: int) -> int:
    """Return the place, from 1, that the request gives the move in a slot. Raise ValueError if it is not there."""
    moves = _objects(active_of(tracker.request).get("moves"))
    if is_forced_move(moves) and slot == 0:
        return 1
    known = moves_by_slot(tracker)
    ids = [move.get("id") for move in moves]
    if slot >= len(known) or known[slot] not in ids:
        name = repr(known[slot]) if slot < len(known) else f"in slot {slot + 1}"
        raise ValueError(f"the request does not offer the move {name}: it has {', '.join(map(str, ids)) or 'none'}")
    return ids.index(known[slot]) + 1
