"""Deciders that do not look ahead: at random, the strongest move, a matchup by the damage formula."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from tengen.games.pokemon.facts import find_move
from tengen.games.pokemon.requests import DYNAMAX, MOVE, move_name
from tengen.protocols.showdown.deciding import (
    Considered,
    Decider,
    DeciderReader,
    Decision,
    Situation,
    register_decider,
)
from tengen.protocols.showdown.estimates import Fighter, damage, expected_hits, fighter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games.pokemon.facts import PokemonMove
    from tengen.games.pokemon.tracked import TrackedPokemon
    from tengen.games.pokemon.tracker import Tracker

__all__ = ["MatchupDecider", "MaxPowerDecider", "RandomDecider", "move_of"]

_MEAN_ROLL: Final = 0.925
_HAZARDS: Final = frozenset(["stealthrock", "spikes", "toxicspikes", "stickyweb"])
_SETUP: Final = {
    "swordsdance": ("atk",),
    "dragondance": ("atk", "spe"),
    "nastyplot": ("spa",),
    "calmmind": ("spa", "spd"),
    "quiverdance": ("spa", "spd", "spe"),
    "bulkup": ("atk", "def"),
    "shellsmash": ("atk", "spa", "spe"),
    "shiftgear": ("atk", "spe"),
    "agility": ("spe",),
    "rockpolish": ("spe",),
    "irondefense": ("def",),
    "curse": ("atk", "def"),
    "coil": ("atk", "def"),
    "honeclaws": ("atk",),
    "growth": ("atk", "spa"),
    "workup": ("atk", "spa"),
}
_RECOVERY: Final = frozenset(
    [
        "recover",
        "roost",
        "softboiled",
        "slackoff",
        "synthesis",
        "moonlight",
        "morningsun",
        "shoreup",
        "milkdrink",
        "wish",
    ]
)
_AILMENTS: Final = frozenset(
    ["toxic", "willowisp", "thunderwave", "spore", "sleeppowder", "glare", "stunspore", "yawn"]
)


def move_of(tracker: Tracker, action: int) -> PokemonMove | None:
    """The base move behind an action; None for a switch, and for what is no move of the tables, such as recharging."""
    if action < MOVE:
        return None
    name = move_name(tracker, (action - MOVE) % (DYNAMAX - MOVE))
    return find_move(name) if find_move(name).id else None


def own_of(tracker: Tracker, action: int) -> TrackedPokemon | None:
    """Return the Pokémon that a switch brings in."""
    team = list(tracker.own.team.values())
    return team[action] if action < min(MOVE, len(team)) else None


class RandomDecider(Decider):
    """Every action alike."""

    name = "random"

    def decide(self, situation: Situation) -> Decision:
        return Decision(random.Random(situation.seed).choice(situation.actions))


class MaxPowerDecider(Decider):
    """The move of the highest base power, never Dynamax; a switch at random where there is no move."""

    name = "max-power"

    def decide(self, situation: Situation) -> Decision:
        moves = [action for action in situation.actions if MOVE <= action < DYNAMAX]
        if not moves:
            return Decision(random.Random(situation.seed).choice(situation.actions))
        return Decision(max(moves, key=lambda action: _power(move_of(situation.tracker, action))))


def _power(move: PokemonMove | None) -> float:
    return 0.0 if move is None else float(move.power)


class MatchupDecider(Decider):
    """Compares what each side can do to the other in a turn; no tree, no drawn teams."""

    name = "matchup"

    def decide(self, situation: Situation) -> Decision:
        scores = {action: self._score(situation.tracker, action) for action in situation.actions}
        best = max(scores.values())
        rng = random.Random(situation.seed)
        action = rng.choice([one for one, score in scores.items() if score >= best - 1e-9])
        return Decision(action, considered=_shares(scores, action))

    def _score(self, tracker: Tracker, action: int) -> float:
        foe, foe_field = tracker.other.pokemon, tracker.other.field
        if foe is None:
            return 0.0
        enemy = fighter(foe, foe_field)
        newcomer = own_of(tracker, action)
        if newcomer is not None:
            is_forced = bool(tracker.request.get("forceSwitch"))
            return self._matchup(newcomer, fighter(newcomer), foe, enemy) - (0.0 if is_forced else 0.45)
        own = tracker.own.pokemon
        move = move_of(tracker, action)
        if own is None or move is None:
            return 0.0
        me = fighter(own, tracker.own.field)
        stay = self._matchup(own, me, foe, enemy)
        return stay + self._worth(tracker, move, me, enemy, is_max=action >= DYNAMAX or tracker.own.field.is_dynamaxed)

    def _matchup(self, own: TrackedPokemon, me: Fighter, foe: TrackedPokemon, enemy: Fighter) -> float:
        """Return the damage that we deal in a turn minus what we take, as shares of the hit points left."""
        threat = max((_hit(enemy, me, find_move(move)) for move in foe.moves), default=0.0)
        # Assume that it has an attack of each of its own types.
        for kind in enemy.types:
            is_physical = enemy.stats["atk"] >= enemy.stats["spa"]
            threat = max(threat, _MEAN_ROLL * damage(enemy, me, kind, 80, is_physical=is_physical))
        reply = max((_hit(me, enemy, find_move(move)) for move in own.moves), default=0.0)
        speed = 0.15 if me.stat("spe") > enemy.stat("spe") else -0.15
        left, theirs = max(me.hp_fraction, 0.01), max(enemy.hp_fraction, 0.01)
        return min(1.0, reply / theirs) - min(1.0, threat / left) + speed

    def _worth(self, tracker: Tracker, move: PokemonMove, me: Fighter, enemy: Fighter, *, is_max: bool) -> float:
        if is_max:
            share = _max_hit(me, enemy, move)
            # Three turns of twice the HP are for somebody who can use them.
            begun = tracker.own.field.is_dynamaxed
            extra = 0.0 if begun else 0.1 * me.hp_fraction - (0.0 if enemy.hp_fraction > 0.6 else 0.4)
            return min(1.2, share / max(enemy.hp_fraction, 0.01)) + extra
        if not move.is_status:
            return min(1.0, _hit(me, enemy, move) / max(enemy.hp_fraction, 0.01)) + 0.02 * move.priority
        return self._status_worth(tracker, move.id, me, enemy)

    def _status_worth(self, tracker: Tracker, move: str, me: Fighter, enemy: Fighter) -> float:
        if move in _HAZARDS:
            is_laid = move in tracker.other.conditions
            return 0.0 if is_laid or _alive(tracker.other.team, 6) < 3 else 0.55
        if move in _SETUP:
            is_high = any(me.boosts.get(stat, 0) >= 2 for stat in _SETUP[move])
            return 0.0 if is_high or me.hp_fraction < 0.7 else 0.5
        if move in _RECOVERY:
            return 0.75 if me.hp_fraction < 0.45 else 0.0
        if move in _AILMENTS:
            foe = tracker.other.pokemon
            return 0.4 if foe is not None and not foe.status and enemy.hp_fraction > 0.4 else 0.0
        return 0.05


def _hit(attacker: Fighter, defender: Fighter, move: PokemonMove) -> float:
    """The expected share of max HP that a move takes."""
    if not move.id or move.is_status:
        return 0.0
    power = (move.power or 60) * expected_hits(move)
    chance = (move.accuracy or 100) / 100
    return _MEAN_ROLL * chance * damage(attacker, defender, move.type, power, is_physical=move.is_physical)


def _max_hit(attacker: Fighter, defender: Fighter, move: PokemonMove) -> float:
    if move.is_status:
        return 0.0
    return _MEAN_ROLL * damage(attacker, defender, move.type, move.max_power, is_physical=move.is_physical)


def _alive(team: Mapping[str, TrackedPokemon], size: int) -> int:
    return size - sum(pokemon.is_fainted for pokemon in team.values())


def _shares(scores: dict[int, float], chosen: int) -> tuple[Considered, ...]:
    ranked = sorted(scores, key=lambda action: -scores[action])
    return tuple(Considered(action, float(action == chosen)) for action in ranked)


def _read(kind: type[Decider]) -> DeciderReader:
    def read(spec: str) -> Decider:
        if spec != kind.name:
            raise ValueError(f"{spec!r} is no player of battles: {kind.name} takes no settings")
        return kind()

    return read


for _kind in (RandomDecider, MaxPowerDecider, MatchupDecider):
    register_decider(_kind.name, _read(_kind))
