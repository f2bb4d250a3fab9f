"""Deductions from the damage of a hit: sets that would have dealt or taken another amount are excluded.

A hit is judged only where everything else that bears on it is known. The sixteen rolls that the rules allow are worked
out for each set, with a margin for what a percent hides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._core import PokemonBattle
from tengen.games.pokemon.facts import find_move, has_species
from tengen.games.pokemon.position import Position, position, put_set
from tengen.games.pokemon.protocol import Condition, Message, parse_condition, to_id
from tengen.games.pokemon.tracked import TrackedPokemon, TrackedSide

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker

# Moves whose power hangs on what happened before, on speeds or hit points that nobody knows, or on chance.
UNCERTAIN = frozenset(
    [
        "aurawheel",
        "avalanche",
        "boltbeak",
        "dragonenergy",
        "eruption",
        "fishiousrend",
        "fusionbolt",
        "fusionflare",
        "futuresight",
        "gyroball",
        "heatcrash",
        "heavyslam",
        "naturepower",
        "payback",
        "shellsidearm",
        "stompingtantrum",
        "struggle",
        "waterspout",
    ]
)
# With these the damage depends on earlier events, or the hit reaches another target.
UNCERTAIN_ABILITIES = frozenset(["analytic", "disguise", "iceface", "illusion"])
# Lines that show hit points, and which of their arguments does.
HEALTH = {"switch": 2, "drag": 2, "replace": 2, "-damage": 1, "-heal": 1, "-sethp": 1}
SHARE, POINTS = 0.02, 2.0  # how far beyond the rolls a hit may be: of itself, and in hit points


class DamageSeen:
    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self.user: int | None = None  # the side whose move's first hit is to come
        self.move = ""
        self.is_crit = False
        self.shown: dict[int, Condition] = {}  # by side: the active one's, as the last line about it had it

    def before(self, message: Message) -> None:
        """Ahead of what the line itself changes."""
        ident, kind = message.ident, message.kind
        self.watch(message)
        if ident is None or kind not in HEALTH:
            return
        condition = parse_condition(message.arg(HEALTH[kind]))
        if condition is None or not ident.is_active:
            self.shown.pop(ident.side, None)
        else:
            self.shown[ident.side] = condition

    def watch(self, message: Message) -> None:
        ident, kind = message.ident, message.kind
        if kind == "move":
            is_plain = ident is not None and not message.tags.get("from") and "spread" not in message.tags
            self.user = ident.side if is_plain and ident is not None else None
            self.move, self.is_crit = to_id(message.arg(1)), False
        elif not kind.startswith("-"):
            self.user = None
        elif self.user is not None and ident is not None and ident.side != self.user:
            if kind == "-crit":
                self.is_crit = True
            elif kind in ("-damage", "-activate", "-enditem", "-start"):
                user, self.user = self.user, None  # the first hit, or something came between
                if kind == "-damage" and message.source == ("", ""):
                    self.judge(user, parse_condition(message.arg(1)))

    def judge(self, user: int, after: Condition | None) -> None:
        tracker, target = self.tracker, self.shown.get(1 - user)
        foe = tracker.other.pokemon
        if foe is None or foe.evidence is None or target is None or after is None or not self.is_clear():
            return
        lost = target.hp - after.hp
        if lost <= 0 or (after.status != "fnt" and target.max_hp != after.max_hp):
            return
        # Fainting, a Focus Sash and Sturdy show the least that it was.
        is_capped = after.status == "fnt" or (target.hp == target.max_hp and after.hp <= 2)
        written, _ = position(tracker)
        self.put_own_hp(written)
        mask, known = 0, dict[tuple[object, ...], bool]()
        for i, one in enumerate(foe.evidence.sets.sets):
            what = (one.item, one.ability, *one.evs, *one.ivs, one.level)
            if what not in known:
                all_hp = put_set(written, tracker, foe, one)["stats"][0]
                is_open = one.ability in UNCERTAIN_ABILITIES
                known[what] = is_open or self.fits(PokemonBattle.read(written), user, lost, all_hp, is_capped)
            mask |= known[what] << i
        # A Zoroark may be as strong as it likes.
        foe.evidence.restrict(mask, -1)

    def put_own_hp(self, written: Position) -> None:
        """Give the own active Pokémon the hit points that lines show: a request may have brought those of the turn's
        end already, at which it may have fainted."""
        own = written["sides"][self.tracker.side or 0]
        condition = self.shown.get(self.tracker.side or 0)
        if condition is not None:
            active = own["team"][own["active"]]
            active["hp"] = max(1, min(condition.hp, active["stats"][0]))
            active["active"] = True
            active.pop("fainted", None)
            own.pop("left")

    def is_clear(self) -> bool:
        """Nothing hidden but the other side's set bears on this hit."""
        facts = find_move(self.move)
        if not facts.id or facts.is_max or facts.power == 0 or facts.hits[1] > 1 or self.move in UNCERTAIN:
            return False
        own = self.tracker.own
        # Only the next request shows if it is the own Zoroark that came in under another name.
        may_be_disguised = any(one.ability == "illusion" and not one.is_fainted for one in own.team.values())
        if may_be_disguised and own.field.newly_switched:
            return False
        return all(is_plain(side) for side in self.tracker.sides)

    def fits(self, battle: PokemonBattle, user: int, lost: int, all_hp: int, is_capped: bool) -> bool:
        """`lost`: in hit points of the own side, in percent of the other, where `all_hp` are its hit points."""
        rolls = battle.damage(user, self.move, crit=self.is_crit)
        if rolls[-1] == 0:
            return True  # these rules see no hit at all: something is not known
        least, most = rolls[0] * (1 - SHARE) - POINTS, rolls[-1] * (1 + SHARE) + POINTS
        if user != self.tracker.side:
            return lost <= most and (is_capped or lost >= least)
        # Percents are rounded up.
        low, high = (lost - 1) * all_hp / 100, (lost + 1) * all_hp / 100
        return low <= most and (is_capped or high >= least)


def is_plain(side: TrackedSide) -> bool:
    """As it is in its team: of its own forme, neither grown nor a copy."""
    pokemon: TrackedPokemon | None = side.pokemon
    if pokemon is None or side.alias or not has_species(pokemon.forme):
        return False
    if pokemon.ability in UNCERTAIN_ABILITIES and pokemon.evidence is None:
        return False
    if side.field.transformed_into or side.field.is_dynamaxed or "substitute" in side.field.volatiles:
        return False
    return pokemon.shown in (pokemon.forme, "")
