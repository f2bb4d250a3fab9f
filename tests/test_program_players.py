"""Programs of others as players: how they are named, started, asked and ended."""

import os
import pickle
import signal
import time

import pytest
from programs import find_program, gtp_player, python_program, quoted

import tengen
from tengen.arena import (
    RESIGN,
    FallbackPlayer,
    MatchTable,
    Openings,
    PlayedGame,
    find_player,
    parse_player,
    play_match,
)
from tengen.arena.openings import OpeningBook
from tengen.champion import Contestant
from tengen.champion.jobs import play_match_with
from tengen.champion.league_games import ExploringDecider
from tengen.cluster import LocalWorkers
from tengen.protocols.program import Program, ProgramFailure
from tengen.protocols.program_player import parse_program_spec
from tengen.selfplay import play_player_games

GO = tengen.game("go", size=5, komi=0.5)


def gtp(command, **settings):
    return f"gtp:{quoted(command)}" + "".join(f",{name}={value}" for name, value in settings.items())


@pytest.mark.parametrize(
    ("text", "command", "settings", "options"),
    [
        ('usi:"fairy-stockfish",movetime=100', "fairy-stockfish", {"movetime": "100"}, {}),
        ("usi:fairy-stockfish,nodes=5", "fairy-stockfish", {"nodes": "5"}, {}),
        ("gtp:gnugo --mode gtp", "gnugo --mode gtp", {}, {}),
        ('gtp:"sh -c \\"a,b\\" \\\\"', 'sh -c "a,b" \\', {}, {}),
        ("gtp:'sh -c \"a, b\"'", 'sh -c "a, b"', {}, {}),
        ('usi:"x",option."Skill Level"=10,depth=3', "x", {"depth": "3"}, {"Skill Level": "10"}),
        ("usi:x,option.Skill_Level=10,option.Book='a, b'", "x", {}, {"Skill_Level": "10", "Book": "a, b"}),
        ('usi:x,option.Clear_Hash=,option.EvalDir="c:\\\\e"', "x", {}, {"Clear_Hash": "", "EvalDir": "c:\\e"}),
    ],
)
def test_specifications(text, command, settings, options):
    spec = parse_program_spec(text)
    assert (spec.kind, spec.command, spec.settings, spec.options) == (text[:3], command, settings, options)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gtp:", "names no program"),
        ('gtp:""', "the command is empty"),
        ('gtp:"gnugo', "names no program"),
        ('gtp:"gnugo" --mode gtp', "is no setting"),
        ('gtp:"gnugo",timeout', "is no setting"),
        ('gtp:"gnugo",timeout=0', "timeout is '0' and must be a number above 0"),
        ('gtp:"gnugo",timeout=1,timeout=2', "timeout is set twice"),
        ('gtp:"gnugo",level=3', "no setting is called 'level'; there are movetime and timeout"),
        ('gtp:"gnugo",movetime=500', "whole seconds only"),
        ('gtp:"gnugo",option.x=1', "no options of programs"),
        ('usi:"x"', "a program needs a limit: movetime=MILLISECONDS"),
        ('usi:"x",movetime=fast', "movetime is 'fast' and must be a whole number above 0"),
        ('usi:"x",nodes=-1', "nodes is '-1' and must be"),
        (
            'usi:"x",visits=3,nodes=1',
            "no setting is called 'visits'; there are movetime, byoyomi, nodes",
        ),
        ('gtp:"no-such-program --mode gtp"', "no-such-program --mode gtp: can't be started"),
    ],
)
def test_specifications_that_do_not_fit(text, why):
    with pytest.raises(ValueError, match=why):
        find_player(text, GO)


def test_programs_play_their_own_game_only():
    with pytest.raises(ValueError, match="can't play pyrga: GTP is for Go"):
        find_player(gtp(gtp_player()), tengen.game("pyrga"))
    with pytest.raises(ValueError, match="can't play go: USI is for shogi"):
        find_player('usi:"fairy-stockfish",nodes=1', GO)
    with pytest.raises(ValueError, match="square"):
        find_player(gtp(gtp_player()), tengen.game("go", size=5, height=4))


def test_numbers_in_a_command_are_no_visits():
    text = 'usi:"engine --level @7,1",nodes=100'
    assert parse_player(text).is_program
    assert str(parse_player(text).with_visits(5)) == text


def test_a_match_tells_the_program_all_that_happens(tmp_path):
    log = tmp_path / "log"
    spec = gtp(gtp_player("pass", log))
    match = play_match(GO, spec, "random", 2, seed=3)
    assert match.first == spec
    assert len(match.games) == 2
    told = log.read_text().splitlines()
    assert told.count("boardsize 5") == told.count("clear_board") == 2
    assert told.count("komi 0.5") == 2
    assert sum(line.startswith("genmove") for line in told) == sum(
        (len(game.actions) - game.opening + 1 - (game.first_seat + game.opening) % 2) // 2 for game in match.games
    )
    for game in match.games:
        game.replay(GO)
        own = [action for ply, action in enumerate(game.actions) if ply >= game.opening and ply % 2 == game.first_seat]
        assert set(own) == {GO.parse("pass", GO.start())}
    moves = [line for line in told if line.startswith("play")]
    assert len(moves) < sum(len(game.actions) for game in match.games), "its own moves are on its board already"


def test_who_resigns_loses():
    match = play_match(GO, gtp(gtp_player("resign")), "random", 2)
    assert [game.payoff for game in match.games] == [-1, -1]
    for game in match.games:
        assert game.resigned == game.first_seat
        assert not game.replay(GO).is_over
        assert PlayedGame.from_plain(game.to_plain()) == game
        with pytest.raises(ValueError, match="resigned"):
            PlayedGame.from_plain(game.to_plain() | {"resigned": 2})
    own = find_player(gtp(gtp_player("resign")), GO)
    [record] = play_player_games(GO, own, [1])
    assert (record.resigned, record.payoffs, record.actions) == (0, (-1.0, 1.0), ())
    own.close()


def test_resigning_is_no_failure_and_nothing_to_learn():
    player = find_player(gtp(gtp_player("resign")), GO)
    steady = FallbackPlayer(player)
    assert steady.games_at_once == 2
    table = MatchTable(OpeningBook(GO, Openings(), 1), 0, 0)
    assert ExploringDecider(steady, 0.0).decide([(table, 0)]) == [RESIGN]
    assert steady.failed == []
    assert table.thoughts == []
    steady.close()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (gtp_player("A9"), r"its move 'A9' is illegal after no move"),
        (gtp_player("nonsense"), r"its move 'nonsense' is illegal"),
        (
            python_program(
                "import sys\nfor line in sys.stdin:\n"
                " if 'genmove' in line: sys.exit('out of luck')\n print('= 2\\n', flush=True)"
            ),
            r"has ended after saying 'out of luck'",
        ),
        (
            python_program(
                "import sys, time\nfor line in sys.stdin:\n"
                " if 'genmove' in line: time.sleep(60)\n print('= 2\\n', flush=True)"
            ),
            r"no answer within 0\.5 s",
        ),
        (
            python_program(
                "import sys\nfor line in sys.stdin:\n"
                " while 'genmove' in line: print('thinking', flush=True)\n print('= 2\\n', flush=True)"
            ),
            r"no answer within 0\.5 s",
        ),
    ],
    ids=["off the board", "no move", "dies", "hangs", "talks for ever"],
)
def test_programs_that_fail_in_a_game(command, why):
    player = find_player(gtp(command), GO)
    [seated] = player._seated
    seated.program.timeout_s = 0.5  # not before: to start takes longer than that on a busy machine
    with pytest.raises(ProgramFailure, match=why) as failure:
        player.choose([GO.start()], [0], [0])
    assert command in str(failure.value)
    assert seated.program._process.returncode is not None, "it is not left running"
    player.close()


def test_a_program_that_is_none_says_so():
    with pytest.raises(ValueError, match="Does it speak GTP"):
        find_player(gtp("cat /dev/null"), GO)
    with pytest.raises(ValueError, match="Does it speak GTP"):
        find_player(gtp("sleep 30", timeout=0.3), GO)


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_what_a_program_started_ends_with_it(tmp_path):
    """Wrappers are usual: scripts that set a network up and start the engine."""
    note = tmp_path / "pid"
    wrapper = python_program(
        "import subprocess, sys\n"
        f"child = subprocess.Popen(['sleep', '60']); open({str(note)!r}, 'w').write(str(child.pid))\n"
        "print('here', flush=True)\n"
        "for line in sys.stdin: break"
    )
    for end in (Program.close, Program.kill):
        program = Program(wrapper, quiet=True)
        assert program.line() == "here"
        child = int(note.read_text())
        assert is_running(child)
        end(program)
        deadline = time.monotonic() + 60
        while is_running(child) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not is_running(child)
        program.close()


def test_a_program_that_ignores_quit_is_ended(monkeypatch):
    monkeypatch.setattr("tengen.protocols.program._PATIENCE_S", 0.2)
    deaf = python_program("import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint(1)\ntime.sleep(60)")
    program = Program(deaf)
    program.line()
    program.close()
    assert program._process.returncode == -signal.SIGKILL


def test_a_forgotten_program_ends():
    program = Program("sleep 60")
    process = program._process
    del program
    assert process.returncode == -signal.SIGKILL


def test_each_game_has_a_process_and_few_are_kept():
    player = find_player(gtp(gtp_player()), GO)
    first, second = GO.start(), GO.start().play("A1")
    player.choose([first, second], [0, 1], [0, 0])
    one, other = (seated.program for seated in player._seated)
    assert one.pid != other.pid
    # The same games, two plies on.
    player.choose([first.play("pass").play("B1"), second.play("pass").play("B1")], [0, 1], [0, 0])
    assert [seated.program for seated in player._seated] == [one, other]
    for move in "ABCDE":
        player.choose([GO.start().play(f"{move}2").play(f"{move}3")], [0], [0])
    assert len(player._seated) == 4
    player.close()
    assert player._seated == []
    assert player.choose([first], [0], [0]) == [GO.parse("pass", first)], "it begins anew"
    copy = pickle.loads(pickle.dumps(player))
    assert copy._seated == []
    player.close()


@pytest.mark.slow
def test_programs_in_worker_processes():
    one = find_player(gtp(gtp_player()), GO)
    other = find_player("random", GO)
    with LocalWorkers(2) as workers:
        match = play_match_with(workers, GO, (one, other), 4, 0, lambda *_: None)
    assert len(match.games) == 4
    one.close()


def test_a_run_keeps_the_command_not_its_files(tmp_path):
    net = tmp_path / "net.bin"
    net.write_bytes(b"x")
    text = f'gtp:"engine --model={net}"'
    assert Contestant.of(text).files == {}
    assert Contestant.of(text).parts == (text,)


@pytest.mark.slow
def test_gnu_go_plays_in_the_arena():
    game = tengen.game("go", size=7, komi=0.5, rules="chinese")
    spec = f'gtp:"{find_program("gnugo")} --mode gtp --level 1 --chinese-rules --capture-all-dead"'
    match = play_match(game, spec, "random", 4)
    assert match.wins >= 3
