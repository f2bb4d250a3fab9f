"""A tracker of the information that one side of a battle has.

The tracker is fed the lines of the protocol one by one, each request after the lines that led to it. Requests describe
its own team exactly. For the other team it keeps what was shown, and the complete sets that fit all of that
(`Evidence`). No line of a server raises an exception.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

from tengen._time_limit import check_time
from tengen.games.pokemon import requests
from tengen.games.pokemon.deductions import Deductions
from tengen.games.pokemon.field_events import FIELD_HANDLERS
from tengen.games.pokemon.health_events import HEALTH_HANDLERS
from tengen.games.pokemon.holder_events import HOLDER_HANDLERS, note_sources
from tengen.games.pokemon.move_events import MOVE_HANDLERS
from tengen.games.pokemon.protocol import (
    Condition,
    Ident,
    Message,
    parse_condition,
    parse_details,
    parse_effect,
    parse_line,
)
from tengen.games.pokemon.set_masks import FormeSets, sets_of
from tengen.games.pokemon.tracked import Evidence, TrackedField, TrackedMove, TrackedPokemon, TrackedSide

# Formes that a set's forme turns into as soon as it is in the field, or that details show in its place.
SHOWN_FORMES = {"zygardecomplete": "zygarde", "mimikyubusted": "mimikyu", "eiscuenoice": "eiscue"}
LONGEST_RAMPAGE = 3
# Number of lines that are kept until a request names the side whose view it is.
MOST_WAITING = 500


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
        self.had_first_item = False  # the other side's active one still had its first item when Trick was used

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
        """Return the state on the field of a Pokémon, or None if it is not active."""
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
            self.had_first_item = foe is not None and foe.item_is_own
        self.deductions.before(message)
        if handler is not None:
            handler(self, message)
        if message.kind.startswith("-") or message.kind == "cant":
            note_sources(self, message)
        self.deductions.after(message)

    def feed_all(self, lines: Iterable[str]) -> None:
        """Feed several lines. Raises TimeLimitError after the time limit of the caller, if there is one."""
        for line in lines:
            check_time()
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
            side.field.has_acted = False

    def on_upkeep(self, _: Message) -> None:
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

    # Active Pokémon.

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
        """Return the HP of the opponent's active Pokémon, in percent, as last seen before it came in."""
        before = self._before_stay
        return before.hp if before is not None and before.name == self.other.active else 100

    def on_replace(self, message: Message) -> None:
        """An Illusion ends."""
        if message.ident is not None:
            self.unmask(message.ident.side, message.ident, message.arg(1))

    def unmask(self, number: int, ident: Ident, details: str) -> None:
        """Attribute what was seen since the Pokémon came in to the one that its Illusion hid."""
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


HANDLERS: dict[str, Callable[[Tracker, Message], None]] = {
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
    **HEALTH_HANDLERS,
    **MOVE_HANDLERS,
    **HOLDER_HANDLERS,
    **FIELD_HANDLERS,
}
