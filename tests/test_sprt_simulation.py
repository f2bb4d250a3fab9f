"""The sequential gate in the learning loop, beside the theory of sequential tests."""

import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from sprt_simulation import Lead, expect, round_pairs, simulate, wald

from tengen.arena import Sprt

GATE = Sprt(elo0=0.0, elo1=100.0)
MATCHES = 150


@pytest.mark.parametrize("elo", [0.0, 50.0, 100.0])
def test_games_and_errors_are_those_of_the_theory(elo):
    lead = Lead(elo)
    seen, theory = simulate(GATE, lead, MATCHES, 1000, seed=1), expect(GATE, lead, 1000)
    noise = math.sqrt(max(theory.accepted * (1 - theory.accepted), 1e-3) / MATCHES)
    assert abs(seen.games - theory.games) < 4 * seen.games_error + 0.02 * theory.games
    assert abs(seen.accepted - theory.accepted) < 4 * noise


def test_looking_after_rounds_costs_games_and_errs_less():
    for elo, errs in ((0.0, lambda found: found.accepted), (100.0, lambda found: 1 - found.accepted)):
        theory, plain = expect(GATE, Lead(elo), 1000), wald(GATE, Lead(elo))
        assert plain.games < theory.games < plain.games + 2 * round_pairs(1000)
        assert errs(theory) < errs(plain) < 0.06


def test_a_short_match_often_decides_nothing():
    short = expect(GATE, Lead(100.0), 2 * round_pairs(1000))
    assert short.games == 2 * round_pairs(1000)
    assert short.accepted < 0.9
