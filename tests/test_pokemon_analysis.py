"""Battles in the analysis engine: who asks, battles as a server tells them, and what each choice fears."""

import json
import random

import pytest
from pokemon_logs import read_logs

from tengen.analysis.engine import AnalysisError, Engine
from tengen.analysis.service import Service

LOG = read_logs()[0]


@pytest.fixture(scope="module")
def engine():
    with Engine("pokemon", "heuristic") as engine:
        yield engine


def lines_until(decision, side="p1"):
    """What a side had been sent when it had to choose."""
    return LOG[side][: LOG["decisions"][decision]["at"][side == "p2"]]


def test_each_choice_has_its_win_rate_and_what_it_fears(engine):
    [answer] = engine.analyze([], visits=400, start={"seed": 3})
    assert answer.root_info.current_player == "0"
    assert 0 < answer.root_info.winrate < 1
    assert sum(info.visits for info in answer.move_infos) == pytest.approx(400, abs=1)
    for info in answer.move_infos:
        assert info.choice
        assert 0 <= info.winrate <= 1
        rates = [fear["winrate"] for fear in info.fears]
        assert rates == sorted(rates)
        assert all(fear["answer"] and 0.05 <= fear["share"] <= 1 for fear in info.fears)
    best = answer.best
    assert best.fears
    assert min(fear["winrate"] for fear in best.fears) <= best.winrate + 1e-6


def test_the_other_side_may_ask(engine):
    [first] = engine.analyze([], visits=200, start={"seed": 3}, viewer=0)
    [second] = engine.analyze([], visits=200, start={"seed": 3}, viewer=1)
    assert (first.root_info.current_player, second.root_info.current_player) == ("0", "1")
    assert {info.choice for info in first.move_infos} != {info.choice for info in second.move_infos}
    with pytest.raises(AnalysisError, match="player from 0 to 1"):
        engine.analyze([], visits=2, viewer=2)


def test_moves_can_be_included_by_name(engine):
    [answer] = engine.analyze([], visits=40, start={"seed": 3})
    name = answer.move_infos[-1].choice
    wanted = [{"turnNumber": 0, "player": 0, "moves": [name]}]
    [again] = engine.analyze([], visits=40, start={"seed": 3}, includeMoves=wanted, includeMovesMinVisits=60)
    [info] = [info for info in again.move_infos if info.is_included]
    assert info.choice == name
    assert info.visits >= 60


@pytest.mark.parametrize("side", ["p1", "p2"])
def test_a_battle_as_a_side_was_told(engine, side):
    decision = LOG["decisions"][8]
    seat = int(side == "p2")
    for log in (lines_until(8, side), "\n".join(lines_until(8, side))):
        [answer] = engine.analyze([], visits=60, log=log)
        assert answer.root_info.current_player == str(seat)
        assert {info.move for info in answer.move_infos} <= {engine.game.name(a) for a in decision["legal"][seat]}
        names = {line.split("|")[3].split(",")[0] for line in lines_until(8, side) if line.startswith("|switch|")}
        told = {fear["answer"] for info in answer.move_infos for fear in info.fears}
        assert all(
            one == "switch to one not seen yet" or one.removeprefix("switch ") in names
            for one in told
            if one.startswith("switch")
        )


def test_logs_that_do_not_fit(engine):
    told = []
    session = Service(engine).connect(told.append)
    for log in ([], ["|turn|1"], 5, [1], lines_until(3)[:-1]):
        session.handle(json.dumps({"id": "a", "log": log, "maxVisits": 2}))
        answer = json.loads(told[-1])
        assert answer["field"] == "log"
        assert "each request after the lines that led to it" in answer["error"]
    session.handle(json.dumps({"id": "a", "log": ["|turn|1"] * 50_001}))
    assert "at most 50000 lines" in json.loads(told[-1])["error"]
    session.handle(json.dumps({"id": "a", "log": lines_until(3), "moves": ["move 1|move 1"]}))
    assert "together with start or moves" in json.loads(told[-1])["error"]


def test_spoiled_logs_are_answered_or_refused(engine):
    rng = random.Random(5)
    told = []
    session = Service(engine).connect(told.append)
    for number in range(20):
        lines = list(lines_until(rng.randrange(2, 12)))
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(lines))
            lines[at] = lines[at].replace(rng.choice("abei"), rng.choice("xyz|"), rng.randrange(1, 3))
        session.handle(json.dumps({"id": str(number), "log": lines, "maxVisits": 2}))
    assert session.drain(60)
    answers = [json.loads(line) for line in told]
    assert {answer["id"] for answer in answers} == {str(number) for number in range(20)}
    assert all("rootInfo" in answer or answer.get("field") == "log" for answer in answers)
