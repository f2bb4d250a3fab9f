"""What one side of a battle knows, from the lines of the protocol that it is sent.

A tracker is fed the lines one by one, each request after the lines that led to it. Its own team it takes from requests,
exactly. Of the other team it keeps what was shown, and which complete sets fit all of that (`Evidence`).
Nothing that a server may send makes it raise.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

from tengen import _core
from tengen._core import PokemonMove
from tengen.games.pokemon import requests
from tengen.games.pokemon.deductions import Deductions
from tengen.games.pokemon.field_events import FIELD_HANDLERS
from tengen.games.pokemon.protocol import (
    Condition,
    Ident,
    Message,
    parse_condition,
    parse_details,
    parse_effect,
    parse_ident,
    parse_line,
    to_id,
)
from tengen.games.pokemon.set_masks import FormeSets, may_become, sets_of
from tengen.games.pokemon.tracked import Evidence, TrackedField, TrackedMove, TrackedPokemon, TrackedSide

# Formes that a set's forme turns into as soon as it is in the field, or that details show in its place.
SHOWN_FORMES = {"zygardecomplete": "zygarde", "mimikyubusted": "mimikyu", "eiscuenoice": "eiscue"}
# With these the Pokémon that the line is about has the ability, whoever it is [of].
ABILITY_OF_TARGET = frozenset(["-heal", "-immune", "-curestatus", "-boost", "-activate", "-formechange", "-block", "-fail"])
LONGEST_RAMPAGE = 3
RAMPAGES = frozenset(["outrage", "petaldance", "thrash"])
PARTS_OF_AS_ONE = frozenset(["asone", "unnerve", "chillingneigh", "grimneigh"])
# So many lines are kept until a request says whose view it is.
MOST_WAITING = 500
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


class Tracker:
    """`side` is 0 or 1, or learned from the first request."""

    def __init__(self, side: int | None = None) -> None:
        self.side = side
        self.sides = [TrackedSide(), TrackedSide()]
        self.turn = 0
        self.upkeeps = 0  # ends of turn so far: durations are counted in them
        self.weather: dict[str, Any] = {}
        self.terrain: dict[str, Any] = {}
        self.pseudo_weather: dict[str, int] = {}  # id -> turn of its start
        self.request: dict[str, Any] = {}
        self.winner = ""
        self.is_over = False
        self.errors: list[str] = []
        self.last_mover: Ident | None = None
        self.deductions = Deductions(self)
        self._waiting: list[Message] = []
        self._before_stay: TrackedPokemon | None = None
        self._had_doubt = False  # somebody came and went who may have been Zoroark
        self._own_before_trick = False  # the other side's active one still had its first item when Trick was used

    # Sides.

    @property
    def own(self) -> TrackedSide:
        return self.sides[self.side or 0]

    @property
    def other(self) -> TrackedSide:
        return self.sides[1 - (self.side or 0)]

    def is_other(self, ident: Ident | None) -> bool:
        return ident is not None and self.side is not None and ident.side != self.side

    def find(self, ident: Ident | None) -> TrackedPokemon | None:
        return self.sides[ident.side].team.get(self.name_of(ident)) if ident else None

    def name_of(self, ident: Ident) -> str:
        """One of the own side may go by the name of another."""
        side = self.sides[ident.side]
        return side.active if ident.is_active and ident.name == side.alias else ident.name

    def field_of(self, ident: Ident | None) -> TrackedField | None:
        """Of a Pokémon that stands on the field."""
        if ident is None or self.sides[ident.side].active != self.name_of(ident):
            return None
        return self.sides[ident.side].field

    def restrict(self, pokemon: TrackedPokemon | None, fits: Callable[[FormeSets], int]) -> None:
        """Only sets that `fits` chooses can be what was seen."""
        if pokemon is None or pokemon.evidence is None:
            return
        evidence = pokemon.evidence
        zoroark = sets_of("zoroark") if evidence.disguise else None
        evidence.restrict(fits(evidence.sets), fits(zoroark) if zoroark else 0)

    # Lines.

    def feed(self, line: str) -> None:
        message = parse_line(line)
        if message is None:
            return
        if self.side is None and not self.learn_side(message):
            self._waiting.append(message)
            del self._waiting[:-MOST_WAITING]
            return
        self.take(message)

    def learn_side(self, message: Message) -> bool:
        """From the first request; what came before it is taken in then."""
        self.side = requests.side_of(message.arg(0)) if message.kind == "request" else None
        if self.side is None:
            return False
        requests.apply(self, requests.read(message.arg(0)))
        waiting, self._waiting = self._waiting, []
        for earlier in waiting:
            self.take(earlier)
        return True

    def take(self, message: Message) -> None:
        handler = HANDLERS.get(message.kind)
        if message.kind == "-activate" and parse_effect(message.arg(1))[1] in ("trick", "switcheroo"):
            foe = self.other.pokemon
            self._own_before_trick = foe is not None and foe.item_is_own
        self.deductions.before(message)
        if handler is not None:
            handler(self, message)
        if message.kind.startswith("-") or message.kind == "cant":
            self.note_sources(message)
        self.deductions.after(message)

    def feed_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.feed(line)

    def on_request(self, message: Message) -> None:
        request = requests.read(message.arg(0))
        if request:
            requests.apply(self, request)

    def on_error(self, message: Message) -> None:
        self.errors.append(message.arg(0))
        if "trapped" in message.arg(0) and requests.may_be_trapped(self.request):
            traps = requests.TRAPPING
            self.restrict(self.other.pokemon, lambda sets: sum(sets.with_ability(ability) for ability in traps))

    def on_turn(self, message: Message) -> None:
        number = message.arg(0)
        self.turn = int(number) if number.isdecimal() and len(number) < 6 else self.turn
        for side in self.sides:
            side.field.turns += 1
            side.field.newly_switched = False
            side.field.move_this_turn = ""
            side.field.has_acted = False

    def on_upkeep(self, message: Message) -> None:
        self.upkeeps += 1
        for side in self.sides:
            pokemon = side.pokemon
            if pokemon is not None and pokemon.status == "tox" and pokemon.ability in ("magicguard", "poisonheal"):
                pokemon.status_turns += 1
            locked = side.field.volatiles.get("lockedmove")
            if locked is not None and int(str(locked["tries"])) >= LONGEST_RAMPAGE:
                del side.field.volatiles["lockedmove"]
            brief = [name for name, facts in side.field.volatiles.items() if facts.get("brief")]
            for name in brief:
                del side.field.volatiles[name]
            wish = side.slot_conditions.get("wish")
            if wish is not None and self.upkeeps - int(str(wish["upkeep"])) >= 2:
                del side.slot_conditions["wish"]

    def on_team_size(self, message: Message) -> None:
        if message.arg(0) in ("p1", "p2") and message.arg(1).isdecimal():
            self.sides[int(message.arg(0)[1]) - 1].size = min(int(message.arg(1)[:2]), 6)

    def on_end(self, message: Message) -> None:
        self.is_over = True
        self.winner = message.arg(0) if message.kind == "win" else ""

    # Who is on the field.

    def on_switch(self, message: Message) -> None:
        ident, condition = message.ident, parse_condition(message.arg(2))
        if ident is None:
            return
        side = self.sides[ident.side]
        self.leave(ident.side)
        side.alias = ""
        pokemon = self.meet(ident, message.arg(1))
        if pokemon is None:
            return
        if side.active and side.active in side.order and ident.name in side.order:
            a, b = side.order.index(side.active), side.order.index(ident.name)
            side.order[a], side.order[b] = side.order[b], side.order[a]
        side.active = ident.name
        side.field = TrackedField(since_start=self.turn == 0)
        side.lead = side.lead or ident.name
        pokemon.shown = parse_details(message.arg(1)).forme
        if self.is_other(ident):  # shown again, or not: an Illusion takes all of it back
            self._before_stay = copy.copy(pokemon)
            self._before_stay.moves = {move: copy.copy(facts) for move, facts in pokemon.moves.items()}
            if pokemon.evidence is not None:
                pokemon.evidence.begin_stay(self.may_be_zoroark(pokemon, condition))
        self.set_condition(pokemon, condition)
        if pokemon.status == "tox":
            pokemon.status_turns = 0

    def leave(self, side: int) -> None:
        pokemon = self.sides[side].pokemon
        self.sides[1 - side].field.volatiles.pop("trapped", None)
        if pokemon is None:
            return
        if pokemon.evidence is not None:
            if pokemon.evidence.disguise and not pokemon.evidence.mask & pokemon.evidence.sets.all:
                self.unmask(side, Ident(side, True, "Zoroark"), "Zoroark")
                return
            self._had_doubt = self._had_doubt or bool(pokemon.evidence.disguise)
            pokemon.evidence.end_stay()
        if pokemon.base_ability is not None:
            pokemon.ability = pokemon.base_ability
        elif not pokemon.ability_is_own:
            pokemon.ability = None
        pokemon.ability_is_own = True

    def meet(self, ident: Ident, text: str) -> TrackedPokemon | None:
        """The Pokémon of that name, new if it was never seen."""
        side = self.sides[ident.side]
        found = side.team.get(ident.name)
        if found is None and len(side.team) < 6:
            details = parse_details(text)
            forme = SHOWN_FORMES.get(details.forme, details.forme)
            found = TrackedPokemon(ident.name, forme, details.level, details.gender, shown=details.forme)
            side.team[ident.name] = found
            sets = sets_of(forme)
            if self.is_other(ident) and sets is not None:
                found.evidence = Evidence(sets, sets.where(lambda one: one.level == details.level) or sets.all)
        return found

    def may_be_zoroark(self, pokemon: TrackedPokemon, condition: Condition | None) -> bool:
        zoroark = self.other.team.get("Zoroark")
        if pokemon is zoroark or condition is None:
            return False
        if zoroark is not None:
            return not zoroark.is_fainted
        is_fresh = condition.hp == condition.max_hp and not condition.status
        return len(self.other.team) < self.other.size and (is_fresh or self._had_doubt)

    def hp_before_stay(self) -> int:
        """Of the other side's active one, in percent, as it was last seen before it came in."""
        before = self._before_stay
        return before.hp if before is not None and before.name == self.other.active else 100

    def on_replace(self, message: Message) -> None:
        """An Illusion ends."""
        if message.ident is not None:
            self.unmask(message.ident.side, message.ident, message.arg(1))

    def unmask(self, number: int, ident: Ident, details: str) -> None:
        """Who was taken for another since it came in is somebody else."""
        side = self.sides[number]
        shown, side.alias = side.pokemon, ""
        pokemon = self.meet(ident, details)
        if pokemon is None or shown is None or shown is pokemon:
            return
        side.active = ident.name
        side.lead = ident.name if side.field.since_start and side.lead == shown.name else side.lead
        for name in ("hp", "max_hp", "status", "status_turns", "is_fainted", "item", "item_is_own", "lost_item"):
            setattr(pokemon, name, getattr(shown, name))
        if not self.is_other(ident):
            return
        before = self._before_stay
        if before is not None and before.name == shown.name:
            for move, facts in shown.moves.items():
                used = facts.used - (before.moves[move].used if move in before.moves else 0)
                if used > 0 or move not in before.moves:
                    pokemon.moves[move] = TrackedMove(used, facts.max_pp)
            side.team[shown.name] = before
        if shown.evidence is not None and pokemon.evidence is not None:
            pokemon.evidence.sure &= shown.evidence.disguise or -1
            shown.evidence.stay, shown.evidence.disguise = -1, 0

    def on_forme(self, message: Message) -> None:
        pokemon = self.find(message.ident)
        if pokemon is not None:
            pokemon.shown = parse_details(message.arg(1)).forme
            field = self.field_of(message.ident)
            if field is not None:
                field.types = ()

    def on_faint(self, message: Message) -> None:
        pokemon = self.find(message.ident)
        if pokemon is not None:
            pokemon.hp, pokemon.status, pokemon.is_fainted = 0, "", True

    # Hit points and status.

    def set_condition(self, pokemon: TrackedPokemon | None, condition: Condition | None) -> None:
        if pokemon is None or condition is None:
            return
        if condition.status == "fnt":
            pokemon.hp, pokemon.status, pokemon.is_fainted = 0, "", True
            return
        pokemon.is_fainted = False
        pokemon.hp, pokemon.max_hp = condition.hp, max(condition.max_hp, 1)
        if condition.status != pokemon.status:
            pokemon.status, pokemon.status_turns = condition.status, 0

    def on_hp(self, message: Message) -> None:
        pokemon = self.find(message.ident)
        self.set_condition(pokemon, parse_condition(message.arg(1)))
        if pokemon is None or message.ident is None:
            return
        if message.source == ("", "psn") and pokemon.status == "tox":
            pokemon.status_turns += 1
        if message.source in (("move", "wish"), ("move", "healingwish")):
            self.sides[message.ident.side].slot_conditions.pop(message.source[1], None)

    def on_status(self, message: Message) -> None:
        pokemon = self.find(message.ident)
        if pokemon is not None and len(message.arg(1)) == 3:
            pokemon.status, pokemon.status_turns = message.arg(1), 0
            pokemon.status_by_rest = message.source == ("move", "rest")

    def on_cure(self, message: Message) -> None:
        pokemon = self.find(message.ident)
        if pokemon is not None:
            pokemon.status, pokemon.status_turns = "", 0

    def on_cure_team(self, message: Message) -> None:
        ident = message.ident
        for pokemon in self.sides[ident.side].team.values() if ident else ():
            pokemon.status, pokemon.status_turns = "", 0

    # Moves.

    def on_move(self, message: Message) -> None:
        ident, move = message.ident, to_id(message.arg(1))
        pokemon, field = self.find(ident), self.field_of(ident)
        if pokemon is None or field is None or ident is None or not move:
            return
        facts = _core.pokemon_move(move)
        cause = parse_effect(message.tags.get("from", ""))[1]
        self.last_mover = ident
        field.volatiles.pop("twoturnmove", None)
        for name in [name for name, facts_now in field.volatiles.items() if facts_now.get("brief") is False]:
            del field.volatiles[name]
        if cause in ("", "lockedmove"):
            field.move_this_turn = field.last_move = move
            field.move_actions += 1
            field.has_acted = True
        if move in ("struggle", "recharge") or cause not in ("", "lockedmove", "sleeptalk"):
            return
        if facts.is_max:
            self.note_max_move(ident, pokemon, move)
            return
        self.note_rampage(field, move, cause)
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
            one.used += 2 if self.is_pressed(ident, facts, hits_foe) else 1
            self.note_wish(ident, move)
        if not field.transformed_into:
            self.restrict(pokemon, lambda sets: sets.with_move(move))

    def note_wish(self, ident: Ident, move: str) -> None:
        if move in ("wish", "healingwish"):
            facts: dict[str, object] = {"turn": self.turn, "upkeep": self.upkeeps, "source": ident.name}
            self.sides[ident.side].slot_conditions.setdefault(move, facts)

    def note_max_move(self, ident: Ident, pokemon: TrackedPokemon, move: str) -> None:
        """PP is taken from the base move, which may be any of its type."""
        kind = MAX_TYPES.get(move) or _core.pokemon_move(move).type
        field = self.sides[ident.side].field
        known = field.copied_moves if field.transformed_into else pokemon.moves
        if self.is_other(ident) and not field.transformed_into:
            self.restrict(pokemon, lambda sets: sets.with_max_move(kind))
        cost = 2 if self.is_pressed(ident, _core.pokemon_move(move), move != "maxguard") else 1
        base = self.base_move(pokemon, kind) if self.is_other(ident) else own_base_move(pokemon, kind)
        if base is not None and not field.transformed_into:
            known.setdefault(base, TrackedMove(0, _core.pokemon_move(base).pp)).used += cost
        else:
            pokemon.max_moves[kind] = pokemon.max_moves.get(kind, 0) + cost

    def base_move(self, pokemon: TrackedPokemon, kind: str) -> str | None:
        """The one move that a Max Move of this type can come from, whatever the set is; None: there are several."""
        evidence = pokemon.evidence
        if evidence is None or evidence.disguise:
            return None
        found: set[str] = set()
        for i, one in enumerate(evidence.sets.sets):
            if evidence.mask >> i & 1:
                found.update(move for move in one.moves if may_become(one, move, kind))
        return found.pop() if len(found) == 1 else None

    def is_pressed(self, ident: Ident, facts: PokemonMove, hits_foe: bool) -> bool:
        foe = self.sides[1 - ident.side].pokemon
        return foe is not None and foe.ability == "pressure" and (facts.pressure_always or hits_foe)

    def note_rampage(self, field: TrackedField, move: str, cause: str) -> None:
        locked = field.volatiles.get("lockedmove")
        if cause == "lockedmove" and locked is not None:
            locked["tries"] = int(str(locked["tries"])) + 1
        elif move in RAMPAGES and not cause:
            field.volatiles["lockedmove"] = {"turn": self.turn, "move": move, "tries": 1}
        elif locked is not None:
            del field.volatiles["lockedmove"]

    def on_missed(self, message: Message) -> None:
        """A rampage that does not hit is over, and nothing confuses its user."""
        last = self.last_mover
        field = self.field_of(last)
        if field is not None:
            field.volatiles.pop("lockedmove", None)

    def on_cant(self, message: Message) -> None:
        pokemon, field = self.find(message.ident), self.field_of(message.ident)
        if field is not None:
            field.move_actions += 1
            field.has_acted = True
        if pokemon is not None and message.arg(1) == "slp":
            pokemon.status_turns += 1

    def on_prepare(self, message: Message) -> None:
        field = self.field_of(message.ident)
        if field is not None:
            field.volatiles["twoturnmove"] = {"move": to_id(message.arg(1)), "turn": self.turn}

    def on_anim(self, message: Message) -> None:
        """A move that needed no charging after all."""
        field = self.field_of(message.ident)
        if field is not None:
            field.volatiles.pop("twoturnmove", None)

    # Items and abilities.

    def on_item(self, message: Message) -> None:
        pokemon, item = self.find(message.ident), to_id(message.arg(1))
        if pokemon is None:
            return
        kind, cause = message.source
        if cause in ("trick", "switcheroo"):
            self.note_trick(message.ident, item)
        if (kind == "ability" and cause == "frisk") or not cause:
            self.reveal_item(pokemon, item)
        else:
            pokemon.item, pokemon.item_is_own = item, False
            field = self.field_of(message.ident)
            if field is not None:
                field.moves_used.clear()  # none was used with this item

    def note_trick(self, ident: Ident | None, item: str) -> None:
        """What one side has now was the other's before."""
        if ident is not None and not self.is_other(ident) and self._own_before_trick:
            self.restrict(self.other.pokemon, lambda sets: sets.with_item(item))
            self._own_before_trick = False

    def on_end_item(self, message: Message) -> None:
        pokemon, item = self.find(message.ident), to_id(message.arg(1))
        if pokemon is None:
            return
        self.reveal_item(pokemon, item)
        pokemon.item, pokemon.item_is_own, pokemon.lost_item = "", False, item

    def reveal_item(self, pokemon: TrackedPokemon, item: str) -> None:
        """It holds this item now."""
        pokemon.item = item
        if pokemon.item_is_own:
            self.restrict(pokemon, lambda sets: sets.with_item(item))

    def on_ability(self, message: Message) -> None:
        pokemon, ability = self.find(message.ident), to_id(message.arg(1))
        kind, cause = message.source
        if pokemon is None:
            return
        if cause:
            if kind == "ability":
                self.reveal_ability(pokemon, cause)
            pokemon.ability, pokemon.ability_is_own = ability, False
        else:
            self.reveal_ability(pokemon, ability)

    def on_end_ability(self, message: Message) -> None:
        pokemon = self.find(message.ident)
        if pokemon is not None:
            pokemon.ability, pokemon.ability_is_own = "", False

    def reveal_ability(self, pokemon: TrackedPokemon | None, ability: str) -> None:
        if pokemon is None or not pokemon.ability_is_own or not ability:
            return
        field = self.sides[0].field if self.sides[0].pokemon is pokemon else self.sides[1].field
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
            self.restrict(pokemon, lambda sets: sets.with_ability(ability))

    def note_swap(self, message: Message) -> None:
        """Two abilities change places, or Mummy replaces one: whose they were is shown."""
        effect = parse_effect(message.arg(1))[1]
        foe, own = self.other.pokemon, self.own.pokemon
        if foe is None or own is None:
            return
        if effect == "mummy":
            struck = self.find(message.of)
            if struck is not None:
                self.reveal_ability(struck, to_id(message.arg(2)))
                struck.ability, struck.ability_is_own = "mummy", False
            return
        pair = [to_id(text) for text in message.args[2:4] if text]
        before = [ability for ability in pair if ability != own.ability]
        if before:
            self.reveal_ability(foe, before[0])
        foe.ability, own.ability = own.ability, before[0] if before else own.ability
        foe.ability_is_own = own.ability_is_own = False

    def note_sources(self, message: Message) -> None:
        """Items and abilities that a line names as its cause or its effect belong to somebody."""
        ident, of = message.ident, message.of
        kind, cause = message.source
        if kind == "item":
            holder = self.find(of if message.kind == "-damage" and of is not None else ident)
            if holder is not None and message.kind not in ("-enditem", "-item") and holder.item_is_own:
                self.reveal_item(holder, cause)
        elif kind == "ability" and message.kind not in ("-ability", "-endability"):
            by_target = message.kind in ABILITY_OF_TARGET or of is None or (message.kind == "-item" and cause != "frisk")
            self.reveal_ability(self.find(ident if by_target else of), cause)
        if message.kind == "-activate" and parse_effect(message.arg(1))[1] in ("skillswap", "wanderingspirit", "mummy"):
            self.note_swap(message)
            return
        for text in message.args[1:3]:
            what, name = parse_effect(text)
            if what == "ability" and message.kind in ("-activate", "-start", "-block", "cant", "-fail"):
                self.reveal_ability(self.find(of if message.kind == "cant" else ident), name)
            elif what == "item" and message.kind == "-activate":
                pokemon = self.find(ident)
                if pokemon is not None and pokemon.item_is_own:
                    self.reveal_item(pokemon, name)
        if message.kind == "-activate" and to_id(message.arg(1)) == "movepoltergeist":
            pokemon = self.find(ident)
            if pokemon is not None:
                self.reveal_item(pokemon, to_id(message.arg(2)))


def own_base_move(pokemon: TrackedPokemon, kind: str) -> str | None:
    moves = [_core.pokemon_move(move) for move in pokemon.moves]
    found = [facts.id for facts in moves if ("Status" if facts.is_status else facts.type) == kind]
    return found[0] if len(found) == 1 else None


Handler = Callable[[Tracker, Message], None]

HANDLERS: dict[str, Handler] = {
    "request": Tracker.on_request,
    "error": Tracker.on_error,
    "turn": Tracker.on_turn,
    "upkeep": Tracker.on_upkeep,
    "teamsize": Tracker.on_team_size,
    "win": Tracker.on_end,
    "tie": Tracker.on_end,
    "switch": Tracker.on_switch,
    "drag": Tracker.on_switch,
    "replace": Tracker.on_replace,
    "detailschange": Tracker.on_forme,
    "-formechange": Tracker.on_forme,
    "faint": Tracker.on_faint,
    "-damage": Tracker.on_hp,
    "-heal": Tracker.on_hp,
    "-sethp": Tracker.on_hp,
    "-status": Tracker.on_status,
    "-curestatus": Tracker.on_cure,
    "-cureteam": Tracker.on_cure_team,
    "move": Tracker.on_move,
    "cant": Tracker.on_cant,
    "-prepare": Tracker.on_prepare,
    "-anim": Tracker.on_anim,
    "-miss": Tracker.on_missed,
    "-immune": Tracker.on_missed,
    "-fail": Tracker.on_missed,
    "-item": Tracker.on_item,
    "-enditem": Tracker.on_end_item,
    "-ability": Tracker.on_ability,
    "-endability": Tracker.on_end_ability,
    **FIELD_HANDLERS,
}
