"""What queries of the analysis protocol mean: positions, limits, guaranteed moves, other games; numbers of answers."""

import json
import math

import pytest
from analysis_requests import GO, PYRGA, TWO_MOVES, UNUSED, answers, ask, error, query, warning
from hypothesis import given
from hypothesis import strategies as st
from katago_cases import load_cases

from tengen.analysis import (
    Config,
    Context,
    GamePosition,
    Move,
    StopRule,
    find_adapter,
    format_json,
    parse_request,
    round_dynamic,
)
from tengen.analysis.go import GoMove
from tengen.analysis.go.answers import round_ownership
from tengen.games.go.rules import Rules
from tengen.search import Restriction

# What is understood.


def test_a_plain_query():
    found = query(moves=[["B", "d4"], ["White", "(0,0)"], ["w", "pss"]])
    assert found.turns == ((3, 0),)
    assert found.position.moves == (GoMove(0, 48, "D4"), GoMove(1, 0, "A9"), GoMove(1, 81, "pass"))
    assert (found.position.rules, found.position.komi) == (Rules(), 7.5)
    assert (found.pv_length, found.params.max_visits, found.report_every_s) == (15, 500, None)
    assert found.params == Config().params


def test_turns_are_truncated_sorted_and_told_once():
    found = query(moves=TWO_MOVES, analyzeTurns=[2, 0.7, -0.5, True, 2], priorities=[5, 1.9, 2, 3, 4])
    assert found.turns == ((0, 2), (1, 3), (2, 4))
    assert query(moves=TWO_MOVES, analyzeTurns=[1, 0], priority=-7).turns == ((0, -7), (1, -7))


def test_komi_follows_the_rules_and_is_rounded():
    assert query(rules="japanese", komi=...).position.komi == 6.5
    assert query(rules={"ko": "SIMPLE", "komi": 5.5}, komi=...).position.komi == 5.5
    assert query(rules={"komi": 5.5}, komi=6).position.komi == 6.0
    assert query(komi=7.49999999999).position.komi == 7.5


def test_the_handicap_bonus_stands_over_the_rules():
    assert query(rules="chinese").position.rules.white_handicap_bonus == "n"
    assert query(rules="chinese", whiteHandicapBonus="N-1").position.rules.white_handicap_bonus == "n-1"


@pytest.mark.parametrize(
    ("fields", "player"),
    [
        ({}, 0),
        ({"initialPlayer": "White"}, 1),
        ({"moves": [["w", "D4"]]}, 1),
        ({"moves": [["w", "D4"]], "initialPlayer": "b"}, 0),
        ({"initialStones": [["b", "A1"]]}, 0),
        ({"initialStones": [["b", "A1"], ["b", "A1"]]}, 0),
        ({"initialStones": [["b", "A1"], ["b", "B2"]]}, 1),
        ({"initialStones": [["b", "A1"], ["b", "B2"], ["w", "C3"]]}, 0),
    ],
)
def test_who_moves_first(fields, player):
    assert query(**fields).position.first_player == player


def test_limits_stand_over_overrides():
    overrides = {"maxVisits": "50", "rootPolicyTemperatureEarly": 2, "wideRootNoise": 0.0, "maxTime": 1e20}
    found = query(overrideSettings=overrides, maxVisits=7, rootPolicyTemperature=3, rootFpuReductionMax=1)
    params = found.params
    assert (found.params.max_visits, params.wide_root_noise, params.root_fpu_reduction_max) == (7, 0.0, 1.0)
    assert params.root_policy_temperature == params.root_policy_temperature_early == 3.0
    assert query(overrideSettings={"maxVisits": "50"}).params.max_visits == 50
    assert query(overrideSettings={}).params == Config().params


def test_reports():
    both = query(reportDuringSearchEvery=2, firstReportDuringSearchAfter=0.5)
    assert (both.report_every_s, both.first_report_after_s) == (2.0, 0.5)
    assert query(reportDuringSearchEvery=2).first_report_after_s == 2.0
    once = query(firstReportDuringSearchAfter=3)
    assert (once.report_every_s, once.first_report_after_s) == (None, 3.0)


def test_restrictions():
    found = query(avoidMoves=[{"player": "W", "moves": ["pass", "d4"], "untilDepth": 3}, *[ENTRY] * 3])
    assert found.avoid == (Restriction((81, 48), 1, 3), *[Restriction((80,), 0, 1)] * 3)
    found = query(allowMoves=[ENTRY, ENTRY | {"player": "white"}])
    assert found.allow == (Restriction((80,), 0, 1), Restriction((80,), 1, 1))
    assert query(avoidMoves=[]).avoid == ()


ENTRY = {"player": "b", "moves": ["J1"], "untilDepth": 1, "more": 1}


# Guaranteed moves.


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("D4", "Must be a list of dicts with subfields 'turnNumber', 'player', 'moves'"),
        ({"player": "b", "moves": []}, "Must be a list of dicts with subfields 'turnNumber', 'player', 'moves'"),
        ({"turnNumber": 0, "moves": []}, "Must be a list of dicts with subfields 'turnNumber', 'player', 'moves'"),
        ({"turnNumber": 0, "player": "b"}, "Must be a list of dicts with subfields 'turnNumber', 'player', 'moves'"),
        ({"turnNumber": 0.5, "player": "b", "moves": []}, "turnNumber must be an integer"),
        ({"turnNumber": True, "player": "b", "moves": []}, "turnNumber must be an integer"),
        ({"turnNumber": 0, "player": "c", "moves": []}, 'Must be "b" or "w"'),
        ({"turnNumber": 0, "player": "b", "moves": "D4"}, "Must be an array of GTP board vertices"),
        ({"turnNumber": 0, "player": "b", "moves": [4]}, "Must be an array of GTP board vertices"),
        ({"turnNumber": 0, "player": "b", "moves": ["Z99"]}, "Could not parse board location: Z99"),
        ({"turnNumber": 0, "player": "b", "moves": ["(9,9)"]}, "Could not parse board location: (9,9)"),
    ],
    ids=str,
)
def test_inclusions_that_do_not_read(entry, text):
    assert answers(includeMoves=[entry]) == error("includeMoves", text)


def test_inclusions_are_merged_in_order():
    entries = [
        {"turnNumber": 0, "player": "b", "moves": ["D4", "pass"]},
        {"turnNumber": 1, "player": "W", "moves": ["A1"]},
        {"turnNumber": 0, "player": "B", "moves": ["C3", "d4"]},
        {"turnNumber": -1, "player": "b", "moves": []},
        {"turnNumber": 2, "player": "b", "moves": ["A1"]},
    ]
    request = ask(moves=TWO_MOVES, analyzeTurns=[0, 1], includeMoves=entries, includeMovesMinVisits=2**50)
    found = request.body
    assert [problem.text.split(" is ")[0] for problem in request.warnings] == ["Turn -1", "Turn 2"]
    assert found.include_min_visits == 2**50
    assert found.include.keys() == {0, 1}
    (only,) = found.include[0]
    assert (only.player, [move.name for move in only.moves]) == (0, ["D4", "pass", "C3", "D4"])


def player_name(seat):
    return GO.adapter.player_name(seat)


def test_inclusions_for_the_wrong_player_are_left_out():
    found = query(includeMoves=[{"turnNumber": 0, "player": "w", "moves": ["D4"]}])
    moves, warnings = found.included(0, 0, player_name, lambda move: True)
    text = "Turn 0 expects player Black but includeMoves specified White, ignoring includeMoves for this turn"
    assert (moves, [problem.answer for problem in warnings]) == ((), [warning("includeMoves", text)])


def test_illegal_and_repeated_inclusions_are_skipped_with_one_warning():
    listed = ["D4", "E5", "d4", "A1", "E5", "pass", "B2", "(3,5)"]
    found = query(includeMoves=[{"turnNumber": 0, "player": "b", "moves": listed}])
    moves, warnings = found.included(0, 0, player_name, lambda move: move.name not in ("E5", "B2"))
    assert [move.name for move in moves] == ["D4", "A1", "pass"]
    text = "Turn 0 skips E5, B2 (illegal) and D4, E5 (listed before) of includeMoves"
    assert [problem.answer for problem in warnings] == [warning("includeMoves", text)]
    assert query().included(0, 0, player_name, lambda move: True) == ((), ())
    (only,) = found.included(0, 0, player_name, lambda move: False)[1]
    assert only.text == "Turn 0 skips D4, E5, A1, pass, B2 (illegal) and D4, E5 (listed before) of includeMoves"


def test_stop_rules():
    assert query(stopWhen={"confidence": 0.95}).stop_when == StopRule(0.95)
    assert query(stopWhen={"confidence": 0.5, "minVisits": 100}).stop_when == StopRule(0.5, 100)
    assert query().stop_when is None
    for wrong in (1, {"confidence": 1}, {"confidence": "a"}, {"confidence": 0.9, "minVisits": 0}):
        assert answers(stopWhen=wrong)[0]["field"] == "stopWhen"
    assert answers(stopWhen={"confidence": 0.9, "minvisits": 5})[0]["field"] == "stopWhen"


@pytest.mark.parametrize(
    ("config", "fields", "visits"),
    [
        ({}, {}, 500),
        ({"maxVisits": "70"}, {}, 70),
        ({"maxVisits": f"{2**50}"}, {}, 2**50),
        ({"maxVisits": "70"}, {"maxVisits": 8}, 8),
        ({"maxVisits": "70"}, {"overrideSettings": {"maxVisits": ""}}, 500),
        # Another limit is enough.
        ({"maxTime": "5"}, {}, 2**50),
        ({}, {"overrideSettings": {"maxTime": 5}}, 2**50),
        ({}, {"overrideSettings": {"maxPlayouts": 900}}, 2**50),
    ],
)
def test_every_search_has_an_end(config, fields, visits):
    assert query(Context(find_adapter(config=Config(config))), **fields).params.max_visits == visits


def test_own_flags():
    found = query(reuseTree=True, includeScoring=True)
    assert found.reuse_tree
    assert found.outputs.scoring


def test_a_profile_needs_a_network_that_takes_it():
    asked = {"overrideSettings": {"humanSLProfile": "rank_9d_20k"}}
    assert answers(Context(models=("a", "b")), **asked)[0]["error"].endswith("model(s) don't use it: a and b\n")


# Other games.


def play(context=PYRGA, **fields):
    return parse_request(json.dumps({"id": "x"} | fields), context)


def test_other_games_name_their_own_moves():
    found = play(
        moves=["square b2", [1, "circle b2"]],
        analyzeTurns=[0, 2],
        includeMoves=[{"turnNumber": 2, "player": 0, "moves": ["arrow b2 up"]}],
        avoidMoves=[{"player": 1, "moves": ["square a1"], "untilDepth": 2}],
        overrideSettings={"maxVisits": 5},
    )
    assert found.problems == ()
    moves = (Move(None, "square b2", "square b2"), Move(1, "circle b2", "circle b2"))
    assert found.body.position == GamePosition({}, moves)
    assert found.body.avoid == (Restriction(("square a1",), 1, 2),)
    assert found.body.include[2][0].moves == (Move(None, "arrow b2 up", "arrow b2 up"),)
    assert found.body.params.max_visits == 5


@pytest.mark.parametrize(
    "field", ["boardXSize", "rules", "komi", "initialStones", "includeOwnership", "includeScoring"]
)
def test_fields_of_go_are_refused_elsewhere(field):
    (told,) = play(moves=[], **{field: 1}).problems
    assert told.answer == {"error": "Only Go has this field, pyrga does not", "field": field, "id": "x"}


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("moves", {}),
        ("moves", {"moves": "square b2"}),
        ("moves", {"moves": [1]}),
        ("moves", {"moves": [["b", "square b2"]]}),
        ("moves", {"moves": [[2, "square b2"]]}),
        ("start", {"moves": [], "start": []}),
        ("start", {"moves": [], "start": {"nope": 1}}),
        ("start", {"moves": [], "start": {"seed": "a"}}),
        ("analyzeTurns", {"moves": [], "analyzeTurns": [1]}),
        ("player", {"moves": [], "avoidMoves": [{"player": "b", "moves": [], "untilDepth": 1}]}),
        ("moves", {"moves": [], "avoidMoves": [{"player": 0, "moves": [1], "untilDepth": 1}]}),
        ("includeMoves", {"moves": [], "includeMoves": [{"turnNumber": 0, "player": 2, "moves": []}]}),
    ],
    ids=str,
)
def test_wrong_fields_of_other_games(field, fields):
    (told,) = play(**fields).problems
    assert told.answer.keys() == {"error", "field", "id"}
    assert told.field == field


def test_start_options_are_the_games_own():
    poker = Context(find_adapter("kuhn_poker"))
    assert play(poker, moves=["pass"], start={"cards": "QJ", "seed": 1}).body.position.start["cards"] == "QJ"
    (told,) = play(poker, moves=[], zebra=1).warnings
    assert told.answer == warning("zebra", UNUSED)


# Numbers of answers.


def test_numbers_are_rounded_like_katagos():
    assert [round_dynamic(x) for x in (0.40703153812, -13.71383444, 4.22870393123e-05, 0.0, 1e-70)] == [
        0.407031538,
        -13.7138344,
        4.22870393e-05,
        0.0,
        1e-70,
    ]
    assert [round_dynamic(x) for x in (1234567890.5, -0.5e9 - 0.5, 99999999.95)] == [1234567891.0, -500000001.0, 1e8]
    assert round_ownership([[0.1234565, -0.25], [1.0, -4e-7]]) == [0.123457, -0.25, 1.0, -0.0]


@given(st.floats(-1e6, 1e6, allow_nan=False))
def test_rounding_keeps_nine_digits(x):
    assert round_dynamic(round_dynamic(x)) == round_dynamic(x)
    assert math.isclose(round_dynamic(x), x, rel_tol=1e-8)


def test_answers_are_compact_sorted_and_finite():
    answer = {"b": [1.0, math.nan, (math.inf, -0.5)], "a": {"한": "é\n", "A": 1e-05}}
    assert format_json(answer) == '{"a":{"A":1e-05,"한":"é\\n"},"b":[1.0,null,[null,-0.5]]}'


def test_golden_numbers_are_rounded_this_way():
    def numbers(value, key=None):
        parts = value.items() if isinstance(value, dict) else ((key, below) for below in value)
        for part, below in parts:
            if isinstance(below, dict | list):
                yield from numbers(below, part)
            elif isinstance(below, float):
                yield part, below

    found = {name: list(numbers(case["responses"])) for name, case in load_cases().items()}
    assert sum(map(bool, found.values())) > 70
    for name, rows in found.items():
        for key, value in rows:
            if key in ("ownership", "ownershipStdev"):
                assert round_ownership([value]) == [value], name
            elif key != "weight":
                assert round_dynamic(value) == value, (name, key)
