"""Reviews of battles: what was chosen shows in a log, in whichever order it was kept; pages and records."""

import json
import re

import pytest
from cli_runner import runner
from pokemon_logs import read_logs

from tengen.analysis.engine import Engine
from tengen.analysis.pokemon.battle_log import read_battle
from tengen.analysis.pokemon.records import BattleFormat
from tengen.analysis.pokemon.review_page import decisive_turns
from tengen.analysis.review import ReviewError, review_game

LOGS = read_logs()


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def as_a_server_sends_it(lines):
    """Each request before the lines that led to it."""
    out, since = [], []
    for line in lines:
        if line.startswith("|request|"):
            out += [line, *since]
            since = []
        else:
            since.append(line)
    return out + since


@pytest.mark.parametrize("side", [0, 1])
def test_choices_are_found_in_what_happened(side):
    found = wrong = hidden = 0
    for log in LOGS:
        lines = log[f"p{side + 1}"]
        battle = read_battle("\n".join(lines))
        assert battle.side == side
        at = {choice.end: choice for choice in battle.choices}
        for decision in log["decisions"]:
            legal = (decision["legal"] or [None, None])[side]
            if not legal or len(legal) < 2:
                continue
            choice = at.get(decision["at"][side])
            if choice is None:
                hidden += 1
            elif choice.action == decision["choice"][side]:
                found += 1
            else:
                wrong += 1
    assert found > 15 * wrong
    assert found > 4 * hidden


def test_the_order_of_a_live_server_is_understood():
    for log in LOGS[:3]:
        kept, live = (read_battle("\n".join(lines)) for lines in (log["p1"], as_a_server_sends_it(log["p1"])))
        assert [choice.action for choice in live.choices] == [choice.action for choice in kept.choices]
        assert [choice.turn for choice in live.choices] == [choice.turn for choice in kept.choices]


def test_a_record_of_ours_says_what_was_chosen():
    log = LOGS[0]
    lines = list(log["p1"])
    decision = log["decisions"][0]
    other = next(action for action in decision["legal"][0] if action != decision["choice"][0])
    lines.insert(decision["at"][0], f"|tengen|{json.dumps({'turn': 1, 'action': other})}")
    assert read_battle("\n".join(lines)).choices[0].action == other


def test_the_turns_that_decided_it():
    assert decisive_turns([0.1, -0.3, None, 0.0, 0.2], 2) == [1, 4]
    assert decisive_turns([None]) == []


def test_a_review_as_page_record_and_json(run, tmp_path):
    log = min(LOGS, key=lambda log: len(log["p2"]))
    path = tmp_path / "battle.log"
    path.write_text("\n".join(log["p2"]) + "\n")
    ran = run("review", path, "--net", "heuristic", "--visits", 40, "--record", "--json", "--to", 12)
    assert ran.code == 0, ran.err
    page = (tmp_path / "battle.review.html").read_text()
    assert "The turns that decided it" in page
    assert "Win rate of B" in page
    assert page.count("<details>") == 13
    assert "<script" not in page
    review = json.loads((tmp_path / "battle.review.json").read_text())
    assert review["game"] == "pokemon"
    assert len(review["turns"]) == 13
    assert all(turn["verdict"] for turn in review["turns"] if turn["pointsLost"] is None and turn["winrateLost"])
    commented = (tmp_path / "battle.review.log").read_text().splitlines()
    assert len(re.findall(r'^\|tengen\|\{"review"', "\n".join(commented), re.MULTILINE)) == 13
    assert [line for line in commented if not line.startswith("|tengen|")] == log["p2"]
    assert run("review", path).code != 0  # the page is there already


def test_what_can_not_be_reviewed(tmp_path):
    path = tmp_path / "battle.log"
    path.write_text("|turn|1\n")
    with pytest.raises(ReviewError, match="holds no request"):
        BattleFormat().load(path)
    with pytest.raises(ReviewError, match="could not be read"):
        BattleFormat().load(tmp_path / "none.log")
    with pytest.raises(ReviewError, match="without --number"):
        BattleFormat().load(path, 2)


def test_a_battle_reviewed_in_python():
    battle = read_battle("\n".join(LOGS[0]["p1"]))
    with Engine("pokemon", "heuristic") as engine:
        review = review_game(battle, engine, 30, turns=range(4))
    assert [turn.player for turn in review.turns] == [0] * 4
    assert all(turn.played is not None and turn.played.visits for turn in review.turns)
