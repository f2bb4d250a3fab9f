"""Players of the arena over USI: `tengen usi --player`."""

import random
import subprocess
import sys
import threading
import time

import pytest
from cli_runner import runner
from prophet_helpers import GAME, write_pair
from usi_fuzz_lines import Tally, random_line
from usi_talk import MATE_IN_ONE, MATED, ONE_MOVE, Talk, fields_of, pv_of

from tengen.arena import Player, find_player
from tengen.protocols.usi import OptionError
from tengen.protocols.usi.options import PlayerSettings
from tengen.protocols.usi.player_engine import PlayerEngine

DEEP = tuple(f"info depth {plies} " for plies in range(3, 30))
"""A look-ahead of several plies: one depth may be over before it is reported."""


def talk_with(player, **settings):
    return Talk(PlayerEngine(player, PlayerSettings(pv_interval=50, **settings), seed=1))


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("pair"))


@pytest.fixture(name="talk")
def _talk(folder):
    talk = talk_with(find_player(f"pair:{folder},width=3", GAME))
    yield talk
    talk.close()


def test_a_pair_shows_a_score_and_a_line(talk):
    assert talk.send("isready")[-1] == "readyok"
    move = talk.move("position startpos moves 7g7f", "go depth 3")
    last = talk.infos()[-1]
    fields = fields_of(last)
    assert fields["depth"] == "3"
    assert fields["score"].startswith("cp ")
    assert int(fields["nodes"]) > 3
    assert int(fields["time"]) >= 0
    assert pv_of(last)[0] == move
    assert len(pv_of(last)) == 3
    GAME.start(moves=["7g7f", *pv_of(last)])
    assert [fields_of(line)["depth"] for line in talk.infos()] == sorted(
        fields_of(line)["depth"] for line in talk.infos()
    )


def test_the_score_is_that_of_the_prophet(folder, talk):
    from tengen.labs.shogi.models import Prophet
    from tengen.labs.shogi.planes import pack
    from tengen.protocols.usi.lines import centipawns

    move = talk.move("position startpos", "go depth 1")
    after = GAME.start(moves=[move])
    [chance] = Prophet(folder / "prophet.onnx").judge(pack(GAME, [after.position]))
    assert fields_of(talk.infos()[-1])["score"] == f"cp {centipawns(2 * chance - 1, 600)}"


@pytest.mark.parametrize(
    "go", ["go byoyomi 200", "go movetime 100", "go btime 900 wtime 900 binc 100 winc 100", "go nodes 20", "go"]
)
def test_every_go_has_one_answer(talk, go):
    talk.send("position startpos", go)
    if go == "go":
        talk.wait_for(DEEP)
        assert not talk.answers()
        talk.send("stop")
    talk.wait_for("bestmove")
    talk.send("stop", "isready")
    assert len(talk.answers()) == 1


def test_infinite_analysis_goes_deeper_until_it_is_stopped(talk):
    talk.send("position startpos", "go infinite")
    talk.wait_for(DEEP)
    assert not talk.answers()
    talk.send("stop")
    assert len(talk.answers()) == 1, "stop returns with the best so far"


def test_an_analysis_at_its_depth_waits_for_stop(folder):
    talk = talk_with(find_player(f"pair:{folder},depth=1,width=2", GAME))
    talk.send("position startpos", "go infinite")
    talk.wait_for("info depth 1")
    talk.send("usi")
    assert not talk.answers()
    talk.send("stop")
    assert len(talk.answers()) == 1
    talk.close()


def test_pondering_waits_for_the_hit(talk):
    talk.send("setoption name USI_Ponder value true", "position startpos moves 7g7f 3c3d", "go ponder btime 0 wtime 0")
    talk.wait_for(DEEP)
    assert not talk.answers()
    talk.send("ponderhit btime 100 wtime 100 byoyomi 200")
    found = talk.wait_for("bestmove").split()
    assert len(found) == 4
    assert found[2] == "ponder"
    GAME.start(moves=["7g7f", "3c3d", found[1], found[3]])


def test_several_lines_and_moves_to_choose_from(talk):
    """One ply ahead the three candidates are tried together."""
    talk.send("setoption name MultiPV value 3")
    move = talk.move("position startpos", "go depth 1")
    last = talk.infos()[-3:]
    assert [fields_of(line)["multipv"] for line in last] == ["1", "2", "3"]
    scores = [int(fields_of(line)["score"].split()[1]) for line in last]
    assert scores == sorted(scores, reverse=True)
    firsts = [pv_of(line)[0] for line in last]
    assert move in firsts
    other = next(name for name in firsts if name != move)
    assert talk.move("position startpos", f"go depth 1 searchmoves {other}") == other
    assert talk.move("position startpos", "go depth 1 searchmoves 9i9h") == "9i9h"


def test_what_needs_no_player(talk):
    assert talk.move(f"position sfen {MATED}", "go byoyomi 100") == "resign"
    assert talk.move(f"position sfen {MATE_IN_ONE}", "go byoyomi 600000") == "G*5b"
    assert fields_of(talk.infos()[-1])["score"] == "mate 1"
    assert talk.move(f"position sfen {ONE_MOVE}", "go byoyomi 100") in ("9i8h", "9i8i")
    assert talk.ask(f"position sfen {MATE_IN_ONE}", "go mate 5000") == "checkmate G*5b"


class Stuck(Player):
    """A player that never decides before it is released."""

    def __init__(self):
        super().__init__("stuck")
        self.released = threading.Event()
        self.is_stuck = False

    def choose(self, states, seats, seeds):
        assert not self.is_stuck or self.released.wait(60)
        return [state.legal()[-1] for state in states]


@pytest.mark.parametrize("end", ["movetime", "stop"])
def test_a_player_that_does_not_decide_in_time_loses_no_game(end):
    player = Stuck()
    talk = talk_with(player)
    talk.send("isready")
    player.is_stuck = True
    if end == "movetime":
        move = talk.move("position startpos", "go movetime 50")
    else:
        talk.send("position startpos", "go infinite", "stop")
        move = talk.wait_for("bestmove").split()[1]
    assert GAME.parse(move, GAME.start()) in GAME.start().legal()
    assert any(line.startswith("info string the player has no move") for line in talk.lines)
    player.released.set()
    assert talk.move("position startpos moves 7g7f", "go movetime 600000") == GAME.name(
        GAME.start(moves=["7g7f"]).legal()[-1]
    )
    talk.close()


def test_a_stop_right_after_go_is_answered_by_the_player():
    class Slow(Player):
        def choose(self, states, seats, seeds):
            time.sleep(0.03)
            return [state.legal()[-1] for state in states]

    talk = talk_with(Slow("slow"))
    talk.send("isready", "position startpos", "go infinite", "stop")
    assert talk.wait_for("bestmove").split()[1] == GAME.name(GAME.start().legal()[-1])
    talk.close()


def test_a_player_that_can_not_be_used_any_more_still_answers(tmp_path):
    folder = write_pair(tmp_path / "pair")
    talk = talk_with(find_player(f"pair:{folder},depth=1", GAME))
    for file in folder.iterdir():
        file.unlink()
    said = talk.send("setoption name MaxMovesToDraw value 99", "isready")
    assert said[-1] == "readyok"
    assert any("can't be used" in line for line in said)
    move = talk.move("position startpos", "go byoyomi 1000")
    assert GAME.parse(move, GAME.start()) in GAME.start().legal()
    talk.close()


def test_a_player_that_fails_still_answers():
    class Broken(Player):
        def choose(self, states, seats, seeds):
            raise ZeroDivisionError("no move")

    talk = talk_with(Broken("broken"))
    talk.send("isready")
    move = talk.move("position startpos", "go byoyomi 1000")
    assert GAME.parse(move, GAME.start()) in GAME.start().legal()
    assert any("ZeroDivisionError" in line for line in talk.lines)
    talk.close()


@pytest.mark.parametrize("spec", ["random", "rollout:200", "pimc:1", "policy:champion", "level:easy", "champion@10"])
def test_every_kind_of_player_plays(spec):
    from tengen.console.players import read_player

    talk = talk_with(read_player(spec, GAME))
    talk.send("usinewgame")
    move = talk.move("position startpos", "go btime 1000 wtime 1000 byoyomi 3000")
    assert GAME.parse(move, GAME.start()) in GAME.start().legal()
    talk.close()


def test_only_options_with_an_effect_are_declared(talk):
    names = {line.split()[2] for line in talk.send("usi") if line.startswith("option")}
    assert {"USI_Hash", "USI_Ponder", "MultiPV", "NetworkDelay", "ResignValue", "BookFile"} <= names
    assert names.isdisjoint({"DNN_Model", "Threads", "Mate_Root_Search", "SkillLevel"})
    assert talk.send("setoption name USI_Hash value 64") == []
    [note] = talk.send("setoption name DNN_Model value other.onnx")
    assert "has no effect" in note
    with pytest.raises(OptionError, match="no option is called"):
        talk.engine.set_option("NoSuch", "1")


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["random", "pair:{folder},width=2", "rollout:30"])
def test_no_lines_end_a_session(folder, spec):
    """A small version of tests/soak/usi_fuzz.py, with players."""
    talk, tally, rng = talk_with(find_player(spec.format(folder=folder), GAME)), Tally(), random.Random(5)
    for number in range(300):
        tally.feed(talk, random_line(rng))
        if number % 100 == 99:
            tally.check(talk)
    talk.close()
    assert tally.problems == []


def run_usi(*words):
    """Run the command with an empty input."""
    command = [sys.executable, "-m", "tengen", "usi", *map(str, words)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--player", "pair:nowhere"), "no prophet can be read from nowhere"),
        (("--player", "nobody"), "no player is called 'nobody'"),
        (("--player", "random", "--net", "champion"), "--net has no effect with --player"),
        (("--player", 'usi:"fairy-stockfish"'), "start that program instead"),
        (("--player", "random", "--option", "Threads=2"), "Threads has no effect"),
    ],
)
def test_what_does_not_fit_is_refused(more, says):
    ran = run_usi(*more)
    assert ran.returncode == 2
    assert says in ran.stderr


@pytest.mark.slow
def test_a_player_in_the_place_of_a_network_is_pointed_out(folder, tmp_path, monkeypatch, capsys):
    ran = run_usi("--net", f"pair:{folder}")
    assert ran.returncode == 2
    assert f"use --player pair:{folder}" in ran.stderr
    monkeypatch.chdir(tmp_path)
    words = ("csa", "--host", "127.0.0.1", "--name", "x", "--password", "y", "--net", f"pair:{folder}")
    ran = runner(monkeypatch, capsys)(*words)
    assert ran.code == 2
    assert f"use --player pair:{folder}" in ran.err


@pytest.mark.slow
def test_the_command_plays_a_pair(folder):
    words = [sys.executable, "-m", "tengen", "usi", "--player", f"pair:{folder},depth=3,width=3"]
    lines = "usi\nisready\nusinewgame\nposition startpos moves 2g2f\ngo byoyomi 3000\n"
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write(lines)
        process.stdin.flush()
        said = []
        for line in process.stdout:
            said.append(line.strip())
            if line.startswith("bestmove"):
                break
        process.stdin.write("quit\n")
        process.stdin.flush()
        assert process.wait(60) == 0
    assert "usiok" in said
    assert "readyok" in said
    assert any(line.startswith("info depth 3 ") and " score cp " in line and " pv " in line for line in said)
