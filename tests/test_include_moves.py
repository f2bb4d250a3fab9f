"""Moves that a query includes: guaranteed visits, counted apart, without weight of their own in the verdict."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from katago_golden import CONVOLUTIONAL, network_file

import tengen
from tengen.analysis.config import Config
from tengen.analysis.engine import AnalysisError, Engine
from tengen.analysis.service import Service
from tengen.search import Restriction

FIXED = {"nnRandomize": "false", "forDeterministicTesting": "true", "wideRootNoise": "0.04"}
GO = {"id": "x", "rules": "chinese", "komi": 7.5, "boardXSize": 9, "boardYSize": 9, "moves": []}
LARGE = GO | {"boardXSize": 19, "boardYSize": 19}
# White has just been taken at D5 and may not take back.
KO_STONES = [["B", "D6"], ["B", "C5"], ["B", "D4"], ["W", "E6"], ["W", "F5"], ["W", "E4"], ["W", "D5"]]
KO = {"initialStones": KO_STONES, "initialPlayer": "B", "moves": [["B", "E5"]]}


@pytest.fixture(scope="module")
def plain():
    """Judges by random games: for what does not depend on a network."""
    with Engine("go", "rollout", config=Config(FIXED)) as engine:
        yield engine


@pytest.fixture(scope="module")
def engine():
    with Engine("go", network_file(CONVOLUTIONAL), config=Config(FIXED), threads=2) as engine:
        yield engine


@pytest.fixture(scope="module")
def pyrga():
    with Engine("pyrga", "rollout", config=Config(FIXED)) as engine:
        yield engine


def entry(moves, turn=0, player="b"):
    return {"turnNumber": turn, "player": player, "moves": moves}


def ask(engine, base=GO, **fields):
    """All that the protocol answers."""
    lines = []
    session = Service(engine).connect(lines.append)
    session.handle(json.dumps(base | fields))
    assert session.drain(120)
    return [json.loads(line) for line in lines]


def one(engine, base=GO, **fields):
    [answer] = ask(engine, base, **fields)
    assert "rootInfo" in answer, answer
    return answer


def moves_of(answer):
    return {info["move"]: info for info in answer["moveInfos"]}


def warning(text, name="x"):
    return {"field": "includeMoves", "id": name, "warning": text}


# 1. What is listed gets its visits, whatever else holds.


@pytest.mark.parametrize(
    "others",
    [
        {},
        {"allowMoves": [{"player": "b", "moves": ["E5"], "untilDepth": 1}]},
        {"allowMoves": [{"player": "b", "moves": [], "untilDepth": 3}]},
        {"avoidMoves": [{"player": "b", "moves": ["A1", "C3", "pass"], "untilDepth": 1}]},
        {"avoidMoves": [{"player": "b", "moves": ["A1", "C3", "pass"], "untilDepth": 9}]},
        {"overrideSettings": {"rootSymmetryPruning": True}},
        {"overrideSettings": {"rootSymmetryPruning": False, "wideRootNoise": 0}},
        {"overrideSettings": {"rootPolicyTemperature": 0.01, "cpuctExploration": 0}},
    ],
    ids=json.dumps,
)
def test_every_listed_move_gets_its_visits(engine, others):
    listed = ["A1", "C3", "G7", "pass"]
    answer = one(engine, maxVisits=20, includeMoves=[entry(listed)], includeMovesMinVisits=7, **others)
    found = moves_of(answer)
    for name in listed:
        info = found[name]
        assert info["visits"] >= 7
        assert info["isIncluded"] is True
        assert info["playSelectionValue"] > 0
        assert info["pv"][0] == name
        assert "isSymmetryOf" not in info
    assert answer["rootInfo"]["visits"] == 20 + 4 * 7
    own = [info for info in answer["moveInfos"] if "isSymmetryOf" not in info]
    assert sum(info["visits"] for info in own) == answer["rootInfo"]["visits"] - 1
    assert not any(info.get("isIncluded") for name, info in found.items() if name not in listed)


def test_symmetry_keeps_standing_for_what_is_not_listed(engine):
    """C3 and its seven twins: two are listed, one stands for the others."""
    answer = one(engine, maxVisits=150, includeMoves=[entry(["C3", "G7"])], includeMovesMinVisits=2)
    twins = [info["isSymmetryOf"] for info in answer["moveInfos"] if info["move"] in ("C7", "G3")]
    assert set(twins) <= {"C3", "G7"}
    assert "isSymmetryOf" not in moves_of(answer)["C3"]
    assert "isSymmetryOf" not in moves_of(answer)["G7"]


def test_the_default_is_one_visit(plain):
    answer = one(plain, maxVisits=5, includeMoves=[entry(["A1", "J9"])])
    assert answer["rootInfo"]["visits"] == 7
    assert min(moves_of(answer)[name]["visits"] for name in ("A1", "J9")) >= 1


# 2. They are counted apart.


@pytest.mark.parametrize(
    ("visits", "listed", "least", "most"),
    [(100, ["D16", "Q4", "Q16"], 10, 130), (10, ["D16", "Q4", "Q16", "D4"], 20, 90)],
)
def test_the_examples(engine, visits, listed, least, most):
    answer = one(engine, LARGE, maxVisits=visits, includeMoves=[entry(listed)], includeMovesMinVisits=least)
    found = moves_of(answer)
    assert all(found[name]["visits"] >= least for name in listed)
    promised = sum(min(found[name]["visits"], least) for name in listed)
    assert answer["rootInfo"]["visits"] == promised + visits == most


def test_a_move_that_is_searched_anyway_is_promised_its_visits_too(engine):
    best = one(engine, maxVisits=40)["moveInfos"][0]
    answer = one(engine, maxVisits=40, includeMoves=[entry([best["move"]])], includeMovesMinVisits=15)
    assert answer["rootInfo"]["visits"] == 55
    assert moves_of(answer)[best["move"]]["visits"] == best["visits"] + 15


def test_one_visit_is_the_position_alone(plain):
    answer = one(plain, maxVisits=1, includeMoves=[entry(["A1"])], includeMovesMinVisits=3)
    assert [(info["move"], info["visits"]) for info in answer["moveInfos"]] == [("A1", 3)]
    assert answer["rootInfo"]["visits"] == 4


# 3. Who is to move follows from the moves; `player` is a check.

MISMATCH = "Turn {} expects player {} but includeMoves specified {}, ignoring includeMoves for this turn"


@pytest.mark.parametrize(
    ("fields", "turn", "expected"),
    [
        ({}, 0, "b"),
        ({"initialPlayer": "w"}, 0, "w"),
        ({"initialStones": [["B", "C3"], ["B", "G7"]]}, 0, "w"),
        ({"moves": [["B", "C3"], ["B", "G7"]]}, 2, "w"),
        ({"moves": [["B", "C3"], ["B", "G7"], ["W", "E5"]]}, 3, "b"),
        ({"moves": [["B", "C3"], ["B", "G7"], ["B", "G3"]], "analyzeTurns": [1]}, 1, "w"),
        ({"moves": [["W", "C3"]], "analyzeTurns": [0]}, 0, "w"),
        ({"moves": [["B", "pass"]]}, 1, "w"),
    ],
    ids=str,
)
def test_who_is_to_move(plain, fields, turn, expected):
    names = {"b": "Black", "w": "White"}
    other = "w" if expected == "b" else "b"
    answer = one(plain, maxVisits=5, includeMoves=[entry(["A1"], turn, expected)], **fields)
    assert moves_of(answer)["A1"]["isIncluded"]
    told, answer = ask(plain, maxVisits=5, includeMoves=[entry(["A1"], turn, other)], **fields)
    assert told == warning(MISMATCH.format(turn, names[expected], names[other]))
    assert not any("isIncluded" in info for info in answer["moveInfos"])
    assert answer["rootInfo"]["visits"] == 5


def test_entries_of_one_turn_for_both_players(plain):
    entries = [entry(["A1"], player="w"), entry(["B2"])]
    told, answer = ask(plain, maxVisits=5, includeMoves=entries)
    assert told == warning(MISMATCH.format(0, "Black", "White"))
    assert answer["rootInfo"]["visits"] == 6
    assert [info["move"] for info in answer["moveInfos"] if info.get("isIncluded")] == ["B2"]


# 4. What can't be played is skipped, what does not read is an error.


@pytest.mark.parametrize(
    ("listed", "fields", "skipped"),
    [
        (["E5", "A1"], {"moves": [["B", "E5"]]}, "E5 (illegal)"),
        (["E5", "A1"], {"initialStones": [["B", "E5"]], "initialPlayer": "w"}, "E5 (illegal)"),
        (["D5", "A1"], KO, "D5 (illegal)"),
        (["A1", "a1", "B2"], {"initialPlayer": "w"}, "A1 (listed before)"),
        (["D5", "A1", "E5", "A1", "D5"], KO, "D5, E5 (illegal) and A1, D5 (listed before)"),
        (["D5", "D5"], KO, "D5 (illegal) and D5 (listed before)"),
    ],
    ids=str,
)
def test_what_can_not_be_played_is_skipped(plain, listed, fields, skipped):
    """Without waiting: the minimum would take a very long time."""
    turn = len(fields.get("moves", []))
    asked = {"maxVisits": 10, "includeMovesMinVisits": 4, **fields}
    told, answer = ask(plain, includeMoves=[entry(listed, turn, "w")], **asked)
    assert told == warning(f"Turn {turn} skips {skipped} of includeMoves")
    kept = {info["move"] for info in answer["moveInfos"] if info.get("isIncluded")}
    assert kept == ({"A1", "B2"} & {name.upper() for name in listed})
    assert answer["rootInfo"]["visits"] == 10 + 4 * len(kept)


def test_only_illegal_ones_do_not_block(plain):
    asked = {"maxVisits": 10, "includeMovesMinVisits": 2**50, "moves": [["B", "E5"]]}
    told, answer = ask(plain, includeMoves=[entry(["E5"], 1, "w")], **asked)
    assert told == warning("Turn 1 skips E5 (illegal) of includeMoves")
    assert answer["rootInfo"]["visits"] == 10


@pytest.mark.parametrize(("rules", "is_legal"), [("chinese", False), ("tromp-taylor", True)])
def test_suicide_is_a_matter_of_the_rules(plain, rules, is_legal):
    stones = [["B", "A3"], ["B", "B2"], ["B", "B1"], ["W", "A2"]]
    asked = {"initialStones": stones, "initialPlayer": "w", "rules": rules, "maxVisits": 5}
    *told, answer = ask(plain, **asked, includeMoves=[entry(["A1"], player="w")])
    assert told == ([] if is_legal else [warning("Turn 0 skips A1 (illegal) of includeMoves")])
    assert ("A1" in moves_of(answer)) is is_legal


@pytest.mark.parametrize(
    ("listed", "text"),
    [
        ([entry(["Z99"])], "Could not parse board location: Z99"),
        ([entry(["I5"])], "Could not parse board location: I5"),
        ([entry(["(9,9)"])], "Could not parse board location: (9,9)"),
        ([entry(["K10"])], "Could not parse board location: K10"),
        ([entry("A1")], "Must be an array of GTP board vertices"),
        ([entry([1])], "Must be an array of GTP board vertices"),
        ([entry(["A1"], "0")], "turnNumber must be an integer"),
        ([entry(["A1"], 0.5)], "turnNumber must be an integer"),
        ([entry(["A1"], player="x")], 'Must be "b" or "w"'),
        ([entry(["A1"], player=0)], 'Must be "b" or "w"'),
        *(
            ([{key: value for key, value in entry(["A1"]).items() if key != left_out}], None)
            for left_out in ("turnNumber", "player", "moves")
        ),
        (["A1"], None),
        ({"turnNumber": 0}, None),
        ("A1", None),
        (None, None),
    ],
    ids=json.dumps,
)
def test_what_does_not_read_is_an_error(plain, listed, text):
    text = text or "Must be a list of dicts with subfields 'turnNumber', 'player', 'moves'"
    assert ask(plain, maxVisits=5, includeMoves=listed) == [{"error": text, "field": "includeMoves", "id": "x"}]


@pytest.mark.parametrize("least", [0, -1, 1.5, "3", None, 2**50 + 1, [1]], ids=json.dumps)
def test_minimums_that_do_not_read(plain, least):
    found = ask(plain, maxVisits=5, includeMoves=[entry(["A1"])], includeMovesMinVisits=least)
    text = "Must be an integer from 1 to 2^50"
    assert found == [{"error": text, "field": "includeMovesMinVisits", "id": "x"}]


def test_turns_that_are_not_analyzed(plain):
    entries = [entry(["A1"]), entry(["B2"], 1, "w"), entry(["C3"], 7), entry(["C3"], -1)]
    *told, answer = ask(plain, maxVisits=5, moves=[["B", "E5"]], analyzeTurns=[1], includeMoves=entries)
    text = "Turn {} is not analyzed, ignoring includeMoves for this turn"
    assert told == [warning(text.format(turn)) for turn in (-1, 0, 7)]
    assert moves_of(answer)["B2"]["isIncluded"]


def test_entries_of_one_turn_are_joined_in_order(plain):
    entries = [entry(["A1", "B2"]), entry(["C3", "A1"]), entry(["D4"])]
    told, answer = ask(plain, maxVisits=5, includeMoves=entries, includeMovesMinVisits=3)
    assert told == warning("Turn 0 skips A1 (listed before) of includeMoves")
    assert {name for name, info in moves_of(answer).items() if info.get("isIncluded")} == {"A1", "B2", "C3", "D4"}
    assert answer["rootInfo"]["visits"] == 5 + 4 * 3
    assert ask(plain, maxVisits=5, includeMoves=[], includeMovesMinVisits=3)[0]["rootInfo"]["visits"] == 5


# 5. Never dropped, and in its place.


def test_the_order_is_by_weight_and_then_by_visits(engine):
    answer = one(engine, maxVisits=60, includeMoves=[entry(["A1", "B9", "E5"])], includeMovesMinVisits=12)
    infos = answer["moveInfos"]
    assert [info["order"] for info in infos] == list(range(len(infos)))
    ranks = [(-info["playSelectionValue"], -info["visits"]) for info in infos if "isSymmetryOf" not in info]
    assert ranks == sorted(ranks)
    found = moves_of(answer)
    for name in ("A1", "B9"):
        # Nobody plays there: what the search would have given them is next to nothing.
        assert 0 < found[name]["playSelectionValue"] < 1 <= found["E5"]["playSelectionValue"]
        assert found[name]["prior"] < 0.001


# 6. The verdict is what the free visits support.


@pytest.mark.slow
@pytest.mark.parametrize("losing", ["A1", "J1", "pass"])
def test_a_losing_move_does_not_drag_the_position_down(engine, losing):
    moves = [["B", "E5"], ["W", "E3"], ["B", "G4"], ["W", "C4"]]
    bare = one(engine, maxVisits=100, moves=moves)
    fields = {"includeMoves": [entry([losing], 4)], "includeMovesMinVisits": 500}
    answer = one(engine, maxVisits=100, moves=moves, includeOwnership=True, **fields)
    assert answer["rootInfo"]["visits"] == 600
    found = moves_of(answer)
    assert found[losing]["visits"] >= 500
    assert found[losing]["winrate"] < bare["rootInfo"]["winrate"] - 0.1
    assert answer["rootInfo"]["winrate"] == pytest.approx(bare["rootInfo"]["winrate"], abs=1e-4)
    assert answer["rootInfo"]["scoreLead"] == pytest.approx(bare["rootInfo"]["scoreLead"], abs=1e-2)
    assert answer["rootInfo"]["utility"] == pytest.approx(bare["rootInfo"]["utility"], abs=1e-3)
    assert answer["moveInfos"][0]["move"] == bare["moveInfos"][0]["move"]
    shown = {name: info["visits"] for name, info in found.items() if name != losing}
    assert shown == {name: info["visits"] for name, info in moves_of(bare).items() if name != losing}


def test_a_better_move_becomes_best_by_its_value(engine):
    """Only bad moves may be searched of one's own accord, and a good one is listed."""
    bad = [{"player": "b", "moves": ["A1", "A2"], "untilDepth": 1}]
    moves = [["B", "E5"], ["W", "E3"], ["B", "G4"], ["W", "C4"]]
    bare = one(engine, maxVisits=60, moves=moves, allowMoves=bad)
    listed = {"includeMoves": [entry(["D3"], 4)], "includeMovesMinVisits": 20}
    answer = one(engine, maxVisits=60, moves=moves, allowMoves=bad, **listed)
    assert answer["moveInfos"][0]["move"] == "D3"
    assert answer["moveInfos"][0]["visits"] > 40
    assert answer["rootInfo"]["winrate"] > bare["rootInfo"]["winrate"] + 0.05


@pytest.mark.slow
def test_the_bar(engine):
    """What the benchmark does with 200 positions."""
    script = Path(__file__).parent.parent / "benchmarks" / "included_moves.py"
    bench = runpy.run_path(str(script))
    rng = np.random.default_rng(1)
    positions = list(bench["own_positions"](engine, 9, 12, rng, games=2))
    findings = list(bench["compare"](engine, positions, 5, 40, 10, rng))
    assert len(findings) == 12
    assert min(finding.fewest for finding in findings) >= 10
    assert max(finding.change for finding in findings) < bench["MAX_CHANGE"]


# The two cases that the feature was first tested with.

TWO_MOVES = [["B", "Q4"], ["W", "C16"]]


def test_turns_have_their_own_lists(engine):
    entries = [entry(["D16", "Q4", "D4"]), entry(["Q16", "D17", "E3"], 2)]
    asked = {"moves": TWO_MOVES, "analyzeTurns": [0, 2], "maxVisits": 100}
    answers = ask(engine, LARGE, **asked, includeMoves=entries, includeMovesMinVisits=5)
    by_turn = {answer["turnNumber"]: answer for answer in answers}
    assert by_turn.keys() == {0, 2}
    for turn, listed in ((0, ["D16", "Q4", "D4"]), (2, ["Q16", "D17", "E3"])):
        found = moves_of(by_turn[turn])
        assert all(found[name]["visits"] >= 5 for name in listed)
        assert {name for name, info in found.items() if info.get("isIncluded")} == set(listed)
        assert by_turn[turn]["rootInfo"]["visits"] <= 115


def test_the_player_is_checked(plain):
    asked = {"moves": TWO_MOVES, "analyzeTurns": [0], "maxVisits": 10}
    told, answer = ask(plain, LARGE, **asked, includeMoves=[entry(["D16"], player="w")])
    assert told == warning(MISMATCH.format(0, "Black", "White"))
    assert answer["rootInfo"]["visits"] == 10


# 7. The same in Python, and in every game.


def test_from_python(plain):
    analysis = plain.analyze(["E5"], turns=[0, 1], size=9, visits=10, include={0: ["A1"], 1: ["E5", "A1"]})
    assert analysis.warnings == ["Turn 1 skips E5 (illegal) of includeMoves"]
    by_turn = {answer.turn_number: answer for answer in analysis}
    for turn in (0, 1):
        assert by_turn[turn]["A1"].is_included
        assert by_turn[turn]["A1"].visits >= 1
        assert by_turn[turn].root_info.visits == 11
    with pytest.raises(AnalysisError, match="includeMoves: Could not parse board location: Z99"):
        plain.analyze(size=9, visits=5, include={0: ["Z99"]})
    with pytest.raises(AnalysisError, match="Must be an integer from 1 to 2"):
        plain.analyze(size=9, visits=5, include={0: ["A1"]}, include_visits=0)
    with pytest.raises(AnalysisError, match="analyzeTurns: Invalid turn number: 3"):
        plain.analyze(size=9, visits=5, include={3: ["A1"]})


def test_by_searching():
    game = tengen.game("go", size=9)
    state = game.start(moves=[("B", "E5")])
    options = {"visits": 20, "include_visits": 6, "seed": 1}
    result = tengen.search(state, include=["A1", "E5", "A1", "pass"], avoid=[Restriction(["A1"])], **options)
    assert result.visits == 20 + 12
    assert {move.name for move in result.moves if move.included and move.visits >= 6} == {"A1", "pass"}
    assert result.warnings == ("include: skipped as illegal or named twice: E5, A1",)
    bare = tengen.search(state, visits=20, seed=1, avoid=[Restriction(["A1"])])
    assert result.value == bare.value
    with pytest.raises(ValueError, match="Z99"):
        tengen.search(state, visits=5, include=["Z99"])


def test_another_game(pyrga):
    base = {"id": "x", "moves": ["square b2", "circle b1"]}
    listed = ["square b1", "arrow b1 up", "square b1", "square a1"]
    fields = {"includeMoves": [entry(listed, 2, 0)], "includeMovesMinVisits": 9}
    told, answer = ask(pyrga, base, maxVisits=30, **fields)
    assert told == warning("Turn 2 skips square a1 (illegal) and square b1 (listed before) of includeMoves")
    found = moves_of(answer)
    assert {name for name, info in found.items() if info.get("isIncluded")} == {"square b1", "arrow b1 up"}
    assert all(found[name]["visits"] >= 9 for name in ("square b1", "arrow b1 up"))
    assert all(found[name]["playSelectionValue"] > 0 for name in ("square b1", "arrow b1 up"))
    assert answer["rootInfo"]["visits"] == 30 + 9 * 2
    told, _ = ask(pyrga, base, maxVisits=5, includeMoves=[entry(["square b1"], 2, 1)])
    assert told == warning(MISMATCH.format(2, "0", "1"))
    [wrong] = ask(pyrga, base, maxVisits=5, includeMoves=[entry(["nonsense"], 2, 0)])
    assert (wrong["field"], "error" in wrong) == ("includeMoves", True)


def test_another_game_from_python(pyrga):
    [answer] = pyrga.analyze(visits=20, include={0: ["square a1", "arrow c3 up"]}, include_visits=8)
    included = [info for info in answer.move_infos if info.is_included]
    assert {info.move for info in included} == {"square a1", "arrow c3 up"}
    assert min(info.visits for info in included) >= 8
    assert answer.root_info.visits == 36
