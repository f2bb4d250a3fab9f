"""Games between flat Monte Carlo players: a teacher for games whose first network has nothing to teach."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tengen.selfplay.records import Decision, GameRecord

if TYPE_CHECKING:
    from tengen.games import Game, State, Trial

__all__ = ["SOFTNESS", "play_trial_games"]

SOFTNESS = 0.05
"""Payoffs this far apart, as a share of a full win, make an action e times as likely as another."""
_LEAST = 1e-8
_MOST = 6.0
"""Payoffs beyond as many full wins count as that: few worlds tell nothing of what is rarer."""


def play_trial_games(
    game: Game,
    worlds: int,
    seeds: Sequence[int],
    progress: Callable[[int, int], None] | None = None,
) -> list[GameRecord]:
    """Plays one game for each seed; every decision tries all actions in as many redealt worlds.

    What is played is drawn from a policy in which better actions are likelier, so that games go different ways.
    """
    records: list[GameRecord] = []
    visits = 0
    for seed in seeds:
        records.append(_play(game, worlds, seed))
        visits += sum(decision.visits for decision in records[-1].decisions)
        if progress is not None:
            progress(len(records), visits)
    return records


def _play(game: Game, worlds: int, seed: int) -> GameRecord:
    rng = random.Random(seed)
    state = game.start(seed)
    decisions: list[Decision] = []
    while not state.is_over:
        if state.actor == "chance":
            state = state.play(state.outcome(rng.getrandbits(63)))
            continue
        players = [state.actor] if isinstance(state.actor, int) else list(range(game.players))
        chosen = []
        for player in players:
            decision = _decide(state, player, worlds, rng)
            decisions.append(decision)
            chosen.append(rng.choices(list(decision.policy), weights=list(decision.policy.values()))[0])
        state = state.play(chosen[0] if isinstance(state.actor, int) else tuple(chosen))
    return GameRecord(game.id, dict(game.settings), seed, state.history, tuple(decisions), state.payoffs)


def _decide(state: State, player: int, worlds: int, rng: random.Random) -> Decision:
    game = state.game
    most = _MOST * game.payoff_scale
    policy, seed = game.best_rollout_policy, rng.getrandbits(63)
    trials = game.try_actions(state, player, worlds, seed, rollout_policy=policy, most=most)
    best = max(trials, key=lambda trial: trial.mean)
    shares = _policy(trials, best, game.payoff_scale)
    # Of the others nothing is known but that in zero-sum games of two they get what is left.
    others = -best.mean if game.zero_sum and game.players == 2 else 0.0
    values = tuple(best.mean if p == player else others for p in range(game.players))
    return Decision(len(state.history), player, shares, values, worlds * len(trials), True)


def _policy(trials: Sequence[Trial], best: Trial, scale: float) -> dict[int, float]:
    weights = {trial.action: math.exp((trial.mean - best.mean) / (SOFTNESS * scale)) for trial in trials}
    total = sum(weights.values())
    # Also of bad actions a learner wants to know how bad they are.
    return {action: float(f"{max(_LEAST, weight / total):.5g}") for action, weight in weights.items()}
