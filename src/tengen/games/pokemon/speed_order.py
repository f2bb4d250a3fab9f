"""Who moved first: sets that would have been too slow, or too fast, are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.pokemon.facts import find_move
from tengen.games.pokemon.position import stats_of
from tengen.games.pokemon.protocol import Message, to_id
from tengen.games.pokemon.tracked import TrackedPokemon, TrackedSide

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

# With these a move may come earlier or later than its own priority says.
REORDERING = frozenset(["prankster", "galewings", "triage", "quickdraw", "stall", "myceliummight"])
DOUBLED_IN = {
    "swiftswim": ("raindance", "primordialsea"),
    "chlorophyll": ("sunnyday", "desolateland"),
    "sandrush": ("sandstorm",),
    "slushrush": ("hail",),
    "surgesurfer": ("electricterrain",),
}
# Speeds are rounded more than once.
SLACK = 2.0
STAGES = {0: 1.0, **{n: (2 + n) / 2 for n in range(1, 7)}, **{-n: 2 / (2 + n) for n in range(1, 7)}}


class SpeedOrder:
    """Looks at turns in which both sides used a move of equal priority."""

    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self.first: tuple[int, int, dict[int, float], tuple[str, str]] | None = None  # side, priority, speeds, who
        self.is_spoiled = False

    def before(self, message: Message) -> None:
        if message.kind == "turn":
            self.first, self.is_spoiled = None, False
        elif message.kind in ("cant", "drag", "replace", "-transform", "detailschange", "-formechange") or (
            message.kind in ("-enditem", "-activate") and "custap" in message.arg(1).lower()
        ):
            self.is_spoiled = True
        elif message.kind == "move" and not self.is_spoiled and self.tracker.side is not None:
            self.on_move(message)

    def on_move(self, message: Message) -> None:
        ident, tracker = message.ident, self.tracker
        if ident is None or message.tags.get("from") or tracker.turn == 0:
            self.is_spoiled = True
            return
        move = to_id(message.arg(1))
        facts = find_move(move)
        own = tracker.own.pokemon
        if not facts.id or own is None or own.ability in REORDERING or move == "grassyglide":
            self.is_spoiled = True
            return
        who = (tracker.sides[0].active, tracker.sides[1].active)
        if self.first is None:
            self.first = (ident.side, facts.priority, self.speeds(), who)
            return
        side, priority, speeds, then = self.first
        self.is_spoiled = True  # two moves say it all
        if side == ident.side or priority != facts.priority or then != who or not speeds:
            return
        self.exclude(tracker.other.pokemon, speeds, own_was_first=side == tracker.side)

    def exclude(self, pokemon: TrackedPokemon | None, speeds: dict[int, float], own_was_first: bool) -> None:
        """`speeds`: of the other side's sets by number, own speed at -1."""
        if pokemon is None or pokemon.evidence is None:
            return
        own, sign = speeds[-1], -1 if "trickroom" in self.tracker.pseudo_weather else 1
        mask = 0
        for i, one in enumerate(pokemon.evidence.sets.sets):
            lead = sign * (speeds[i] - own)
            if one.ability in REORDERING or (lead <= SLACK if own_was_first else lead >= -SLACK):
                mask |= 1 << i
        # A Zoroark may be as fast as it likes.
        pokemon.evidence.restrict(mask, -1)

    def speeds(self) -> dict[int, float]:
        """As the turn's first move is made; empty where it cannot be told."""
        tracker = self.tracker
        own, other = tracker.own.pokemon, tracker.other.pokemon
        if own is None or other is None or other.evidence is None or "spe" not in own.stats:
            return {}
        if any(side.field.transformed_into or "slowstart" in side.field.volatiles for side in tracker.sides):
            return {}
        if own.ability == "unburden" and not own.item:
            return {}
        if other.shown not in (other.forme, "") or any(one.ability in ("cloudnine", "airlock") for one in (own, other)):
            return {}
        if not other.item_is_own and not other.item and "unburden" in {one.ability for one in other.evidence.sets.sets}:
            return {}
        speeds = {-1: self.modified(own.stats["spe"], tracker.own, own.ability or "", own.item or "")}
        for i, one in enumerate(other.evidence.sets.sets):
            item = one.item if other.item_is_own else other.item or ""
            ability = one.ability if other.ability_is_own else other.ability or ""
            speeds[i] = self.modified(stats_of(one)[5], tracker.other, ability, item)
        return speeds

    def modified(self, stat: int, side: TrackedSide, ability: str, item: str) -> float:
        tracker, pokemon = self.tracker, side.pokemon
        speed = stat * STAGES[side.field.boost("spe")]
        conditions = {tracker.weather.get("id", ""), tracker.terrain.get("id", "")}
        if conditions & set(DOUBLED_IN.get(ability, ())):
            speed *= 2
        if item == "choicescarf" and not side.field.is_dynamaxed:
            speed *= 1.5
        if "tailwind" in side.conditions:
            speed *= 2
        if pokemon is not None and pokemon.status:
            if ability == "quickfeet":
                speed *= 1.5
            elif pokemon.status == "par":
                speed *= 0.5
        return speed
