"""Openings: the positions in which the games of a match start."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.arena.seeds import derive
from tengen.search import search

if TYPE_CHECKING:
    from tengen.games import Game, State

__all__ = ["OpeningBook", "Openings", "Standing", "default_openings", "settle"]

_TRIES = 48
# After so many tries openings also grow longer than asked for: the short ones may be used up.
_PATIENCE = 16
_JOINT_TRIES = 8


@dataclass(frozen=True)
class Openings:
    """How the openings of a match are drawn: random actions, the same for both games of a pair.

    No two pairs begin in the same position as long as there are others. Where `plies` is (0, 0), games vary by their
    deals, by chance and by their players' seeds only.
    """

    plies: tuple[int, int] = (0, 4)
    """Smallest and largest number of random decisions; openings become longer when the short ones are used up."""
    fair_within: float | None = None
    """Openings that a quick search values above this share of a full win for a player are drawn again."""
    judge_visits: int = 200
    """Visits of that search, which uses random games."""
    start: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Options of the game's start beyond the seed, the same for every game: {"gold": 100_000}."""

    def __post_init__(self) -> None:
        try:
            # Converted as by JSON, so that openings which were saved and read again are equal.
            object.__setattr__(self, "start", json.loads(json.dumps(dict(self.start), allow_nan=False)))
        except (TypeError, ValueError) as error:
            raise ValueError(f"openings: start is {self.start!r} and must hold plain values: {error}") from None
        shortest, longest = self.plies
        if not 0 <= shortest <= longest:
            raise ValueError(f"openings: plies is {self.plies} and must be two numbers, 0 or more, the smaller first")
        if self.fair_within is not None and not 0 < self.fair_within <= 1:
            raise ValueError(f"openings: fair_within is {self.fair_within} and must be above 0 and at most 1")
        if self.judge_visits < 2:
            raise ValueError(f"openings: judge_visits is {self.judge_visits} and must be at least 2")


@dataclass(frozen=True)
class Standing:
    """A position of a game, and the number of its outcomes of chance so far."""

    state: State
    drawn: int = 0


def default_openings(game: Game, start: Mapping[str, Any] | None = None) -> Openings:
    """Return random actions if nothing else makes games differ.

    Dealt cards, dice and mixed strategies do, and with them a random opening would only add noise to the payoffs.
    """
    if game.hidden or game.chance or game.simultaneous:
        return Openings(plies=(0, 0), start=start or {})
    return Openings(start=start or {})


def chance_seed(seed: int, drawn: int) -> int:
    """Return the seed of an outcome of chance in a game of a match, after so many outcomes."""
    return derive(seed, "chance", drawn)


def settle(standing: Standing, seed: int) -> Standing:
    """Let chance act until a player is to decide or the game is over.

    An outcome depends on the number of those before it, so that the dice fall alike in both games of a pair.
    """
    state, drawn = standing.state, standing.drawn
    while state.actor == "chance":
        state = state.play(state.outcome(chance_seed(seed, drawn)))
        drawn += 1
    return Standing(state, drawn)


class OpeningBook:
    """The openings of one match by pair. Each depends on those before it, which are drawn on the way."""

    def __init__(self, game: Game, openings: Openings, seed: int) -> None:
        self.game = game
        self._openings = openings
        self._seed = seed
        self._drawn: list[Standing] = []
        self._known: set[int] = set()

    def __getitem__(self, pair: int) -> Standing:
        while len(self._drawn) <= pair:
            self._drawn.append(self._draw(len(self._drawn)))
        return self._drawn[pair]

    def seed_of(self, pair: int) -> int:
        """Return the seed of a pair's deal and dice."""
        return derive(self._seed, pair)

    def deal(self, pair: int) -> State:
        """Return the state in which a pair starts, before its opening."""
        return self.game.start(self.seed_of(pair), **self._openings.start)

    def _draw(self, pair: int) -> Standing:
        seed = self.seed_of(pair)
        start = found = settle(Standing(self.deal(pair)), seed)
        shortest, longest = self._openings.plies
        if longest == 0:
            return start
        for attempt in range(_TRIES):
            rng = random.Random(derive(seed, "opening", attempt))
            plies = rng.randint(shortest, longest) + max(0, attempt - _PATIENCE)
            found = start
            for _ in range(plies):
                found = _random_ply(found, seed, rng)
            key = found.state.key
            if key not in self._known and self._is_fair(found.state, seed):
                self._known.add(key)
                break
        return found

    def _is_fair(self, state: State, seed: int) -> bool:
        limit = self._openings.fair_within
        if limit is None or state.is_over:
            return True
        viewer = 0 if state.actor == "all" else None
        result = search(state, evaluator="rollout", visits=self._openings.judge_visits, viewer=viewer, seed=seed)
        return max(map(abs, result.values)) <= limit * self.game.payoff_scale


def _random_ply(standing: Standing, seed: int, rng: random.Random) -> Standing:
    """A random action that does not end the game; none where all do."""
    state = standing.state
    if state.is_over:
        return standing
    choices: list[int] | list[tuple[int, ...]]
    if state.actor == "all":
        legal = [state.legal(player) for player in range(state.game.players)]
        choices = [tuple(rng.choice(own) for own in legal) for _ in range(_JOINT_TRIES)]
    else:
        choices = state.legal()
        rng.shuffle(choices)
    for choice in choices:
        after = settle(Standing(state.play(choice), standing.drawn), seed)
        if not after.state.is_over:
            return after
    return standing
