"""Flat Monte Carlo: the root's actions are played out in the same determinizations. No tree.

Where results are noisier than the differences between actions, as in card games for money, a tree compares lucky worlds
with unlucky ones; here what a world's luck does to all actions cancels out.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.games import NativeGame
from tengen.search.playout import random_playout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tengen import _core
    from tengen.games import Game, State

__all__ = ["FlatMove", "FlatRoots", "FlatSettings", "flat_search", "payoffs_from_policy", "policy_from_payoffs"]

BEST_POLICY = "best"
_MIN_SHARE = 1e-8


@dataclass(frozen=True)
class FlatSettings:
    """How actions are compared by flat_search()."""

    worlds: int
    """Determinizations that every action is played out in."""
    rollout_policy: str | None = None
    """By which of the game's rollout policies playouts go; None: the first; best: the last. Where it has none, they are
    random."""
    halving: bool = False
    """Sequential halving: the better half of the actions goes on now and then, in more worlds; `worlds` is the mean."""
    penalty_weight: float = 0.0
    """What a unit of the penalty that a game may give a playout costs, in the game's unit."""
    payoff_cap: float = math.inf
    """Payoffs beyond as many full wins count as that: few worlds tell nothing of what is rarer."""

    def __post_init__(self) -> None:
        if not 1 <= self.worlds < 2**32:
            raise ValueError(f"worlds is {self.worlds} and must be from 1 to {2**32 - 1}")
        if not 0 <= self.penalty_weight < math.inf:
            raise ValueError(f"penalty_weight is {self.penalty_weight} and must be at least 0, and finite")
        if not self.payoff_cap > 0:
            raise ValueError(f"payoff_cap is {self.payoff_cap} and must be above 0")

    def check(self, game: Game) -> None:
        """Raises a ValueError where the game has no such rollout policy."""
        if self.rollout_policy not in (None, BEST_POLICY, *game.rollout_policies):
            raise ValueError(f"{game.id} has no rollout policy called {self.rollout_policy!r}")

    def policy_in(self, game: Game) -> str | None:
        """The name of the rollout policy that is meant."""
        return best_rollout_policy(game) if self.rollout_policy == BEST_POLICY else self.rollout_policy


@dataclass(frozen=True)
class FlatMove:
    """What the playouts of an action came to, in the game's unit."""

    action: int
    mean: float
    """The viewer's payoff."""
    error: float
    """Standard error of the difference to the best action; of the best one itself, of its mean."""
    win_rate: float
    """How often the viewer's payoff was above 0; where it was 0 counts half."""
    penalty: float = 0.0
    """The mean of the penalties that the game gave; below 0: it went well."""


def best_rollout_policy(game: Game) -> str | None:
    return game.rollout_policies[-1] if game.rollout_policies else None


def flat_search(
    state: State, viewer: int, settings: FlatSettings, seed: int = 0, prior_bonus: Sequence[float] = ()
) -> list[FlatMove]:
    """Every action of the viewer in the same redealt worlds, each played to its end with the same random numbers.

    Where halving compares actions, a penalty costs its weight, and `prior_bonus` is added: one number for each of the
    state's legal actions, in the game's unit."""
    game = state.game
    settings.check(game)
    cap = settings.payoff_cap * game.payoff_scale
    if isinstance(game, NativeGame):
        found = game.core.flat_monte_carlo(
            state.position,
            viewer,
            seed % 2**64,
            settings.worlds,
            settings.policy_in(game),
            settings.halving,
            settings.penalty_weight,
            cap,
            list(prior_bonus),
        )
        return [FlatMove(*row) for row in zip(*found, strict=True)]
    actions = state.legal(viewer if state.actor == "all" else None)
    if prior_bonus and len(prior_bonus) != len(actions):
        raise ValueError(f"prior_bonus has {len(prior_bonus)} numbers for {len(actions)} actions")
    payoffs: list[list[float]] = [[] for _ in actions]
    left = list(range(len(actions)))
    rounds = (len(actions) - 1).bit_length() if settings.halving and len(actions) > 2 else 1
    first = 0
    for number in range(rounds):
        if number > 0:
            left.sort(key=lambda i: -float(np.mean(payoffs[i])) - (prior_bonus[i] if prior_bonus else 0.0))
            left = left[: (len(left) + 1) // 2]
        worlds = max(1, settings.worlds * len(actions) // (rounds * len(left)))
        played, _ = _play_python_worlds(
            game, state.position, viewer, [actions[i] for i in left], seed, first, worlds, 0
        )
        first += worlds
        for row, i in enumerate(left):
            payoffs[i] += np.clip(played[:, row, viewer], -cap, cap).tolist()
    best = max(left, key=lambda i: float(np.mean(payoffs[i])))
    return [_move(action, np.array(payoffs[i]), np.array(payoffs[best])) for i, action in enumerate(actions)]


def _move(action: int, own: NDArray[np.float64], best: NDArray[np.float64]) -> FlatMove:
    """One that was played out in fewer worlds than the best is as far from it as it was in those."""
    worlds = len(own)
    is_best = worlds == len(best) and bool((own == best).all())
    numbers = own if is_best else own - best[:worlds]
    error = float(numbers.std(ddof=1)) / math.sqrt(worlds) if worlds > 1 else 0.0
    mean = float(best.mean() + (own - best[:worlds]).mean())
    return FlatMove(action, mean, error, float(((np.sign(own) + 1) / 2).mean()))


def policy_from_payoffs(payoffs: Sequence[float], scale: float, softness: float) -> list[float]:
    """A softmax: payoffs `softness` of a full win apart make an action e times as likely as another."""
    best = max(payoffs)
    weights = [math.exp((payoff - best) / (softness * scale)) for payoff in payoffs]
    total = sum(weights)
    # Also of bad actions a learner wants to know how bad they are.
    return [max(_MIN_SHARE, weight / total) for weight in weights]


def payoffs_from_policy(policy: NDArray[np.float64], scale: float, softness: float) -> NDArray[np.float64]:
    """The pair of policy_from_payoffs(), up to a constant: what a policy says of payoffs, in the game's unit."""
    payoffs: NDArray[np.float64] = softness * scale * np.log(np.maximum(policy, _MIN_SHARE))
    return payoffs


@dataclass(eq=False)
class _Root:
    position: Any
    viewer: int
    """-1: whoever is to act."""
    seed: int
    aux: int
    rules: _core.Rules | None
    """Of a native game."""
    player: int = 0
    actions: list[int] = field(default_factory=list)
    include: list[int] = field(default_factory=list)
    include_visits: int = 1
    worlds: int = 1
    """That every action is to be played out in."""
    sums: _Sums = field(init=False)

    @property
    def short_of_guarantee(self) -> list[int]:
        """Included actions that are short of their guaranteed visits once all actions had theirs."""
        return [a for a in self.include if self.sums.visits[self.actions.index(a)] < self.include_visits]

    @property
    def is_done(self) -> bool:
        return int(self.sums.visits.min()) >= self.worlds and not self.short_of_guarantee


class _Sums:
    """Of the playouts of each action: how many, payoffs by player, auxiliary values, and their squares."""

    def __init__(self, actions: int, players: int, aux: int) -> None:
        self.visits = np.zeros(actions, np.int64)
        self.payoffs = np.zeros((2, actions, players))
        self.aux = np.zeros((2, actions, aux))

    def add(self, rows: list[int], payoffs: NDArray[np.float64], aux: NDArray[np.float32]) -> None:
        """Playouts [worlds, actions, numbers] of some actions."""
        self.visits[rows] += len(payoffs)
        for sums, numbers in ((self.payoffs, payoffs), (self.aux, aux.astype(np.float64))):
            sums[0, rows] += numbers.sum(axis=0)
            sums[1, rows] += np.square(numbers).sum(axis=0)

    def mean_and_deviation(self, row: int, sums: NDArray[np.float64]) -> tuple[list[float], list[float]]:
        visits = int(self.visits[row])
        mean = sums[0, row] / visits
        if visits < 2:
            return mean.tolist(), []
        variance = (sums[1, row] - visits * np.square(mean)) / (visits - 1)
        return mean.tolist(), np.sqrt(np.maximum(0.0, variance)).tolist()


class FlatRoots:
    """What a Pool drives instead of the core's trees. Visits are playouts: as many for each action."""

    cache_hits = 0

    def __init__(self, game: Game, visits: int) -> None:
        self._game = game
        self._visits = visits
        self._roots: dict[int, _Root] = {}
        self._next = 0

    def add(
        self,
        position: Any,
        viewer: int,
        seed: int,
        include: Sequence[int],
        include_visits: int,
        restrictions: Sequence[tuple[int, Sequence[int], int, bool]],
        visits: int,
        settings: _core.SearchSettings | None,
        aux: int,
        rules: _core.Rules | None,
    ) -> int:
        root = _Root(position, viewer, seed, aux, rules)
        if self._game.hidden and viewer < 0:
            root.viewer = self._player(root)
        budget = visits or (self._visits if settings is None else settings.visits)
        self._begin(root, include, include_visits, restrictions, budget)
        self._roots[self._next] = root
        self._next += 1
        return self._next - 1

    def restart(
        self,
        root: int,
        include: Sequence[int],
        include_visits: int,
        restrictions: Sequence[tuple[int, Sequence[int], int, bool]],
        visits: int,
    ) -> None:
        self._begin(self._roots[root], include, include_visits, restrictions, visits or self._visits)

    def advance(self, root: int, actions: Sequence[int], after: Any | None) -> None:
        """To another position, of which nothing is known yet."""
        found = self._roots[root]
        played = actions[0] if len(actions) == 1 else tuple(actions)
        found.position = self._game.apply(found.position, played) if after is None else after
        found.actions = []

    def replace_root_state(self, root: int, position: Any, rules: _core.Rules | None) -> None:
        self._roots[root].position, self._roots[root].rules = position, rules

    def remove(self, root: int) -> None:
        del self._roots[root]

    def state(self, root: int) -> Any:
        return self._roots[root].position

    def run(self, evaluator: str, rollouts: int, visits: int) -> bool:  # noqa: ARG002 - a visit is one playout
        """At most so many visits for each root; answers whether all roots are done."""
        for root in self._roots.values():
            if not self._opened(root).is_done:
                self._play(root, visits)
        return self.is_done()

    def is_done(self) -> bool:
        return all(self._opened(root).is_done for root in self._roots.values())

    def progress(self, root: int) -> tuple[int, bool]:
        found = self._opened(self._roots[root])
        return int(found.sums.visits.sum()), found.is_done

    def report(self, root: int, spread: bool, aux: bool, deviations: bool) -> Any:  # noqa: ARG002 - costs nothing
        """As the core reports a root of its own."""
        found = self._opened(self._roots[root])
        sums = found.sums
        moves = [self._report_move(found, row) for row in range(len(found.actions)) if sums.visits[row]]
        moves.sort(key=lambda move: (-move.values[found.player], move.action))
        best = moves[0] if moves else None
        for move in moves:
            move.policy = float(move is best)
            move.weight = move.visits * move.policy
            if not aux:
                move.aux = []
            if not deviations:
                move.deviations = []
        values = best.values if best else [0.0] * self._game.players
        visits = int(sums.visits.sum())
        return SimpleNamespace(
            visits=visits,
            guaranteed_visits=max(0, visits - found.worlds * len(found.actions)),
            nodes=0,
            bytes=0,
            is_done=found.is_done,
            is_full=True,
            proven=False,
            values=values,
            raw_values=values,
            moves=moves,
            aux=best.aux if best else [],
            deviations=best.deviations if best else [],
            raw_aux=best.aux if best else [],
            actions=found.actions,
            priors=[1.0 / len(found.actions)] * len(found.actions),
        )

    def choose(self, root: int, player: int, temperature: float) -> int:  # noqa: ARG002 - it stands for one action
        moves = self.report(root, False, False, False).moves
        if not moves or moves[0].player != player:
            raise ValueError(f"choose: player {player} has no searched action here")
        return int(moves[0].action)

    def collect(self, max_rows: int) -> int:  # noqa: ARG002 - whatever there is room for
        raise ValueError("flat Monte Carlo asks no evaluator: there is nothing to collect")

    def _begin(
        self,
        root: _Root,
        include: Sequence[int],
        include_visits: int,
        restrictions: Sequence[tuple[int, Sequence[int], int, bool]],
        visits: int,
    ) -> None:
        root.player = self._player(root)
        allowed = set(self._game.legal(root.position, root.player))
        for player, actions, until_depth, is_allow in restrictions:
            if until_depth > 1:
                raise ValueError(f"flat Monte Carlo looks one move ahead: until_depth is {until_depth} and must be 1")
            if player != root.player:
                continue
            allowed = allowed & set(actions) if is_allow else allowed - set(actions)
        root.include = list(include)
        root.include_visits = include_visits
        root.actions = sorted(allowed | set(include))
        if not root.actions:
            raise ValueError("no legal action is left: allow and avoid leave nothing to play out")
        root.worlds = max(1, visits // len(root.actions))
        root.sums = _Sums(len(root.actions), self._game.players, root.aux)

    def _opened(self, root: _Root) -> _Root:
        """A root that was moved on begins anew when it is looked at."""
        if not root.actions:
            self._begin(root, (), 1, (), self._visits)
        return root

    def _player(self, root: _Root) -> int:
        actor = self._game.actor(root.position)
        if actor in (None, "chance"):
            raise ValueError("nobody has a move to choose here: flat Monte Carlo has nothing to compare")
        if actor == "all":
            if root.viewer < 0:
                raise ValueError("flat Monte Carlo compares one player's actions: name the viewer")
            return root.viewer
        assert isinstance(actor, int)
        if self._game.hidden and root.viewer not in (-1, actor):
            raise ValueError(f"player {root.viewer} asks, but player {actor} is to act")
        return actor

    def _play(self, root: _Root, visits: int) -> None:
        first = int(root.sums.visits.min())
        actions, until = root.actions, root.worlds
        if first >= until:
            actions = root.short_of_guarantee
            first, until = int(root.sums.visits[root.actions.index(actions[0])]), root.include_visits
        worlds = min(until - first, max(1, visits // len(actions)))
        payoffs, aux = _play_worlds(self._game, root, actions, first, worlds)
        root.sums.add([root.actions.index(action) for action in actions], payoffs, aux)

    def _report_move(self, root: _Root, row: int) -> SimpleNamespace:
        sums = root.sums
        action, visits = root.actions[row], int(sums.visits[row])
        values, spread = sums.mean_and_deviation(row, sums.payoffs)
        aux, deviations = sums.mean_and_deviation(row, sums.aux)
        return SimpleNamespace(
            player=root.player,
            action=action,
            visits=visits,
            prior=1.0 / len(root.actions),
            included=action in root.include,
            proven=False,
            values=values,
            spread=spread,
            line=[action],
            line_visits=[visits],
            aux=aux,
            deviations=deviations,
            free_values=[],
            replies=[],
        )


def _play_worlds(
    game: Game, root: _Root, actions: list[int], first: int, worlds: int
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Payoffs [worlds, actions, players] and auxiliary values [worlds, actions, aux], from world `first` on."""
    if root.rules is not None:
        return root.rules.play_worlds(
            root.position, root.player, actions, root.seed, first, worlds, best_rollout_policy(game), root.aux
        )
    return _play_python_worlds(game, root.position, root.player, actions, root.seed, first, worlds, root.aux)


def _play_python_worlds(
    game: Game, position: Any, viewer: int, actions: list[int], seed: int, first: int, worlds: int, aux_count: int
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    payoffs = np.zeros((worlds, len(actions), game.players))
    aux = np.zeros((worlds, len(actions), aux_count), np.float32)
    for world in range(worlds):
        rng = random.Random(f"{seed} {first + world}")
        dealt = game.redeal(position, viewer, rng) if game.hidden else position
        luck = rng.getrandbits(63)
        for i, action in enumerate(actions):
            end, _ = random_playout(game, dealt, random.Random(luck), (viewer, action))
            if end is not None:
                payoffs[world, i] = game.payoff(end)
                if aux_count:
                    aux[world, i] = np.asarray(game.final_aux(end), np.float32)[:aux_count]
    return payoffs, aux
