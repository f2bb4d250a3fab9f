"""The loop that plays games: rounds, batches, resignation, chance, and games that take each other's places."""

import random
from dataclasses import dataclass

import pytest

import tengen
from tengen.arena import MatchDecider, Openings, RandomPlayer, play_match, play_pairs
from tengen.arena.openings import OpeningBook
from tengen.selfplay import RESIGN, GameTable, play_tables


@dataclass
class Toy(GameTable):
    """A game in which an even seat is decided by the first player."""

    number: int = 0

    def chance_seed(self):
        return len(self.state.history)

    def player_of(self, seat):
        return seat % 2


class Recorder:
    """A decider that plays at random and records its batches."""

    def __init__(self, resigns_at=None):
        self.batches = []
        self.resigns_at = resigns_at

    def __call__(self, asked):
        self.batches.append([(table.number, seat) for table, seat in asked])
        return [
            RESIGN
            if len(table.state.history) == self.resigns_at
            else random.Random(f"{table.number} {len(table.state.history)}").choice(table.state.legal(seat))
            for table, seat in asked
        ]


def toys(name, count, **changes):
    return [Toy(tengen.game(name).start(number), number, **changes) for number in range(count)]


def test_each_player_decides_about_all_positions_that_wait():
    first, second = Recorder(), Recorder()
    tables = toys("connect_four", 5)
    ended = list(play_tables(iter(tables), [first, second], 3))
    assert sorted(table.number for table in ended) == [0, 1, 2, 3, 4]
    assert all(table.state.is_over for table in ended)
    assert first.batches[0] == [(0, 0), (1, 0), (2, 0)]
    assert second.batches[0] == [(0, 1), (1, 1), (2, 1)]
    assert max(map(len, first.batches + second.batches)) == 3
    assert sum(map(len, first.batches + second.batches)) == sum(len(table.state.history) for table in tables)


def test_games_begin_only_when_there_is_a_place():
    begun = []

    def begin():
        for table in toys("connect_four", 4):
            begun.append(table.number)
            yield table

    live = []
    games = play_tables(begin(), [Recorder(), Recorder()], 2, lambda left: live.append([t.number for t in left]))
    first = next(games)
    assert begun == [0, 1]
    rest = list(games)
    assert len(rest) == 3
    assert first.number not in live[-1]
    assert live[-1] == []
    assert list(play_tables([], [Recorder()], 2)) == []


def test_a_player_that_resigns_plays_no_more():
    tables = toys("connect_four", 2)
    ended = list(play_tables(tables, [Recorder(), Recorder(resigns_at=3)], 2))
    assert [table.resigned for table in ended] == [1, 1]
    assert all(len(table.state.history) == 3 for table in ended)


@pytest.mark.parametrize("in_turn", [False, True])
def test_players_who_act_at_the_same_time_may_be_asked_in_turn(in_turn):
    first, second = Recorder(), Recorder()
    rounds = []
    ended = list(play_tables(toys("rock_paper_scissors", 2, in_turn=in_turn), [first, second], 2, rounds.append))
    assert all(table.state.is_over for table in ended)
    assert (first.batches, second.batches) == ([[(0, 0), (1, 0)]], [[(0, 1), (1, 1)]])
    assert len(rounds) == 1 + in_turn


def test_chance_acts_before_players():
    ended = list(play_tables(toys("pig", 2), [Recorder(), Recorder()], 2))
    assert all(table.state.is_over and len(table.state.history) > 10 for table in ended)


def test_pairs_and_matches_are_the_same_games():
    game = tengen.game("connect_four")
    match = play_match(game, "random", RandomPlayer("other"), 6, seed=4, openings=Openings())
    deciders = MatchDecider(RandomPlayer()), MatchDecider(RandomPlayer("other"))
    tables = play_pairs(OpeningBook(game, Openings(), 4), deciders, range(3))
    assert [table.record() for table in tables] == list(match.games)
