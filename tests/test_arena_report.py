"""Counts of games, paired deals, options of the start, and evaluations."""

import dataclasses
import math
import random

import pytest
from arena_helpers import made

import tengen
from tengen.arena import MatchReport, MatchResult, Openings, ValueMetric, find_metric, play_match
from tengen.games import Rate
from tengen.games.conformance import check
from tengen.games.connect_four import ConnectFour
from tengen.games.matgo import Matgo
from tengen.games.settings import parse_setting, settings_of

NAMES = {"gos", "go_fails", "baks_inflicted", "baks_suffered", "bankrupt", "nagari"}


def matgo():
    return tengen.game("matgo")


def played_rounds(count, gold=None, wild=False):
    game = matgo()
    rng = random.Random(5)
    for seed in range(count):
        state = game.start(seed, gold=gold)
        while not state.is_over:
            # A wild player goes whenever it can.
            choices = state.legal()
            state = state.play(161 if wild and 161 in choices else rng.choice(choices))
        yield game, state


# Counts.


def test_games_count_nothing_unless_they_say_so():
    state = tengen.game("connect_four").start()
    with pytest.raises(tengen.GameError, match="not over"):
        _ = state.game_stats
    for move in "ababab" + "a":
        state = state.play(move)
    assert state.game_stats == ({}, {})


def test_matgo_counts_what_its_view_says():
    seen = dict.fromkeys(NAMES, 0.0)
    for game, state in played_rounds(800, gold=3000, wild=True):
        view = game.view(state)
        for seat, own in enumerate(state.game_stats):
            other = state.game_stats[1 - seat]
            assert set(own) == NAMES
            assert own["gos"] == view.gos[seat]
            assert own["go_fails"] == (0 if view.winner == seat else view.gos[seat])
            assert own["bankrupt"] == (view.gold[seat] == 0)
            assert own["baks_inflicted"] == other["baks_suffered"]
            assert own["nagari"] == other["nagari"] == (view.winner == 2)
            if own["baks_inflicted"]:
                assert view.winner == seat
                by = view.multipliers[seat]
                assert own["baks_inflicted"] == by.gwang_bak + by.pi_bak + by.mong_bak + by.go_bak
            for name in NAMES:
                seen[name] += own[name]
    assert all(seen[name] > 0 for name in NAMES - {"nagari"})


def test_without_a_limit_nobody_is_bankrupt():
    assert not any(own["bankrupt"] for _, state in played_rounds(200) for own in state.game_stats)


class Miscounted(Matgo):
    def game_stats(self, position):
        return [{"gos": 1.0}, {"gos": math.nan}]


def test_conformance_looks_at_counts():
    with pytest.raises(AssertionError, match="counts"):
        check(Miscounted(), games=1)


# Paired deals.


def test_the_games_of_a_pair_have_the_same_deck_and_each_player_begins_once():
    game = matgo()
    result = play_match(game, "greedy", "random", 60, seed=8)
    starters = []
    for one, other in zip(result.games[0::2], result.games[1::2], strict=True):
        first, second = (next(iter(record.states(game))) for record in (one, other))
        assert game.deck(first) == game.deck(second)
        assert first == second
        starter = game.view(first).starter
        assert game.view(second).starter == starter
        # Seats are swapped, so the deal's starter is one player in one game and the other one in the other.
        assert (one.first_seat == starter) != (other.first_seat == starter)
        starters.append(starter)
    assert 5 < sum(starters) < 25
    assert len({record.start for record in result.games}) == 30


# Options of the start.


def test_a_match_may_limit_the_gold():
    game = matgo()
    limited = Openings(plies=(0, 0), start={"gold": 2000})
    result = play_match(game, "greedy", "random", 200, seed=3, openings=limited)
    assert result.total("bankrupt", first=False) > 0
    assert min(record.payoff for record in result.games) >= -2000
    assert MatchResult.from_json(result.to_json()) == result
    assert result.games[0].replay(game, result.openings.start).payoffs == result.games[0].payoffs
    with pytest.raises(ValueError, match="deals another position"):
        result.games[0].replay(game)
    for record in result.games:
        assert record.counts == tuple(record.replay(game, limited.start).game_stats)


def test_options_are_as_json_gives_them_back():
    assert Openings(start={"gold": (5, 6)}) == Openings(start={"gold": [5, 6]})
    for wrong in ({"gold": {1}}, {"gold": math.inf}):
        with pytest.raises(ValueError, match="start"):
            Openings(start=wrong)
    with pytest.raises(tengen.GameError, match="silver"):
        play_match("matgo", "greedy", "random", 2, openings=Openings(plies=(0, 0), start={"silver": 1}))


def test_results_of_before_read_as_ever():
    old = play_match("pyrga", "random", "random", 4, seed=1)
    text = old.to_json()
    assert '"counts"' not in text
    assert '"start": {' not in text
    assert MatchResult.from_json(text) == old


@pytest.mark.parametrize("counts", ["[{}]", '[{"a": 1}, {"b": 1}]', '[{"a": "x"}, {"a": 1}]', "3", '[{"a": true}, {}]'])
def test_counts_that_do_not_fit_are_refused(counts):
    text = play_match("matgo", "random", "random", 2, seed=1).to_json()
    begin = text.index('"counts": ') + len('"counts": ')
    end = text.index("]", begin) + 1
    with pytest.raises(ValueError, match="counts"):
        MatchResult.from_json(text[:begin] + counts + text[end:])


def test_gold_is_read_from_a_command_line():
    known = settings_of(matgo().initial)
    assert parse_setting(known["gold"], "100000") == 100_000
    assert parse_setting(known["gold"], "1000, 2000") == (1000, 2000)
    assert parse_setting(known["gold"], "none") is None
    assert parse_setting(known["deck"], "1g 2r") == ("1g", "2r")
    state = matgo().start(1, gold=700)
    assert matgo().view(state).funds == [700, 700]
    with pytest.raises(tengen.GameError):
        matgo().start(1, gold=parse_setting(known["gold"], "much"))


# Evaluations.


class Counting(ConnectFour):
    payoff_unit = "coins"
    decisive_count = "falls"
    rates = {"slip_rate": Rate("slips", "steps", safe=0.1)}  # noqa: RUF012


def counted(payoffs, first, second):
    """A result with these payoffs of the first player, and (steps, slips, falls) of each player in each game."""
    plain = made([0.5] * len(payoffs), payoffs)
    games = []
    for i, game in enumerate(plain.games):
        own, other = ({"steps": s, "slips": t, "falls": f} for s, t, f in (first[i], second[i]))
        games.append(dataclasses.replace(game, counts=(own, other) if i % 2 == 0 else (other, own)))
    return dataclasses.replace(plain, games=tuple(games))


def test_an_evaluation_by_hand():
    payoffs = [10.0, 20.0, -30.0, 40.0]
    result = counted(payoffs, [(10, 1, 0), (10, 0, 0), (0, 0, 1), (0, 0, 0)], [(4, 4, 0)] * 4)
    evaluation = MatchReport(Counting(), result, {})
    rate = evaluation.rates["slip_rate"]
    assert (rate.first.value, rate.second.value, rate.total.value) == (0.05, 1.0, pytest.approx(17 / 36))
    assert rate.whole == (20, 16)
    assert rate.first.low < 0.05 < rate.first.high
    assert evaluation.worst_loss == -30
    assert evaluation.tail_mean == -30
    assert evaluation.result.payoff.value == 10
    assert evaluation.gates == {"coins_significant_positive": False, "slip_rate_safe": False, "value_not_worse": True}
    assert not evaluation.promotion_recommended


def test_a_rate_is_safe_by_the_total_of_both_players():
    result = counted([1.0, 1.0], [(10, 0, 0), (10, 0, 0)], [(10, 2, 0), (10, 1, 0)])
    assert MatchReport(Counting(), result, {}).rates["slip_rate"].total.value == 0.075
    for limit, safe in ((0.08, True), (0.07, False)):
        assert MatchReport(Counting(), result, {"slip_rate": limit}).gates["slip_rate_safe"] is safe
    turned = counted([1.0, 1.0], [(10, 2, 0), (10, 1, 0)], [(10, 0, 0), (10, 0, 0)])
    assert MatchReport(Counting(), turned, {"slip_rate": 0.08}).gates["slip_rate_safe"]


def test_the_tail_is_the_worst_twentieth():
    payoffs = [float(i) for i in range(-100, 100)]
    result = made([0.5] * 200, payoffs)
    assert MatchReport(Counting(), counted(payoffs, [(0, 0, 0)] * 200, [(0, 0, 0)] * 200), {}).tail_mean == -95.5
    assert MatchReport(tengen.game("connect_four"), result, {}).tail_mean == -95.5


def test_all_gates_must_hold():
    good = [100.0 + i % 7 for i in range(100)]
    result = counted(good, [(10, 0, 0)] * 100, [(10, 1, 0)] * 100)
    assert MatchReport(Counting(), result, {}).promotion_recommended
    slipping = counted(good, [(10, 2, 0)] * 100, [(10, 1, 0)] * 100)
    assert not MatchReport(Counting(), slipping, {}).promotion_recommended
    worse, same = ValueMetric("rmse", 2.0, 1.0), ValueMetric("rmse", 1.0, 1.0)
    assert not MatchReport(Counting(), result, {}, worse).promotion_recommended
    assert MatchReport(Counting(), result, {}, same).promotion_recommended
    plain = MatchReport(Counting(), result, {}, same).to_plain()
    assert plain["promotion_recommended"] is True
    assert plain["rates"]["slip_rate"]["first"] == 0.0
    assert plain["counts"]["second"]["slips"] == 1.0


def test_limits_must_be_of_rates_that_there_are():
    result = counted([1.0, 1.0], [(0, 0, 0)] * 2, [(0, 0, 0)] * 2)
    assert MatchReport(Counting(), result, {"slip_rate": 0.0}).gates["slip_rate_safe"]
    with pytest.raises(ValueError, match="slip_rate"):
        MatchReport(Counting(), result, {"go_fail_rate": 0.1})
    for limit in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="from 0 to 1"):
            MatchReport(Counting(), result, {"slip_rate": limit})


def test_metrics_are_found_by_name():
    assert find_metric({"valid": {"mse": 4, "rmse": 2.0}}) == ("valid.rmse", 2.0)
    assert find_metric({"valid_mse": 3}) == ("valid_mse", 3.0)
    assert find_metric({"valid": {"mae": 1.5}}, "valid.mae") == ("valid.mae", 1.5)
    for metrics in ({}, {"rmse": "x"}, {"rmse": True}, {"rmse": math.nan}, {"valid": [1]}):
        with pytest.raises(ValueError, match="there is"):
            find_metric(metrics)
