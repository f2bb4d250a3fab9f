"""Studies of the page: records of all formats, variations, and what is asked of the engine."""

import json
import random

import pytest
from shipped_games import NAMES, small_game

import tengen
from tengen.games import SavedGame
from tengen.web.catalog import Catalog
from tengen.web.engines import Engines
from tengen.web.messages import Ask, encode_message
from tengen.web.record_reading import read_record
from tengen.web.studies import Study, StudyError

CATALOG = Catalog()
SGF = b"(;GM[1]SZ[9]KM[6.5]PB[Ann]PW[Ben];B[ee];W[ce];B[gc];W[gg])"
RECORDS = {
    "a.sgf": (SGF, "go", 4),
    "pasted sgf": (SGF, "go", 4),
    "a.csa": (b"V2.2\nPI\n+\n+7776FU\n-3334FU\n", "shogi", 2),
    "pasted csa": (b"V2.2\nPI\n+\n+7776FU\n-3334FU\n", "shogi", 2),
    "pasted usi": (b"position startpos moves 7g7f 3c3d 2g2f", "shogi", 3),
    "a.kif": ("手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n".encode(), "shogi", 2),
}


def saved(name, plies=6):
    game = small_game(name)
    rng = random.Random(4)
    states = [game.start(3)]
    while len(states) <= plies and not states[-1].is_over:
        state = states[-1]
        if state.actor == "chance":
            states.append(state.play(state.outcome(1)))
        elif state.actor == "all":
            states.append(state.play([rng.choice(state.legal(seat)) for seat in range(2)]))
        else:
            states.append(state.play(rng.choice(state.legal())))
    return game.format_saved(SavedGame(tuple(states), 0, None, 3, {})), states


@pytest.fixture(scope="module")
def engines():
    opened = Engines()
    yield opened
    opened.close()


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_read_by_the_game_that_they_are_of(name):
    data, game, plies = RECORDS[name]
    study = Study("s", read_record(data, name if "." in name else "", "", CATALOG))
    assert study.game.id == game
    assert len(study.main_line()) == plies + 1
    assert json.loads(encode_message(study.tree(0)))["nodes"][-1]["ply"] == plies


@pytest.mark.parametrize("name", NAMES)
def test_what_a_table_saves_opens_as_a_study(name):
    data, states = saved(name)
    study = Study("s", read_record(data, "", name, CATALOG))
    line = study.main_line()
    assert len(line) == len(states)
    assert [node.state.actor for node in line] == [state.actor for state in states]
    assert line[-1].state.svg(study.viewer(line[-1])) == states[-1].svg(study.viewer(line[-1]))
    shown = None
    for node in line:
        board, shown = study.board(node.id, shown)
        assert json.loads(encode_message(board))["node"] == node.id


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (b"nonsense", "", "no game here reads this record"),
        (b"(;GM[1]SZ[9];B[ee];W[ee])", "a.sgf", "no game here|illegal|Illegal|occupied"),
        (b"V2.2\nPI\n+\n+7775FU\n", "a.csa", "line 4"),
        (b'{"format":"tengen-game","game":"nowhere"}', "", "a game that is not here"),
        (b"\x00" * 1000, "", "no game here reads"),
        (b"(" * 100_000, "", "no game here reads"),
    ],
)
def test_faults_are_told(data, name, told):
    with pytest.raises(ValueError, match=told):
        read_record(data, name, "", CATALOG)


def test_variations():
    study = Study("s", read_record(SGF, "", "", CATALOG))
    assert study.play(1, None, "C5").id == 2, "the move that was played is no variation"
    tried = study.play(1, None, "D4")
    assert (tried.parent, tried.ply) == (1, 2)
    assert study.play(1, None, "d4") is tried
    further = study.play(tried.id, None, "G7")
    study.edit(tried.id, "promote", "")
    assert [node.id for node in study.main_line()] == [0, 1, tried.id, further.id]
    study.edit(tried.id, "comment", "a try")
    assert study.edit(tried.id, "delete", "") == 1
    assert [node.id for node in study.main_line()] == [0, 1, 2, 3, 4]
    for wrong in (tried.id, -1, 10**9):
        with pytest.raises(StudyError):
            study.node(wrong)
    with pytest.raises(StudyError):
        study.play(1, None, "E5")
    with pytest.raises(StudyError):
        study.edit(0, "delete", "")


def judge_all(study, nodes, found):
    """Judge the positions and moves of a review one after the other, and return the analyses by turn."""
    known = {}
    for answer in found:
        known[answer.turn_number] = answer
        study.note_judged(study.judge(nodes, known, answer.turn_number))
    return known


def answers(engine, request):
    return list(engine.ask(request))[-1]


@pytest.mark.parametrize("name", ["pyrga", "connect_four", "matgo"])
def test_pins_and_regions_are_the_engines(name, engines):
    """The page's request gets what the same request gets from the engine, and pinned moves their visits."""
    data, _ = saved(name)
    study = Study("s", read_record(data, "", name, CATALOG))
    number = study.main_line()[-1].id
    node = study.node(number)
    legal = node.state.legal()
    engine = engines.open(study.game)
    pin = legal[-1]
    answer = answers(engine, study.request(Ask(node=number, visits=60, pins=(pin,), pin_visits=25), 9.0))
    told = study.analysis(number, answer, (pin,))
    [row] = [row for row in told.moves if row["action"] == pin]
    assert row["pinned"]
    assert row["visits"] >= 25
    assert row["visits"] == answer[study.game.name(pin)].visits
    only = tuple(legal[:2])
    answer = answers(engine, study.request(Ask(node=number, visits=60, allow=only), 9.0))
    assert {row["action"] for row in study.analysis(number, answer, ()).moves} <= set(only)
    answer = answers(engine, study.request(Ask(node=number, visits=60, avoid=only), 9.0))
    assert not {row["action"] for row in study.analysis(number, answer, ()).moves} & set(only)


def test_owners_of_points_lie_on_their_spots(engines):
    study = Study("s", read_record(b"(;GM[1]SZ[5]KM[0.5];B[bb];W[dd];B[ab];W[de];B[ba];W[ed])", "", "", CATALOG))
    answer = answers(engines.open(study.game), study.request(Ask(node=6, visits=5000), 9.0))
    heat = study.analysis(6, answer, ()).heat
    black = sum(heat.get(spot, 0.0) for spot in ("A5", "B5", "A4", "B4"))
    white = sum(heat.get(spot, 0.0) for spot in ("D2", "E2", "D1", "E1"))
    assert black > 0 > white


def test_a_review_judges_every_position(engines):
    data, _ = saved("pyrga", 5)
    study = Study("s", read_record(data, "", "pyrga", CATALOG))
    nodes = study.main_line()
    judge_all(study, nodes, engines.open(study.game).ask(study.review_request(nodes, 60)))
    assert all("winrate" in node.judged for node in nodes if not node.state.is_over)
    assert all(node.judged["loss"] >= 0 for node in nodes[1:])


def test_the_unit_of_a_game_is_what_losses_count(engines):
    data, _ = saved("matgo", 2)
    study = Study("s", read_record(data, "", "matgo", CATALOG))
    number = study.main_line()[-1].id
    told = study.analysis(
        number, answers(engines.open(study.game), study.request(Ask(node=number, visits=50), 9.0)), ()
    )
    assert told.unit == tengen.game("matgo").payoff_unit
    assert all("value" in row and "winrate" not in row for row in told.moves)
