"""`pokemon-seed`: a small tree search over a light battle state, kept as it was described, to be measured against.

Its forward model knows HP, types and stats, and one attack a turn by a guessed move of the opponent's first type. It
never Dynamaxes, chooses at random when it must replace, and passes `1 - result` to every parent although a node is a
whole turn: all of that is as in its description.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tengen.games.pokemon.requests import DYNAMAX, MOVE
from tengen.protocols.showdown.deciding import Considered, Decider, Decision, Situation, register_decider
from tengen.protocols.showdown.estimates import Fighter, damage, fighter
from tengen.protocols.showdown.simple_deciders import move_of

if TYPE_CHECKING:
    from tengen.games.pokemon.facts import PokemonMove
    from tengen.games.pokemon.tracked import TrackedSide

__all__ = ["BattleState", "SeedDecider", "read_seed_decider"]

ITERATIONS: Final = 100
_EXPLORATION: Final = 1.4
_MAX_ITERATIONS: Final = 1_000_000


@dataclass
class _Team:
    fighters: list[Fighter]
    """Without boosts: the state has none."""
    hp: list[float]
    active: int

    def clone(self) -> _Team:
        return _Team(self.fighters, list(self.hp), self.active)

    @property
    def alive(self) -> int:
        return sum(hp > 0 for hp in self.hp)


class BattleState:
    """Both teams as far as they are seen: shares of HP and who is on the field."""

    def __init__(self, own: _Team, other: _Team) -> None:
        self.own, self.other = own, other

    @classmethod
    def of(cls, own: TrackedSide, other: TrackedSide) -> BattleState:
        return cls(_team(own), _team(other))

    def clone(self) -> BattleState:
        return BattleState(self.own.clone(), self.other.clone())

    def apply_move(self, move: PokemonMove | None, rng: random.Random) -> None:
        if move is not None and not move.is_status:
            self._strike(self.own, self.other, move.type, move.power, move.is_physical, rng)

    def apply_switch(self, slot: int) -> None:
        self.own.active = slot

    def apply_opponent(self, rng: random.Random) -> None:
        """An attack of its first type, of a power from 50 to 80, physical or special at random."""
        kind = self.other.fighters[self.other.active].types[0]
        is_physical = rng.choice((True, False))
        self._strike(self.other, self.own, kind, rng.randint(50, 80), is_physical, rng)

    def _strike(self, by: _Team, at: _Team, kind: str, power: float, is_physical: bool, rng: random.Random) -> None:
        if by.hp[by.active] <= 0 or at.hp[at.active] <= 0:
            return
        share = damage(by.fighters[by.active], at.fighters[at.active], kind, power, is_physical=is_physical)
        at.hp[at.active] = max(0.0, at.hp[at.active] - share * rng.uniform(0.85, 1.0))

    def evaluate(self) -> float:
        """From 0 to 1: half of it who of the two on the field has more HP, then how many are left, then all HP."""
        own, other = self.own, self.other
        return (
            0.5 * _share(own.hp[own.active], other.hp[other.active])
            + 0.3 * _share(own.alive, other.alive)
            + 0.2 * _share(sum(own.hp), sum(other.hp))
        )

    @property
    def is_terminal(self) -> bool:
        return self.own.alive == 0 or self.other.alive == 0


def _team(side: TrackedSide) -> _Team:
    members = list(side.team.values())
    fighters = [replace(fighter(one), boosts={}) for one in members]
    active = next((i for i, one in enumerate(members) if one.name == side.active), 0)
    return _Team(fighters, [one.hp_fraction for one in fighters], active)


def _share(own: float, other: float) -> float:
    return own / (own + other) if own + other > 0 else 0.5


class _Node:
    def __init__(
        self, state: BattleState, actions: tuple[int, ...], parent: _Node | None = None, action: int = -1
    ) -> None:
        self.state = state
        self.actions = actions
        self.untried = list(actions)
        self.parent = parent
        self.action = action
        self.children: list[_Node] = []
        self.visits = 0
        self.wins = 0.0

    def best_child(self) -> _Node:
        def score(child: _Node) -> float:
            explore = _EXPLORATION * math.sqrt(math.log(self.visits) / child.visits)
            return child.wins / child.visits + explore

        return max(self.children, key=score)

    def expand(self, moves: dict[int, PokemonMove | None], rng: random.Random) -> _Node:
        action = self.untried.pop(rng.randrange(len(self.untried)))
        state = self.state.clone()
        if action < MOVE:
            state.apply_switch(action)
        else:
            state.apply_move(moves[action], rng)
        state.apply_opponent(rng)
        child = _Node(state, self.actions, self, action)
        self.children.append(child)
        return child

    def back_up(self, result: float) -> None:
        node: _Node | None = self
        while node is not None:
            node.visits += 1
            node.wins += result
            result, node = 1.0 - result, node.parent


class SeedDecider(Decider):
    def __init__(self, name: str, iterations: int) -> None:
        self.name = name
        self.iterations = iterations

    def decide(self, situation: Situation) -> Decision:
        rng = random.Random(situation.seed)
        tracker = situation.tracker
        actions = tuple(action for action in situation.actions if action < DYNAMAX)
        if not any(action >= MOVE for action in actions) or not tracker.other.team or not tracker.own.team:
            return Decision(rng.choice(actions or situation.actions))
        moves = {action: move_of(tracker, action) for action in actions}
        root = _Node(BattleState.of(tracker.own, tracker.other), actions)
        for _ in range(self.iterations):
            node = root
            while not node.state.is_terminal and not node.untried:
                node = node.best_child()
            if not node.state.is_terminal:
                node = node.expand(moves, rng)
            node.back_up(node.state.evaluate())
        if not root.children:
            return Decision(rng.choice(actions))
        ranked = sorted(root.children, key=lambda child: -child.wins / child.visits)
        considered = tuple(
            Considered(child.action, float(child is ranked[0]), child.wins / child.visits, child.visits)
            for child in ranked
        )
        return Decision(ranked[0].action, ranked[0].wins / ranked[0].visits, considered)


def read_seed_decider(spec: str) -> SeedDecider:
    _, colon, text = spec.partition(":")
    if not colon:
        return SeedDecider(spec, ITERATIONS)
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= _MAX_ITERATIONS):
        raise ValueError(f"{spec!r} is no player: pokemon-seed:ITERATIONS, such as pokemon-seed:{ITERATIONS}")
    return SeedDecider(spec, int(text))


register_decider("pokemon-seed", read_seed_decider)
