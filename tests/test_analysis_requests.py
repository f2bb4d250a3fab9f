"""Requests of the analysis protocol: KataGo's errors, warnings and order of checks, whatever the line."""

import json

import pytest
from analysis_requests import BASE, GO, PYRGA, UNUSED, answers, ask, error, query, warning
from hypothesis import example, given, settings
from hypothesis import strategies as st
from katago_cases import GOLDEN_CONFIG, GOLDEN_MODEL, lines_of, load_cases, problems_of

from tengen.analysis import (
    MAX_LINE_BYTES,
    Action,
    Config,
    Context,
    Problem,
    Query,
    find_adapter,
    format_json,
    illegal_move,
    load_config,
    parse_request,
)
from tengen.games.go.notation import OFF_BOARD

# The golden cases.


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    path = tmp_path_factory.mktemp("golden") / "CONFIG"
    path.write_text(GOLDEN_CONFIG, encoding="utf-8")
    return Context(find_adapter(config=load_config([path])), models=(GOLDEN_MODEL,))


# What only a replay shows, and what the parser of JSON words in its own way.
REPLAYED = {"err_illegal_suicide", "err_xy_neg", "err_xy_oob_move"}
REWORDED = {"err_truncated_json", "err_bad_utf8_id"}


@pytest.mark.parametrize("name", sorted(load_cases().keys() - REPLAYED - REWORDED))
def test_problems_are_katagos(name, golden):
    case = load_cases()[name]
    told = [problem.answer for line in lines_of(case) for problem in parse_request(line, golden).problems]
    assert told == problems_of(case)


@pytest.mark.parametrize(("name", "index"), [("err_illegal_suicide", 3), ("err_xy_neg", 0), ("err_xy_oob_move", 0)])
def test_illegal_moves_are_told_like_katago(name, index, golden):
    case = load_cases()[name]
    (request,) = [parse_request(line, golden) for line in lines_of(case)]
    move = request.body.position.moves[index]
    assert [illegal_move(request.body.id, index, move.name).answer] == problems_of(case)
    assert (move.cell == OFF_BOARD) == name.startswith("err_xy")


@pytest.mark.parametrize("name", sorted(REWORDED))
def test_lines_that_are_no_json_are_quoted(name, golden):
    (line,) = lines_of(load_cases()[name])
    (problem,) = parse_request(line, golden).problems
    quoted = line.decode(errors="replace").strip()
    assert problem.answer.keys() == {"error"}
    assert problem.text.endswith(f" - could not parse input line as json request: {quoted}")


def test_analyses_of_the_golden_cases_are_read(golden):
    expected = {
        "search_allFields": (True, True, True),
        "two_moves_same_player": (False, False, False),
    }
    for name, flags in expected.items():
        (line,) = lines_of(load_cases()[name])
        body = parse_request(line, golden).body
        assert (body.include_policy, body.include_pv_visits, body.outputs.no_result_value) == flags
    (line,) = lines_of(load_cases()["search_analyzeTurns_priorities"])
    body = parse_request(line, golden).body
    asked = json.loads(line)
    assert dict(body.turns) == dict(zip(asked["analyzeTurns"], asked["priorities"], strict=True))
    assert [turn for turn, _ in body.turns] == sorted(set(asked["analyzeTurns"]))
    (line,) = lines_of(load_cases()["search_analyzeTurns_empty"])
    assert parse_request(line, golden).body.turns == ()


# Lines.


@pytest.mark.parametrize("line", ["", "  \t\r\n", b"\n", b"\v\f ", b"\xef\xbb\xbf\n"])
def test_blank_lines_are_passed_over(line):
    request = parse_request(line, GO)
    assert request.body is None
    assert request.problems == ()


@pytest.mark.parametrize("frame", [b"\xef\xbb\xbf%s", b"%s\r\n", b" \t%s\v\n", b" \xef\xbb\xbf %s "])
def test_byte_order_marks_and_line_ends_do_not_matter(frame):
    assert parse_request(frame % json.dumps(BASE).encode(), GO).body == ask().body


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"NaN",
        b'{"id":Infinity}',
        b'{"id":-Infinity}',
        b'{"id":"\xed\xa0\x80"}',
        b'{"id":"\\ud800"}',
        b'{"id":"x",}',
        b"{'id':'x'}",
        b'{"id":"x"} {"id":"y"}',
        b'{"id":"x","a":1e400}',
        b'{"id":"x","a":01}',
        b'{"id":"a\x01b"}',
        b"[" * 500_000,
        b'{"id":"x","deep":' + b"[" * 200 + b"]" * 200 + b"}",
        b'{"id":"x","deep":"' + b'\\"' * 1_000_000,
        b'{"id":"x","n":' + b"9" * 1_000_000 + b"}",
        b'{"id":"' + b"x" * (MAX_LINE_BYTES + 1) + b'"}',
        '{"id":"\udcff"}',
    ],
    ids=lambda line: repr(line[:20]),
)
def test_lines_that_do_not_read_are_answered(line):
    (problem,) = parse_request(line, GO).problems
    assert problem.answer.keys() == {"error"}
    assert "could not parse input line as json request: " in problem.text
    assert len(format_json(problem.answer)) < 50_000


def test_integers_beyond_64_bits_are_floats():
    assert (
        answers(maxVisits=10**19) == answers(maxVisits=1e30) == error("maxVisits", "Must be an integer from 1 to 2^50")
    )
    assert "could not parse" in answers(a=10**400)[0]["error"]


def test_what_is_no_object_is_quoted():
    request = parse_request('[1, 2.50, {"b": "é\\n", "a": null}]', GO)
    text = 'Request line was valid json but was not an object, ignoring: [1,2.5,{"a":null,"b":"é\\n"}]'
    assert request.body == Problem(text)


def test_ids():
    long = "x" * 1_000_000
    assert len(answers(id=long)[0]["error"]) < 200
    assert query(id="x" * 60_000).id == "x" * 60_000
    assert answers(id=...) == answers(id=None) == [{"error": 'Request must have a string "id" field'}]


def test_short_requests_call_for_no_long_answers():
    told = answers(id="x" * 60_000, **{f"f{i}": 1 for i in range(50_000)})
    assert len(told) == 101
    assert told[-1]["warning"] == "49900 more warnings are left out"
    ones = "1" * 1_000_000
    for fields in ({"rules": ones}, {"rules": f"komi{ones}!"}, {"overrideSettings": {"maxTime": f"{ones}x"}}):
        (told,) = answers(**fields)
        assert len(told["error"]) < 11_000


# Actions.


def act(**fields):
    return parse_request(json.dumps({"id": "a"} | fields), GO).body


@pytest.mark.parametrize("kind", ["query_version", "query_models", "clear_cache", "terminate_all"])
def test_actions(kind):
    action = act(action=kind, extra=[1])
    assert action == Action("a", kind, {"id": "a", "action": kind, "extra": [1]})


def test_terminate():
    action = act(action="terminate", terminateId="q", turnNumbers=[0, 2.9, True, 0])
    assert (action.terminate_id, action.turns) == ("q", {0, 1, 2})
    assert act(action="terminate", terminateId="q").turns is None
    assert act(action="terminate_all", turnNumbers=[]).turns == frozenset()
    assert act(action="terminate").field == "terminateId"
    assert act(action="terminate", turnNumbers=[None], terminateId="q").field == "turnNumbers"
    assert act(action="terminate_all", turnNumbers=None).field == "turnNumbers"
    # Other actions do not look at the turns.
    assert isinstance(act(action="clear_cache", turnNumbers="a"), Action)


def test_an_action_that_is_no_text_is_none():
    assert query(action=5).id == query(action=None, terminateId=1, turnNumbers="a").id == "x"


# Fields, in the order in which they are looked at: each row is wrong in the named field.

WRONG = [
    ("boardXSize", {"boardXSize": ...}, "Must provide an integer from 2 to 19"),
    ("boardYSize", {"boardYSize": 1}, "Must provide an integer from 2 to 19"),
    ("initialStones", {"initialStones": [["b", "(9,9)"]]}, "Could not parse board location: (9,9)"),
    ("moves", {"moves": [["x", "D4"]]}, "Could not parse player: x"),
    ("initialPlayer", {"initialPlayer": "c"}, 'Must be "b" or "w"'),
    ("analyzeTurns", {"analyzeTurns": [1]}, "Invalid turn number: 1"),
    ("priorities", {"priorities": "a"}, "Must specify an array of integers indicating priorities"),
    ("rules", {"rules": {"ko": "x"}}, 'Could not parse rules: {"ko":"x"}'),
    ("komi", {"komi": 7.3}, "Must be a integer or half-integer from -400.0 to 400.0"),
    ("whiteHandicapBonus", {"whiteHandicapBonus": 1}, "Must be a string"),
    ("overrideSettings", {"overrideSettings": 1}, "Must be an object"),
    ("maxVisits", {"maxVisits": 1.0}, "Must be an integer from 1 to 2^50"),
    ("analysisPVLen", {"analysisPVLen": 1001}, "Must be an integer from 1 to 1000"),
    ("rootFpuReductionMax", {"rootFpuReductionMax": 2.1}, "Must be a number from 0.0 to 2.0"),
    ("rootPolicyTemperature", {"rootPolicyTemperature": True}, "Must be a number from 0.01 to 100.0"),
    ("includeMovesOwnership", {"includeMovesOwnership": None}, "Must be a boolean"),
    ("includeMovesOwnershipStdev", {"includeMovesOwnershipStdev": 0}, "Must be a boolean"),
    ("includeOwnership", {"includeOwnership": "true"}, "Must be a boolean"),
    ("includeOwnershipStdev", {"includeOwnershipStdev": []}, "Must be a boolean"),
    ("includePolicy", {"includePolicy": 1.5}, "Must be a boolean"),
    ("includePVVisits", {"includePVVisits": {}}, "Must be a boolean"),
    ("includeNoResultValue", {"includeNoResultValue": 1}, "Must be a boolean"),
    ("reportDuringSearchEvery", {"reportDuringSearchEvery": 0}, "Must be number of seconds from 0.001 to 1000000.0"),
    (
        "firstReportDuringSearchAfter",
        {"firstReportDuringSearchAfter": 1e7},
        "Must be number of seconds from 0.001 to 1000000.0",
    ),
    ("priority", {"priority": 2**62}, "Must be a number between -2^62 and 2^62"),
    ("allowMoves", {"allowMoves": {}}, "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'"),
    ("includeMoves", {"includeMoves": {}}, "Must be a list of dicts with subfields 'turnNumber', 'player', 'moves'"),
    ("includeMovesMinVisits", {"includeMovesMinVisits": 0}, "Must be an integer from 1 to 2^50"),
    ("stopWhen", {"stopWhen": {}}, "Must be a dict with subfield 'confidence' and optionally 'minVisits'"),
    ("reuseTree", {"reuseTree": 1}, "Must be a boolean"),
    ("includeScoring", {"includeScoring": 1}, "Must be a boolean"),
]


@pytest.mark.parametrize(("field", "fields", "text"), WRONG, ids=[field for field, _, _ in WRONG])
def test_the_first_wrong_field_is_told(field, fields, text):
    at = [name for name, _, _ in WRONG].index(field)
    later = {}
    for _, more, _ in reversed(WRONG[at:]):
        later |= more
    assert answers(**later) == error(field, text)


@pytest.mark.parametrize(
    ("field", "fields", "text"),
    [
        ("moves", {"moves": ...}, "Must specify an array of [player,location] pairs"),
        ("moves", {"moves": None}, 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'),
        ("moves", {"moves": [["b", 1]]}, 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'),
        (
            "moves",
            {"moves": [["b", "a1", "c"]]},
            'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]',
        ),
        ("moves", {"moves": [["b", "(-1,-1)"]]}, "Could not parse board location: (-1,-1)"),
        (
            "initialStones",
            {"initialStones": "a"},
            'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]',
        ),
        ("analyzeTurns", {"analyzeTurns": 0}, "Must specify an array of integers indicating turns to analyze"),
        ("analyzeTurns", {"analyzeTurns": [-1]}, "Invalid turn number: -1"),
        ("analyzeTurns", {"analyzeTurns": [2**32]}, f"Invalid turn number: {2**32}"),
        ("analyzeTurns", {"analyzeTurns": [2**32 + 7]}, "Invalid turn number: 7"),
        ("analyzeTurns", {"analyzeTurns": [1e99]}, f"Invalid turn number: {-(2**31)}"),
        ("priorities", {"priorities": [1]}, "Can only specify when also specifying analyzeTurns"),
        ("priorities", {"priorities": [True]}, "Must specify an array of integers indicating priorities"),
        ("priorities", {"priorities": [2**62], "analyzeTurns": [0]}, f"Invalid priority: {2**62}"),
        ("priorities", {"priorities": [1e30], "analyzeTurns": [0]}, f"Invalid priority: {-(2**63)}"),
        (
            "priority",
            {"priority": 1, "priorities": [1], "analyzeTurns": [0]},
            "Cannot specify both priority and priorities",
        ),
        ("allowMoves", {"allowMoves": [], "avoidMoves": []}, "Cannot specify both allowMoves and avoidMoves"),
        ("player", {"allowMoves": [{"player": 1, "moves": 1, "untilDepth": 0}]}, 'Must be "b" or "w"'),
        (
            "moves",
            {"allowMoves": [{"player": "b", "moves": 1, "untilDepth": 0}]},
            "Must be an array of GTP board vertices",
        ),
        ("moves", {"avoidMoves": [{"player": "b", "moves": ["(20,300)"], "untilDepth": 1}]}, ...),
        (
            "moves",
            {"avoidMoves": [{"player": "b", "moves": ["Z99", 1], "untilDepth": 0}]},
            "Could not parse board location: Z99",
        ),
        ("untilDepth", {"avoidMoves": [{"player": "b", "moves": [], "untilDepth": 0}]}, "Must be a positive integer"),
        ("overrideSettings", {"overrideSettings": {"humanSLProfile": "rank_30k"}}, ...),
        (
            "overrideSettings",
            {"overrideSettings": {"numBots": 2, "maxVisits": "x"}},
            "Could not set settings: The config for this command cannot have numBots > 0",
        ),
    ],
    ids=str,
)
def test_wrong_fields(field, fields, text):
    (told,) = answers(**fields)
    assert told["field"] == field
    assert text is ... or told["error"] == text


def test_warnings_come_before_the_error_that_ends_the_reading():
    told = answers(overrideSettings={"nope": 1, "also": 2}, maxVisits=0)
    assert told == [
        warning("overrideSettings", "Unknown config params: also,nope"),
        *error("maxVisits", "Must be an integer from 1 to 2^50"),
    ]


def test_warnings_in_order():
    told = answers(
        rules={"ko": "SPIGHT"},
        komi=5,
        zebra=1,
        Ant=1,
        overrideSettings={"nope": 1},
        includeMoves=[{"turnNumber": 3, "player": "b", "moves": ["D4"]}],
    )
    assert told == [
        warning("overrideSettings", "Unknown config params: nope"),
        warning("includeMoves", "Turn 3 is not analyzed, ignoring includeMoves for this turn"),
        warning(
            "rules",
            "Rules koSPIGHTscoreAREAtaxNONEsui1komi5 not supported by neural net, using "
            "koSITUATIONALscoreAREAtaxNONEsui1komi5 instead",
        ),
        warning("Ant", UNUSED),
        warning("zebra", UNUSED),
    ]


def test_unused_fields_may_be_passed_over():
    quiet = Context(find_adapter(config=Config({"warnUnusedFields": "false"})))
    assert answers(quiet, zebra=1) == []


# Anything at all.

keys = st.sampled_from([*BASE, *(field for field, _, _ in WRONG), "action", "terminateId", "start", "zebra"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["b", "D4", "terminate"])
)
entries = st.dictionaries(st.sampled_from(["player", "moves", "untilDepth", "turnNumber", "confidence"]), scalars)
values = st.recursive(
    scalars | entries, lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=5), part)
)
requests = st.dictionaries(keys, values).map(lambda fields: BASE | fields)


def check_answered(line):
    for context in (GO, PYRGA):
        request = parse_request(line, context)
        for problem in request.problems:
            text = format_json(problem.answer)
            assert json.loads(text.encode()).keys() <= {"error", "warning", "field", "id"}
        if isinstance(request.body, Action):
            format_json(request.body.echo).encode()
        if isinstance(request.body, Query):
            hash(request.body.params)


@pytest.mark.slow
@given(st.binary(max_size=200) | st.text(max_size=100))
@example(b'{"id":"\xff"}')
@example("{\ud800")
def test_any_line_is_answered(line):
    check_answered(line)


@pytest.mark.slow
@settings(max_examples=80)
@given(requests)
def test_any_request_is_answered(request):
    check_answered(json.dumps(request))
    check_answered(json.dumps(request, ensure_ascii=True)[: len(str(request)) // 2])


@given(st.sampled_from(sorted(load_cases())), st.integers(0, 10_000), st.integers(0, 255))
def test_any_damaged_request_is_answered(name, place, byte):
    for line in lines_of(load_cases()[name]):
        damaged = bytearray(line)
        damaged[place % len(damaged)] = byte
        check_answered(bytes(damaged))
