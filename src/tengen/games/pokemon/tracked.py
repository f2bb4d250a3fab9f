"""What a tracker knows of a battle: plain values, changed by its handlers."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from tengen.games.pokemon.facts import PokemonSet
from tengen.games.pokemon.set_masks import FormeSets, sets_of

BOOSTS = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")
# A mask that excludes nothing, of whatever forme.
EVERYTHING = -1


@dataclass
class Evidence:
    """Sets of a Pokémon of the other side that fit what was seen of it.

    `stay` holds the evidence since it came in: should it turn out to have been Zoroark, that is taken back. `past`
    holds earlier stays that may have been Zoroark's, `sure` the rest. Masks may be empty: no set fits, so it is
    somebody else, or the generator has learned a new set.
    """

    sets: FormeSets
    sure: int
    past: int = EVERYTHING
    stay: int = EVERYTHING
    # Zoroark's sets that fit this stay; 0 where it cannot be Zoroark.
    disguise: int = 0
    contradictions: int = 0

    @property
    def mask(self) -> int:
        return self.sure & self.past & self.stay

    def begin_stay(self, may_be_zoroark: bool) -> None:
        self.end_stay()
        zoroark = sets_of("zoroark")
        self.disguise = zoroark.all if may_be_zoroark and zoroark else 0

    def end_stay(self) -> None:
        if self.disguise:
            self.past &= self.stay
            self.stay, self.disguise = EVERYTHING, 0
        else:
            self.is_itself()

    def is_itself(self) -> None:
        """It is no Zoroark: what was seen of it in this stay is sure."""
        stay, self.stay, self.disguise = self.stay, EVERYTHING, 0
        self.keep(stay)

    def restrict(self, mask: int, of_zoroark: int = 0) -> None:
        """Only these sets fit; and these of Zoroark's, should it be that."""
        if not self.disguise:
            self.keep(mask)
            return
        self.disguise &= of_zoroark
        self.stay &= mask
        if not self.disguise:
            self.is_itself()

    def keep(self, mask: int) -> None:
        """What nothing fits any more was misread: it is counted, and believed no longer."""
        if self.sure & mask & self.sets.all:
            self.sure &= mask
        else:
            self.contradictions += 1


@dataclass
class TrackedMove:
    used: int = 0  # PP
    max_pp: int = 0


@dataclass
class TrackedPokemon:
    """One that was seen, or one of the own team. `item` and `ability` are None where nobody knows."""

    name: str
    forme: str  # as in the team
    level: int
    gender: str
    hp: int = 100
    max_hp: int = 100  # 100 for the other side's: percent
    status: str = ""
    status_turns: int = 0  # sleep: tries to move; bad poison: stages
    status_by_rest: bool = False
    is_fainted: bool = False
    shown: str = ""  # its present forme
    moves: dict[str, TrackedMove] = dataclasses.field(default_factory=dict)
    item: str | None = None
    item_is_own: bool = True  # it has never lost or been given an item
    lost_item: str = ""
    ability: str | None = None
    ability_is_own: bool = True
    base_ability: str | None = None
    evidence: Evidence | None = None
    stats: dict[str, int] = dataclasses.field(default_factory=dict)  # of the own side: as in the request
    gigantamax: bool | None = None
    own_set: PokemonSet | None = None  # of the own side
    max_moves: dict[str, int] = dataclasses.field(default_factory=dict)  # PP of unknown base moves, by type

    @property
    def is_full(self) -> bool:
        return self.hp == self.max_hp


@dataclass
class TrackedField:
    """What holds for a Pokémon while it is on the field."""

    boosts: dict[str, int] = dataclasses.field(default_factory=dict)
    volatiles: dict[str, dict[str, object]] = dataclasses.field(default_factory=dict)
    types: tuple[str, ...] = ()
    added_type: str = ""
    moves_used: list[str] = dataclasses.field(default_factory=list)  # since it came in, Max Moves not counted
    transformed_into: str = ""
    copied_moves: dict[str, TrackedMove] = dataclasses.field(default_factory=dict)
    turns: int = 0
    move_actions: int = 0  # moves tried
    has_acted: bool = False  # this turn
    protects: int = 0  # Protect and the like in a row that worked
    protected_at: int = -1  # the end of turn after the last of them
    last_move: str = ""
    last_base_move: str = ""
    since_start: bool = False
    newly_switched: bool = True

    def boost(self, stat: str) -> int:
        return self.boosts.get(stat, 0)

    @property
    def is_dynamaxed(self) -> bool:
        return "dynamax" in self.volatiles


SCREENS = ("auroraveil", "lightscreen", "reflect")
SCREEN_TURNS, LONG_SCREEN_TURNS = 5, 8  # without Light Clay, and with it


@dataclass
class TrackedCondition:
    """Of a side: hazards, screens, fields of G-Max Moves."""

    layers: int
    upkeep: int  # ends of turn before it began
    length: int = SCREEN_TURNS  # of screens


@dataclass
class TrackedSide:
    team: dict[str, TrackedPokemon] = dataclasses.field(default_factory=dict)  # by name, in the order they were seen
    active: str = ""
    field: TrackedField = dataclasses.field(default_factory=TrackedField)
    conditions: dict[str, TrackedCondition] = dataclasses.field(default_factory=dict)
    slot_conditions: dict[str, dict[str, object]] = dataclasses.field(default_factory=dict)
    dynamax_used: bool = False
    size: int = 6
    lead: str = ""
    alias: str = ""  # own side: whom the active one looks like, if that is another
    order: list[str] = dataclasses.field(default_factory=list)  # own side: party order by name

    @property
    def pokemon(self) -> TrackedPokemon | None:
        return self.team.get(self.active)
