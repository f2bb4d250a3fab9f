"""Matches have pairs and various openings, are equal for equal seeds, and can be replayed."""

import contextlib
import dataclasses
import json
import pickle
import random

import pytest
from arena_helpers import judge, made
from search_helpers import all_games
from toy_games import Duel, HighCard, TicTacToe

import tengen
from tengen import IllegalAction
from tengen.arena import (
    MatchResult,
    Openings,
    Player,
    PolicyPlayer,
    RandomPlayer,
    chunks,
    play_match,
)
from tengen.arena.openings import OpeningBook

# Tests take names: pytest would hold games themselves until the interpreter ends, which nanobind reports as a leak.
GAMES = {game.id: game for game in all_games() if game.players == 2}
PYRGA = tengen.game("pyrga")


class Watched(Player):
    """Random, and remembers what it was asked."""

    def __init__(self, name):
        super().__init__(name)
        self.calls = []

    def choose(self, states, seats, seeds):
        self.calls.append((list(states), list(seats), list(seeds)))
        return RandomPlayer().choose(states, seats, seeds)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_match_of_any_game(name):
    game = GAMES[name]
    result = play_match(game, "rollout:20", "random", 12, seed=3)
    assert len(result.games) == 12
    assert play_match(game, "rollout:20", "random", 12, seed=3) == result
    for one, other in zip(result.games[0::2], result.games[1::2], strict=True):
        assert (one.pair, one.seed, one.start, one.opening) == (other.pair, other.seed, other.start, other.opening)
        assert one.actions[: one.opening] == other.actions[: other.opening]
        assert (one.first_seat, other.first_seat) == (0, 1)
    for record in result.games:
        last = record.replay(game)
        assert last.is_over
        assert last.payoffs == record.payoffs
        assert record.payoff == record.payoffs[record.first_seat]
    other_seed = play_match(game, "rollout:20", "random", 12, seed=4)
    assert [record.seed for record in other_seed.games] != [record.seed for record in result.games]
    assert MatchResult.from_json(result.to_json()) == result


def test_games_are_asked_together_and_each_by_its_player():
    first, second = Watched("a"), Watched("b")
    result = play_match(PYRGA, first, second, 8, seed=1)
    # Both players are asked once for each round, about about half of the games each.
    assert max(len(first.calls), len(second.calls)) <= max(len(record.actions) for record in result.games)
    assert sum(len(states) for states, _, _ in first.calls[:1] + second.calls[:1]) == 8
    for player in (first, second):
        for states, seats, _ in player.calls:
            assert [state.actor for state in states] == seats
    seeds = [seed for player in (first, second) for _, _, own in player.calls for seed in own]
    assert len(set(seeds)) == len(seeds)
    decisions = sum(len(record.actions) - record.opening for record in result.games)
    assert len(seeds) == decisions


def test_all_act_in_their_own_seats():
    first, second = Watched("a"), Watched("b")
    result = play_match(Duel(), first, second, 6, seed=1)
    for player, sign in ((first, 0), (second, 1)):
        for states, seats, _ in player.calls:
            assert all(state.actor == "all" for state in states)
            assert seats == [(record.first_seat + sign) % 2 for record in result.games]


def test_chance_is_alike_in_both_games_of_a_pair():
    game = tengen.game("pig")
    result = play_match(game, "random", "random", 40, seed=2)

    def dice(record):
        return [
            action
            for state, action in zip(record.states(game), record.actions, strict=False)
            if state.actor == "chance"
        ]

    for one, other in zip(result.games[0::2], result.games[1::2], strict=True):
        common = min(len(dice(one)), len(dice(other)))
        assert common > 0
        assert dice(one)[:common] == dice(other)[:common]
    firsts = {tuple(dice(record)[:6]) for record in result.games}
    assert len(firsts) > 15


def test_games_of_players_without_chance_are_distinct():
    """Against an arena whose six games were two. Players who never vary may still lead one opening into another."""
    one, other = PolicyPlayer("a", judge), PolicyPlayer("b", lambda state, player: (judge(state, player)[0][::-1], 0.0))
    result = play_match(PYRGA, one, other, 200, seed=0)
    assert result.distinct_games >= 195
    same = play_match(PYRGA, one, PolicyPlayer("c", judge), 100, seed=0)
    assert same.distinct_games == 50
    assert same.score.value == 0.5


@pytest.mark.parametrize("name", ["pyrga", "connect_four", "full_tic_tac_toe"])
def test_openings_differ_and_never_end_the_game(name):
    game = GAMES[name]
    book = OpeningBook(game, Openings(), 7)
    states = [book[pair].state for pair in range(150)]
    assert len({state.key for state in states}) == 150
    assert not any(state.is_over for state in states)
    lengths = [len(state.history) for state in states]
    assert min(lengths) == 0
    assert lengths.count(0) == 1
    assert max(lengths) <= 4
    exact = OpeningBook(game, Openings(plies=(3, 3)), 7)
    assert {len(exact[pair].state.history) for pair in range(20)} == {3}
    # A later pair's opening does not depend on which pairs were asked for before it.
    assert OpeningBook(game, Openings(), 7)[99].state.history == states[99].history


@pytest.mark.slow
def test_used_up_openings_grow_longer_and_then_repeat():
    book = OpeningBook(TicTacToe(), Openings(plies=(1, 1)), 0)
    lengths = [len(book[pair].state.history) for pair in range(60)]
    assert lengths.count(1) == 9
    assert max(lengths) > 1
    assert len({book[pair].state.key for pair in range(60)}) == 60
    # Kuhn poker has no more than 6 deals and few ways on.
    result = play_match(tengen.game("kuhn_poker"), "random", "random", 400, openings=Openings(plies=(1, 2)))
    assert len(result.games) == 400
    assert all(record.opening <= 2 for record in result.games)


def test_openings_can_be_fair():
    game = tengen.game("connect_four")
    worth = []
    for limit in (None, 0.2):
        book = OpeningBook(game, Openings(plies=(4, 8), fair_within=limit), 3)
        worth.append(
            [abs(tengen.search(book[pair].state, evaluator="rollout", visits=500, seed=1).value) for pair in range(40)]
        )
    assert max(worth[1]) < 0.5 < max(worth[0])
    duel = OpeningBook(Duel(rounds=4), Openings(plies=(1, 2), fair_within=1.0), 3)
    assert not duel[0].state.is_over


@pytest.mark.parametrize(
    "wrong", [{"plies": (3, 2)}, {"plies": (-1, 2)}, {"fair_within": 0.0}, {"fair_within": 2.0}, {"judge_visits": 1}]
)
def test_openings_must_make_sense(wrong):
    with pytest.raises(ValueError, match="openings"):
        Openings(**wrong)


def test_progress_is_told_and_a_match_may_stop():
    told = []
    play_match(PYRGA, "random", "random", 20, progress=lambda done, of: told.append((done, of)), pairs_at_once=3)
    assert told[0] == (0, 20)
    assert told[-1] == (20, 20)
    assert told == sorted(told)
    whole = play_match(PYRGA, "random", "random", 20, seed=4, pairs_at_once=3)
    seen = []

    def stop(result):
        seen.append(result)
        return len(result.games) >= 12

    stopped = play_match(PYRGA, "random", "random", 20, seed=4, stop=stop, pairs_at_once=3)
    assert [len(result.games) for result in seen] == [6, 12]
    assert stopped.games == whole.games[:12]


def test_what_cannot_be_played_is_refused():
    with pytest.raises(ValueError, match="high_card has 3 players"):
        play_match(HighCard(), "random", "random", 2)
    with pytest.raises(ValueError, match="must be even"):
        play_match(PYRGA, "random", "random", 7)
    with pytest.raises(ValueError, match="must be even"):
        play_match(PYRGA, "random", "random", 0)
    with pytest.raises(ValueError, match="pairs_at_once"):
        chunks(10, 0)
    with pytest.raises(ValueError, match="no game is called"):
        play_match("chess boxing", "random", "random", 2)
    with pytest.raises(ValueError, match="no player is called"):
        play_match(PYRGA, "random", "nobody", 2)


def test_a_players_mistakes_are_named():
    class Cheat(RandomPlayer):
        def choose(self, states, seats, seeds):
            return [95] * len(states)

    class Silent(RandomPlayer):
        def choose(self, states, seats, seeds):
            return []

    with pytest.raises(IllegalAction, match="cheat chose action 95"):
        play_match(PYRGA, Cheat("cheat"), "random", 2)
    with pytest.raises(ValueError, match="silent was asked for 1 actions and answered 0"):
        play_match(PYRGA, Silent("silent"), "random", 2)


def test_stronger_players_win():
    for game in ("pyrga", "connect_four"):
        result = play_match(game, "rollout:100", "random", 60, seed=1)
        assert result.score.low > 0.8
        result = play_match(game, "rollout:400", "rollout:20", 100, seed=1)
        assert result.score.low > 0.6


# The figures of a result.


def test_figures():
    result = made([1, 0.5, 1, 0, 0, 0, 1, 1, 0.5, 0.5])
    assert (result.wins, result.draws, result.losses) == (4, 3, 3)
    assert result.pentanomial == (1, 0, 2, 1, 1)
    assert result.score.value == 0.55
    assert str(result.by_seat[0]) == "+3 =1 -1"
    assert str(result.by_seat[1]) == "+1 =2 -2"
    assert result.payoff.value == pytest.approx(0.1)
    assert result.payoff.low < 0.1 < result.payoff.high
    assert result.distinct_games == 10
    assert result.figures()["score"] == 0.55
    text = result.summary()
    for part in (
        "a against b in toy: 10 games",
        "55.0 %",
        "+4 =3 -3",
        "+3 =1 -1 in seat 0",
        "1 lost 0–2",
        "10 distinct",
    ):
        assert part in text
    assert text in repr(result)
    assert "+∞" in made([1, 1]).summary()
    assert "−∞" in made([0, 0]).summary()


def test_payoffs_in_gold():
    gold = [1200.0, -300.0, 50.0, -40.0, 7.0, -7.0]
    result = made([1, 0, 1, 0, 1, 0], gold)
    assert result.payoff.value == pytest.approx(sum(gold) / 6)
    assert result.score.value == 0.5
    assert result.wins == 3


def test_payoffs_stay_within_what_is_possible():
    result = play_match(tengen.game("connect_four"), "rollout:20", "random", 16, seed=1)
    assert result.wins > 12
    assert result.payoff.high <= 1
    assert result.payoff.value == pytest.approx(2 * result.score.value - 1)
    again = MatchResult.from_json(result.to_json())
    assert (again, again.payoff) == (result, result.payoff)
    with pytest.raises(ValueError, match="max_payoff is -1"):
        MatchResult.from_json(result.to_json().replace('"max_payoff": 1.0', '"max_payoff": -1'))


def test_a_result_needs_whole_pairs():
    result = made([1, 0, 0.5, 0.5])
    for games in (result.games[:3], result.games[::-1], result.games + result.games[:2], ()):
        with pytest.raises(ValueError, match="pair"):
            dataclasses.replace(result, games=games)


def test_replay_notices_another_course():
    record = play_match(PYRGA, "random", "random", 2, seed=1).games[0]
    with pytest.raises(ValueError, match="the record says"):
        dataclasses.replace(record, payoffs=(7.0, -7.0)).replay(PYRGA)
    with pytest.raises(ValueError, match="no result yet"):
        dataclasses.replace(record, actions=record.actions[:-1]).replay(PYRGA)
    with pytest.raises(ValueError, match="another position"):
        dataclasses.replace(record, start="12").replay(PYRGA)
    with pytest.raises(ValueError, match="illegal"):
        dataclasses.replace(record, actions=(*record.actions[:5], 95, *record.actions[6:])).replay(PYRGA)


def test_results_are_saved_whole(tmp_path):
    game = tengen.game("pig", target=20)
    result = play_match(game, "rollout:10", "random", 6, seed=2**63 + 1, openings=Openings((0, 1), 0.9, 50))
    back = MatchResult.from_json(result.to_json())
    assert back == result
    assert back.settings == {"target": 20}
    assert back.openings == Openings((0, 1), 0.9, 50)
    assert pickle.loads(pickle.dumps(result)) == result
    assert all(record.replay(game).is_over for record in back.games)


def test_damaged_results_are_refused_or_consistent():
    """A text that was cut or changed is an error, or still a result that is consistent."""
    text = play_match("rock_paper_scissors", "random", "random", 4, seed=2).to_json()
    rng = random.Random(1)
    refused = 0
    for _ in range(1500):
        place = rng.randrange(len(text))
        damaged = text[:place]
        if rng.random() < 0.8:
            damaged += (
                chr(rng.choice([rng.randrange(32, 127), ord(text[place]) ^ 1 << rng.randrange(7)])) + text[place + 1 :]
            )
        with contextlib.suppress(ValueError):
            assert MatchResult.from_json(damaged).summary()
            continue
        refused += 1
        with pytest.raises(ValueError, match="this is no match result"):
            MatchResult.from_json(damaged)
    assert refused > 700


@pytest.mark.parametrize(
    "change",
    [
        {"format": "tengen-match-9"},
        {"games": []},
        {"games": [1]},
        {"games": {}},
        {"seed": True},
        {"seed": "1"},
        {"settings": None},
        {"openings": {}},
        {"openings": {"plies": [0], "fair_within": None, "judge_visits": 2}},
        {"openings": {"plies": [0, True], "fair_within": None, "judge_visits": 2}},
        {"openings": {"plies": [0, 1], "fair_within": 7, "judge_visits": 2}},
        {"more": 1},
    ],
)
def test_results_that_do_not_fit_are_refused(change):
    plain = json.loads(made([1, 0]).to_json())
    with pytest.raises(ValueError, match="this is no match result"):
        MatchResult.from_json(json.dumps(plain | change))


@pytest.mark.parametrize(
    "change",
    [
        {"pair": -1},
        {"pair": 1.0},
        {"first_seat": 2},
        {"seed": None},
        {"start": 5},
        {"opening": 9},
        {"actions": [1, "2"]},
        {"actions": [[]]},
        {"actions": 3},
        {"payoffs": [1]},
        {"payoffs": [1, True]},
        {"payoffs": [1, float("inf")]},
        {"payoffs": [1, 1e999]},
        {"more": 1},
    ],
)
def test_games_that_do_not_fit_are_refused(change):
    plain = json.loads(made([1, 0]).to_json())
    plain["games"][0] |= change
    with pytest.raises(ValueError, match="this is no match result"):
        MatchResult.from_json(json.dumps(plain))
