"""Ratings: known ones are found again, intervals hold what they promise, and odd input is told apart."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.arena import MatchResult, Openings, PlayedGame, elo


def chance(lead):
    return 1 / (1 + 10 ** (-lead / 400))


def tournament(truth, games, rng, draws=0.0):
    """Everybody against everybody. Draws take the place of as many wins as losses."""
    names = list(truth)
    results = []
    for i, name in enumerate(names):
        for other in names[i + 1 :]:
            win = chance(truth[name] - truth[other])
            drawn = draws * min(win, 1 - win) * 2
            counts = rng.multinomial(games, [win - drawn / 2, drawn, 1 - win - drawn / 2])
            results.append((name, other, *map(int, counts)))
    return results


@pytest.mark.parametrize(("wins", "draws", "losses"), [(7, 2, 3), (1, 0, 0), (0, 5, 0), (0, 0, 40), (300, 11, 100)])
def test_two_players_have_a_closed_form(wins, draws, losses):
    for prior in (0.1, 1.0, 4.0):
        ratings = elo([("a", "b", wins, draws, losses)], {"b": 100.0}, prior_games=prior)
        won, lost = wins + draws / 2 + prior / 2, losses + draws / 2 + prior / 2
        expected = 400 * math.log10(won / lost)
        assert ratings["a"].elo == pytest.approx(100 + expected, abs=1e-6)
        error = 1.959964 * 400 / math.log(10) / math.sqrt((won + lost) * (won / (won + lost)) * (lost / (won + lost)))
        assert ratings["a"].high - ratings["a"].elo == pytest.approx(error, rel=1e-6)
        assert (ratings["b"].elo, ratings["b"].low, ratings["b"].high) == (100, 100, 100)
        free = elo([("a", "b", wins, draws, losses)], prior_games=prior)
        assert free["a"].elo == pytest.approx(expected / 2, abs=1e-6)
        assert free["b"].elo == pytest.approx(-expected / 2, abs=1e-6)
        lead = free.difference("a", "b")
        assert lead.value == pytest.approx(expected, abs=1e-6)
        assert lead.high - lead.value == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize("draws", [0.0, 0.5])
def test_true_ratings_are_within_their_intervals_as_often_as_promised(draws):
    truth = {"anchor": 0.0, "a": 120.0, "b": -80.0, "c": 300.0, "d": 40.0}
    rng = np.random.default_rng(4)
    inside = leads = all_of_them = 0
    for _ in range(150):
        ratings = elo(tournament(truth, 60, rng, draws), {"anchor": 0.0})
        for rating in ratings.players:
            if not rating.is_anchor:
                inside += rating.low <= truth[rating.name] <= rating.high
                all_of_them += 1
        lead = ratings.difference("c", "a")
        leads += lead.low <= 180 <= lead.high
    least, most = (0.93, 0.975) if draws == 0 else (0.95, 1.0)
    assert least <= inside / all_of_them <= most
    assert least - 0.03 <= leads / 150 <= 1.0


def test_a_group_without_anchors_is_rated_around_its_mean():
    truth = {"a": 200.0, "b": 0.0, "c": -200.0}
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(100):
        ratings = elo(tournament(truth, 100, rng))
        assert sum(rating.elo for rating in ratings.players) == pytest.approx(0, abs=1e-6)
        inside += sum(rating.low <= truth[rating.name] <= rating.high for rating in ratings.players)
    assert 0.92 <= inside / 300 <= 0.98
    shifted = elo(tournament(truth, 100_000, rng), {"b": 1500.0})
    assert shifted["a"].elo == pytest.approx(1700, abs=10)
    assert shifted["c"].elo == pytest.approx(1300, abs=10)


def test_a_chain_of_players_adds_up():
    """A player met only through others: leads and their uncertainty add up."""
    chain = [(f"p{i + 1}", f"p{i}", 75, 0, 25) for i in range(20)]
    ratings = elo(chain, {"p0": 0.0}, prior_games=1e-9)
    lead = 400 * math.log10(3)
    errors = []
    for i in range(21):
        assert ratings[f"p{i}"].elo == pytest.approx(i * lead, abs=1e-3)
        errors.append(ratings[f"p{i}"].high - ratings[f"p{i}"].elo)
    assert errors[20] == pytest.approx(errors[1] * math.sqrt(20), rel=1e-3)
    step = ratings.difference("p20", "p19")
    assert step.high - step.value == pytest.approx(errors[1], rel=1e-3)


def test_several_anchors_hold():
    results = [("a", "low", 50, 0, 50), ("a", "high", 50, 0, 50), ("low", "high", 90, 0, 10)]
    ratings = elo(results, {"low": 0.0, "high": 400.0})
    assert ratings["low"].elo == 0
    assert ratings["high"].elo == 400
    assert ratings["a"].elo == pytest.approx(200, abs=1e-6)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 5), st.integers(0, 5), st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000)
        ).filter(lambda row: row[0] != row[1]),
        max_size=12,
    ),
    st.dictionaries(st.integers(0, 7), st.floats(-3000, 3000), max_size=3),
)
def test_any_tournament_is_rated(rows, anchors):
    """At the likeliest ratings everybody has scored what the ratings expect, the prior included."""
    results = [(f"p{a}", f"p{b}", *counts) for a, b, *counts in rows]
    fixed = {f"p{i}": rating for i, rating in anchors.items()}
    ratings = elo(results, fixed)
    assert {rating.name for rating in ratings.players} == {name for row in results for name in row[:2]} | set(fixed)
    surplus = dict.fromkeys((rating.name for rating in ratings.players), 0.0)
    met = {}
    for a, b, wins, draws, losses in results:
        won, games = met.get((a, b), (0.0, 0.0)), wins + draws + losses
        met[a, b] = (won[0] + wins + draws / 2, won[1] + games)
    merged = {}
    for (a, b), (won, games) in met.items():
        key, own = ((a, b), won) if a < b else ((b, a), games - won)
        before = merged.get(key, (0.0, 0.0))
        merged[key] = (before[0] + own, before[1] + games)
    for (a, b), (won, games) in merged.items():
        if games:
            over = won + 0.5 - (games + 1) * chance(ratings[a].elo - ratings[b].elo)
            surplus[a] += over
            surplus[b] -= over
    for rating in ratings.players:
        assert math.isfinite(rating.elo)
        assert rating.low <= rating.elo <= rating.high
        if not rating.is_anchor:
            assert surplus[rating.name] == pytest.approx(0, abs=1e-4)
    names = [name for group in ratings.groups for name in group]
    assert sorted(names) == sorted(surplus)
    assert ratings.table()


def test_the_order_of_results_makes_no_difference():
    rng = np.random.default_rng(1)
    results = tournament({"a": 0.0, "b": 50.0, "c": 100.0, "d": -30.0}, 50, rng)
    turned = [(b, a, losses, draws, wins) for a, b, wins, draws, losses in results[::-1]]
    one, other = elo(results, {"a": 0.0}), elo(turned, {"a": 0.0})
    for rating in one.players:
        assert other[rating.name].elo == pytest.approx(rating.elo, abs=1e-6)
        assert other[rating.name].low == pytest.approx(rating.low, abs=1e-6)
    split = [(a, b, *part) for a, b, wins, draws, losses in results for part in ((wins, 0, 0), (0, draws, losses))]
    assert elo(split, {"a": 0.0})["d"].elo == pytest.approx(one["d"].elo, abs=1e-6)


def test_whitewashes_stay_finite():
    ratings = elo([("a", "b", 100, 0, 0), ("b", "c", 100, 0, 0)], {"c": 0.0})
    assert 500 < ratings["b"].elo < 1500
    assert ratings["a"].elo == pytest.approx(2 * ratings["b"].elo, abs=1e-6)
    assert ratings["a"].high - ratings["a"].elo > 300


def test_groups_that_never_met_are_told_apart():
    ratings = elo([("a", "b", 5, 0, 5), ("c", "d", 9, 0, 1), ("e", "c", 0, 0, 0), ("d", "f", 2, 2, 2)], {"a": 10.0})
    assert ratings.groups == (("c", "d", "f"), ("a", "b"), ("e",))
    assert "No games connect these groups:\n  c, d, f\n  a, b\n  e" in ratings.table()
    with pytest.raises(ValueError, match="no games connect 'a' with 'c'"):
        ratings.difference("a", "c")
    assert ratings["e"].low == -math.inf
    assert math.isnan(ratings["e"].score)
    anchored = elo([("a", "b", 5, 0, 5), ("c", "d", 5, 0, 5)], {"a": 10.0, "c": 300.0})
    assert anchored.difference("d", "b").value == pytest.approx(290)


def test_nothing_to_rate():
    assert elo([]).players == ()
    assert elo([]).groups == ()
    lonely = elo([], {"a": 7.0})
    assert lonely["a"].elo == 7
    assert "anchor" in str(lonely)


@pytest.mark.parametrize(
    ("results", "anchors", "message"),
    [
        ([("a", "a", 1, 0, 0)], {}, "itself"),
        ([("a", "b", -1, 0, 0)], {}, "no number of games"),
        ([("a", "b", math.nan, 0, 0)], {}, "no number of games"),
        ([("a", "b", 1, math.inf, 0)], {}, "no number of games"),
        ([("a", "b", 1, 0, 0)], {"a": math.nan}, "the anchor 'a' is rated nan"),
    ],
)
def test_input_that_makes_no_sense_is_refused(results, anchors, message):
    with pytest.raises(ValueError, match=message):
        elo(results, anchors)


def test_the_prior_and_names_are_checked():
    with pytest.raises(ValueError, match="prior_games"):
        elo([], prior_games=0)
    with pytest.raises(KeyError, match="'c' has no rating: there are a, b"):
        elo([("a", "b", 1, 0, 0)])["c"]


def test_matches_are_results():
    games = tuple(PlayedGame(i // 2, i % 2, i, "0", 0, (i,), (1.0, -1.0)) for i in range(20))
    match = MatchResult("toy", {}, "a", "b", 0, Openings(), games)
    assert elo([match]) == elo([("a", "b", 10, 0, 10)])


def test_the_table():
    text = str(elo([("champion", "rollout:1000", 60, 10, 30), ("champion", "random", 100, 0, 0)], {"random": 0.0}))
    lines = text.splitlines()
    assert lines[0].split() == ["player", "Elo", "95", "%", "games", "score"]
    assert lines[1].startswith("champion ")
    assert lines[1].endswith("82.5 %")
    assert "anchor" in lines[3]
    assert len({len(line) for line in lines}) == 1
