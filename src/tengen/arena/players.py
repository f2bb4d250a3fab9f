"""Who plays: by search, by an evaluator's policy alone, or at random."""

from __future__ import annotations

import importlib
import importlib.util
import json
import random
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tengen.arena.opinions import find_judge, opinions
from tengen.games import TrialSettings
from tengen.search import Pool, default_settings
from tengen.selfplay.trials import SOFTNESS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tengen.evaluators import AnyEvaluator, Evaluator
    from tengen.games import BuiltinPlayer, Game, State
    from tengen.search import SearchSettings

__all__ = [
    "Choice",
    "FlatPlayer",
    "GamePlayer",
    "Player",
    "PolicyPlayer",
    "RandomPlayer",
    "SearchPlayer",
    "find_player",
]

T = TypeVar("T")

# Bounds the memory of many roots with many visits: a visit takes some 100 to 200 bytes.
_VISITS_AT_ONCE = 2_000_000
_MOST_TEMPERATURE = 1e6
_LEAST_SHARE = 1e-8
_CORE_EVALUATORS = ("rollout", "uniform", "heuristic")


@dataclass(frozen=True)
class Choice:
    """An action, and what its player thought of the position."""

    action: int
    policy: dict[int, float]
    """What share each action has in the player's strategy."""
    values: tuple[float, ...] | None = None
    """What it promised each player, in the game's unit; None: nothing."""
    visits: int = 0


class Player(ABC):
    """Chooses actions. A choice depends on what its seat sees of the state, and on the seed, and on nothing else."""

    def __init__(self, name: str) -> None:
        if not name:
            raise ValueError("a player needs a name")
        self.name = name

    def check(self, game: Game) -> None:
        """Raises a ValueError if this player can't play the game."""

    @abstractmethod
    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        """One action for each state, of the seat named with it. All states are of one game and come together so that
        an evaluator sees full batches."""

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[Choice]:
        """The same choices, with what was thought of them; by default nothing but the action."""
        return [Choice(action, {action: 1.0}) for action in self.choose(states, seats, seeds)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class RandomPlayer(Player):
    """Every legal action alike."""

    def __init__(self, name: str = "random") -> None:
        super().__init__(name)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        return [
            random.Random(seed).choice(state.legal(seat))
            for state, seat, seed in zip(states, seats, seeds, strict=True)
        ]


class SearchPlayer(Player):
    """Searches every position anew, many of them together."""

    def __init__(
        self,
        name: str,
        evaluator: AnyEvaluator = "rollout",
        settings: SearchSettings | None = None,
        temperature: float = 0.0,
        threads: int = 1,
    ) -> None:
        """At `temperature` 0 the best action is played, else one drawn from the search's policy sharpened by it. Where
        all act at once, the search's mixed strategy is drawn from as it is: who can be foretold loses there.

        To be sent to another process, the evaluator must be picklable: a name or a path is.
        """
        super().__init__(name)
        self.evaluator = evaluator
        self.settings = settings or default_settings(evaluator)
        self.temperature = temperature
        self.threads = threads
        self._pool: Pool | None = None
        if self.settings.visits < 2:
            raise ValueError(f"{name}: a search of one visit has no move to choose: use at least 2 visits")
        _check_temperature(name, temperature)

    def check(self, game: Game) -> None:
        self._pool_for(game)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        return self._search(states, seats, seeds, self._action)

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[Choice]:
        return self._search(states, seats, seeds, self._choice)

    def _search(
        self,
        states: Sequence[State],
        seats: Sequence[int],
        seeds: Sequence[int],
        read: Callable[[Pool, int, State, int], T],
    ) -> list[T]:
        found: list[T] = []
        at_once = max(self.threads, _VISITS_AT_ONCE // self.settings.visits)
        for begin in range(0, len(states), at_once):
            part = slice(begin, begin + at_once)
            pool = self._pool_for(states[begin].game)
            asked = list(zip(states[part], seats[part], seeds[part], strict=True))
            roots = [pool.add(state, viewer=seat, seed=seed) for state, seat, seed in asked]
            try:
                pool.run()
                found += [read(pool, root, state, seat) for root, (state, seat, _) in zip(roots, asked, strict=True)]
            finally:
                for root in roots:
                    pool.remove(root)
        return found

    def _action(self, pool: Pool, root: int, state: State, seat: int) -> int:
        return pool.choose(root, player=seat, temperature=1.0 if state.actor == "all" else self.temperature)

    def _choice(self, pool: Pool, root: int, state: State, seat: int) -> Choice:
        report = pool.report(root)
        policy = {move.action: move.policy for move in report.moves if move.player == seat and move.policy > 0}
        return Choice(self._action(pool, root, state, seat), policy, tuple(report.values), report.visits)

    def _pool_for(self, game: Game) -> Pool:
        if self._pool is None or self._pool.game != game:
            self._pool = Pool(game, self.settings, self.evaluator, threads=self.threads)
        return self._pool

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}


class PolicyPlayer(Player):
    """Plays an evaluator's policy without a search."""

    def __init__(self, name: str, evaluator: AnyEvaluator, temperature: float = 0.0) -> None:
        """At `temperature` 0 the likeliest action is played. Where all act at once, the policy is drawn from as it
        is."""
        super().__init__(name)
        self.evaluator = evaluator
        self.temperature = temperature
        self._judge = _Judge(evaluator)
        _check_temperature(name, temperature)

    def check(self, game: Game) -> None:
        self._judge.of(game)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        return [choice.action for choice in self.consider(states, seats, seeds)]

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[Choice]:
        if not states:
            return []
        game = states[0].game
        policies, values = opinions(game, self._judge.of(game), states, seats, seeds)
        choices = []
        for state, policy, worth, seed in zip(states, policies, values, seeds, strict=True):
            temperature = 1.0 if state.actor == "all" else self.temperature
            if temperature == 0:
                action = int(policy.argmax())
            else:
                weights = (policy / policy.max()) ** (1 / temperature)
                action = int(np.random.default_rng(seed).choice(len(policy), p=weights / weights.sum()))
            shares = {int(i): float(policy[i]) for i in np.flatnonzero(policy)}
            choices.append(Choice(action, shares, tuple(map(float, worth)), 1))
        return choices


class FlatPlayer(Player):
    """Tries every action in as many redealt worlds (perfect-information Monte Carlo) and plays the best.

    With a `lead`, an evaluator's policy speaks first: it is read as payoffs, by the softness with which games of trials
    teach them. What the other settings mean is told at Game.try_actions().
    """

    def __init__(
        self,
        name: str,
        worlds: int,
        *,
        rollout_policy: str | None = None,
        halving: bool = False,
        caution: float = 0.0,
        lead: AnyEvaluator | None = None,
    ) -> None:
        super().__init__(name)
        try:
            TrialSettings(worlds, caution=caution)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
        self.worlds = worlds
        self.rollout_policy = rollout_policy
        self.halving = halving
        self.caution = caution
        self._judge = None if lead is None else _Judge(lead)

    def check(self, game: Game) -> None:
        if self.rollout_policy is not None and self.rollout_policy not in game.rollout_policies:
            raise ValueError(f"the game has no rollout policy called {self.rollout_policy!r}")
        if self._judge is not None:
            self._judge.of(game)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        chosen = []
        leads = self._leads(states, seats, seeds)
        for state, seat, seed, lead in zip(states, seats, seeds, leads, strict=True):
            legal = state.legal(seat if state.actor == "all" else None)
            heads = [float(lead[action]) for action in legal]
            chosen.append(legal[0] if len(legal) == 1 else self._choose(state, seat, seed, heads))
        return chosen

    def _choose(self, state: State, seat: int, seed: int, lead: Sequence[float]) -> int:
        trials = state.game.try_actions(
            state,
            seat,
            self.worlds,
            seed,
            rollout_policy=self.rollout_policy,
            halving=self.halving,
            caution=self.caution,
            lead=lead,
        )
        values = [trial.mean - self.caution * trial.risk + head for trial, head in zip(trials, lead, strict=True)]
        return trials[int(np.argmax(values))].action

    def _leads(
        self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]
    ) -> Sequence[NDArray[np.float64]]:
        """For each state a number by action, in the game's unit."""
        if not states:
            return []
        game = states[0].game
        if self._judge is None:
            return [np.zeros(game.action_count)] * len(states)
        policies, _ = opinions(game, self._judge.of(game), states, seats, seeds)
        return [SOFTNESS * game.payoff_scale * np.log(np.maximum(policy, _LEAST_SHARE)) for policy in policies]


class _Judge:
    """An evaluator with a policy of its own, opened once for a game and anew in another process."""

    def __init__(self, evaluator: AnyEvaluator) -> None:
        self._evaluator = evaluator
        self._found: tuple[Game, Evaluator] | None = None

    def of(self, game: Game) -> Evaluator:
        if self._found is None or self._found[0] != game:
            self._found = (game, find_judge(self._evaluator, game))
        return self._found[1]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_found": None}


class GamePlayer(Player):
    """A player that the game itself brings."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.text = name
        """What the game knows it by, however it is called here."""
        self._builtin_player: tuple[Game, BuiltinPlayer] | None = None

    def check(self, game: Game) -> None:
        self._builtin_player_for(game)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        return [
            self._builtin_player_for(state.game)(state, seat, seed)
            for state, seat, seed in zip(states, seats, seeds, strict=True)
        ]

    def _builtin_player_for(self, game: Game) -> BuiltinPlayer:
        if self._builtin_player is None or self._builtin_player[0] != game:
            builtin_player = find_builtin_player(self.text, game)
            if builtin_player is None:
                raise ValueError(f"{game.id} brings no player of that name")
            self._builtin_player = (game, builtin_player)
        return self._builtin_player[1]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_builtin_player": None}


def _check_temperature(name: str, temperature: float) -> None:
    if not (isinstance(temperature, int | float) and 0 <= temperature <= _MOST_TEMPERATURE):
        raise ValueError(f"{name}: temperature is {temperature} and must be from 0 to {_MOST_TEMPERATURE:g}")


def find_builtin_player(name: str, game: Game) -> BuiltinPlayer | None:
    """A player that the game itself brings, or its laboratory, which is found by the game's id."""
    own = game.builtin_player(name)
    lab = f"tengen.labs.{game.id}"
    if own is not None or not game.id.isidentifier() or importlib.util.find_spec(lab) is None:
        return own
    found: BuiltinPlayer | None = importlib.import_module(lab).find_builtin_player(name, game)
    return found


def find_player(spec: str | Player, game: Game, *, threads: int = 1) -> Player:
    """A player for the game, itself or from a text:

    - `random`
    - `rollout:1000`, `uniform:400`, `heuristic:400`: a search of that many visits with uniform priors, where positions
      are judged by a random game, not at all, or by the game's own guess
    - `net.onnx@200`: a search of 200 visits with a network, or with anything else that find_evaluator() knows
    - `policy:net.onnx`: the network's policy without a search
    - `pimc:1000`: every action tried in 1,000 redealt worlds, without a tree. More may follow: `rollouts=learned` plays
      worlds on by choices that were learned, where the game has them; `halving=true` spends most worlds on the better
      actions; `caution=3000` makes a failed go, or what a game counts as daring, cost that much; `lead=net.onnx` lets a
      network speak first
    - a player that the game itself brings, such as Matgo's `greedy`

    Without a number the search makes as many visits as default_settings() says. Its other settings and the temperature
    may follow: `rollout:1000,c_puct=2,temperature=0.5`.
    """
    player = spec if isinstance(spec, Player) else _read_player(spec, game, threads)
    try:
        player.check(game)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{player.name!r} can't play {game.id}: {error}") from error
    return player


def _read_player(spec: str, game: Game, threads: int) -> Player:
    if find_builtin_player(spec, game) is not None:
        return GamePlayer(spec)
    plain, changes = _split_changes(spec)
    kind, colon, rest = plain.partition(":")
    if plain == "random" and not changes:
        return RandomPlayer()
    if kind == "pimc" and rest.isascii() and rest.isdecimal():
        return _flat_player(spec, int(rest), changes)
    if kind == "policy" and rest and set(changes) <= {"temperature"}:
        return PolicyPlayer(spec, rest, **changes)
    if kind in _CORE_EVALUATORS and "@" not in rest:
        return _searcher(spec, kind, rest if colon else None, changes, threads)
    evaluator, at, visits = plain.rpartition("@")
    if at and evaluator:
        return _searcher(spec, evaluator, visits, changes, threads)
    if plain.endswith(".onnx") or Path(plain).is_file():
        return _searcher(spec, plain, None, changes, threads)
    raise ValueError(
        f"no player is called {spec!r}: there are random, rollout:VISITS, uniform:VISITS, heuristic:VISITS, "
        "pimc:WORLDS, NETWORK.onnx@VISITS, policy:NETWORK.onnx and what the game brings itself; search settings may "
        "follow, as in rollout:1000,c_puct=2"
    )


def _flat_player(spec: str, worlds: int, changes: dict[str, Any]) -> FlatPlayer:
    rollouts = changes.pop("rollouts", "greedy")
    halving = changes.pop("halving", False)
    caution = changes.pop("caution", 0)
    lead = changes.pop("lead", None)
    if changes or rollouts not in ("greedy", "learned") or not isinstance(halving, bool) or not _is_number(caution):
        raise ValueError(
            f"{spec!r} is no flat Monte Carlo player: pimc:WORLDS takes rollouts=greedy or learned, halving=true or "
            "false, caution=NUMBER and lead=NETWORK"
        )
    return FlatPlayer(
        spec,
        worlds,
        rollout_policy="learned" if rollouts == "learned" else None,
        halving=halving,
        caution=float(caution),
        lead=None if lead is None else str(lead),
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _split_changes(spec: str) -> tuple[str, dict[str, Any]]:
    """What stands before the settings, and the settings."""
    found = re.fullmatch(r"(.*?)((?:,\w+=[^,]*)*)", spec, re.DOTALL)
    assert found is not None
    changes: dict[str, Any] = {}
    for part in found[2].split(",")[1:]:
        name, _, text = part.partition("=")
        try:
            changes[name] = json.loads(text)
        except ValueError:
            changes[name] = text
    return found[1], changes


def _searcher(spec: str, evaluator: str, visits: str | None, changes: dict[str, Any], threads: int) -> SearchPlayer:
    temperature = changes.pop("temperature", 0.0)
    if visits is not None:
        if not (visits.isascii() and visits.isdecimal()):
            raise ValueError(f"{spec!r}: {visits!r} is no number of visits")
        changes = {"visits": int(visits)} | changes
    return SearchPlayer(spec, evaluator, default_settings(evaluator, **changes), temperature, threads)
