"""Learns the weights of Matgo's fast player, which plays rollouts on: evolution by matches.

    python benchmarks/matgo_rollout_policy.py --seconds 1500 --out core/games/matgo/rollout_weights.hpp
    python benchmarks/matgo_rollout_policy.py --show

Each step moves the weights by random numbers both ways, lets the two play deals from both seats in the core, and
follows what paid, less --caution for each failed go beyond 8 %: an evolution strategy with mirrored samples and Adam's
step. --show prints what the learned weights bring against the greedy player, alone and inside flat Monte Carlo.
"""

from __future__ import annotations

import argparse
import textwrap
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tengen
from tengen.arena import play_match

PAIRS = 48
DEALS = 3000
PAYOFF_CAP = 30_000.0
HEADER = """#pragma once

#include "games/matgo/rollout_policy.hpp"

// Learned by benchmarks/matgo_rollout_policy.py, which writes this file.
namespace tengen::matgo {{

inline constexpr RolloutWeights kRolloutWeights{{
{numbers}}};

}}  // namespace tengen::matgo
"""
# From here on weights are about going on, where one unit means more.
FIRST_OF_GO = 573


def learn(game: tengen.Game, seconds: float, caution: float, seed: int) -> NDArray[np.float64]:
    """From the weights that the core has."""
    core = game.core  # type: ignore[attr-defined]
    weights = np.array(core.weights, np.float64)
    reach = np.full(len(weights), 1.5)
    reach[FIRST_OF_GO:] = 0.4
    rng = np.random.default_rng(seed)
    first, second, mean = np.zeros_like(weights), np.zeros_like(weights), weights.copy()
    began, step = time.monotonic(), 0
    while (spent := time.monotonic() - began) < seconds:
        step += 1
        slope = np.zeros_like(weights)
        for _ in range(PAIRS):
            way = rng.standard_normal(len(weights))
            forth, back = list(weights + reach * way), list(weights - reach * way)
            payoff, risks, _ = core.match_weights(forth, back, int(rng.integers(2**62)), DEALS, PAYOFF_CAP)
            slope += (payoff - caution * (risks[0] - risks[1]) / 2) * way / PAIRS
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        move = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.99**step)) + 1e-9)
        weights = weights + reach * move * 0.1 * (1 - 0.95 * spent / seconds)
        mean = 0.97 * mean + 0.03 * weights
        if step % 50 == 0:
            lead, risks, gos = core.match_weights(list(mean), core.weights, seed, 60_000, 1e12)
            print(
                f"step {step}, {spent:.0f} s: {lead:+,.0f} gold a game against where it began, "
                f"go-fail {100 * (risks[0] / gos[0] + game.rates['go_fail_rate'].safe):.1f} %",
                flush=True,
            )
    return mean


def show(game: tengen.Game, games: int) -> None:
    for first, second in (("fast", "greedy"), ("pimc:100,rollouts=learned", "pimc:100")):
        print(play_match(game, first, second, games, seed=1).summary(), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1500.0)
    parser.add_argument("--caution", type=float, default=5000.0, help="gold")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="the header to write")
    parser.add_argument("--show", action="store_true", help="only play the matches")
    parser.add_argument("--games", type=int, default=2000, help="of each match")
    choices = parser.parse_args()
    game = tengen.game("matgo")
    if not choices.show:
        weights = learn(game, choices.seconds, choices.caution, choices.seed)
        numbers = ", ".join(f"{weight:.2f}F" for weight in weights)
        text = "\n".join(textwrap.wrap(numbers, 116, initial_indent="    ", subsequent_indent="    "))
        if choices.out:
            choices.out.write_text(HEADER.format(numbers=text), encoding="utf-8")
    show(game, choices.games)


if __name__ == "__main__":
    main()
