"""Asking about positions of shogi: requests, answers, games beyond a repetition."""

import json

import pytest
from review_helpers import engine as make_engine

import tengen
from tengen.analysis import Context, parse_request
from tengen.analysis.adapters import find_adapter, game_of_record
from tengen.analysis.shogi.scores import MAX_CP, centipawns

MATE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"


@pytest.fixture(scope="module")
def engine():
    with make_engine("shogi") as found:
        yield found


def ask(engine, **fields):
    return [answer.to_json() for answer in engine.ask({"id": "q", "maxVisits": 20, **fields})]


def read(**fields):
    return parse_request(json.dumps({"id": "q", **fields}), Context(find_adapter("shogi"))).body


def test_answers_have_win_rates_and_centipawns(engine):
    (answer,) = ask(
        engine,
        moves=["7g7f", ["w", "3c3d"]],
        includeMoves=[{"turnNumber": 2, "player": "b", "moves": ["8h2b+", "9i9h"]}],
    )
    root = answer["rootInfo"]
    assert root["currentPlayer"] == "B"
    assert root["scoreCp"] == pytest.approx(centipawns(root["winrate"]), abs=2)
    by_name = {info["move"]: info for info in answer["moveInfos"]}
    assert by_name["8h2b+"]["isIncluded"]
    assert by_name["9i9h"]["visits"] >= 1
    assert all(isinstance(info["scoreCp"], int) for info in answer["moveInfos"])


def test_positions_are_given_as_sfen(engine):
    # Rollouts among few pieces go on for long, so nothing is rolled out here.
    with tengen.Engine("shogi", net="uniform") as plain:
        for fields in ({"initialPosition": MATE}, {"start": {"sfen": MATE}}):
            (answer,) = ask(plain, moves=[], maxVisits=300, **fields)
            assert answer["moveInfos"][0]["move"] == "G*5b"
            assert answer["moveInfos"][0]["winrate"] == 1.0
            assert answer["moveInfos"][0]["scoreCp"] == MAX_CP
    (answer,) = ask(engine, start={"handicap": "two-piece"}, moves=[])
    assert answer["rootInfo"]["currentPlayer"] == "W"
    (answer,) = ask(engine, initialPosition="startpos", moves=["２六歩"])
    assert answer["rootInfo"]["currentPlayer"] == "W"


@pytest.mark.parametrize(
    ("fields", "field", "text"),
    [
        ({"initialPosition": 5, "moves": []}, "initialPosition", "Must be SFEN"),
        ({"initialPosition": "9/9 b -", "moves": []}, "initialPosition", "no SFEN"),
        ({"initialPosition": MATE, "start": {"sfen": MATE}, "moves": []}, "initialPosition", "together with start"),
        ({"moves": [["x", "7g7f"]]}, "moves", 'Must be "b" or "w"'),
        ({"moves": [], "komi": 7}, "komi", "Only Go has this field"),
    ],
)
def test_what_does_not_fit_is_refused(fields, field, text):
    problem = read(**fields)
    assert problem.field == field
    assert text in problem.text


def test_illegal_moves_are_named(engine):
    problem = ask_problem(engine, moves=["7g7f", "7g7f"])
    assert "Illegal move 1: 7g7f" in problem
    assert "Illegal move 0: 7g7f" in ask_problem(engine, moves=[["w", "7g7f"]])


def ask_problem(engine, **fields):
    with pytest.raises(ValueError, match="Illegal move") as caught:
        ask(engine, **fields)
    return str(caught.value)


def test_games_go_on_beyond_a_repetition(engine):
    around = ["2h1h", "8b9b", "1h2h", "9b8b"] * 4
    (answer,) = ask(engine, moves=[*around, "7g7f"])
    assert answer["rootInfo"]["currentPlayer"] == "W"
    assert "Illegal move 17" in ask_problem(engine, moves=[*around, "7g7f", "7g7f"])


def test_positions_are_written_as_they_are_read():
    adapter = find_adapter("shogi")
    query = read(initialPosition=MATE, moves=["G*5b"])
    fields = adapter.format_position(query.position)
    assert fields == {"moves": ["G*5b"], "start": {"sfen": MATE}}
    assert read(**fields).position == query.position


def test_centipawns():
    assert centipawns(0.5) == 0
    assert [centipawns(win) for win in (0.0, 1.0)] == [-MAX_CP, MAX_CP]
    assert centipawns(0.731_058_6) == 600
    assert all(centipawns(1 - win) == -centipawns(win) for win in (0.1, 0.3, 0.9999))


def test_records_tell_their_game():
    assert [game_of_record(suffix) for suffix in (".kif", ".CSA", ".ki2", ".usi", ".sgf")] == ["shogi"] * 4 + ["go"]
    assert game_of_record(".doc") == "go"


def test_in_python():
    with tengen.Engine("shogi", net="rollout") as found:
        (answer,) = found.analyze(["7g7f"], visits=10, include={1: ["3c3d"]}, include_visits=5)
    assert answer["3c3d"].visits >= 5
    assert answer["3c3d"].score_cp is not None
