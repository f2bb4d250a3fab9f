"""What follows from what was not shown: items that would have acted, abilities that would have spoken.

Each deduction watches a stretch of the battle (a switch-in, a move, the end of a turn) and is settled when the stretch
is over. It only ever excludes sets that cannot have led to what was seen; where something else may explain it, it is
silent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tengen.games.pokemon.damage_seen import DamageSeen
from tengen.games.pokemon.facts import find_move
from tengen.games.pokemon.protocol import Message, parse_effect, to_id
from tengen.games.pokemon.requests import TRAPPING, may_be_trapped
from tengen.games.pokemon.set_masks import FormeSets
from tengen.games.pokemon.speed_order import SpeedOrder
from tengen.games.pokemon.tracked import TrackedPokemon
from tengen.games.pokemon.volatiles import CHOICE_ITEMS

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

# Abilities that are shown as soon as their holder comes in, whatever stands on the field.
ANNOUNCED = [
    "airlock",
    "aurabreak",
    "cloudnine",
    "darkaura",
    "dauntlessshield",
    "fairyaura",
    "intimidate",
    "intrepidsword",
    "moldbreaker",
    "pressure",
    "slowstart",
    "teravolt",
    "turboblaze",
    "unnerve",
]
WEATHER_SETTERS = {"drizzle": "raindance", "drought": "sunnyday", "sandstream": "sandstorm", "snowwarning": "hail"}
TERRAIN_SETTERS = {
    "electricsurge": "electricterrain",
    "grassysurge": "grassyterrain",
    "mistysurge": "mistyterrain",
    "psychicsurge": "psychicterrain",
}
GLUTTON_BERRIES = ("aguavberry", "figyberry", "iapapaberry", "magoberry", "wikiberry")
UNNERVING = ("unnerve", "asoneglastrier", "asonespectrier")


def any_item(sets: FormeSets, items: tuple[str, ...]) -> int:
    mask = 0
    for item in items:
        mask |= sets.with_item(item)
    return mask


def any_ability(sets: FormeSets, abilities: tuple[str, ...]) -> int:
    mask = 0
    for ability in abilities:
        mask |= sets.with_ability(ability)
    return mask


@dataclass
class SwitchIn:
    """From a switch-in to the next action."""

    pokemon: TrackedPokemon
    rocks: bool  # Stealth Rock lay there
    weather: str
    terrain: str
    is_alone: bool  # nobody stood there to be intimidated
    shown: set[str] = field(default_factory=set)  # 'rocks', names of abilities


@dataclass
class MoveUse:
    """From a move to the next action."""

    side: int
    user: TrackedPokemon
    move: str
    has_damaged: bool = False  # the foe, itself, not a substitute
    is_super_effective: bool = False
    shown: set[str] = field(default_factory=set)  # 'lifeorb', 'rockyhelmet', 'weaknesspolicy'


@dataclass
class TurnEnd:
    """The residual phase: hit points of the other side's active one at its beginning."""

    pokemon: TrackedPokemon
    was_full: bool
    had_status: bool
    has_healed: bool = False


BOUNDARIES = frozenset(["move", "switch", "drag", "cant", "turn", "upkeep", "", "request", "win", "tie"])


class Deductions:
    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self.switch_in: SwitchIn | None = None
        self.move_use: MoveUse | None = None
        self.turn_end: TurnEnd | None = None
        self.speed_order = SpeedOrder(tracker)
        self.damage = DamageSeen(tracker)
        self.chose_switch = False

    def before(self, message: Message) -> None:
        """Ahead of what the line itself changes."""
        if message.kind in BOUNDARIES:
            self.settle_move()
            if message.kind != "":
                self.settle_switch_in(message)
        if message.kind == "upkeep":
            self.settle_turn_end()
        if message.kind == "turn":
            self.settle_berries()
        if message.kind in ("switch", "move", "turn"):
            self.note_free_switch(message)
        self.speed_order.before(message)
        self.damage.before(message)

    def after(self, message: Message) -> None:
        if message.kind in ("switch", "drag") and self.tracker.is_other(message.ident):
            self.begin_switch_in()
        elif message.kind == "move":
            self.begin_move(message)
        elif message.kind == "":
            self.begin_turn_end()
        elif message.kind.startswith("-"):
            self.watch(message)

    # Being able to switch although a species like this might have kept one from it.

    def note_free_switch(self, message: Message) -> None:
        tracker = self.tracker
        if message.kind == "turn":
            self.chose_switch = False
        elif not self.chose_switch and message.ident is not None and not tracker.is_other(message.ident):
            self.chose_switch = True
            if message.kind == "switch" and tracker.turn and may_be_trapped(tracker.request):
                self.exclude(tracker.other.pokemon, lambda sets: any_ability(sets, TRAPPING))

    def exclude(self, pokemon: TrackedPokemon | None, fits: Callable[[FormeSets], int]) -> None:
        """No set that `fits` chooses can be what was seen."""
        self.tracker.restrict(pokemon, lambda sets: sets.all & ~fits(sets))

    def exclude_items(self, pokemon: TrackedPokemon | None, *items: str, unless: tuple[str, ...] = ()) -> None:
        """As long as it has its first item; sets with an ability among `unless` may have it all the same."""
        if pokemon is None or not pokemon.item_is_own or pokemon.item is not None:
            return
        if pokemon.ability_is_own or pokemon.ability not in unless:
            self.exclude(pokemon, lambda sets: any_item(sets, items) & ~any_ability(sets, unless))

    # Switch-ins.

    def begin_switch_in(self) -> None:
        tracker = self.tracker
        pokemon = tracker.other.pokemon
        if pokemon is not None:
            rocks = "stealthrock" in tracker.other.conditions
            foe = tracker.own.pokemon
            is_alone = foe is not None and foe.is_fainted
            weather, terrain = tracker.weather.get("id", ""), tracker.terrain.get("id", "")
            self.switch_in = SwitchIn(pokemon, rocks, weather, terrain, is_alone)

    def settle_switch_in(self, message: Message) -> None:
        seen, self.switch_in = self.switch_in, None
        if seen is None:
            return
        if message.kind == "switch" and not self.tracker.is_other(message.ident):
            self.switch_in = seen  # both sides switch: effects come after both
            return
        pokemon = seen.pokemon
        if pokemon.is_fainted or pokemon is not self.tracker.other.pokemon:
            return
        if seen.rocks and "rocks" not in seen.shown and pokemon.item_is_own:
            self.tracker.restrict(
                pokemon, lambda sets: sets.with_item("heavydutyboots") | sets.with_ability("magicguard")
            )
        if seen.is_alone or self.is_gas_around():
            return
        weathers = (seen.weather, self.tracker.weather.get("id", ""))
        terrains = (seen.terrain, self.tracker.terrain.get("id", ""))
        silent = [ability for ability in ANNOUNCED if ability not in seen.shown]
        silent += [a for a, weather in WEATHER_SETTERS.items() if a not in seen.shown and weather not in weathers]
        silent += [a for a, terrain in TERRAIN_SETTERS.items() if a not in seen.shown and terrain not in terrains]
        if pokemon.ability_is_own:
            self.exclude(pokemon, lambda sets: any_ability(sets, tuple(silent)))

    def is_gas_around(self) -> bool:
        """Neutralizing Gas silences abilities. No set has it, but other formats may."""
        return any(
            side.pokemon is not None and side.pokemon.ability == "neutralizinggas" for side in self.tracker.sides
        )

    # Moves.

    def begin_move(self, message: Message) -> None:
        ident = message.ident
        user = self.tracker.find(ident)
        if user is None or ident is None:
            return
        move = to_id(message.arg(1))
        self.move_use = MoveUse(ident.side, user, move)
        if not self.tracker.is_other(ident) or message.tags.get("from"):
            return
        field_now = self.tracker.other.field
        facts = find_move(move)
        if field_now.is_dynamaxed or move == "struggle" or not facts.id:
            return
        if facts.is_status:
            self.exclude_items(user, "assaultvest")
        if len(set(field_now.moves_used)) > 1:
            self.exclude_items(user, *CHOICE_ITEMS)

    def settle_move(self) -> None:
        use, self.move_use = self.move_use, None
        tracker = self.tracker
        if use is None or tracker.side is None:
            return
        facts = find_move(use.move)
        if use.side != tracker.side:
            if use.has_damaged and not use.user.is_fainted and "lifeorb" not in use.shown and not facts.is_status:
                self.exclude_items(use.user, "lifeorb", unless=("sheerforce", "magicguard"))
            return
        foe = tracker.other.pokemon
        if not use.has_damaged or foe is None:
            return
        if foe.evidence is not None:
            foe.evidence.is_itself()  # an Illusion would be over
        if foe.is_fainted:
            return
        if use.is_super_effective and "weaknesspolicy" not in use.shown:
            self.exclude_items(foe, "weaknesspolicy")
        unhurt = use.user.ability in ("magicguard", "longreach") or use.user.item == "protectivepads"
        if facts.is_contact and not unhurt and not use.user.is_fainted and "rockyhelmet" not in use.shown:
            self.exclude_items(foe, "rockyhelmet")

    # Lines in between.

    def watch(self, message: Message) -> None:
        ident, (kind, cause) = message.ident, message.source
        tracker = self.tracker
        if self.switch_in is not None:
            self.watch_switch_in(self.switch_in, message)
        if self.turn_end is not None and kind == "item" and tracker.find(ident) is self.turn_end.pokemon:
            self.turn_end.has_healed |= cause in ("leftovers", "blacksludge")
        if self.turn_end is not None and self.turn_end.pokemon.is_full:
            self.turn_end.was_full = True
        if ident is not None and tracker.is_other(ident):
            self.note_harm(message)
        use = self.move_use
        if use is None:
            return
        if cause:
            use.shown.add(cause)
        if message.kind == "-enditem":
            use.shown.add(to_id(message.arg(1)))
        if ident is not None and ident.side != use.side:
            if message.kind == "-damage" and not cause:
                use.has_damaged = True
            elif message.kind == "-supereffective":
                use.is_super_effective = True

    def watch_switch_in(self, seen: SwitchIn, message: Message) -> None:
        kind, cause = message.source
        if message.kind == "-damage" and cause == "stealthrock" and self.tracker.is_other(message.ident):
            seen.shown.add("rocks")
        if kind == "ability":
            seen.shown.add(cause)
        if message.kind == "-ability":
            seen.shown.add(to_id(message.arg(1)))
        for text in message.args[1:]:
            what, name = parse_effect(text)
            if what == "ability":
                seen.shown.add(name)

    def note_harm(self, message: Message) -> None:
        """Hazards that hurt it say that it wears no boots."""
        kind, cause = message.source
        pokemon = self.tracker.find(message.ident)
        if (message.kind == "-damage" and cause in ("stealthrock", "spikes") and not kind) or (
            message.kind == "-activate" and parse_effect(message.arg(1))[1] == "stickyweb"
        ):
            self.exclude_items(pokemon, "heavydutyboots")

    # The end of a turn.

    def begin_turn_end(self) -> None:
        pokemon = self.tracker.other.pokemon
        self.turn_end = None
        if pokemon is not None and not pokemon.is_fainted:
            self.turn_end = TurnEnd(pokemon, pokemon.is_full, bool(pokemon.status))

    def settle_turn_end(self) -> None:
        end, self.turn_end = self.turn_end, None
        tracker = self.tracker
        if end is None or end.pokemon.is_fainted or end.pokemon is not tracker.other.pokemon:
            return
        if not end.was_full and not end.has_healed:
            self.exclude_items(end.pokemon, "leftovers", "blacksludge")
        if not end.had_status and not end.pokemon.status and self.can_be_poisoned():
            self.exclude_items(end.pokemon, "flameorb", "toxicorb")

    def can_be_poisoned(self) -> bool:
        return self.tracker.terrain.get("id") != "mistyterrain" and "safeguard" not in self.tracker.other.conditions

    def settle_berries(self) -> None:
        """Before a new turn all berries were eaten that could be."""
        tracker = self.tracker
        pokemon, own = tracker.other.pokemon, tracker.own.pokemon
        if pokemon is None or pokemon.is_fainted or own is None or own.ability in UNNERVING:
            return
        if 2 * pokemon.hp <= pokemon.max_hp:
            self.exclude_items(pokemon, "sitrusberry", *GLUTTON_BERRIES)
        if 4 * pokemon.hp <= pokemon.max_hp:
            self.exclude_items(pokemon, "salacberry")
        if pokemon.status:
            self.exclude_items(pokemon, "lumberry")
        if pokemon.status == "slp":
            self.exclude_items(pokemon, "chestoberry")
