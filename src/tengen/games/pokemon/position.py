"""A tracked battle as a position: what is known of it, and a drawn team behind what is not.

The format is that of the simulator's recorded positions. What the viewer cannot know is filled in with the first team
that is drawn; a search deals it anew (`PokemonKnowledge`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen._core import PokemonKnowledge
from tengen.games.pokemon import requests
from tengen.games.pokemon.cleaning import clean_field, clean_pokemon
from tengen.games.pokemon.facts import PokemonSet, find_move, has_species
from tengen.games.pokemon.knowledge import knowledge
from tengen.games.pokemon.set_masks import sets_of
from tengen.games.pokemon.tracked import LONG_SCREEN_TURNS, SCREENS, TrackedPokemon, TrackedSide
from tengen.games.pokemon.volatiles import CHARGED, volatiles_of

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

Position = dict[str, Any]

GENDERS = "NMF"
LAST_TURN = 1000
STATS = ("atk", "def", "spa", "spd", "spe")
GMAX_FIELDS, GMAX_TURNS = ("gmaxcannonade", "gmaxvinelash", "gmaxvolcalith", "gmaxwildfire"), 4
HAZARDS = ("spikes", "toxicspikes", "stealthrock", "stickyweb", "gmaxsteelsurge")
FORMES_OF_BATTLE = ("busted", "noice", "complete")


def position(tracker: Tracker, seed: int = 0) -> tuple[Position, PokemonKnowledge]:
    """The position for the tracker's side, with a drawn team of the other, and what is known of that."""
    known = knowledge(tracker)
    members, _, _ = known.draw_team(seed)
    own = tracker.side or 0
    sides: list[Position] = [{}, {}]
    sides[own] = own_side(tracker)
    sides[1 - own] = other_side(tracker, members)
    result: Position = {"turn": min(tracker.turn, LAST_TURN), "field": field_of(tracker), "sides": sides}
    lost = [side["left"] == 0 for side in sides]
    if any(lost):
        result |= {"ended": True, "winner": "tie" if all(lost) else "p2" if lost[0] else "p1"}
        for side in sides:
            side["request"] = "none"
    elif any(side["request"] != "move" for side in sides):
        result["midTurn"] = True
        queue = queue_of(tracker, sides)
        if queue:
            result["queue"] = queue
    return result, known


def put_set(written: Position, tracker: Tracker, pokemon: TrackedPokemon, one: PokemonSet) -> Position:
    """Give the other side's active Pokémon this set, and return that Pokémon."""
    side = written["sides"][1 - (tracker.side or 0)]
    forme = pokemon.evidence.sets.forme if pokemon.evidence is not None else pokemon.forme
    made = clean_pokemon(other_pokemon(tracker, tracker.other, pokemon, forme, one))
    made["active"] = True
    side["team"][side["active"]] = made
    side.pop("left", None)  # it may have fainted meanwhile
    return made


def field_of(tracker: Tracker) -> Position:
    field: Position = {}
    for name, effect in (("weather", tracker.weather), ("terrain", tracker.terrain)):
        if effect:
            field[name] = {"id": effect["id"], "duration": left(tracker, effect["upkeep"], 5)}
    rooms = {name: {"duration": left(tracker, began, 5)} for name, began in tracker.pseudo_weather.items()}
    if rooms:
        field["pseudoWeather"] = rooms
    return clean_field(field)


def left(tracker: Tracker, began: object, lasts: int) -> int:
    gone = tracker.upkeeps - int(str(began))
    return max(1, lasts - gone)


def conditions_of(tracker: Tracker, side: TrackedSide) -> Position:
    found: Position = {}
    for order, (name, facts) in enumerate(side.conditions.items(), 1):
        gone = tracker.upkeeps - facts.upkeep
        if name in HAZARDS:
            found[name] = {"layers": facts.layers, "order": order}
        elif name in GMAX_FIELDS:
            found[name] = {"duration": max(1, GMAX_TURNS - gone), "order": order}
        elif name in SCREENS:
            length = facts.length if gone < facts.length else LONG_SCREEN_TURNS
            found[name] = {"duration": max(1, length - gone), "order": order}
    return found


def slot_conditions_of(tracker: Tracker, side: TrackedSide, hp: int) -> Position:
    found: Position = {}
    foe = 1 - tracker.sides.index(side)
    foes = [pokemon.name for pokemon in tracker.sides[foe].team.values() if foe == tracker.side or pokemon.evidence]
    for name, facts in side.slot_conditions.items():
        turn = min(int(str(facts.get("turn", 0))), LAST_TURN)
        if name == "wish":
            found[name] = {"hp": max(1, hp // 2), "startingTurn": turn}
        elif name == "futuremove":
            source = str(facts.get("source", ""))
            slot = foes.index(source) if source in foes else 0
            found[name] = {"endingTurn": turn + 1, "move": facts["move"], "source": f"p{foe + 1}:{slot}"}
        else:
            found[name] = {}
    return found


# Sides.


def own_side(tracker: Tracker) -> Position:
    side = tracker.own
    names = list(side.team)
    team = [own_pokemon(tracker, side, pokemon) for pokemon in side.team.values()]
    while len(team) < 6:  # no request has come yet: the battle has not started
        team.append(dict(team[-1]) if team else {})
    active = names.index(side.active) if side.active in names else 0
    order = list(dict.fromkeys([active, *(names.index(name) for name in side.order if name in names), *range(6)]))
    request = "wait" if tracker.request.get("wait") else "switch" if tracker.request.get("forceSwitch") else "move"
    return finish_side(tracker, side, team, active, order, request)


def other_side(tracker: Tracker, members: list[tuple[str, int, int, int]]) -> Position:
    side = tracker.other
    seen = [pokemon for pokemon in side.team.values() if pokemon.evidence is not None]
    drawn = {index: (forme, gender, number) for forme, gender, number, index in members if index >= 0}
    unseen = [(forme, gender, number) for forme, gender, number, index in members if index < 0]
    team = []
    for index, pokemon in enumerate(seen):
        forme, _, number_of_set = drawn[index]
        team.append(other_pokemon(tracker, side, pokemon, forme, sets_of_forme(forme)[number_of_set]))
    # Species that random battles do not have cannot be written, but those that fainted do not come back.
    gone = sum(pokemon.is_fainted for pokemon in side.team.values() if pokemon.evidence is None)
    for forme, gender, number_of_set in unseen[: 6 - len(team)]:
        team.append(fresh_pokemon(forme, GENDERS[gender], sets_of_forme(forme)[number_of_set]))
        if gone > 0:
            team[-1] |= {"hp": 0, "fainted": True}
            gone -= 1
    names = [pokemon.name for pokemon in seen]
    active = names.index(side.active) if side.active in names else 0
    order = [active, *(slot for slot in range(6) if slot != active)]
    return finish_side(tracker, side, team, active, order, other_request(tracker))


def other_request(tracker: Tracker) -> str:
    if tracker.request.get("wait"):
        return "switch"
    if tracker.request.get("forceSwitch"):
        pokemon = tracker.other.pokemon
        return "switch" if pokemon is not None and pokemon.is_fainted else "wait"
    return "move"


def finish_side(
    tracker: Tracker, side: TrackedSide, team: list[Position], active: int, order: list[int], request: str
) -> Position:
    team = [clean_pokemon(pokemon) for pokemon in team]
    standing = team[active]
    if not standing.get("fainted"):
        standing["active"] = True
    if request == "switch":
        standing["switchFlag"] = True
    return {
        "order": order,
        "active": active,
        "left": sum(not pokemon.get("fainted") for pokemon in team),
        "dynamaxUsed": side.dynamax_used,
        "conditions": conditions_of(tracker, side),
        "slotConditions": slot_conditions_of(tracker, side, standing["stats"][0]),
        "request": request,
        "team": team,
    }


def queue_of(tracker: Tracker, sides: list[Position]) -> list[Position]:
    """After a pivot the other side may still have its move to come."""
    own, other = tracker.side or 0, 1 - (tracker.side or 0)
    pokemon = tracker.own.pokemon
    if sides[own]["request"] != "switch" or pokemon is None or pokemon.is_fainted:
        return []
    queue: list[Position] = []
    foe = tracker.other
    if foe.pokemon is not None and not foe.pokemon.is_fainted and not foe.field.has_acted:
        active = sides[other]["team"][sides[other]["active"]]
        move = active["moves"][0][0]
        queue.append({"choice": "move", "pokemon": f"p{other + 1}:{sides[other]['active']}", "moveid": move})
    return [*queue, {"choice": "residual"}]


# Pokémon.


def sets_of_forme(forme: str) -> tuple[PokemonSet, ...]:
    sets = sets_of(forme)
    assert sets is not None
    return sets.sets


def species_in_team(forme: str) -> str:
    return forme.removesuffix("crowned") if forme in ("zaciancrowned", "zamazentacrowned") else forme


def stats_of(one: PokemonSet) -> list[int]:
    values = []
    for i in range(6):
        base = 2 * one.base_stats[i] + one.ivs[i] + one.evs[i] // 4
        values.append((base + 100) * one.level // 100 + 10 if i == 0 else base * one.level // 100 + 5)
    return [1, *values[1:]] if one.key == "shedinja" else values


def fresh_pokemon(forme: str, gender: str, one: PokemonSet) -> Position:
    stats = stats_of(one)
    made: Position = {
        "species": forme,
        "level": one.level,
        "gender": gender,
        "setAbility": one.ability,
        "ability": one.ability,
        "setItem": one.item,
        "item": one.item,
        "stats": stats,
        "evs": list(one.evs),
        "ivs": list(one.ivs),
        "gigantamax": one.gigantamax,
        "hp": stats[0],
        "moves": [[move, find_move(move).pp, find_move(move).pp] for move in one.moves],
    }
    if species_in_team(forme) != forme:
        made["setSpecies"] = species_in_team(forme)
    return made


def put_history(tracker: Tracker, side: TrackedSide, pokemon: TrackedPokemon, made: Position) -> None:
    """Add everything that has happened to a Pokémon to a fresh one."""
    if pokemon.is_fainted:
        made["hp"], made["fainted"] = 0, True
    if pokemon.status and not pokemon.is_fainted:
        made["status"], made["statusState"] = pokemon.status, status_state(tracker, side, pokemon)
    if not pokemon.item_is_own:
        made["item"] = pokemon.item or ""
    if pokemon.lost_item:
        made["lastItem"] = pokemon.lost_item
    if not pokemon.ability_is_own and pokemon.ability:
        made["ability"] = pokemon.ability
    has_changed = pokemon.shown != pokemon.forme and pokemon.shown.endswith(FORMES_OF_BATTLE)
    if has_changed and has_species(pokemon.shown):
        made["species"], made["setSpecies"] = pokemon.shown, made["species"]
        made["formeRegression"] = True
    if side.active == pokemon.name and not pokemon.is_fainted:
        put_field(tracker, side, pokemon, made)


def status_state(tracker: Tracker, side: TrackedSide, pokemon: TrackedPokemon) -> Position:
    number = tracker.sides.index(side)
    if pokemon.status == "tox":
        return {"stage": pokemon.status_turns}
    if pokemon.status != "slp":
        return {}
    slot = list(side.team).index(pokemon.name)
    source = f"p{number + 1}:{slot}" if pokemon.status_by_rest else f"p{2 - number}:0"
    length = 3 if pokemon.status_by_rest else max(2, min(4, pokemon.status_turns + 1))
    return {"startTime": length, "time": max(1, length - pokemon.status_turns), "source": source}


def put_field(tracker: Tracker, side: TrackedSide, pokemon: TrackedPokemon, made: Position) -> None:
    field = side.field
    made["boosts"] = {stat: stage for stat, stage in field.boosts.items() if stage}
    made["volatiles"] = volatiles_of(tracker, side, made)
    if "dynamax" in made["volatiles"] and made["stats"][0] > 1:
        made["maxhp"] = 2 * made["stats"][0]
        if side is tracker.other:
            made["hp"] = min(2 * made["hp"], made["maxhp"])
    if field.types:
        made["types"] = list(field.types)
    if field.added_type:
        made["addedType"] = field.added_type
    if pokemon.shown != made["species"] and not field.transformed_into and has_species(pokemon.shown):
        made["forme"] = pokemon.shown
    for key, move in (("lastMove", field.last_move), ("lastMoveUsed", field.last_base_move)):
        if move:
            made[key] = move
    made["activeTurns"] = field.turns
    made["activeMoveActions"] = field.move_actions
    if made["ability"] == "slowstart" and "slowstart" in field.volatiles:
        made["abilityState"] = {"counter": left(tracker, field.volatiles["slowstart"]["upkeep"], 5)}
    for move in made["moves"]:
        if move[0] in field.moves_used:
            move.append({"used": True})
    if field.transformed_into:
        put_copy(tracker, side, made)


def put_copy(tracker: Tracker, side: TrackedSide, made: Position) -> None:
    """Transform: the forme, the stats and the moves of the other."""
    copied = tracker.sides[1 - tracker.sides.index(side)].team.get(side.field.transformed_into)
    known = [(move, facts) for move, facts in side.field.copied_moves.items() if find_move(move).id]
    moves = [[move, max(0, 5 - facts.used), 5] for move, facts in known]
    if copied is None or not moves:
        return
    made["transformed"], made["baseMoves"], made["moves"] = True, made["moves"], moves[:4]
    if has_species(copied.shown):
        made["forme"] = copied.shown
    stats = [copied.stats[name] for name in STATS] if all(name in copied.stats for name in STATS) else None
    if stats is None and copied.evidence is not None:
        numbers = [i for i in range(len(copied.evidence.sets.sets)) if copied.evidence.mask >> i & 1]
        stats = stats_of(copied.evidence.sets.sets[numbers[0] if numbers else 0])[1:]
    if stats is not None:
        made["curStats"] = stats


def own_pokemon(tracker: Tracker, side: TrackedSide, pokemon: TrackedPokemon) -> Position:
    one = pokemon.own_set
    forme = pokemon.forme if sets_of(pokemon.forme) is not None else "ditto"
    made = fresh_pokemon(forme, pokemon.gender, one or sets_of_forme(forme)[0])
    made["level"] = pokemon.level
    moves = [move for move in pokemon.moves if find_move(move).id][:4]
    if moves:
        made["moves"] = [[move, own_pp(pokemon, move), find_move(move).pp] for move in moves]
    is_big = side.active == pokemon.name and side.field.is_dynamaxed
    most = pokemon.max_hp // 2 if is_big and pokemon.max_hp > 1 else pokemon.max_hp
    if all(name in pokemon.stats for name in STATS):
        made["stats"] = [most, *(pokemon.stats[name] for name in STATS)]
    made["hp"] = pokemon.hp
    made["item"] = pokemon.item or ""
    if pokemon.ability:
        made["ability"] = pokemon.ability
    put_history(tracker, side, pokemon, made)
    if side.active == pokemon.name and "volatiles" in made:
        take_request(requests.active_of(tracker.request), made)
    return made


def take_request(active: dict[str, Any], made: Position) -> None:
    """Add traps and disabled moves as the request has them."""
    if active.get("trapped"):
        made["trapped"] = True
    if active.get("maybeTrapped"):
        made["maybeTrapped"] = True
    moves = active.get("moves")
    if isinstance(moves, list) and len(moves) > 1:
        disabled = {move.get("id") for move in moves if isinstance(move, dict) and move.get("disabled")}
        for move in made["moves"]:
            if move[0] in disabled:
                flags = move[3] if len(move) > 3 else {}
                move[3:] = [{**flags, "disabled": True, "source": disabler(move[0], made)}]
        for name in ("lockedmove", "twoturnmove", *CHARGED):
            made["volatiles"].pop(name, None)


def disabler(move: str, made: Position) -> str:
    """Return the effect that disables a move, if it also does so while Dynamaxed; otherwise \"\"."""
    volatiles, is_status = made["volatiles"], find_move(move).is_status
    if "encore" in volatiles and volatiles["encore"].get("move") != move:
        return "Encore"
    if "taunt" in volatiles and is_status:
        return "Taunt"
    if "disable" in volatiles and volatiles["disable"].get("move") == move:
        return "Disable"
    return "Assault Vest" if made["item"] == "assaultvest" and is_status else ""


def own_pp(pokemon: TrackedPokemon, move: str) -> int:
    most = find_move(move).pp
    return max(0, most - pokemon.moves[move].used)


def other_pokemon(
    tracker: Tracker, side: TrackedSide, pokemon: TrackedPokemon, forme: str, one: PokemonSet
) -> Position:
    made = fresh_pokemon(forme, pokemon.gender, one)
    most = made["stats"][0]
    made["hp"] = max(1, most * pokemon.hp // 100) if pokemon.hp < 100 else most
    for move in made["moves"]:
        if move[0] in pokemon.moves:
            move[1] = max(0, move[2] - pokemon.moves[move[0]].used)
    put_history(tracker, side, pokemon, made)
    return made
