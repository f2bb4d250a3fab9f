"""Self-play: games that replay, that are the same every time, and the choices of how to play them."""

import collections
import gzip
import json
import math
import random

import numpy as np
import pytest
from arena_helpers import judge, make_network
from hypothesis import given, settings
from hypothesis import strategies as st
from learning_helpers import quick_games, quick_play
from shipped_games import NAMES, small_game
from toy_games import Duel, FullTicTacToe, HighCard

import tengen
from tengen.games import GameError, NativeGame
from tengen.learning import SamplesError, samples_of
from tengen.search import SearchSettings
from tengen.selfplay import (
    Decision,
    GameRecord,
    RecordError,
    SelfPlaySettings,
    format_record,
    load_records,
    parse_record,
    play_games,
    save_records,
    summarize,
)

TOYS = {"tic_tac_toe": FullTicTacToe, "high_card": HighCard, "duel": Duel}


@pytest.fixture(params=[*NAMES, *TOYS])
def game(request):
    """Perfect, hidden, chance, simultaneous; native and in Python."""
    return TOYS[request.param]() if request.param in TOYS else small_game(request.param)


# Records.


def test_records_replay_exactly(game):
    """From their text, by hand, and with every decision where and whose it was."""
    for record in quick_games(game, 4, visits=12):
        again = parse_record(format_record(record))
        assert again == record
        states = list(again.replay(game))
        assert states[-1].is_over
        assert states[-1].history == record.actions
        assert states[-1].payoffs == record.payoffs
        expected = [
            (ply, player)
            for ply, state in enumerate(states[:-1])
            for player in ([state.actor] if isinstance(state.actor, int) else range(game.players))
            if state.actor != "chance"
        ]
        assert [(decision.ply, decision.player) for decision in record.decisions] == expected
        for decision in record.decisions:
            legal = states[decision.ply].legal(decision.player)
            assert set(decision.policy) <= set(legal)
            total = sum(decision.policy.values())
            # If all act together, an action that was never tried may have a share that is not listed.
            assert total == pytest.approx(1, abs=1e-4) or (game.simultaneous and 0 <= total < 1)
            assert len(decision.values) == game.players
            assert all(math.isfinite(value) for value in decision.values)


@pytest.mark.parametrize("name", NAMES)
def test_a_record_knows_its_game(name):
    record = quick_games(small_game(name), 1)[0]
    assert record.make_game() == small_game(name)
    assert list(record.replay())[-1].payoffs == record.payoffs


def test_a_record_of_a_game_with_settings_replays_with_them():
    record = quick_games(tengen.game("pyrga", tie_break=True, arrows_stay_on_board=True), 1)[0]
    again = parse_record(format_record(record))
    assert again.make_game().settings["tie_break"] is True
    assert list(again.replay())[-1].payoffs == record.payoffs


def test_a_record_that_does_not_replay_names_the_ply():
    record = quick_games("connect_four", 1)[0]
    values = json.loads(format_record(record))
    values["actions"][3] = 99
    with pytest.raises(RecordError, match="ply 3"):
        list(parse_record(json.dumps(values)).replay())
    values["actions"] = [*record.actions, 0]
    with pytest.raises(RecordError, match=f"ply {len(record.actions)}"):
        list(parse_record(json.dumps(values)).replay())


FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def records(draw):
    players, plies = draw(st.integers(1, 4)), draw(st.integers(0, 5))
    action = st.integers(0, 400)
    actions = draw(st.lists(action | st.tuples(*[action] * players), min_size=plies, max_size=plies))
    worth = st.tuples(*[FINITE] * players)
    seat = st.integers(0, players - 1)
    share = st.floats(0, 1)
    decision = st.builds(
        Decision,
        ply=st.integers(0, max(plies - 1, 0)),
        player=seat,
        policy=st.dictionaries(action, share, max_size=4),
        values=worth,
        visits=st.integers(0, 10**9),
        is_full=st.booleans(),
    )
    return GameRecord(
        game=draw(st.text(max_size=8)),
        settings=draw(st.dictionaries(st.text(max_size=4), st.integers() | st.booleans() | st.text(), max_size=3)),
        seed=draw(st.integers(0, 2**63)),
        actions=tuple(actions),
        decisions=tuple(draw(st.lists(decision, max_size=3))) if plies else (),
        payoffs=draw(worth),
        resigned=draw(st.none() | seat),
        would_resign=draw(st.none() | seat),
        meta=draw(st.dictionaries(st.text(max_size=4), st.text(max_size=4) | FINITE, max_size=2)),
    )


@pytest.mark.slow
@settings(max_examples=100)
@given(records())
def test_any_record_comes_back_from_its_line(record):
    line = format_record(record)
    assert "\n" not in line
    assert parse_record(line) == record
    assert load_records(save_records([record, record])) == [record, record]


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_a_line_that_is_no_record_is_refused(data):
    """Any part of a good line replaced by anything."""
    values = json.loads(LINE)
    part = values
    while True:
        key = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
        if not isinstance(part[key], dict | list) or not part[key] or data.draw(st.booleans()):
            part[key] = data.draw(JSON)
            break
        part = part[key]
    try:
        record = parse_record(json.dumps(values))
    except RecordError:
        return
    check_harmless(record)


def check_harmless(record):
    """A record that parses may still be nonsense: its users must raise clear errors."""
    line = format_record(record)
    assert format_record(parse_record(line)) == line
    try:
        samples_of(tengen.game("connect_four"), [record])
    except (RecordError, SamplesError, GameError):
        return
    summarize([record])


LINE = format_record(quick_games("connect_four", 1, visits=2)[0])


def test_fuzzed_lines_are_refused_or_records():
    rng = random.Random(5)
    refused = 0
    for _ in range(1000):
        text = list(LINE)
        for _ in range(rng.choice([1, 1, 3])):
            place = rng.randrange(len(text))
            if rng.random() < 0.3:
                del text[place:]
                text.append("x")
            else:
                text[place] = rng.choice('0123456789-+.eE[]{}",: \x00é')
        try:
            record = parse_record("".join(text))
        except RecordError:
            refused += 1
        else:
            check_harmless(record)
    assert refused > 300


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1e999},
        {"seed": float("nan")},
        {"payoffs": [10**400, 0]},
        {"payoffs": ["inf", 0]},
        {"actions": [float("inf")]},
        {"decisions": [[-1, 0, [], [0, 0], 1, True]]},
        {"decisions": [[99, 0, [], [0, 0], 1, True]]},
        {"decisions": [[0, 2, [], [0, 0], 1, True]]},
        {"decisions": [[0, 0, [[-1, 0.5]], [0, 0], 1, True]]},
        {"decisions": [[0, 0, [[1, -0.5]], [0, 0], 1, True]]},
        {"decisions": [[0, 0, [], [0], 1, True]]},
        {"resigned": "0"},
        {"resigned": 2},
        {"would_resign": [0]},
        {"settings": 3},
        {"settings": [[1, 2]]},
        {"seed": 1.5},
        {"seed": "1"},
        {"seed": True},
        {"game": None, "meta": 7},
    ],
    ids=str,
)
def test_numbers_and_seats_that_cannot_be_are_refused(changes):
    with pytest.raises(RecordError):
        parse_record(json.dumps(json.loads(LINE) | changes))


@pytest.mark.parametrize(
    "data", [b"", b"\x1f\x8b", b"{}", gzip.compress(b"{}", mtime=0), gzip.compress(b"\xff", mtime=0), b"PK\3\4"]
)
def test_what_is_no_file_of_records_is_refused(data):
    with pytest.raises(RecordError):
        load_records(data)


def test_deep_nesting_is_refused():
    with pytest.raises(RecordError):
        parse_record("[" * 100_000)


def test_files_of_equal_records_have_equal_bytes(monkeypatch):
    found = quick_games("pig", 3)
    data = save_records(found)
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert save_records(found) == data
    assert load_records(save_records([])) == []


# The bytes are the same every time.


def test_equal_seeds_give_equal_games(game):
    one, other = quick_games(game, 4), quick_games(game, 4)
    assert one == other
    assert [record.seed for record in one] == [100, 101, 102, 103]
    later = quick_games(game, 8, seed=200)
    assert {record.seed for record in later} == set(range(200, 208))
    assert len({(record.actions, record.payoffs) for record in later}) > 1


@pytest.mark.parametrize("evaluator", ["uniform", "rollout"])
def test_games_do_not_depend_on_who_plays_beside_them(game, evaluator):
    """Games are independent if evaluations are. A network's last digits depend on the batch, so `parallel` is a
    setting."""
    alone = quick_games(game, 5, parallel=1, evaluator=evaluator)
    assert quick_games(game, 5, parallel=3, evaluator=evaluator) == alone
    assert quick_games(game, 5, parallel=64, evaluator=evaluator) == alone
    assert quick_games(game, 2, seed=102, evaluator=evaluator) == alone[2:4]


def test_networks_play_the_same_with_the_same_settings(tmp_path):
    game = tengen.game("pyrga")
    make_network(tmp_path / "net.onnx", game)
    one, other = (quick_games(game, 4, evaluator=str(tmp_path / "net.onnx"), cache_entries=64) for _ in range(2))
    assert one == other


def test_answers_come_in_the_order_of_the_seeds():
    seeds = [9, 3, 7, 3, 1]
    heard = []
    settings = quick_play(parallel=2)
    found = play_games(tengen.game("pig"), "uniform", settings, seeds, lambda *counts: heard.append(counts))
    assert [record.seed for record in found] == seeds
    assert found[1] == found[3]
    games, visits = zip(*heard, strict=True)
    assert (list(games), list(visits)) == (sorted(games), sorted(visits))
    assert games[-1] == len(set(seeds))
    assert visits[-1] > 0
    assert play_games(tengen.game("pig"), "uniform", quick_play(), []) == []


def test_a_judge_in_python_plays_too():
    game = HighCard()
    assert play_games(game, judge, quick_play(), range(3)) == play_games(game, judge, quick_play(), range(3))


# How moves are chosen.


def best(decision):
    return max(decision.policy.values())


def test_early_moves_are_drawn_and_late_ones_are_the_best():
    found = quick_games("pyrga", 12, visits=40, temp_moves=6, evaluator="rollout")
    early, late = collections.Counter(), collections.Counter()
    for record in found:
        for decision in record.decisions:
            chosen = decision.policy.get(record.actions[decision.ply], 0.0)
            (early if decision.ply < 6 else late)[chosen == best(decision)] += 1
    assert late[False] == 0
    assert early[False] > 10
    assert len({record.actions[0] for record in found}) > 4


def test_no_temperature_plays_the_best_and_a_late_one_lasts():
    for record in quick_games("pyrga", 3, visits=40, temperature=0.0, evaluator="rollout"):
        assert all(d.policy[record.actions[d.ply]] == best(d) for d in record.decisions)
    loose = quick_games("pyrga", 6, visits=40, temp_moves=0, late_temperature=1.0, evaluator="rollout")
    assert any(d.policy[record.actions[d.ply]] < best(d) for record in loose for d in record.decisions if d.ply > 8)


def test_a_higher_temperature_strays_further():
    def strays(temperature):
        found = quick_games("pyrga", 10, visits=60, temperature=temperature, temp_moves=99, evaluator="rollout")
        return np.mean([d.policy.get(r.actions[d.ply], 0) < best(d) for r in found for d in r.decisions])

    assert strays(0.3) < strays(1.0) < strays(3.0)


def test_visits_are_those_of_the_settings():
    for record in quick_games("pyrga", 2, visits=30, solve=False):
        assert all(decision.visits >= 30 for decision in record.decisions)
        assert all(decision.is_full for decision in record.decisions)


def test_playout_caps_have_their_share():
    found = quick_games("pyrga", 12, visits=24, fast_visits=6, full_probability=0.3, solve=False)
    decisions = [decision for record in found for decision in record.decisions]
    full = [decision for decision in decisions if decision.is_full]
    # Three standard deviations.
    assert abs(len(full) / len(decisions) - 0.3) < 3 * math.sqrt(0.21 / len(decisions))
    assert all(decision.visits >= 24 for decision in full)
    # A fast search that inherits a large tree does not shrink it.
    assert np.median([decision.visits for decision in decisions if not decision.is_full]) < 24


# Giving up.


def lost_judge(state, player):
    """Seat 1 is always lost, whatever happens."""
    return np.ones(state.game.action_count), [0.95, -0.95]


def resigning(count=40, **changes):
    options = {"resign_value": 0.5, "temp_moves": 99, "visits": 3, "solve": False} | changes
    return quick_games(FullTicTacToe(), count, evaluator=lost_judge, **options)


def test_a_player_without_hope_gives_up_after_two_searches():
    game = FullTicTacToe()
    for record in resigning(8, no_resign_share=0.0):
        final = list(record.replay(game))[-1]
        own = [d for d in record.decisions if d.player == 1]
        if record.resigned is None:
            # It won on the way, or had no second search without hope.
            assert final.is_over
            continue
        assert record.resigned == 1
        assert record.would_resign is None
        assert record.payoffs == (1.0, -1.0)
        assert not final.is_over
        assert all(d.values[1] < -0.5 for d in own[-2:])
        assert len(own) == 2


def test_nobody_gives_up_by_default():
    found = resigning(4, resign_value=1.0)
    assert all(record.resigned is None and record.would_resign is None for record in found)
    assert SelfPlaySettings().resign_value == 1.0


def test_some_games_are_played_on_to_check():
    found = resigning(60, no_resign_share=0.5)
    gave_up = [record for record in found if record.resigned is not None]
    checked = [record for record in found if record.would_resign is not None]
    assert 12 <= len(gave_up) <= 48
    assert 12 <= len(checked) <= 48
    for record in checked:
        assert record.would_resign == 1
        assert record.resigned is None
        final = list(record.replay(FullTicTacToe()))[-1]
        assert final.is_over
        assert record.payoffs == final.payoffs
    figures = summarize(found)
    assert figures["resign_checked"] == len(checked)
    assert figures["resign_wrong"] == sum(record.payoffs[1] >= 0 for record in checked)
    assert figures["resign_wrong"] > 0
    assert figures["resigned"] == pytest.approx(len(gave_up) / 60)


def test_all_games_may_be_played_on():
    found = resigning(10, no_resign_share=1.0)
    assert all(record.resigned is None for record in found)
    assert all(record.would_resign == 1 for record in found)


def test_who_gives_up_on_the_last_move_has_the_result_of_the_game():
    """The search of the move that ends the game is the second one without hope."""

    class Short(FullTicTacToe):
        """Seat 1's second move ends it in a draw."""

        def actor(self, board):
            return None if board.count(None) <= 5 else (9 - board.count(None)) % 2

        def payoff(self, board):
            return (0.0, 0.0)

    found = quick_games(Short(), 6, evaluator=lost_judge, visits=3, solve=False, resign_value=0.5, no_resign_share=0.0)
    for record in found:
        assert len(record.actions) == 4
        assert record.payoffs == (0.0, 0.0)
        assert record.resigned is None


def test_games_without_a_fixed_loss_are_played_to_the_end():
    """A loss in Matgo may cost more than a resignation would."""
    for game in (Duel(), HighCard(), small_game("matgo")):
        evaluator = "rollout" if isinstance(game, NativeGame) else "uniform"
        found = quick_games(game, 3, evaluator=evaluator, resign_value=0.01, no_resign_share=0.0)
        assert all(record.resigned is None for record in found)


def test_games_that_are_too_long_are_dropped():
    found = quick_games("pyrga", 6, max_plies=30)
    assert 0 < len(found) < 6 or all(len(record.actions) <= 30 for record in found)
    assert quick_games("connect_four", 3, max_plies=3) == []


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"temperature": -1.0}, "temperature"),
        ({"late_temperature": math.nan}, "temperature"),
        ({"resign_value": 0.0}, "resign_value"),
        ({"resign_value": 1.5}, "resign_value"),
        ({"no_resign_share": 2.0}, "no_resign_share"),
        ({"parallel": 0}, "parallel"),
        ({"temp_moves": -1}, "temp_moves"),
        ({"max_plies": 0}, "max_plies"),
        ({"opening_share": 1.5}, "opening_share"),
        ({"opening_plies": -1}, "opening_plies"),
    ],
)
def test_a_wrong_setting_is_named(changes, text):
    with pytest.raises(ValueError, match=text):
        SelfPlaySettings(**changes)


def test_figures_of_no_games_are_zeros():
    assert set(summarize([]).values()) == {0.0}
    assert summarize(quick_games("pig", 2))["games"] == 2


def test_the_search_of_self_play_explores():
    assert SelfPlaySettings().search.noise_fraction > 0
    assert SearchSettings().noise_fraction == 0


def test_the_settings_by_default_are_for_any_evaluator():
    (record,) = play_games(tengen.game("connect_four"), "rollout", SelfPlaySettings(), [1])
    assert {decision.visits for decision in record.decisions} == {200}


def test_the_search_may_be_a_dictionary():
    settings = SelfPlaySettings(search={"visits": 8})
    assert settings.search == SelfPlaySettings().search.replace(visits=8)
    with pytest.raises(ValueError, match="no search setting is called visit;"):
        SelfPlaySettings(search={"visit": 8})
    with pytest.raises(TypeError, match="8 are no search settings"):
        SelfPlaySettings(search=8)


def test_records_are_read_by_path_too(tmp_path):
    played = quick_games("pig", 2)
    path = tmp_path / "games.jsonl.gz"
    path.write_bytes(save_records(played))
    assert load_records(path) == load_records(str(path)) == load_records(path.read_bytes()) == played
    with pytest.raises(FileNotFoundError):
        load_records(tmp_path / "other.gz")
