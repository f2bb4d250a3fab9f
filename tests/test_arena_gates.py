"""Estimates and gates: intervals and error rates are what they claim to be."""

import itertools
import math

import numpy as np
import pytest
from arena_helpers import made
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tengen.arena import AcceptRate, Sprt, Verdict, log_likelihood_ratio, play_match
from tengen.arena.statistics import Estimate, elo_from_score, paired_mean, paired_score, score_from_elo, student95

# Estimates.


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=60).filter(lambda games: len(games) % 2 == 0))
def test_a_score_lies_within_its_interval(scores):
    estimate = paired_score(scores)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.value == pytest.approx(sum(scores) / len(scores))
    assert estimate.high > estimate.low
    mirrored = paired_score([1 - score for score in scores])
    assert mirrored.low == pytest.approx(1 - estimate.high, abs=1e-12)


def test_games_without_draws_and_pairing_have_wilsons_interval():
    """Where pairs vary as single games would."""
    scores = list(itertools.chain(*[(1, 1)] * 25, *[(1, 0)] * 50, *[(0, 0)] * 25))
    estimate = paired_score(scores)
    exact = stats.binomtest(100, 200).proportion_ci(method="wilson")
    assert estimate.low == pytest.approx(exact.low, abs=2e-3)
    assert estimate.high == pytest.approx(exact.high, abs=2e-3)
    whitewash = paired_score([1.0] * 40)
    exact = stats.binomtest(40, 40).proportion_ci(method="wilson")
    assert (whitewash.low, whitewash.high) == pytest.approx((exact.low, 1.0))


def test_pairing_counts():
    """Openings that decide the game say nothing of the players: pairs cancel them out, single games would not."""
    decided = paired_score([1, 0] * 50)
    assert decided.high - decided.low < 0.03
    swings = paired_score([1, 1, 0, 0] * 25)
    assert swings.high - swings.low > 0.25
    drawish = paired_score([0.5] * 90 + [1, 0.5, 0, 0.5] * 2 + [1, 0])
    assert drawish.high - drawish.low < 0.1


@pytest.mark.parametrize(
    "shares", [(0.25, 0, 0.5, 0, 0.25), (0.05, 0.1, 0.5, 0.2, 0.15), (0, 0.02, 0.08, 0.2, 0.7), (0.4, 0, 0.1, 0, 0.5)]
)
@pytest.mark.parametrize("pairs", [20, 150])
def test_intervals_hold_the_truth_as_often_as_promised(shares, pairs):
    outcomes = [(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)]
    truth = sum(share * sum(games) / 2 for share, games in zip(shares, outcomes, strict=True))
    rng = np.random.default_rng(5)
    inside_score = inside_mean = 0
    for drawn in rng.choice(5, size=(600, pairs), p=shares):
        scores = list(itertools.chain.from_iterable(outcomes[i] for i in drawn))
        score, mean = paired_score(scores), paired_mean(scores)
        inside_score += score.low <= truth <= score.high
        inside_mean += mean.low <= truth <= mean.high
    assert 0.92 <= inside_score / 600 <= 0.985
    assert 0.91 <= inside_mean / 600 <= 0.985


def test_means_of_gold():
    rng = np.random.default_rng(3)
    numbers = rng.normal(40, 1000, 400).tolist()
    estimate = paired_mean(numbers)
    pairs = np.array(numbers).reshape(200, 2).mean(axis=1)
    exact = stats.t.interval(0.95, 199, pairs.mean(), stats.sem(pairs))
    assert (estimate.low, estimate.high) == pytest.approx(exact, abs=2)
    assert paired_mean([3.0, 5.0]) == Estimate(4.0, -math.inf, math.inf)
    cancelled = paired_mean([10.0, -10.0] * 20)
    assert -3 < cancelled.low < 0 < cancelled.high < 3
    with pytest.raises(ValueError, match="zip"):
        paired_mean([1.0, 2.0, 3.0])


def test_a_mean_within_bounds_is_a_score_on_another_scale():
    scores = [1.0] * 31 + [0.5] + [1.0] * 32
    gold = paired_mean([50 * (2 * score - 1) for score in scores], bound=50)
    score = paired_score(scores)
    assert (gold.low, gold.high) == pytest.approx((50 * (2 * score.low - 1), 50 * (2 * score.high - 1)))
    assert gold.high <= 50
    assert paired_mean([1.0, 1.0], bound=1).high == 1
    # A game that pays more than it says it can is not cut off.
    assert paired_mean([3.0, 5.0, 4.0, 4.0], bound=1) == paired_mean([3.0, 5.0, 4.0, 4.0])


def test_students_distribution():
    for freedom in (*range(1, 60), 100, 1000, 10**6):
        assert student95(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=2e-3)


@given(st.floats(-1500, 1500))
def test_elo_and_score_round_trip(elo):
    assert elo_from_score(score_from_elo(elo)) == pytest.approx(elo, abs=1e-4)


def test_elo_of_all_and_nothing():
    assert (elo_from_score(0), elo_from_score(1), elo_from_score(0.5)) == (-math.inf, math.inf, 0)
    assert str(Estimate(1.0, -2.0, 3.5)) == "+1 (-2 … +3.5)"


# Gates.


def test_the_accept_rate_counts_draws_half():
    gate = AcceptRate()
    assert gate.judge(made([1, 1, 1, 0.5, 0.5, 0, 0.5, 0.5, 0.5, 0])).passed is True
    verdict = gate.judge(made([1, 1, 1, 0, 0.5, 0, 0.5, 0.5, 0.5, 0]))
    assert (verdict.passed, verdict.is_final, verdict.decision) == (False, True, "reject")
    assert verdict.figures["score"] == 0.5
    assert verdict.figures["rate"] == 0.55
    assert "50.0 % of 10 games (+3 =4 -3" in verdict.reason
    assert "is below 55 %" in str(verdict)
    assert AcceptRate(1.0).judge(made([1, 1])).decision == "accept"
    for rate in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="accept rate"):
            AcceptRate(rate)


@given(st.integers(0, 200), st.integers(0, 200), st.floats(-200, 199), st.floats(1, 200))
def test_without_draws_the_ratio_is_the_binomial_one(losses, wins, elo0, step):
    score0, score1 = score_from_elo(elo0), score_from_elo(elo0 + step)
    exact = wins * math.log(score1 / score0) + losses * math.log((1 - score1) / (1 - score0))
    # What was not seen counts as seen a thousandth time.
    assert log_likelihood_ratio([losses, wins], score0, score1) == pytest.approx(exact, abs=0.01)


@given(st.lists(st.integers(0, 300), min_size=5, max_size=5), st.floats(-100, 100))
def test_the_ratio_turns_with_the_players(counts, elo):
    score0, score1 = score_from_elo(elo), score_from_elo(elo + 40)
    ratio = log_likelihood_ratio(counts, score0, score1)
    assert log_likelihood_ratio(counts, score1, score0) == pytest.approx(-ratio, abs=1e-9)
    assert log_likelihood_ratio(counts[::-1], 1 - score0, 1 - score1) == pytest.approx(ratio, abs=1e-6)


def test_the_ratio_agrees_with_its_normal_approximation():
    """Many games of nearly equal players: (s1 - s0)(2 mean - s0 - s1) / 2 variance."""
    counts = np.array([1000, 4000, 10000, 4300, 1200])
    scores = np.linspace(0, 1, 5)
    mean = (counts * scores).sum() / counts.sum()
    variance = (counts * (scores - mean) ** 2).sum() / counts.sum()
    score0, score1 = score_from_elo(0), score_from_elo(5)
    expected = counts.sum() * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance)
    assert log_likelihood_ratio(counts.tolist(), score0, score1) == pytest.approx(expected, rel=0.02)


def run_sprt(sprt, shares, rng, every=4):
    """The verdict of a test over pairs with these shares of 0, ½, 1, 1½ and 2 points, and the pairs it took."""
    counts = np.zeros(5, int)
    while True:
        counts += rng.multinomial(every, shares)
        verdict = sprt.judge_counts(counts.tolist())
        if verdict.is_final:
            return verdict.passed, int(counts.sum())


def shares_with(elo):
    """Two games of one player, with a third of draws at even strength."""
    win = score_from_elo(elo)
    draw = win * (1 - win) * 4 / 3
    game = [1 - win - draw / 2, draw, win - draw / 2]
    return np.convolve(game, game)


def test_the_sprt_errs_as_often_as_it_may():
    sprt = Sprt(elo0=0, elo1=80, alpha=0.1, beta=0.1)
    rng = np.random.default_rng(2)
    runs = 300
    weak = [run_sprt(sprt, shares_with(0), rng) for _ in range(runs)]
    strong = [run_sprt(sprt, shares_with(80), rng) for _ in range(runs)]
    assert 0.04 <= sum(passed for passed, _ in weak) / runs <= 0.13
    assert 0.04 <= sum(not passed for passed, _ in strong) / runs <= 0.13
    # A clear case is decided sooner.
    clear = [run_sprt(sprt, shares_with(250), rng) for _ in range(50)]
    assert all(passed for passed, _ in clear)
    assert np.mean([pairs for _, pairs in clear]) < np.mean([pairs for _, pairs in strong]) / 1.5


def test_the_sprt_at_its_usual_bounds():
    sprt = Sprt(elo0=0, elo1=100)
    rng = np.random.default_rng(9)
    accepted = sum(run_sprt(sprt, shares_with(0), rng)[0] for _ in range(200))
    rejected = sum(not run_sprt(sprt, shares_with(100), rng)[0] for _ in range(200))
    assert accepted <= 20
    assert rejected <= 20


def test_the_sprt_knows_when_to_go_on():
    sprt = Sprt(0, 35)
    assert sprt.bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    verdict = sprt.judge_counts([0, 0, 0, 0, 0])
    assert (verdict.passed, verdict.is_final, verdict.decision) == (False, False, "continue")
    assert verdict.figures["llr"] == 0
    assert sprt.judge_counts([0, 0, 2]).decision == "continue"
    assert sprt.judge_counts([0, 0, 0, 0, 3]).decision == "continue"
    assert sprt.judge_counts([5, 10, 100, 60, 40]).decision == "accept"
    assert sprt.judge_counts([40, 60, 100, 10, 5]).decision == "reject"


def test_the_sprt_judges_and_stops_matches():
    sprt = Sprt(0, 100)

    def is_decided(result):
        return sprt.judge(result).is_final

    strong = play_match("connect_four", "rollout:50", "random", 1000, stop=is_decided, pairs_at_once=8)
    assert len(strong.games) < 200
    verdict = sprt.judge(strong)
    assert verdict.decision == "accept"
    assert verdict.figures["games"] == len(strong.games)
    assert verdict.figures["llr"] >= verdict.figures["upper"]
    assert "is at least 2.94" in verdict.reason
    weak = play_match("connect_four", "random", "rollout:50", 1000, stop=is_decided, pairs_at_once=8)
    assert sprt.judge(weak).decision == "reject"


@pytest.mark.parametrize(
    "wrong",
    [{"elo0": 5, "elo1": 5}, {"elo0": 9, "elo1": 5}, {"elo1": math.inf}, {"alpha": 0}, {"beta": 0.5}, {"alpha": -1}],
)
def test_the_sprt_must_make_sense(wrong):
    with pytest.raises(ValueError, match="SPRT"):
        Sprt(**wrong)


@pytest.mark.parametrize("wrong", [[], [1], [1, -1], [1, math.nan]])
def test_counts_must_make_sense(wrong):
    with pytest.raises(ValueError, match="no counts"):
        Sprt().judge_counts(wrong)


def test_a_verdict_is_a_value():
    assert Verdict(True, "so") == Verdict(True, "so", {})
    assert str(Verdict(False, "not yet", is_final=False)) == "continue: not yet"
