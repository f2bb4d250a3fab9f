"""Simulation of the sequential gate of learning runs, beside the theory of sequential tests.

    python benchmarks/sprt_simulation.py --matches 2000

Simulated matches are played by the code of the learning loop: rounds of tasks, the merged result and `Sprt.judge`. Only
the games are drawn at random, for a challenger of a given lead in Elo. The theory is Wald's test of a random walk that
is looked at after each round: its overshoot over the bounds is computed, not neglected. "Wald" is the plain formula
without an overshoot, which promises too few games.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

import tengen
from tengen.arena import MatchResult, PlayedGame, Sprt, log_likelihood_ratio
from tengen.arena.statistics import score_from_elo
from tengen.champion import jobs

GAME = "connect_four"
# Pairs of a match in which one more changes nothing but the sum.
_LONG = 1e5
# Share of matches by which theory and simulation may differ beyond noise, for each Elo that the gate tests.
_SLACK = 0.0003


@dataclass(frozen=True)
class Lead:
    """A challenger by its lead in Elo and the share of draws."""

    elo: float
    draws: float = 0.3

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of losses, draws and wins of a game."""
        wins = score_from_elo(self.elo) - self.draws / 2
        return 1 - self.draws - wins, self.draws, wins


class SimulatedWorkers:
    """Workers whose matches are drawn at random instead of being played."""

    size = 2

    def __init__(self, lead: Lead, seed: int) -> None:
        self._shares = lead.shares
        self._seed = seed
        self._tasks: list[list[int]] = []

    def submit(self, _play: Any, _game: Any, _first: Any, _second: Any, pairs: list[int], *_: Any) -> int:
        self._tasks.append(pairs)
        return len(self._tasks) - 1

    def results(self, _on_report: Any = None) -> Any:
        tasks, self._tasks = self._tasks, []
        for number, pairs in enumerate(tasks):
            drawn = np.random.default_rng((self._seed, pairs[0])).choice(3, (len(pairs), 2), p=self._shares)
            yield (
                number,
                [
                    _game(pair, seat, int(points))
                    for pair, both in zip(pairs, drawn, strict=True)
                    for seat, points in enumerate(both)
                ],
            )


def _game(pair: int, seat: int, points: int) -> PlayedGame:
    own = float(points - 1)
    return PlayedGame(pair, seat, pair, "0", 0, (), (own, -own) if seat == 0 else (-own, own))


@dataclass(frozen=True)
class Figures:
    """Results of many matches, or what the theory expects of them."""

    games: float
    accepted: float
    games_error: float = 0.0
    """Standard error of the mean number of games."""


def simulate(gate: Sprt, lead: Lead, matches: int, most_games: int, seed: int) -> Figures:
    """Play matches as the learning loop plays its gate."""
    game = tengen.game(GAME)
    lengths, accepted = [], 0
    for number in range(matches):
        workers: Any = SimulatedWorkers(lead, seed * 1_000_003 + number)

        def stop(result: MatchResult) -> bool:
            return gate.judge_counts(result.pentanomial).is_final

        players: Any = ("challenger", "champion")
        result = jobs.play_match_with(workers, game, players, most_games, 1, lambda *_: None, stop=stop)
        lengths.append(len(result.games))
        accepted += gate.judge_counts(result.pentanomial).decision == "accept"
    return Figures(float(np.mean(lengths)), accepted / matches, float(np.std(lengths)) / math.sqrt(matches))


def round_pairs(most_games: int) -> int:
    """Return the pairs between two looks at the result."""
    return jobs.ROUND_PARTS * jobs.pairs_at_once(most_games)


def expect(gate: Sprt, lead: Lead, most_games: int, grid: int = 600) -> Figures:
    """Return what the theory expects: a random walk of normal steps, one a round, between the bounds.

    A step has the mean and the variance of the log-likelihood ratio of a round. The expected number of rounds and the
    chance to leave at the upper bound solve linear equations over the values that the walk may have, which contain the
    overshoot and the end after `most_games`.
    """
    mean, variance = _of_a_pair(gate, lead)
    pairs = round_pairs(most_games)
    step_mean, step_sd = pairs * mean, math.sqrt(pairs * variance)
    lower, upper = gate.bounds
    edges = np.linspace(lower, upper, grid + 1)
    centers, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    moves = _normal((centers[None, :] - centers[:, None] - step_mean) / step_sd) * width / step_sd
    above = np.array([_tail((upper - x - step_mean) / step_sd) for x in centers])
    start = np.zeros(grid)
    start[np.searchsorted(edges, 0.0) - 1] = 1.0
    alive, rounds, accepted = start, 0.0, 0.0
    for _ in range(math.ceil(most_games / 2 / pairs)):
        rounds += alive.sum()
        accepted += float(alive @ above)
        alive = alive @ moves
    return Figures(2 * pairs * rounds, accepted)


def wald(gate: Sprt, lead: Lead) -> Figures:
    """Return Wald's expectation for a test that is looked at after every pair and hits its bounds exactly."""
    mean, variance = _of_a_pair(gate, lead)
    lower, upper = gate.bounds
    theta = 2 * mean / variance
    if abs(theta) < 1e-9:
        return Figures(-2 * lower * upper / variance, -lower / (upper - lower))
    accepted = (1 - math.exp(-theta * lower)) / (math.exp(-theta * upper) - math.exp(-theta * lower))
    return Figures(2 * (upper * accepted + lower * (1 - accepted)) / mean, accepted)


def _of_a_pair(gate: Sprt, lead: Lead) -> tuple[float, float]:
    """Return the mean and the variance of what a pair adds to the log-likelihood ratio of a long match."""
    shares = np.convolve(lead.shares, lead.shares)
    low, high = score_from_elo(gate.elo0), score_from_elo(gate.elo1)
    long = _LONG * shares
    before = log_likelihood_ratio(long, low, high)
    added = np.array([log_likelihood_ratio(long + one, low, high) - before for one in np.eye(len(shares))])
    mean = float(shares @ added)
    return mean, float(shares @ added**2) - mean**2


def _normal(x: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def _tail(x: float) -> float:
    return 0.5 * math.erfc(x / math.sqrt(2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=1000, help="simulated matches of each lead")
    parser.add_argument("--elo1", type=float, default=50.0, help="the lead that the gate must accept; 0 must not pass")
    parser.add_argument("--draws", type=float, default=0.3, help="share of draws")
    parser.add_argument("--games", type=int, default=20_000, help="the most games of a match")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    gate = Sprt(elo0=0.0, elo1=given.elo1)
    print(f"{given.matches} matches of each lead, rounds of {2 * round_pairs(given.games)} games, {gate}")
    print("lead   games: simulated   theory    Wald   accepted: simulated   theory     Wald")
    is_off = False
    for share in (-0.5, 0.0, 0.5, 1.0, 1.5):
        lead = Lead(share * given.elo1, given.draws)
        seen = simulate(gate, lead, given.matches, given.games, given.seed)
        theory, plain = expect(gate, lead, given.games), wald(gate, lead)
        noise = math.sqrt(max(theory.accepted * (1 - theory.accepted), 1e-6) / given.matches)
        games = f"{seen.games:9.1f} ± {2 * seen.games_error:4.1f}  {theory.games:7.1f} {plain.games:7.1f}"
        errors = f"{100 * seen.accepted:8.2f} ± {200 * noise:4.2f} %"
        errors += "".join(f" {100 * expected.accepted:6.2f} %" for expected in (theory, plain))
        print(f"{lead.elo:+5.0f}   {games}   {errors}")
        # The ratio takes its variance from the games so far, which the theory neglects: it matters in short matches.
        slack = _SLACK * given.elo1
        is_off |= abs(seen.games - theory.games) > 4 * seen.games_error + 2 * slack * theory.games
        is_off |= abs(seen.accepted - theory.accepted) > 4 * noise + slack
    print("simulation and theory differ by more than noise" if is_off else "simulation and theory agree within noise")
    sys.exit(1 if is_off else 0)


if __name__ == "__main__":
    main()
