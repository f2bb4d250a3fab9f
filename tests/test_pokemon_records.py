"""Reviews of battles by the records that servers keep, and of logs with names that the rules do not know."""

import json
import re

import pytest
from cli_runner import runner
from pokemon_logs import read_logs

from tengen.analysis.pokemon.battle_record import read_battle
from tengen.analysis.pokemon.records import BattleFormat
from tengen.analysis.review import ReviewError

LOGS = read_logs()
STATS = ("hp", "atk", "def", "spa", "spd", "spe")


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def as_a_server_writes(packed):
    """A packed team as `.log.json` has it."""
    team = []
    for text in packed.split("]"):
        name, species, item, ability, moves, _, evs, gender, ivs, _, level, rest = [*text.split("|"), ""][:12]
        spreads = [[int(value) if value else 0 for value in evs.split(",")]]
        spreads.append([int(value) if value else 31 for value in ivs.split(",")] if ivs else [31] * 6)
        one = {"name": name, "species": species or name, "item": item, "ability": ability, "moves": moves.split(",")}
        one |= {"gender": gender, "level": int(level or 100), "gigantamax": rest.split(",")[3:4] == ["G"]}
        one |= {key: dict(zip(STATS, spread, strict=True)) for key, spread in zip(("evs", "ivs"), spreads, strict=True)}
        team.append(one)
    return team


def server_record(log):
    """Return a server's record of a battle: the log with exact hit points of both sides, and both teams."""
    views = [[line for line in log[view] if not line.startswith(("|request|", "|error|"))] for view in ("p1", "p2")]
    assert len(views[0]) == len(views[1])
    lines = [ours if "|p1" in ours[:14] else theirs for ours, theirs in zip(*views, strict=True)]
    turns = max(int(line[6:]) for line in lines if line.startswith("|turn|"))
    teams = {f"p{side}team": as_a_server_writes(log["teams"][side - 1]) for side in (1, 2)}
    return {"winner": "A", "turns": turns, "p1": "A", "p2": "B", **teams, "log": lines, "format": "gen8randombattle"}


# Choices of a disguised Zoroark are not found.
PLAIN = [log for log in LOGS if "Zoroark" not in "".join(log["teams"])]


def test_a_servers_record_is_read_with_its_teams():
    found = wrong = 0
    for log in PLAIN[:2]:
        record = server_record(log)
        battle = read_battle(json.dumps(record))
        assert battle.has_teams
        for side, view in enumerate(battle.views):
            requests = [json.loads(line[9:]) for line in view.lines if line.startswith("|request|")]
            first = requests[0]["side"]["pokemon"]
            team = record[f"p{side + 1}team"]
            assert [one["moves"] for one in first] == [one["moves"] for one in team]
            own = [json.loads(line[9:]) for line in log[f"p{side + 1}"] if line.startswith("|request|")]
            true_stats = {one["ident"]: one["stats"] for one in own[0]["side"]["pokemon"]}
            assert {one["ident"]: one["stats"] for one in first} == true_stats
            most = {one["ident"]: one["condition"] for one in own[0]["side"]["pokemon"]}
            assert {one["ident"]: one["condition"] for one in first} == most
            true = read_battle("\n".join(log[f"p{side + 1}"])).views[0]
            chosen = {choice.turn: choice.action for choice in true.choices}
            for choice in view.choices:
                found += chosen.get(choice.turn) == choice.action
                wrong += chosen.get(choice.turn, choice.action) != choice.action
    assert found > 30
    assert wrong < found / 8


@pytest.mark.slow
def test_a_review_of_a_servers_record_names_turns_of_the_battle(run, tmp_path):
    record = server_record(min(PLAIN, key=lambda log: len(log["p1"])))
    path = tmp_path / "battle.log.json"
    path.write_text(json.dumps(record))
    ran = run("review", path, "--net", "heuristic", "--visits", 20, "--json")
    assert ran.code == 0, ran.err
    page = next(tmp_path.glob("*.review.html")).read_text()
    assert "This record has both teams" in page
    assert "may have seen" not in page
    review = json.loads(next(tmp_path.glob("*.review.json")).read_text())
    assert len(review["turns"]) > record["turns"]  # choices of both sides
    assert all(1 <= turn["battleTurn"] <= record["turns"] for turn in review["turns"])
    named = [int(number) for number in re.findall(r"worst turn (\d+)", ran.out)]
    assert named
    assert all(1 <= number <= record["turns"] for number in named)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda record: record["p1team"][0].update(species="Sprigatito"), r"p1team\[0\]: Sprigatito is in no set"),
        (lambda record: record["p2team"].pop(), "p2team must be a list of six"),
        (lambda record: record["p2team"][1].update(moves=["Tera Blast"]), r"p2team\[1\]: moves must be"),
        (lambda record: record["p1team"][2].update(level="high"), r"p1team\[2\]: level must be 1 to 100, got 'high'"),
        (lambda record: record["p1team"][0].update(name="Someone"), "is in the log, but not in p1team"),
        (lambda record: record.pop("p2team"), "p2team must be a list"),
    ],
)
def test_teams_that_do_not_fit_are_refused(change, said, tmp_path):
    record = server_record(PLAIN[0])
    first = next(line for line in record["log"] if line.startswith("|switch|p1a"))
    record["p1team"].sort(key=lambda one: one["name"] not in first)
    change(record)
    path = tmp_path / "battle.json"
    path.write_text(json.dumps(record))
    with pytest.raises(ReviewError, match=said):
        BattleFormat().load(path)


@pytest.mark.parametrize("side", ["p1", "p2"])
def test_a_log_with_an_unknown_species_is_refused(side, tmp_path):
    log = LOGS[0]
    name = next(line.split("|")[2][5:] for line in log["p1"] if line.startswith(f"|switch|{side}a"))
    text = "\n".join(log["p1"]).replace(name, "Sprigatito")
    path = tmp_path / "battle.log"
    path.write_text(text)
    with pytest.raises(ReviewError, match=rf"Sprigatito of side {side[1]} \(sprigatito\w*\) is in no set of gen 8"):
        BattleFormat().load(path)


def test_moves_that_could_not_be_read_are_named(run, tmp_path):
    log = min(LOGS, key=lambda log: len(log["p1"]))
    lines = list(log["p1"])
    at = next(number for number, line in enumerate(lines) if line.startswith("|move|p2a"))
    parts = lines[at].split("|")
    lines[at] = "|".join([*parts[:3], "Tera Blast", *parts[4:]])
    path = tmp_path / "battle.log"
    path.write_text("\n".join(lines))
    ran = run("review", path, "--net", "heuristic", "--visits", 20, "--to", 2)
    assert ran.code == 0, ran.err
    assert "not read: the move Tera Blast, which no gen 8 random battle has" in ran.err
    assert "not read: the move Tera Blast" in next(tmp_path.glob("*.review.html")).read_text()
