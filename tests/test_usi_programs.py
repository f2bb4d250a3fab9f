"""USI between programs: Fairy-Stockfish on the other side, and `tengen usi` as programs start it."""

import shlex
import subprocess
import sys

import pytest
from programs import find_program, python_program, quoted
from soak.usi_games import soak

import tengen
from tengen.arena import find_player, play_match
from tengen.protocols.program import ProgramFailure
from tengen.protocols.usi import UsiProgram
from tengen.protocols.usi.wire import format_position

GAME = tengen.game("shogi")
ENGINE = shlex.join([sys.executable, "-m", "tengen", "usi", "--net", "rollout"])
USI_MOVER = """
import sys
for line in sys.stdin:
    words = line.split()
    if {log!r}: print(line.strip(), file=open({log!r}, "a"))
    if words[0] == "usi": print("option name Skill Level type spin default 1 min 0 max 9\\nusiok", flush=True)
    if words[0] == "isready": print("readyok", flush=True)
    if words[0] == "go": print("info depth 1", "bestmove " + {move!r}, sep="\\n", flush=True)
    if words[0] == "quit": break
"""


def usi(move, log="", **settings):
    command = python_program(USI_MOVER.format(move=move, log=str(log)))
    return f"usi:{quoted(command)},nodes=1" + "".join(f",{name}={value}" for name, value in settings.items())


def test_what_a_program_is_told(tmp_path):
    log = tmp_path / "log"
    player = find_player(usi("7g7f", log) + ',option."Skill Level"=3', GAME)
    assert player.choose([GAME.start()], [0], [0]) == [GAME.parse("7g7f", GAME.start())]
    handicap = GAME.start(sfen="4k4/9/9/9/9/9/9/9/4K3R b - 1").play("5i5h").play("5a5b")
    with pytest.raises(ProgramFailure, match="its move '7g7f' is illegal after 5i5h 5a5b"):
        player.choose([handicap], [0], [0])
    player.close()
    assert log.read_text().splitlines()[:7] == [
        "usi",
        "setoption name USI_Ponder value false",
        "setoption name Skill Level value 3",
        "isready",
        "isready",
        "usinewgame",
        "position startpos",
    ]
    assert "position sfen 4k4/9/9/9/9/9/9/9/4K3R b - 1 moves 5i5h 5a5b" in log.read_text()


def test_positions_in_words():
    assert format_position(GAME.start()) == "startpos"
    assert format_position(GAME.start().play("7g7f")) == "startpos moves 7g7f"


def test_resigning_winning_and_options_there_are_not():
    state = GAME.start()
    resigner = find_player(usi("resign"), GAME)
    assert resigner.choose([state], [0], [0]) == [-1]
    resigner.close()
    declarer = find_player(usi("win"), GAME)
    with pytest.raises(ProgramFailure, match="its move 'win' is illegal after no move"):
        declarer.choose([state], [0], [0])
    declarer.close()
    with pytest.raises(ValueError, match="has no option 'Style'; it has Skill Level"):
        find_player(usi("win") + ",option.Style=1", GAME)


@pytest.mark.parametrize(
    ("source", "timeout_s", "why"),
    [
        ("import time; time.sleep(60)", 0.3, r"no answer within 0\.3 s. Does it speak USI\?"),
        ("print('usiok')", 60, r"has ended"),
        ("input(); print('usiok'); import time; time.sleep(60)", 0.3, r"no answer within"),
    ],
)
def test_programs_that_are_none(source, timeout_s, why, monkeypatch):
    monkeypatch.setattr("tengen.protocols.usi.player._LOADING_S", timeout_s)
    with pytest.raises(ValueError, match=why):
        find_player(f"usi:{quoted(python_program(source))},movetime=1,timeout={timeout_s}", GAME)


def test_usiok_comes_before_anything_slow():
    program = UsiProgram(ENGINE)
    program.start()
    assert program.options["EnteringKingRule"] == "combo"
    program.start_game()
    legal = {GAME.name(action) for action in GAME.start().legal()}
    assert program.go("startpos", "btime 0 wtime 0 byoyomi 100").move in legal
    program.close()
    assert program._process.returncode == 0


@pytest.mark.slow
def test_options_on_the_command_line():
    words = [sys.executable, "-m", "tengen", "usi", "-o", "MultiPV=3", "--net", "rollout", "--name", "Mine"]
    ran = subprocess.run(words, input=b"usi\n", capture_output=True, timeout=60, check=True)
    assert b"id name Mine" in ran.stdout
    assert b"option name MultiPV type spin default 3 " in ran.stdout
    assert b"option name DNN_Model type filename default rollout\n" in ran.stdout
    ran = subprocess.run([*words[:4], "-o", "MultiPV=x"], capture_output=True, timeout=60, check=False, input=b"")
    assert ran.returncode == 2
    assert b"MultiPV is 'x' and must be a number from 1 to 593" in ran.stderr
    ran = subprocess.run([*words[:4], "--net", "missing"], capture_output=True, timeout=60, check=False, input=b"usi\n")
    # The program has introduced itself before it opens a network.
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (2, b"usiok")
    assert b"--net missing: no evaluator is called 'missing'" in ran.stderr


@pytest.mark.slow
def test_fairy_stockfish_plays_in_the_arena():
    command = f'usi:"{find_program("fairy-stockfish")}",nodes=300'
    match = play_match(GAME, f'{command},option."Skill Level"=20', "random", 2)
    assert match.wins == 2
    short = tengen.game("shogi", max_plies=20)
    assert len(play_match(short, f"{command},option.Skill_Level=-20", "random", 2).games) == 2


@pytest.mark.slow
def test_games_with_fairy_stockfish_by_the_clock():
    """A small version of tests/soak/usi_games.py."""
    commands = [ENGINE, find_program("fairy-stockfish")]
    tally = soak(commands, 2, 600, 2, options={"NetworkDelay": "450"}, max_plies=4)
    # How long moves take on a machine that is busy with other tests is for the soak to judge.
    assert [problem for problem in tally.problems if " took " not in problem] == []
    assert tally.games == 2
    assert tally.moves == 8
