"""Requests of the simulator: the own team as it is, and the actions that it offers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tengen.games.pokemon.facts import PokemonSet
from tengen.games.pokemon.protocol import parse_condition, parse_ident
from tengen.games.pokemon.set_masks import sets_of
from tengen.games.pokemon.tracked import TrackedMove, TrackedPokemon

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

SWITCH, MOVE, DYNAMAX = 0, 6, 10
TRAPPING = ("arenatrap", "magnetpull", "shadowtag")


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def active_of(request: dict[str, Any]) -> dict[str, Any]:
    """What is asked of the Pokémon on the field; empty if it is not asked to move."""
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
    tracker.request = request
    for given in team_of(request):
        _take_pokemon(tracker, given)
    names = [name_of(given) for given in team_of(request)]
    if names and all(names):
        tracker.own.order = names
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
        for move in moves[:4]:
            pokemon.moves.setdefault(str(move), TrackedMove())
    if pokemon.own_set is None and isinstance(moves, list):
        pokemon.own_set = find_set(pokemon, [str(move) for move in moves])


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


def _offered_moves(tracker: Tracker, active: dict[str, Any]) -> list[int]:
    moves = _objects(active.get("moves"))[:4]
    max_moves = active.get("maxMoves")
    powered = _objects(max_moves.get("maxMoves"))[: len(moves)] if isinstance(max_moves, dict) else []
    field, pokemon = tracker.own.field, tracker.own.pokemon
    known = list(field.copied_moves if field.transformed_into else pokemon.moves if pokemon else {})
    if len(moves) == 1 and active.get("trapped") and moves[0].get("id") in known:
        return [MOVE + known.index(str(moves[0]["id"]))]  # locked into it
    if len(moves) == 1 and moves[0].get("id") in ("struggle", "recharge"):
        return [MOVE]
    out_of = [move.get("pp") == 0 for move in moves]
    if field.is_dynamaxed and powered:
        actions = [MOVE + i for i, move in enumerate(powered) if not move.get("disabled") and not out_of[i]]
    else:
        actions = [MOVE + i for i, move in enumerate(moves) if not move.get("disabled") and not out_of[i]]
    if active.get("canDynamax"):
        actions += [DYNAMAX + i for i, move in enumerate(powered) if not move.get("disabled") and not out_of[i]]
    return actions
