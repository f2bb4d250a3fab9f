"""Reviews of battles: what was chosen shows in a log, in whichever order it was kept; pages and records."""

import json
import re

import pytest
from cli_runner import runner
from pokemon_fuzz import Fuzz
from pokemon_logs import read_logs

from tengen.analysis.engine import Engine
from tengen.analysis.pokemon.battle_record import read_battle
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
        (view,) = read_battle("\n".join(lines)).views
        assert view.side == side
        at = {choice.end: choice for choice in view.choices}
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
        orders = log["p1"], as_a_server_sends_it(log["p1"])
        kept, live = (read_battle("\n".join(lines)).views[0] for lines in orders)
        assert [choice.action for choice in live.choices] == [choice.action for choice in kept.choices]
        assert [choice.turn for choice in live.choices] == [choice.turn for choice in kept.choices]


def test_a_record_of_ours_says_what_was_chosen():
    log = LOGS[0]
    lines = list(log["p1"])
    decision = log["decisions"][0]
    other = next(action for action in decision["legal"][0] if action != decision["choice"][0])
    lines.insert(decision["at"][0], f"|tengen|{json.dumps({'turn': 1, 'action': other})}")
    assert read_battle("\n".join(lines)).views[0].choices[0].action == other


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


def as_spectators_see_it(log):
    """But for hit points of one side as they are, which a reader has to make percents of."""
    return [line for line in log["p1"] if not line.startswith(("|request|", "|error|"))]


def test_what_spectators_saw_has_the_choices_of_both_sides():
    """Slots are those of a guessed team, so what is compared is when something was chosen, and of which kind. What
    Zoroark chose in disguise is not found."""
    for log in [log for log in LOGS if "Zoroark" not in "".join(log["teams"])][:3]:
        battle = read_battle("\n".join(as_spectators_see_it(log)))
        assert battle.is_spectated
        for side, view in enumerate(battle.views):
            own = read_battle("\n".join(log[f"p{side + 1}"])).views[0]
            kinds = [{(one.turn, one.action // 6 == 0) for one in found.choices} for found in (own, view)]
            assert kinds[0] <= kinds[1]
            assert len(kinds[1] - kinds[0]) <= len(kinds[1]) // 5


def test_a_replay_is_a_page_json_or_plain_lines():
    text = "\n".join(as_spectators_see_it(LOGS[0]))
    plain = read_battle(text)
    page = '<script type="text/plain" class="battle-log-data">' + text.replace("/", "\\/") + "</script><p>|turn|9"
    assert read_battle(f"<!DOCTYPE html><body>{page}</body>") == plain
    assert read_battle(json.dumps({"id": "x", "log": text})) == plain
    assert read_battle(json.dumps({"log": text.splitlines()})) == plain


def test_a_line_for_one_side_is_not_what_spectators_saw():
    lines = ["|split|p1", "|switch|p1a: A|Bronzong, L84|250/250", "|switch|p1a: A|Bronzong, L84|100/100"]
    battle = read_battle("\n".join([*lines, "|switch|p2a: B|Scrafty, L82, M|100/100", "|turn|1"]))
    assert battle.lines[0] == lines[2]
    assert len(battle.lines) == 3


def test_a_review_of_what_spectators_saw(run, tmp_path):
    log = min(LOGS, key=lambda log: len(log["p1"]))
    path = tmp_path / "replay.json"
    path.write_text(json.dumps({"log": as_spectators_see_it(log)}))
    ran = run("review", path, "--net", "heuristic", "--visits", 20, "--record", "--json", "--to", 9)
    assert ran.code == 0, ran.err
    page = (tmp_path / "replay.review.html").read_text()
    assert page.count("<polyline") == 2
    assert "as B may have seen it" in page
    assert "what spectators saw" in page
    review = json.loads((tmp_path / "replay.review.json").read_text())
    assert review["about"]["side"] is None
    assert {turn["player"] for turn in review["turns"]} == {0, 1}
    commented = (tmp_path / "replay.review.log").read_text().splitlines()
    assert [line for line in commented if not line.startswith("|tengen|")] == as_spectators_see_it(log)
    assert sum(line.startswith("|tengen|") for line in commented) == 10


HEAD = "|switch|p1a: Scrafty|Scrafty, L82|100/100\n|switch|p2a: Milotic|Milotic, L82|100/100\n|turn|1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no turn of a battle"),
        ("Dear diary", "no turn of a battle"),
        ("|turn|1", "no Pokémon of side 1"),
        ("|gen|9\n" + HEAD, "generation 9"),
        ("|gametype|doubles\n" + HEAD, "battle of doubles"),
        ("|tier|[Gen 8] OU\n" + HEAD, r"battle of \[Gen 8\] OU"),
        (HEAD.replace("Milotic", "Sprigatito"), "Sprigatito is in no set"),
        (HEAD, "nothing was chosen"),
        ('|request|{"active":[]}\n' + HEAD, "none of its requests tells"),
        ("{", "begins as JSON"),
        ('{"log": 3}', "without a field log"),
        ("|\n" * 50_001, "50001 lines"),
    ],
)
def test_what_can_not_be_reviewed(text, said, tmp_path):
    path = tmp_path / "battle.log"
    path.write_text(text)
    with pytest.raises(ReviewError, match=said):
        BattleFormat().load(path)


def test_what_no_battle_takes(tmp_path):
    with pytest.raises(ReviewError, match="could not be read"):
        BattleFormat().load(tmp_path / "none.log")
    with pytest.raises(ReviewError, match="without --number"):
        BattleFormat().load(tmp_path / "none.log", 2)


def test_spoiled_logs_are_read_or_refused():
    fuzz = Fuzz(3)
    read = 0
    for number in range(12):
        log = LOGS[number % len(LOGS)]
        lines = (as_spectators_see_it(log) if number % 3 else log["p1"])[: 60 + 20 * number]
        spoiled = [fuzz.spoil(line) if fuzz.rng.random() < 0.05 * (number % 4) else line for line in lines]
        try:
            read += bool(read_battle("\n".join(spoiled)).views)
        except ValueError:
            continue
    assert read >= 3


def test_a_battle_reviewed_in_python():
    battle = read_battle("\n".join(LOGS[0]["p1"]))
    with Engine("pokemon", "heuristic") as engine:
        review = review_game(battle, engine, 30, turns=range(4))
    assert [turn.player for turn in review.turns] == [0] * 4
    assert all(turn.played is not None and turn.played.visits for turn in review.turns)
