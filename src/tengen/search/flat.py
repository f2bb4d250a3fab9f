"""Flat Monte Carlo: the root's actions are played out in the same determinizations. No tree.

Where results are noisier than the differences between actions, as in card games for money, a tree compares lucky worlds
with unlucky ones; here what a world's luck does to all actions cancels out.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.games import NativeGame, State
from tengen.games.trials import play_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tengen import _core
    from tengen.games import Game

__all__ = ["FlatRoots"]


@dataclass(eq=False)
class _Root:
    position: Any
    viewer: int
    """-1: whoever is to act."""
    seed: int
    aux: int
    player: int = 0
    actions: list[int] = field(default_factory=list)
    include: list[int] = field(default_factory=list)
    include_visits: int = 1
    worlds: int = 1
    """That every action is to be played out in."""
    sums: _Sums = field(init=False)

    @property
    def owed(self) -> list[int]:
        """Included actions that are short of their guaranteed visits once all actions had theirs."""
        return [a for a in self.include if self.sums.visits[self.actions.index(a)] < self.include_visits]

    @property
    def is_done(self) -> bool:
        return int(self.sums.visits.min()) >= self.worlds and not self.owed


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
    ) -> int:
        root = _Root(position, viewer, seed, aux)
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

    def replace_root_state(self, root: int, position: Any) -> None:
        self._roots[root].position = position

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

    def collect(self, most: int) -> int:  # noqa: ARG002 - whatever there is room for
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
            actions = root.owed
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
        )


def _play_worlds(
    game: Game, root: _Root, actions: list[int], first: int, worlds: int
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Payoffs [worlds, actions, players] and auxiliary values [worlds, actions, aux], from world `first` on."""
    if isinstance(game, NativeGame):
        return game.core.play_worlds(
            root.position, root.player, actions, root.seed, first, worlds, game.best_rollout_policy, root.aux
        )
    payoffs = np.zeros((worlds, len(actions), game.players))
    aux = np.zeros((worlds, len(actions), root.aux), np.float32)
    for world in range(worlds):
        rng = random.Random(f"{root.seed} {first + world}")
        position = game.redeal(root.position, root.player, rng) if game.hidden else root.position
        luck = rng.getrandbits(63)
        for i, action in enumerate(actions):
            end = play_out(State(game, position), root.player, action, random.Random(luck))
            if end is not None:
                payoffs[world, i] = game.payoff(end)
                if root.aux:
                    aux[world, i] = np.asarray(game.final_aux(end), np.float32)[: root.aux]
    return payoffs, aux
