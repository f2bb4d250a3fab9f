"""GTP: moves, analyses, scores, and what boards and servers send."""

import os
import re
import subprocess
import sys

import pytest
from go_judges import Told
from gtp_talk import infos, patience, talks
from soak.gtp_games import distinct_rules

from tengen.games.go.notation import parse_vertex
from tengen.protocols.gtp.clock import TimeControl


@pytest.fixture(name="open_talk")
def _open_talk(request):
    return talks(request)


@pytest.fixture
def talk(open_talk):
    talk = open_talk()
    talk.ask("boardsize 5")
    return talk


def cells(names, size=5):
    return [parse_vertex(name, size, size) for name in names.split()]


def test_moves(open_talk):
    talk = open_talk(Told(likes=cells("C3 C4 C2")))
    talk.ask("boardsize 5")
    talk.ask("play w A2")  # without symmetries, of which a search leaves moves out
    assert talk.send("1 genmove b") == "=1 C3\n\n"
    assert talk.ask("showboard").count("X") == 1 + 1
    before = talk.ask("showboard")
    for command in ("reg_genmove w", "kata-search w"):
        assert talk.ask(command) == "C4"
        assert talk.ask("showboard") == before
    assert talk.ask("genmove black") == "C4"
    assert talk.ask("showboard").count("X") == 2 + 1
    assert float(talk.ask("cputime")) > 0
    talk.fail("genmove purple")
    talk.fail("genmove b w")


def test_a_move_with_its_analysis(talk):
    lines = talk.ask("kata-genmove_analyze b 1 rootInfo true ownership true pvVisits true").split("\n")
    *analyses, last = lines
    assert analyses
    parts = infos(analyses[-1])
    best = parts[0]
    assert last == f"play {best['move']}"
    assert (best["order"], best["kind"]) == ("0", "info")
    assert {"visits", "edgeVisits", "utility", "winrate", "scoreMean", "scoreStdev", "scoreLead", "prior"} <= set(best)
    assert {"lcb", "utilityLcb", "weight", "scoreSelfplay"} <= set(best)
    assert best["pv"][0] == best["move"]
    assert len(best["pvVisits"]) == len(best["pv"])
    kinds = [part["kind"] for part in parts]
    assert kinds[-2:] == ["rootInfo", "ownership"]
    assert int(parts[-2]["visits"]) == 30
    assert len(parts[-1]["ownership"]) == 25
    lz, last = talk.ask("lz-genmove_analyze w 100").split("\n")
    words = lz.split()
    assert [words[at] for at in range(1, 12, 2)] == ["move", "visits", "winrate", "prior", "lcb", "order"]
    assert 0 <= int(words[6]) <= 10000
    assert last.startswith("play ")
    sabaki, _ = talk.ask("genmove_analyze B interval 100").split("\n")
    assert all("." in part["winrate"] and "." in part["weight"] for part in infos(sabaki))


def test_analysis_lasts_until_the_next_line(talk):
    assert talk.send("7 lz-analyze 1") == "=7\n"
    talk.wait_for("info move")
    patience(lambda: talk.written.count("info move") > 60)
    assert talk.written.count("\n\n") == 1
    talk.send("name")
    assert talk.written.endswith("\n\n= Tengen\n\n")
    since = len(talk.written)
    talk.send("kata-analyze b interval 1")
    talk.wait_for("scoreLead", since)
    talk.send("")
    assert talk.written.endswith("\n\n")
    assert talk.send("") == ""
    since = len(talk.written)
    talk.send("analyze w 1 maxmoves 2")
    talk.wait_for("info", since)
    talk.send("stop")
    assert talk.written.endswith("\n\n=\n\n")
    line = next(line for line in talk.written[since:].split("\n") if line.startswith("info"))
    assert len(infos(line)) <= 2


def test_an_analysis_without_interval_is_silent(talk):
    assert talk.send("kata-analyze") == "=\n"
    assert talk.send("kata-analyze ownership true") == "\n=\n"
    assert talk.send("quit") == "\n=\n\n"


def last_analysis(talk, command):
    """The last line of an analysis with some visits."""
    since = len(talk.written)
    talk.send(command)
    patience(lambda: talk.written[since:].count("\ninfo") > 2)
    talk.send("")
    return infos([line for line in talk.written[since:].split("\n") if line.startswith("info")][-1])


def test_moves_to_be_left_out(talk):
    found = last_analysis(talk, "kata-analyze b 1 allow b A1,B1 1")
    assert {part["move"] for part in found} <= {"A1", "B1"}
    found = last_analysis(talk, "lz-analyze b 1 avoid b C3,pass 5 avoid w D4 2")
    moves = {part["move"] for part in found}
    assert moves
    assert not moves & {"C3", "pass"}


def test_moves_that_are_guaranteed(open_talk):
    talk = open_talk(Told(likes=[12]), wideRootNoise=0, analysisWideRootNoise=0)
    talk.ask("boardsize 5")
    found = {part["move"]: part for part in last_analysis(talk, "kata-analyze b 1 include b A1,B1 20")}
    for move in ("A1", "B1"):
        assert int(found[move]["visits"]) >= 20
        assert found[move]["isIncluded"] == "true"
    assert "isIncluded" not in found["C3"]
    talk.fail("kata-analyze b 1 include w A1 20")
    talk.fail("kata-analyze b 1 include b A1")
    talk.fail("kata-analyze b 1 include b Z9 5")


def test_as_many_moves_as_are_wanted(open_talk):
    talk = open_talk(Told(likes=[12, 7]), wideRootNoise=0, analysisWideRootNoise=0)
    talk.ask("boardsize 5")
    *found, _ = talk.ask("kata-genmove_analyze b 100 minmoves 26 allow b C3 1").split("\n")
    parts = infos(found[-1])
    assert len(parts) == 26
    assert [part["order"] for part in parts] == [str(order) for order in range(26)]
    assert [part["visits"] for part in parts[1:]] == ["0"] * 25
    talk.ask("undo")
    *found, _ = talk.ask("lz-genmove_analyze b 100 minmoves 5 maxmoves 3 allow b C3 1").split("\n")
    assert found[-1].count("info move") == 3


BAD_OPTIONS = [
    "interval",
    "interval x",
    "-5",
    "minmoves x",
    "maxmoves -1",
    "avoid b C3",
    "avoid x C3 1",
    "avoid b C3 0",
    "allow b C3 1 allow b C4 1",
    "allow b C3 1 avoid b C4 1",
    "ownership yes",
    "wrong true",
    "b w",
    "1e9",
]


@pytest.mark.parametrize("words", BAD_OPTIONS)
def test_options_that_do_not_fit(talk, words):
    assert talk.fail(f"kata-analyze {words}")


def test_leela_zeros_commands_have_no_flags(talk):
    talk.fail("lz-analyze 10 ownership true")


def test_who_is_not_on_turn_can_be_asked_about(open_talk):
    judge = Told(win=0.5, lead=3.0)
    talk = open_talk(judge)
    talk.ask("boardsize 5")
    talk.ask("play b C3")
    for player, winrate in (("b", 0.75), ("w", 0.25), ("b", 0.75)):
        root = infos(talk.ask(f"kata-search_analyze {player} 100 rootInfo true").split("\n")[-2])[-1]
        assert float(root["winrate"]) == pytest.approx(winrate)
        assert float(root["scoreLead"]) == pytest.approx(3.0 if player == "b" else -3.0)
    talk.ask("genmove b")
    assert talk.ask("showboard").count("X") == 2 + 1


def test_numbers_may_be_blacks(open_talk):
    talk = open_talk(Told(win=0.5, lead=3.0), reportAnalysisWinratesAs="BLACK")
    talk.ask("boardsize 5")
    talk.ask("play b C3")
    root = infos(talk.ask("kata-search_analyze w 100 rootInfo true").split("\n")[-2])[-1]
    assert float(root["winrate"]) == pytest.approx(0.75)


def test_the_tree_goes_on(open_talk):
    """What was searched before a move is not searched again after it."""
    judge = Told(likes=cells("C3 C4 C2"))
    talk = open_talk(judge, maxVisits=200)
    talk.ask("boardsize 5")
    talk.ask("play b A2")  # without symmetries, of which a search leaves moves out
    talk.ask("play w E3")
    assert talk.ask("genmove b") == "C3"
    first = judge.asked
    talk.ask("genmove w")
    assert judge.asked - first < 0.8 * first
    talk.ask("clear_cache")
    again = judge.asked
    talk.ask("undo")
    talk.ask("genmove w")
    assert judge.asked - again > 0.8 * first


@pytest.mark.parametrize("rules", distinct_rules())
def test_a_move_after_the_opponents_pass(open_talk, rules):
    """The tree that goes on holds two passes as the end of the game, which a pass at its root is not."""
    judge = Told(win=0.9, likes=[25, *cells("C3 C4 C2")])
    talk = open_talk(judge, maxVisits=100, allowResignation="false")
    talk.ask("boardsize 5")
    talk.ask(f"kata-set-rules {rules}")
    talk.ask("play b A2")
    for _ in range(3):
        talk.ask("genmove w")
        talk.ask("play b pass")
        talk.ask("genmove w")
        talk.ask("play b pass")
        talk.ask("play w pass")
        talk.ask("genmove b")
        talk.ask("genmove w")
        talk.ask("play b pass")
    assert judge.asked > 100


def test_parameters_that_change_values_begin_a_tree_anew(open_talk):
    judge = Told(likes=cells("C3 C4 C2"))
    talk = open_talk(judge, maxVisits=200)
    talk.ask("boardsize 5")
    talk.ask("play b A2")
    asked = []
    for advantage in (0, 0, 2, 2):
        talk.ask(f"kata-set-param playoutDoublingAdvantage {advantage}")
        before = judge.asked
        talk.ask("kata-search w")
        asked.append(judge.asked - before)
    assert asked[0] == asked[2] > 100
    assert asked[1] == asked[3] == 0


def test_a_search_that_can_be_cancelled(talk):
    talk.ask("kata-set-param maxVisits 1000000")
    assert talk.send("3 kata-search_analyze_cancellable b 1") == "=3\n"
    talk.wait_for("info move")
    assert talk.send("name").endswith("play cancelled\n\n= Tengen\n\n")
    talk.send("kata-search_cancellable")
    assert talk.send("name") == "cancelled\n\n= Tengen\n\n"
    talk.ask("kata-set-param maxVisits 20")
    before = talk.ask("showboard")
    since = len(talk.written)
    talk.send("kata-search_analyze_cancellable b 1")
    talk.wait_for("\n\n", since)
    assert "play " in talk.written[since:]
    assert "cancelled" not in talk.written[since:]
    assert talk.ask("showboard") == before


def test_resigning(open_talk):
    judge = Told(win=-0.95, lead=-30.0)
    talk = open_talk(judge)
    talk.ask("boardsize 7")
    assert talk.ask("genmove b") != "resign"
    assert talk.ask("genmove w") != "resign"
    assert talk.ask("genmove b") != "resign"
    before = talk.ask("showboard")
    assert talk.ask("genmove b") == "resign"
    assert talk.ask("showboard") == before
    talk.ask("clear_board")
    assert talk.ask("genmove b") != "resign"
    talk.ask("kata-set-param allowResignation false")
    for _ in range(4):
        assert talk.ask("genmove b") != "resign"
    talk.ask('kata-set-params {"allowResignation": true, "resignMinScoreDifference": 40}')
    for _ in range(4):
        assert talk.ask("genmove b") != "resign"
    talk.ask('kata-set-params {"resignMinScoreDifference": 20, "resignConsecTurns": 1}')
    assert talk.ask("genmove b") == "resign"
    talk.ask("kata-set-param resignMinMovesPerBoardArea 1")
    assert talk.ask("genmove b") != "resign"


def test_a_won_game_is_passed(open_talk):
    # Black owns all but nothing; White's stone in the corner is dead.
    own = dict.fromkeys(range(25), 0.99)
    talk = open_talk(Told(win=0.9, lead=20, own=own, likes=cells("B5")))
    talk.ask("boardsize 5")
    talk.ask("komi 6.5")
    talk.ask("kata-set-rules chinese")
    for move in ("b C3", "w A5", "b C2", "w pass"):
        talk.ask(f"play {move}")
    assert talk.ask("final_status_list dead") == "A5"
    assert talk.ask("reg_genmove b") == "pass"
    talk.ask("kata-set-rules tromp-taylor")
    assert talk.ask("reg_genmove b") == "B5"
    talk.ask("kata-set-rules chinese")
    talk.ask("komi 30")
    assert talk.ask("reg_genmove b") == "B5"


def test_scores(open_talk):
    own = dict.fromkeys(range(25), 0.99) | dict.fromkeys(cells("A1 B1"), -0.99)
    talk = open_talk(Told(win=0.9, lead=7.3, own=own))
    talk.ask("boardsize 5")
    talk.ask("komi 6.5")
    talk.ask("kata-set-rules chinese")
    for move in ("b C3", "w A5", "b C2", "w B1"):
        talk.ask(f"play {move}")
    assert talk.ask("final_score") == "B+7.5"
    talk.ask("play b pass")
    talk.ask("play w pass")
    assert talk.ask("final_status_list dead") == "A5"
    # Of the stones that live Black's two are not walled off from White's one: only stones count.
    assert talk.ask("final_score") == "W+5.5"
    assert sorted(talk.ask("final_status_list seki").split("\n")) == ["B1", "C3 C2"]
    talk.ask("kata-set-rules tromp-taylor")
    assert talk.ask("final_status_list dead") == ""
    assert talk.ask("final_score") == "W+6.5"
    talk.fail("final_status_list")
    talk.fail("final_status_list half-dead")


def test_time_limits_a_move(open_talk):
    talk = open_talk(maxVisits=1000000)
    talk.ask("boardsize 9")
    talk.ask("kgs-time_settings byoyomi 0 0.3 1")
    assert talk.ask("genmove b")
    talk.ask("kata-set-param maxTime 0.05")
    talk.ask("kgs-time_settings none")
    assert talk.ask("genmove w")
    talk.ask("time_settings 1 0 0")
    talk.ask("time_left b 0 0")
    assert talk.ask("genmove b")


def test_one_visit_is_enough(open_talk):
    talk = open_talk(Told(likes=[12]), maxVisits=1)
    talk.ask("boardsize 5")
    assert talk.ask("genmove b") == "C3"


def test_raw_answers_need_a_network(talk):
    assert talk.fail("kata-raw-nn 0") == "the evaluator is no network"
    talk.fail("kata-raw-nn 9")
    talk.fail("kata-raw-nn")
    talk.ask("boardsize 5 7")
    assert "square" in talk.fail("kata-raw-nn 4")


def test_a_search_that_fails_is_an_error(open_talk):
    class Broken(Told):
        def evaluate(self, leaves):
            raise OSError("the graphics card is gone")

    talk = open_talk(Broken())
    talk.ask("boardsize 5")
    assert "the graphics card is gone" in talk.fail("genmove b")
    assert talk.send("kata-genmove_analyze b").startswith("=\nplay pass")
    talk.send("kata-analyze b 1")
    talk.send("name")
    assert talk.written.endswith("=\n\n= Tengen\n\n")


# What boards and servers send.


def test_lizzie(talk):
    """Numbers its commands too, asks for an analysis after every move, and takes the next command as its end."""
    number = 0

    def send(line):
        nonlocal number
        number += 1
        return talk.send(f"{number} {line}")

    for line in ("name", "version", "boardsize 9", "komi 7.5", "clear_board"):
        assert re.fullmatch(rf"(?s)={number + 1}( [^\n]+)?\n\n", send(line))
    for color, move in zip("BWB", ("E5", "C3", "G7"), strict=True):
        since = len(talk.written)
        assert send("lz-analyze 1").endswith(f"={number}\n")
        talk.wait_for("info move", since)
        assert send(f"play {color} {move}").endswith(f"\n={number}\n\n")
        assert talk.written.endswith(f"\n\n={number}\n\n")
    send("lz-analyze 10")
    send("undo")
    send("time_settings 0 5 1")
    assert "\nplay " in send("lz-genmove_analyze B 10")


def test_sabaki(talk):
    assert "genmove_analyze" in talk.ask("1 list_commands")
    for number, line in enumerate(("name", "version", "protocol_version", "boardsize 9", "clear_board", "komi 6.5"), 2):
        assert talk.send(f"{number} {line}").startswith(f"={number}")
    talk.ask("8 set_free_handicap C3 G7")
    answer = talk.send("9 genmove_analyze W 1")
    assert answer.startswith("=9\ninfo move")
    assert "\nplay " in answer
    since = len(talk.written)
    talk.send("10 analyze B 1")
    talk.wait_for("info move", since)
    talk.send("11 undo")
    assert talk.written.endswith("\n\n=11\n\n")


def test_q5go(talk, tmp_path):
    """Numbers its commands, sets positions up by plays of either color, and ends an analysis by a harmless question."""
    start = ("protocol_version", "boardsize 9", "clear_board", "komi 6.5", "known_command lz-analyze")
    lines = [*start, "known_command kata-analyze", "clear_board", "time_settings 1 1 0"]
    lines += ["play black E5", "play black C3", "play white G7", "play white pass", "known_command known_command"]
    for number, line in enumerate(lines, 1):
        assert talk.send(f"{number} {line}").startswith(f"={number}")
    assert talk.session.control == TimeControl()
    since = len(talk.written)
    assert talk.send("20 kata-analyze black 1") == "=20\n"
    talk.wait_for("\ninfo move ", since)
    talk.send("21 known_command known_command")
    assert talk.written.endswith("\n\n=21 true\n\n")
    for line in talk.written[since:].split("\n"):
        for part in line.split("info move ")[1:]:
            assert re.match(r"\S+\s+visits\s+\d+\s+", part)
            for pattern in (r"\s+winrate\s+(\S+)\s+", r"\s+scoreMean\s+(\S+)\s+", r"\s+scoreStdev\s+(\S+)\s+"):
                float(re.search(pattern, part)[1])
            assert re.search(r"\s+pv\s+([A-HJ]\d|pass)", part)
    assert "\nplay " in talk.send("22 kata-genmove_analyze black 100")
    file = tmp_path / "q5go.sgf"
    file.write_text("(;SZ[9]KM[5.5]RU[Japanese];B[ee];W[cc];B[gg])")
    talk.ask(f"23 loadsgf {file}")
    talk.ask("24 undo")
    assert talk.ask("25 get_komi") == "25 5.5"
    assert talk.ask("26 final_score")[3] in "BW0"


def test_kgs_and_ogs_scripts(talk):
    for line in ("kgs-rules japanese", "kgs-time_settings canadian 60 30 10", "time_left b 55 0", "boardsize 5"):
        talk.ask(line)
    talk.ask("komi 0.5")
    assert talk.ask("genmove black")
    talk.ask("play white pass")
    talk.ask("time_left black 12 3")
    assert talk.ask("genmove black")


def test_variety_where_it_is_asked_for(open_talk):
    judge = Told(likes=cells("C3 C4 C2 D3"))
    talk = open_talk(judge, maxVisits=40)
    talk.ask("boardsize 5")
    talk.ask("play b A2")
    assert {talk.ask("reg_genmove w") for _ in range(5)} == {"C3"}
    talk.ask("kata-set-param chosenMoveTemperatureEarly 5")
    assert len({talk.ask("reg_genmove w") for _ in range(30)}) > 1
    talk.ask('kata-set-params {"chosenMoveTemperatureEarly": 0, "chosenMoveTemperature": 0}')
    assert {talk.ask("reg_genmove w") for _ in range(5)} == {"C3"}


# As a program.


@pytest.mark.slow
def test_the_command(tmp_path):
    config = tmp_path / "gtp.cfg"
    config.write_text("logAllGTPCommunication = true\nrules = japanese\nmaxVisits = 5\nwrongKey = 1\nmaxTime = 10\n")
    words = ["gtp", "-model", "rollout", "-config", str(config), "-override-config", "defaultBoardSize=5"]
    words += ["--override-name", "KataGo", "-override-version", "1.16.4"]
    sent = b"name\nversion\n\xff\xfe garbage\n2 genmove b\nkata-get-rules\nlz-analyze 1\nquit\n"
    ran = subprocess.run(
        [sys.executable, "-c", "from tengen.cli import main; main()", *words],
        input=sent,
        capture_output=True,
        timeout=120,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    answers = ran.stdout.decode().split("\n\n")
    assert answers[:2] == ["= KataGo", "= 1.16.4"]
    assert answers[2].startswith("? unknown command")
    assert answers[3].startswith("=2 ")
    assert "TERRITORY" in answers[4]
    assert answers[5].startswith("=")
    assert answers[-2:] == ["=", ""]
    assert b"wrongKey" in ran.stderr
    assert b"GTP ready" in ran.stderr
