"""GTP: lines, boards, rules, handicaps, records, times and parameters."""

import json
import math
import re
from pathlib import Path

import pytest
from gtp_talk import talks

from tengen.analysis import keys_of
from tengen.analysis.engine import Engine
from tengen.games.go.rules import PRESETS, rules_object
from tengen.games.go.sgf import load_sgf
from tengen.protocols.gtp import GtpSession
from tengen.protocols.gtp.clock import Clock, TimeControl, parse_time_settings
from tengen.protocols.gtp.commands import COMMANDS
from tengen.protocols.gtp.handicap import fixed_handicap
from tengen.protocols.gtp.options import AnalyzeOptions
from tengen.protocols.gtp.settings import GtpSettings
from tengen.protocols.gtp.wire import Command, GtpError, format_reply, parse_line

ROOT = Path(__file__).parent.parent


@pytest.fixture(name="open_talk")
def _open_talk(request):
    return talks(request)


@pytest.fixture
def talk(open_talk):
    return open_talk()


def test_lines():
    assert parse_line(b"12 play B D4 # a remark") == Command("12", "play", "B D4")
    assert parse_line(b"  name\r") == Command("", "name", "")
    assert parse_line(b"3") == Command("3", "", "")
    assert parse_line(b"play\tb\tD4\x07") == Command("", "play", "b D4")
    assert parse_line(b"loadsgf a  b.sgf").rest == "a  b.sgf"
    for empty in (b"", b"   ", b"# only this", b"\x01\x02", b"\r"):
        assert parse_line(empty) is None
    with pytest.raises(GtpError, match="too long"):
        parse_line(b"x" * (1 << 26))


def test_replies():
    assert format_reply("", "") == "=\n"
    assert format_reply("7", "yes") == "=7 yes\n"
    assert format_reply("7", "two\n\nlines \n") == "=7 two\nlines\n"
    assert format_reply("", "\nbelow") == "=\nbelow\n"
    assert format_reply("1", "an\nerror", is_error=True) == "?1 an error\n"


def test_the_first_words(talk):
    assert talk.send("1 protocol_version") == "=1 2\n\n"
    assert talk.send("name") == "= Tengen\n\n"
    assert talk.ask("version")
    commands = talk.ask("list_commands").split("\n")
    for name in ("boardsize", "kata-analyze", "lz-analyze", "genmove_analyze", "kata-raw-nn", "loadsgf", "time_left"):
        assert name in commands
    assert talk.ask("known_command genmove") == "true"
    assert talk.ask("known_command gnmove") == "false"
    assert talk.send("5 nonsense D4") == "?5 unknown command\n\n"
    assert talk.send("") == ""
    assert talk.send("# nothing") == ""
    assert talk.send("8") == "?8 unknown command\n\n"
    assert not talk.session.is_over
    assert talk.send("9 quit") == "=9\n\n"
    assert talk.session.is_over


def test_boards(talk):
    assert talk.ask("query_boardsize") == "19"
    talk.ask("boardsize 9")
    talk.ask("play b E5")
    assert talk.fail("play w E5") == "illegal move"
    assert talk.fail("play w Z5").startswith("invalid vertex 'Z5'")
    assert talk.fail("play green E5").startswith("invalid color 'green'")
    assert talk.fail("play w") == "syntax error: expected play COLOR VERTEX"
    talk.ask("play WHITE d4")
    talk.ask("play b pass")
    talk.ask("play b C3")
    board = talk.send("showboard")
    assert board.startswith("=\n   A B C D E F G H J\n 9 . .")
    assert " 5 . . . . X . . . . 5" in board
    assert " 3 . . X<. . . . . . 3" in board
    assert "White to play, move 5, komi 7.5" in board
    for _ in range(4):
        talk.ask("undo")
    assert talk.fail("undo") == "cannot undo"
    talk.ask("play b A1")
    talk.ask("clear_board")
    talk.ask("play w A1")
    talk.ask("rectangular_boardsize 5 7")
    assert talk.ask("query_boardsize") == "5 7"
    talk.ask("play b E7")
    assert talk.fail("play b F1").startswith("invalid vertex")
    talk.ask("boardsize 13 9")
    talk.ask("play b N9")
    for bad in (
        "boardsize 20",
        "boardsize 1",
        "boardsize x",
        "boardsize",
        "boardsize 9 30",
        "boardsize 99999999999999",
    ):
        talk.fail(bad)
    assert talk.ask("query_boardsize") == "13 9"


def test_suicide_and_ko(talk):
    talk.ask("boardsize 5")
    for move in ("b A2", "b B1", "w E5"):
        talk.ask(f"play {move}")
    assert talk.fail("play w A1") == "illegal move"
    talk.ask("clear_board")
    # Retaking a ko is let pass, as programs that replay games need it.
    for move in ("b B1", "b A2", "b B3", "w C1", "w D2", "w C3", "b C2", "w B2", "b C2"):
        talk.ask(f"play {move}")


def test_komi(talk):
    talk.ask("komi 6.5")
    assert talk.ask("get_komi") == "6.5"
    talk.ask("komi -3")
    assert talk.ask("get_komi") == "-3"
    for bad in ("komi", "komi x", "komi nan", "komi inf", "komi 1e9", "komi 6.3"):
        talk.fail(bad)
    assert talk.ask("get_komi") == "-3"


def test_a_komi_that_is_forced(open_talk):
    talk = open_talk(ignoreGTPAndForceKomi=5.5)
    talk.ask("komi 7.5")
    assert talk.ask("get_komi") == "5.5"


def test_rules(talk):
    assert json.loads(talk.ask("kata-get-rules")) == rules_object(PRESETS["tromp-taylor"][0])
    talk.ask("kata-set-rules japanese")
    assert json.loads(talk.ask("kata-get-rules")) == rules_object(PRESETS["japanese"][0])
    assert talk.ask("get_komi") == "7.5"
    talk.ask('kata-set-rules {"ko":"SIMPLE","scoring":"AREA","tax":"NONE","suicide":true}')
    talk.ask("kata-set-rule ko SITUATIONAL")
    talk.ask("kata-set-rule suicide false")
    talk.ask("kata-set-rule friendlyPassOk true")
    rules = json.loads(talk.ask("kata-get-rules"))
    assert (rules["ko"], rules["suicide"], rules["friendlyPassOk"]) == ("SITUATIONAL", False, True)
    talk.ask("kgs-rules chinese")
    assert json.loads(talk.ask("kata-get-rules")) == rules_object(PRESETS["chinese-kgs"][0])
    for bad in ("kata-set-rules", "kata-set-rules pente", "kata-set-rule ko", "kata-set-rule ko NONE", "kgs-rules x"):
        talk.fail(bad)
    assert talk.fail("kata-set-rule color red").startswith("unknown rule 'color'")
    assert talk.fail("kata-set-rule suicide maybe") == "suicide is true or false, not 'maybe'"


def test_rules_that_the_game_so_far_breaks(talk):
    talk.ask("boardsize 5")
    for move in ("b A2", "b B2", "b C1", "w B1", "w A1"):
        talk.ask(f"play {move}")
    board = talk.ask("showboard")
    talk.ask("kata-set-rules chinese")
    assert talk.ask("showboard") == board


def test_rules_of_a_configuration(open_talk):
    talk = open_talk(koRule="SIMPLE", multiStoneSuicideLegal="false", defaultBoardSize=7)
    rules = json.loads(talk.ask("kata-get-rules"))
    assert (rules["ko"], rules["suicide"], rules["scoring"]) == ("SIMPLE", False, "AREA")
    assert talk.ask("query_boardsize") == "7"
    with pytest.raises(ValueError, match="default config: Could not parse rules"):
        open_talk(rules="pente")


def test_handicaps(talk):
    assert talk.ask("fixed_handicap 2").split() == ["D4", "Q16"]
    board = talk.ask("showboard")
    assert "White to play" in board
    assert talk.fail("fixed_handicap 2") == "board not empty"
    talk.ask("clear_board")
    assert talk.ask("place_free_handicap 9").split() == [
        *("D4", "Q16", "D16", "Q4", "D10", "Q10", "K4", "K16", "K10"),
    ]
    talk.ask("clear_board")
    assert len(talk.ask("place_free_handicap 30").split()) == 30
    talk.ask("clear_board")
    talk.ask("set_free_handicap C3 C4 R17")
    assert talk.ask("showboard").count("X") == 3 + 1
    talk.ask("clear_board")
    for bad in (
        "fixed_handicap 1",
        "fixed_handicap 10",
        "fixed_handicap x",
        "set_free_handicap D4",
        "place_free_handicap",
    ):
        talk.fail(bad)
    assert talk.fail("set_free_handicap D4 D4") == "expected every point once, and no pass"
    talk.fail("set_free_handicap D4 pass")
    talk.ask("boardsize 8")
    assert talk.fail("fixed_handicap 5") == "invalid number of stones: expected 2 to 4"
    talk.ask("boardsize 5")
    assert talk.fail("fixed_handicap 2") == "the board is too small"


def test_fixed_handicaps_stand_where_gtp_puts_them():
    assert fixed_handicap(9, 9, 5) == ["C3", "G7", "C7", "G3", "E5"]
    assert fixed_handicap(13, 13, 4) == ["D4", "K10", "D10", "K4"]
    assert fixed_handicap(19, 19, 7)[-1] == "K10"
    assert fixed_handicap(19, 19, 8)[-4:] == ["D10", "Q10", "K4", "K16"]


def test_positions_without_a_past(talk):
    talk.ask("boardsize 5")
    talk.ask("set_position b A1 w B2 b C3")
    assert talk.ask("showboard").count("X") == 2 + 1
    assert talk.fail("undo") == "cannot undo"
    assert talk.fail("set_position b A1 w A1") == "expected every point once, and no pass"
    assert talk.fail("set_position b A1 w A2 w B1") == "a chain would have no liberties"
    talk.fail("set_position b")
    talk.ask("set_position")
    assert "X" not in talk.ask("showboard").replace("(X)", "")


def test_records(talk, tmp_path):
    talk.ask("boardsize 9")
    talk.ask("komi 5.5")
    talk.ask("kata-set-rules japanese")
    talk.ask("set_free_handicap C3 G7")
    talk.ask("play w E5")
    talk.ask("play b pass")
    text = talk.ask("printsgf")
    assert "\n\n" not in text
    record = load_sgf(text.encode())
    assert record.moves == [("white", "E5"), ("black", "pass")]
    assert (record.komi, record.rules, record.info.handicap) == (5.5, PRESETS["japanese"][0], "2")
    file = tmp_path / "a game.sgf"
    talk.ask(f"printsgf {file}")
    talk.ask("boardsize 19")
    talk.ask("kata-set-rules chinese")
    for words in (f"{file}", f'"{file}"', f"'{file}' 3"):
        talk.ask(f"loadsgf {words}")
        assert talk.ask("query_boardsize") == "9"
        assert talk.ask("get_komi") == "5.5"
        assert "Black (X) has taken" in talk.ask("showboard")
        assert "move 3" in talk.ask("showboard")
    talk.ask(f"loadsgf {file} 2")
    assert "Black to play, move 2" in talk.ask("showboard")
    talk.ask(f"loadsgf {file} 1")
    assert "White to play, move 1" in talk.ask("showboard")


def test_records_that_do_not_load(talk, tmp_path):
    talk.ask("boardsize 9")
    talk.ask("play b E5")
    assert "No such file" in talk.fail("loadsgf nothing.sgf")
    (tmp_path / "bad.sgf").write_text("(;SZ[9];B[aa];W[aa])")
    assert talk.fail(f"loadsgf {tmp_path / 'bad.sgf'}") == "move 2 (white A9) is illegal"
    (tmp_path / "big.sgf").write_text("(;SZ[29])")
    assert "SZ is '29'" in talk.fail(f"loadsgf {tmp_path / 'big.sgf'}")
    for bad in ("loadsgf", "loadsgf 'a", "loadsgf 'a' b", "loadsgf 'a' 1 2", "loadsgf ''"):
        talk.fail(bad)
    assert "Black to play" not in talk.ask("showboard")


def test_times_are_understood(talk):
    talk.ask("time_settings 300 30 5")
    assert talk.session.control == TimeControl("canadian", 300, 30, 5)
    talk.ask("time_settings 300 0 0")
    assert talk.session.control == TimeControl("absolute", 300)
    talk.ask("time_settings 0 30 0")
    assert talk.session.control == TimeControl()
    talk.ask("time_settings 0 0 0")
    assert talk.session.control == TimeControl()
    talk.ask("kgs-time_settings byoyomi 60 10 3")
    assert talk.session.control == TimeControl("byoyomi", 60, 10, 3)
    talk.ask("time_left b 25.5 0")
    assert talk.session.clocks["black"].left == 25.5
    talk.ask("time_left w 7 2")
    assert talk.session.clocks["white"].count == 2
    talk.ask("kata-time_settings fischer 60 5")
    talk.ask("kgs-time_settings none")
    assert "fischer" in talk.ask("kata-list_time_settings")
    for bad in (
        "time_settings 1 2",
        "time_settings x 1 1",
        "time_settings -1 0 0",
        "kgs-time_settings",
        "time_left b x 0",
    ):
        talk.fail(bad)
    for bad in ("kgs-time_settings byoyomi 1", "kgs-time_settings sudden 5", "time_left b 5 -1", "time_left x 5 0"):
        talk.fail(bad)
    for bad in ("kata-time_settings absolute nan", "kata-time_settings canadian 1 5 0", "time_settings 1 5 inf"):
        talk.fail(bad)


def test_budgets_are_sane():
    area = 361
    assert Clock.fresh(TimeControl()).budget(0, area) == math.inf
    absolute = TimeControl("absolute", 600)
    budgets = [Clock(absolute, 600).budget(ply, area) for ply in (0, 100, 200, 400)]
    assert budgets == sorted(budgets)
    assert 3 < budgets[0] < 10
    byoyomi = TimeControl("byoyomi", 60, 10, 3)
    assert 8 < Clock(byoyomi, 10, 1).budget(100, area, lag=1) <= 9
    assert 8 < Clock(byoyomi, 60).budget(100, area) < 10
    canadian = TimeControl("canadian", 0, 100, 10)
    assert Clock.fresh(canadian).count == 10
    assert 9 < Clock.fresh(canadian).budget(100, area) < 10
    assert Clock(absolute, 0.0).budget(100, area) == 0.01
    assert 4 < Clock(TimeControl("fischer", 10, 5), 10).budget(10, area) < 6
    assert Clock(TimeControl("fischer", 10, 5), 1).budget(10, area) < 0.9
    capped = parse_time_settings(["fischer-capped", "100", "50", "-1", "3"])
    assert Clock.fresh(capped).budget(0, area) == 3


def test_a_whole_game_stays_within_its_time():
    for control in (
        TimeControl("absolute", 60),
        TimeControl("fischer", 10, 1),
        TimeControl("canadian", 20, 10, 5),
        TimeControl("byoyomi", 20, 3, 3),
    ):
        clock = Clock.fresh(control)
        for ply in range(0, 400, 2):
            budget = clock.budget(ply, 361)
            limit = control.period if clock.count and control.kind == "byoyomi" else clock.left
            spare = 0 if clock.count else {"canadian": control.period, "byoyomi": control.period}.get(control.kind, 0)
            assert 0 < budget <= max(limit + spare, 0.01), (control, ply)
            clock = clock.spent(budget)
            assert clock.left >= 0


def test_parameters(talk):
    names = talk.ask("kata-list-params").split()
    assert {"maxVisits", "playoutDoublingAdvantage", "analysisWideRootNoise", "allowResignation"} <= set(names)
    assert talk.ask("kata-get-param maxVisits") == "30"
    talk.ask("kata-set-param maxVisits 12")
    assert talk.ask("kata-get-param maxVisits") == "12"
    talk.ask("kata-set-param analysisWideRootNoise 0.5")
    assert talk.ask("kata-get-param analysisWideRootNoise") == "0.5"
    talk.ask("kata-set-param allowResignation false")
    assert talk.ask("kata-get-param allowResignation") == "false"
    assert not talk.session.settings.allow_resignation
    talk.ask('kata-set-params {"maxVisits": 20, "conservativePass": false, "maxTime": 2.5}')
    found = json.loads(talk.ask("kata-get-params"))
    assert (found["maxVisits"], found["conservativePass"], found["maxTime"]) == (20, False, 2.5)
    assert found["reportAnalysisWinratesAs"] == "SIDETOMOVE"
    for bad in (
        "kata-set-param maxVisits",
        "kata-set-param maxVisits -1",
        "kata-set-param maxVisit 3",
        "kata-get-param x",
    ):
        talk.fail(bad)
    for bad in (
        "kata-set-params",
        "kata-set-params []",
        'kata-set-params {"maxVisits": []}',
        "kata-set-params {",
        "kata-get-param",
    ):
        talk.fail(bad)
    assert talk.ask("kata-get-param maxVisits") == "20"
    [model] = json.loads(talk.ask("kata-get-models"))
    assert model["name"]
    assert talk.ask("gogui-analyze_commands").startswith("string/Final Score/final_score")


def test_visits_of_a_move_where_none_are_named():
    """500, unless a clock decides."""
    with Engine("go", "uniform") as engine:
        session = GtpSession(engine, lambda _text: None)
        asked = [session._move_query(AnalyzeOptions("black")).params.max_visits]
        session.set_time(TimeControl("absolute", main=600.0))
        asked.append(session._move_query(AnalyzeOptions("black")).params.max_visits)
        session.overrides["maxVisits"] = "70"
        asked.append(session._move_query(AnalyzeOptions("black")).params.max_visits)
    assert asked == [500, 1_000_000, 70]


def test_every_command_and_key_has_its_place_in_the_documentation():
    page = (ROOT / "docs" / "gtp.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w-]+)(?: [^`]*)?`", page))
    assert set(COMMANDS) <= named
    used = {key.name for key in keys_of(GtpSettings).values() if key.effect == "used"}
    assert used - {"startupPrintMessageToStderr"} <= named


def test_captives_count_where_the_past_does_not(open_talk):
    """A color that is not on turn is asked about by the board alone; captives are then part of the komi."""
    talk = open_talk()
    for line in (
        "boardsize 5",
        "kata-set-rules japanese",
        "komi 6.5",
        "play b A2",
        "play w A1",
        "play b B1",
        "play w E5",
    ):
        talk.ask(line)
    position = talk.session.position
    assert position.analyzed("black").komi == 6.5
    asked = position.analyzed("white")
    assert asked.komi == 5.5
    assert asked.moves == ()
    assert sorted((stone.player, stone.name) for stone in asked.initial_stones) == [(0, "A2"), (0, "B1"), (1, "E5")]
