"""One judgement on moves: the page, `tengen review` and the terminal call the same moves mistakes."""

import random
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from test_web_studies import CATALOG, answers, judge_all, saved

import tengen
from tengen.analysis.review import Review
from tengen.analysis.review.run import record_format
from tengen.analysis.review.verdicts import POINT_LIMITS, VERDICTS, WINRATE_LIMITS
from tengen.play import Advice, Decision, judge_decision
from tengen.web.engines import Engines
from tengen.web.messages import Ask
from tengen.web.record_reading import read_record
from tengen.web.studies import Study

STATIC = Path(__file__).parent.parent / "src" / "tengen" / "web" / "static"
SGF = b"(;GM[1]SZ[5]KM[0.5];B[cc];W[aa];B[cb];W[ea];B[bc];W[ae];B[dc];W[ee];B[cd])"
VISITS = 40


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A game of Go, and the analysis of each turn."""
    study = Study("s", read_record(SGF, "", "go", CATALOG))
    study.path = tmp_path_factory.mktemp("games") / "game.sgf"
    study.path.write_bytes(SGF)
    engines = Engines(is_repeatable=True)
    nodes = study.main_line()
    known = judge_all(study, nodes, engines.open(study.game).ask(study.review_request(nodes, VISITS)))
    yield study, engines, known
    engines.close()


def review_of(study, known):
    played = record_format(study.adapter).load(study.path, 1, rules=None, komi=None)
    return Review.of(played, known, net="", visits=VISITS, include_visits=10)


def page_judges_as(study, known):
    """Compare the verdicts of the page with those of a review for the same analyses, in any order."""
    fresh = Study("s", read_record(SGF, "", "go", CATALOG))
    nodes = fresh.main_line()
    judge_all(fresh, nodes, random.Random(1).sample(list(known.values()), len(known)))
    turns = review_of(study, known).turns
    judged = [node.judged for node in nodes[1:]]
    for turn, told in zip(turns, judged, strict=False):
        assert told.get("verdict") == turn.verdict, turn.turn
        if turn.loss is not None:
            assert told["loss"] == pytest.approx(turn.loss.points, abs=1e-4)
    return [turn.verdict for turn in turns[:-1]]


def test_the_page_judges_as_a_review_does(found):
    study, _, known = found
    assert len(set(page_judges_as(study, known))) > 1


def test_whatever_the_answers_are(found):
    study, _, known = found
    rng = random.Random(5)
    seen = set()
    for _ in range(20):
        shaken = {turn: shake(answer, rng) for turn, answer in known.items()}
        seen.update(page_judges_as(study, shaken))
    assert seen == {None, *VERDICTS}


def shake(answer, rng):
    infos = [
        replace(info, visits=rng.choice((3, 12, 40)), winrate=rng.random(), score_lead=rng.gauss(0, 2))
        for info in answer.move_infos
    ]
    root = replace(answer.root_info, visits=rng.choice((3, 60)), winrate=rng.random(), score_lead=rng.gauss(0, 2))
    return replace(answer, move_infos=tuple(infos), root_info=root)


def test_a_proven_value_counts_more_than_visits(found):
    study, _, known = found

    @dataclass(frozen=True, kw_only=True)
    class Proven(type(known[2].root_info)):
        is_proven = True

    turns = review_of(study, known).turns
    turn = next(turn for turn in range(0, 8, 2) if not turns[turn].is_first_choice)
    first, *others = known[turn].move_infos
    sure = replace(known[turn], move_infos=(replace(first, winrate=0.9, visits=100), *others))
    after = replace(known[turn + 1].root_info, winrate=0.0, visits=1)
    for kind, is_blunder in ((Proven, True), (type(after), False)):
        found = replace(known[turn + 1], root_info=kind(**vars(after)))
        played = replace(sure[turns[turn].move], winrate=0.9, score_lead=first.score_lead, visits=1000)
        infos = tuple(played if info.move == played.move else info for info in sure.move_infos)
        verdict = page_judges_as(study, known | {turn: replace(sure, move_infos=infos), turn + 1: found})[turn]
        assert (verdict == "blunder") == is_blunder


def test_candidates_have_the_verdicts_of_a_review(found):
    study, engines, _ = found
    answer = answers(engines.open(study.game), study.request(Ask(node=4, visits=200), 9.0))
    rows = study.analysis(4, answer, ()).moves
    assert rows[0]["verdict"] == "excellent"
    judged = {row.get("verdict") for row in rows}
    assert None in judged, "some have too few visits"
    for row in rows[1:]:
        if "verdict" in row:
            points = sum(row["loss"] >= limit for limit in POINT_LIMITS)
            lost = rows[0]["winrate"] - row["winrate"]
            assert VERDICTS.index(row["verdict"]) == max(points, sum(lost >= limit for limit in WINRATE_LIMITS))


def test_games_with_a_unit_are_judged_by_payoffs():
    study = Study("s", read_record(saved("matgo", 6)[0], "", "matgo", CATALOG))
    engines = Engines(is_repeatable=True)
    nodes = study.main_line()
    judge_all(study, nodes, engines.open(study.game).ask(study.review_request(nodes, 200)))
    engines.close()
    verdicts = [node.judged["verdict"] for node in nodes if "verdict" in node.judged]
    assert verdicts
    for node in nodes:
        if node.judged.get("loss", 0) and "verdict" in node.judged:
            share = node.judged["loss"] / (2 * study.game.payoff_scale)
            assert VERDICTS.index(node.judged["verdict"]) == sum(share >= limit for limit in WINRATE_LIMITS)


def test_scripts_know_no_limits():
    for name in ("worths.js", "graphs.js"):
        code = (STATIC / name).read_text(encoding="utf-8")
        found = set(map(float, re.findall(r"\b\d+\.\d+\b", code)))
        assert not found & {*WINRATE_LIMITS, *POINT_LIMITS[1:]}, name


@pytest.mark.parametrize(
    ("better", "played", "verdict"),
    [
        (0.60, 0.56, None),
        (0.60, 0.53, "inaccuracy"),
        (0.60, 0.47, "mistake"),
        (0.60, 0.30, "blunder"),
    ],
)
def test_a_decision_is_judged_by_the_same_limits(better, played, verdict):
    game = tengen.game("connect_four")
    decision = Decision(1, game.start(), 1)
    advice = [advise(0, better), advise(1, played)]
    mistake = judge_decision(game, decision, advice)
    assert (None if mistake is None else mistake.loss.verdict) == verdict
    is_told = judge_decision(game, decision, advice, "mistake") is not None
    assert is_told == (verdict in ("mistake", "blunder"))
    few = [replace(move, visits=5) for move in advice]
    assert judge_decision(game, decision, few) is None
    assert judge_decision(game, decision, [replace(move, proven=True) for move in few]) == (
        None
        if mistake is None
        else replace(mistake, played=replace(few[1], proven=True), better=replace(few[0], proven=True))
    )


def advise(action, win_rate):
    return Advice(action, str(action), 2 * win_rate - 1, win_rate=win_rate, visits=100)


def test_a_difference_within_the_error_is_no_mistake():
    game = tengen.game("matgo")
    decision = Decision(1, None, 1)
    for error, is_mistake in ((100.0, True), (800.0, False)):
        advice = [Advice(0, "a", 2000.0, error), Advice(1, "b", 500.0, error)]
        assert (judge_decision(game, decision, advice) is not None) == is_mistake
