"""Players in the loop of self-play: a search with trees that are kept, a policy, and any other player."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tengen.search import Pool
from tengen.selfplay.forks import evaluate_states
from tengen.selfplay.games import RESIGN
from tengen.selfplay.records import Decision
from tengen.selfplay.tables import Table, consider_resigning

if TYPE_CHECKING:
    from tengen import _core
    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game, Played, State
    from tengen.selfplay.settings import SelfPlaySettings

__all__ = ["Considered", "Considering", "PlayerDecider", "PolicyDecider", "SearchDecider", "decision_of"]

Asked = Sequence[tuple[Table, int]]

_LEAST_PRIOR = 1e-6
"""Smallest prior that a surprise is computed with."""
_LEAST_SHARE = 5e-4
"""Smallest share of a move that a record keeps; the others together matter little and take most of the space."""


class Considered(Protocol):
    """A player's choice and its estimates."""

    @property
    def policy(self) -> dict[int, float]:
        """Share of each action; empty if the player resigns."""

    @property
    def values(self) -> tuple[float, ...] | None: ...
    @property
    def visits(self) -> int: ...


class Considering(Protocol):
    """A player of the arena."""

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> Sequence[Considered]: ...


class SearchDecider:
    """A search of all positions in one pool. If nothing is hidden, one tree stays for the whole game."""

    def __init__(self, game: Game, evaluator: AnyEvaluator, settings: SelfPlaySettings) -> None:
        self.pool = Pool(game, settings.search, evaluator, batch=max(64, settings.parallel))
        self.settings = settings
        self.work = 0
        """Number of visits so far, those of the running searches included."""
        self.judge = functools.partial(evaluate_states, game, self.pool.evaluator)
        self.after_step: Callable[[], None] = lambda: None

    def decide(self, asked: Asked) -> list[int]:
        tables = list({id(table): table for table, _ in asked}.values())
        for table, seat in asked:
            self._add_root(table, seat)
        before = self.work
        is_done = False
        while not is_done:
            is_done = self.pool.step()
            self.work = before + sum(self.pool.progress(root)[0] for table in tables for root in _roots(table))
            if not is_done:
                self.after_step()
        return [self._choose(table, seat) for table, seat in asked]

    def follow(self, table: Table, played: Played) -> State:
        if table.roots and not self.pool.game.hidden:
            return self.pool.advance(next(iter(table.roots.values())), played)
        # Another seat sees something else, so its search begins anew.
        self.forget(table)
        return table.state.play(played)

    def forget(self, table: Table) -> None:
        """Release the trees of a game."""
        for root in _roots(table):
            self.pool.remove(root)
        table.roots = {}

    def _add_root(self, table: Table, seat: int) -> None:
        game = self.pool.game
        if table.roots and (seat in table.roots or not game.hidden):
            return
        is_shared = table.state.actor == "all" and not game.hidden
        viewer = None if is_shared else seat
        root = self.pool.add(table.state, viewer=viewer, seed=table.rng.getrandbits(63))
        table.roots |= dict.fromkeys(range(game.players) if is_shared else [seat], root)

    def _choose(self, table: Table, seat: int) -> int:
        root = table.roots.get(seat, next(iter(table.roots.values())))
        report = self.pool.report(root)
        ply = table.plies
        table.decisions.append(decision_of(ply, seat, report))
        consider_resigning(self.pool.game, table, seat, report.values[seat], self.settings)
        if self.settings.end_proven and report.proven:
            table.proven = tuple(report.values)
            return self.pool.choose(root, temperature=0.0, player=seat)
        if self.settings.random_share > 0 and table.rng.random() < self.settings.random_share:
            return table.rng.choice(table.state.legal(seat))
        return self.pool.choose(root, temperature=self.settings.temperature_at(ply), player=seat)


def _roots(table: Table) -> set[int]:
    return set(table.roots.values())


def decision_of(ply: int, seat: int, report: _core.RootReport) -> Decision:
    """Return the decision of a search: what its root reports about the moves of one player."""
    # Six digits are more than a search means, and what a record holds is exactly what is learned from.
    moves = [move for move in report.moves if move.player == seat]
    shares = {move.action: round(move.policy, 6) for move in moves}
    policy = {action: share for action, share in shares.items() if share > 0}
    surprise = _divergence(policy, {move.action: move.prior for move in moves})
    return Decision(ply, seat, policy, tuple(report.values), report.visits, report.is_full, surprise)


def _divergence(policy: Mapping[int, float], priors: Mapping[int, float]) -> float:
    """Return the Kullback-Leibler divergence of a policy from the evaluator's, in nats."""
    terms = (share * math.log(share / max(priors[action], _LEAST_PRIOR)) for action, share in policy.items())
    return max(0.0, round(math.fsum(terms), 4))


class PlayerDecider:
    """A player of any kind, which draws its actions from its policies, so that games go different ways."""

    def __init__(self, game: Game, player: Considering) -> None:
        self.game = game
        self.player = player
        self.work = 0
        """Number of visits so far."""

    def decide(self, asked: Asked) -> list[int]:
        states, seats = [table.state for table, _ in asked], [seat for _, seat in asked]
        choices = self.player.consider(states, seats, [table.rng.getrandbits(63) for table, _ in asked])
        return [self._choose(table, seat, choice) for (table, seat), choice in zip(asked, choices, strict=True)]

    def _choose(self, table: Table, seat: int, choice: Considered) -> int:
        if not choice.policy:
            return RESIGN
        policy = _rounded(choice.policy)
        # A player without an estimate counts as expecting a draw.
        values = choice.values or (0.0,) * self.game.players
        table.decisions.append(Decision(table.plies, seat, policy, values, choice.visits, True))
        self.work += choice.visits
        return table.rng.choices(list(policy), weights=list(policy.values()))[0]


class PolicyDecider(PlayerDecider):
    """A player that evaluates a position once. Settings have the temperatures, random moves and resignation."""

    def __init__(self, game: Game, player: Considering, settings: SelfPlaySettings) -> None:
        super().__init__(game, player)
        self.settings = settings

    def judge(self, states: Sequence[State]) -> list[tuple[float, ...]]:
        """Return the value of each position for every player."""
        seats = [state.actor for state in states if isinstance(state.actor, int)]
        choices = self.player.consider(states, seats, [0] * len(states))
        return [choice.values or (0.0,) * self.game.players for choice in choices]

    def _choose(self, table: Table, seat: int, choice: Considered) -> int:
        ply = table.plies
        policy = _rounded({action: share for action, share in choice.policy.items() if share >= _LEAST_SHARE})
        values = choice.values or (0.0,) * self.game.players
        table.decisions.append(Decision(ply, seat, policy, tuple(round(value, 5) for value in values), 1, True))
        self.work += 1
        consider_resigning(self.game, table, seat, values[seat], self.settings)
        if table.rng.random() < self.settings.random_share:
            return table.rng.choice(table.state.legal())
        return self._draw(table, policy, self.settings.temperature_at(ply))

    def _draw(self, table: Table, policy: dict[int, float], temperature: float) -> int:
        best = max(policy, key=lambda action: policy[action])
        if temperature == 0:
            return best
        weights = [(share / policy[best]) ** (1 / temperature) for share in policy.values()]
        return table.rng.choices(list(policy), weights)[0]


def _rounded(policy: dict[int, float]) -> dict[int, float]:
    """Return shares of five digits, which are more than a policy means: what a record holds is learned from."""
    return {action: float(f"{share:.5g}") for action, share in policy.items()}
