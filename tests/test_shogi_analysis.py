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
    for fields in ({"initialPosition": MATE}, {"start": {"sfen": MATE}}):
        (answer,) = ask(engine, moves=[], maxVisits=20, **fields)
        assert answer["moveInfos"][0]["move"] == "G*5b"
        assert answer["moveInfos"][0]["winrate"] == 1.0
        assert answer["moveInfos"][0]["scoreCp"] == MAX_CP
    (answer,) = ask(engine, start={"handicap": "two-piece"}, moves=[])
    assert answer["rootInfo"]["currentPlayer"] == "W"
    (answer,) = ask(engine, initialPosition="startpos", moves=["２六歩"])
    assert answer["rootInfo"]["currentPlayer"] == "W"


def test_a_proven_mate_is_the_first_move_with_its_whole_line(engine):
    """However few visits there are; in Black's view, who is mated, of White's mate."""
    nine = "pr1k4b/1Ppp1+B1gl/5s2p/1p5p1/S1Ggpp1n1/S4np1P/3GKP2L/L1P1L1R2/2+n3SN1 b P4p 1"
    (answer,) = ask(engine, initialPosition=nine, moves=[], maxVisits=2, includePVVisits=True)
    first, root = answer["moveInfos"][0], answer["rootInfo"]
    assert first["order"] == 0
    assert first["mate"] == root["mate"] == len(first["pv"]) >= 9
    assert len(first.get("pvVisits", first["pv"])) == len(first["pv"])
    assert (first["winrate"], root["winrate"], root["scoreCp"]) == (1.0, 1.0, MAX_CP)
    line = tengen.game("shogi").start(sfen=nine, moves=first["pv"])
    assert tengen.game("shogi").end(line) == "no moves"
    turned = "9/9/9/9/9/9/4p4/9/4K4 w g 1"
    (answer,) = ask(engine, initialPosition=turned, moves=[], overrideSettings={"reportAnalysisWinratesAs": "BLACK"})
    assert (answer["rootInfo"]["mate"], answer["rootInfo"]["winrate"]) == (-1, 0.0)
    assert answer["moveInfos"][0]["pv"] == ["G*5h"]


def test_moves_into_a_mate_come_last_and_say_so(engine):
    """White threatens G*5h; who lets that happen is mated."""
    position = "4k4/9/9/9/9/9/4p4/9/3LKL2P b g 1"
    include = [{"turnNumber": 0, "player": "b", "moves": ["1i1h"]}]
    (answer,) = ask(engine, initialPosition=position, moves=[], maxVisits=60, includeMoves=include)
    assert "mate" not in answer["rootInfo"]
    assert "mate" not in answer["moveInfos"][0]
    pushed = next(info for info in answer["moveInfos"] if info["move"] == "1i1h")
    assert (pushed["mate"], pushed["winrate"], pushed["pv"]) == (-2, 0.0, ["1i1h", "G*5h"])
    assert all("mate" in info for info in answer["moveInfos"][pushed["order"] :])
    # Here every move lets it happen, and who is lost holds out as long as possible.
    (answer,) = ask(engine, initialPosition="4k4/9/9/9/9/9/3ppp3/9/3LKL3 b g 1", moves=[], maxVisits=60)
    mates = [info["mate"] for info in answer["moveInfos"]]
    assert len(mates) == 4
    assert answer["rootInfo"]["mate"] == mates[0] == min(mates) < 0


def test_what_is_left_out_of_the_search_proves_nothing(engine):
    avoided = [{"moves": ["G*5b"], "player": "b", "untilDepth": 1}]
    (answer,) = ask(engine, initialPosition=MATE, moves=[], avoidMoves=avoided)
    assert "mate" not in answer["rootInfo"]
    assert "G*5b" not in [info["move"] for info in answer["moveInfos"]]


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
