"""USI: what boards say to an engine, and what breaks engines in practice."""

import re
import time
from pathlib import Path

import pytest
from usi_talk import MATE_IN_ONE, MATED, ONE_MOVE, START, Talk, fields_of, pv_of

import tengen
from tengen.games.shogi import DECLARATIONS
from tengen.protocols.usi import networks
from tengen.protocols.usi.go_command import parse_go
from tengen.protocols.usi.limits import Limits
from tengen.protocols.usi.options import (
    ENTERING_KING_RULES,
    EngineSettings,
    OptionError,
    declare_options,
    option_table,
    with_option,
)

GAME = tengen.game("shogi")


@pytest.fixture(name="talk")
def _talk():
    talk = Talk()
    yield talk
    talk.close()


def legal_names(sfen, moves=""):
    state = GAME.start(sfen=sfen, moves=moves)
    return {GAME.name(action) for action in state.legal()}


def test_usi_is_answered_before_anything_is_loaded(talk):
    said = talk.send("usi")
    assert said[0].startswith("id name Tengen")
    assert said[1].startswith("id author")
    assert said[-1] == "usiok"
    assert talk.engine._evaluator is None
    assert talk.send("isready")[-1] == "readyok"
    assert talk.engine._evaluator is not None


def test_options_are_declared_as_boards_read_them():
    lines = declare_options(EngineSettings())
    names = [line.split()[2] for line in lines]
    assert len(set(names)) == len(names)
    for line in lines:
        found = re.fullmatch(r"option name (\S+) type (spin|check|combo|string|filename) default (\S+)(.*)", line)
        assert found, line
        kind, default, rest = found[2], found[3], found[4]
        if kind == "spin":
            low, high = re.fullmatch(r" min (-?\d+) max (-?\d+)", rest).groups()
            assert int(low) <= int(default) <= int(high)
        elif kind == "combo":
            assert f" var {default}" in rest
        else:
            assert rest == ""
    for wanted in (
        "USI_Hash type spin default 256",
        "USI_Ponder type check default false",
        "MultiPV type spin default 1",
    ):
        assert any(wanted in line for line in lines), wanted
    assert "option name DNN_Model type filename default <empty>" in lines
    assert "option name MultiPV type spin default 1 min 1 max 593" in lines


def test_the_rules_of_entering_kings_are_the_games():
    assert ENTERING_KING_RULES == DECLARATIONS


def test_every_option_can_be_set_to_what_it_declares(talk):
    for option in option_table().values():
        text = option.format(option.default)
        assert talk.send(f"setoption name {option.name} value {text}") == []
    assert talk.engine.settings == EngineSettings()
    talk.send(
        "setoption name EvalFile value some.onnx",
        "setoption name multipv value 5",
        "setoption name USI_Ponder value TRUE",
    )
    assert (talk.engine.settings.model, talk.engine.settings.multi_pv, talk.engine.settings.ponder) == (
        "some.onnx",
        5,
        True,
    )
    talk.send("setoption name BookFile value my book.db", "setoption name DNN_Model value <empty>")
    assert (talk.engine.settings.book_file, talk.engine.settings.model) == ("my book.db", "")


@pytest.mark.parametrize(
    "line",
    [
        "setoption name Contempt value 3",
        "setoption name MultiPV value many",
        "setoption name MultiPV value 0",
        "setoption name MultiPV value 594",
        "setoption name USI_Ponder value perhaps",
        "setoption name EnteringKingRule value Free",
        "setoption",
        "setoption name",
        "setoption value 3",
        "setoption name Threads",
        "bench",
        "position",
        "position here",
        "position startpos 7g7f",
        "position sfen x",
        "position sfen",
        "position startpos moves 7g7e",
        "position startpos moves win",
    ],
)
def test_what_does_not_fit_is_said_and_left_aside(talk, line):
    before = talk.engine.settings
    [said] = talk.send(line)
    assert said.startswith("info string ")
    assert talk.engine.settings == before
    assert talk.move("go nodes 5") in legal_names(START)


def test_values_out_of_range_name_the_option():
    with pytest.raises(OptionError, match="MultiPV is '0' and must be a number from 1 to 593"):
        with_option(EngineSettings(), "MultiPV", "0")


def test_a_network_that_can_not_be_used_is_said_and_the_game_goes_on(talk):
    said = talk.send("setoption name DNN_Model value nowhere.onnx", "isready")
    assert any("DNN_Model 'nowhere.onnx' can't be used" in line for line in said)
    assert said[-1] == "readyok"
    assert talk.move("go nodes 5") in legal_names(START)


def test_a_network_that_fails_between_searches_costs_no_move(talk):
    """Boards need not say isready again: then the first search is the first to look for it."""
    talk.send("isready", "setoption name DNN_Model value nowhere.onnx")
    talk.ask("go nodes 5")
    talk.ask("go nodes 5")
    notes = [line for line in talk.lines if "nowhere.onnx" in line]
    assert len(notes) == 1
    assert "can't be used" in notes[0]
    assert not any("failed" in line for line in talk.lines)
    assert talk.infos()


def test_a_board_is_answered_though_no_network_can_be_used(talk, monkeypatch):
    def open_evaluator(name, game, threads):
        if name != "rollout":
            raise ValueError("gone")
        return networks.open_evaluator(name, game, threads)

    monkeypatch.setattr("tengen.protocols.usi.engine.open_evaluator", open_evaluator)
    said = talk.send("isready")
    assert [line.split()[3] for line in said[:-1]] == ["'heuristic'", "''", "'champion'"]
    assert said[-1] == "readyok"
    assert talk.move("go nodes 5") in legal_names(START)


def test_an_illegal_move_leaves_the_position_before_it(talk):
    [said] = talk.send("position startpos moves 7g7f 7g7f 3c3d")
    assert "move 2 of the position is illegal: '7g7f'" in said
    assert talk.move("go nodes 10") in legal_names(START, "7g7f")


def test_carriage_returns_marks_and_other_bytes(talk):
    assert talk.send(b"\xef\xbb\xbfusi\r")[-1] == "usiok"
    assert talk.send(b"", b"   ", b"\r") == []
    [said] = talk.send("将棋 \x07".encode())
    assert said.isascii()
    assert talk.send(b"\xff\xfe\x00isready", b"isready\x00")[-1] == "readyok"


def test_one_answer_for_every_go(talk):
    for _ in range(3):
        talk.ask("go nodes 5")
    talk.send("stop", "stop", "ponderhit", "gameover win", "stop")
    assert len(talk.answers()) == 3
    talk.send("go infinite", "go infinite", "position startpos", "go infinite")
    talk.send("isready", "usinewgame")
    assert len(talk.answers()) == 6
    talk.send("go infinite", "quit")
    assert len(talk.answers()) == 7
    assert talk.session.is_over


def test_stop_right_after_go(talk):
    for number in range(20):
        said = talk.send("go infinite", "stop")
        assert [line for line in said if line.startswith("bestmove")], number
    assert len(talk.answers()) == 20


def test_the_last_word_comes_before_the_move(talk):
    talk.send("setoption name MultiPV value 3")
    talk.ask("go nodes 200")
    assert talk.lines[-1].startswith("bestmove")
    last = talk.lines[-4:-1]
    assert [fields_of(line)["multipv"] for line in last] == ["1", "2", "3"]
    assert len({fields_of(line)["depth"] for line in last}) == 1
    # The ranks follow the scores; the move that is played has the most visits.
    scores = [int(fields_of(line)["score"].removeprefix("cp ")) for line in last]
    assert scores == sorted(scores, reverse=True)
    assert talk.lines[-1].split()[1] in [pv_of(line)[0] for line in last]
    for line in last:
        fields = fields_of(line)
        assert set(fields) >= {"depth", "seldepth", "time", "nodes", "nps", "hashfull", "score"}
        state = GAME.start()
        for move in pv_of(line):
            state = state.play(move)
    assert len({pv_of(line)[0] for line in last}) == 3


def test_multipv_may_change_between_searches(talk):
    talk.ask("go nodes 100")
    assert "multipv" not in talk.infos()[-1]
    talk.send("go infinite", "setoption name MultiPV value 2", "stop")
    since = len(talk.lines)
    talk.ask("go nodes 100")
    assert [fields_of(line)["multipv"] for line in talk.infos(since)][-2:] == ["1", "2"]


def test_search_moves(talk):
    assert talk.move("go nodes 60 searchmoves 9g9f") == "9g9f"
    assert talk.move("go searchmoves 9g9f 1g1f nodes 60") in ("9g9f", "1g1f")
    assert talk.move("go nodes 20 searchmoves 9g9e nonsense") in legal_names(START)


def test_go_words():
    assert parse_go(["btime", "1", "wtime", "2", "byoyomi", "3"]).limits == Limits(btime=1, wtime=2, byoyomi=3)
    assert parse_go(["ponder", "btime", "1", "wtime", "2", "binc", "3", "winc", "4"]).limits == Limits(
        btime=1, wtime=2, binc=3, winc=4, is_ponder=True
    )
    assert parse_go(["mate", "infinite"]).mate_s == float("inf")
    assert parse_go(["mate", "1500"]).mate_s == 1.5
    assert parse_go(["mate"]).mate_s == float("inf")
    assert parse_go(["searchmoves", "7g7f", "2g2f", "movetime", "9"]).limits == Limits(
        movetime=9, search_moves=("7g7f", "2g2f")
    )
    odd = parse_go(["btime", "soon", "nodes", "0", "depth", "-3", "byoyomi", "-5", "sideways"])
    assert odd.limits == Limits()
    assert len(odd.problems) == 3


def test_a_mated_position(talk):
    talk.send(f"position sfen {MATED}")
    assert talk.ask("go btime 0 wtime 0 byoyomi 1000") == "bestmove resign"
    assert talk.lines[-2] == "info depth 1 score mate -0"


def test_the_only_move_comes_at_once(talk):
    assert len(legal_names(ONE_MOVE)) == 1
    talk.send("isready")
    # An hour for a move: talk.move() does not wait so long.
    go = "go btime 36000000 wtime 36000000 byoyomi 3600000"
    assert talk.move(f"position sfen {ONE_MOVE}", go) in legal_names(ONE_MOVE)


def test_a_mate_is_played_with_its_line(talk):
    talk.send(f"position sfen {MATE_IN_ONE}")
    move = talk.move("go btime 0 wtime 0 byoyomi 30000")
    last = talk.infos()[-1]
    assert fields_of(last)["score"] == "mate 1"
    assert pv_of(last) == [move]
    assert GAME.start(sfen=MATE_IN_ONE).play(move).is_over


def test_scores_are_of_the_side_to_move(talk):
    """A rook against nothing: good for who has it, bad for the other."""
    ahead = "4k4/9/9/9/9/9/9/9/4K4 {} 2R2B4G4S 1"
    scores = {}
    for side in "bw":
        talk.ask(f"position sfen {ahead.format(side)}", "go nodes 150")
        kind, _, number = fields_of(talk.infos()[-1])["score"].partition(" ")
        scores[side] = number.startswith("-")
        assert kind in ("cp", "mate")
    assert scores == {"b": False, "w": True}


# From the head of a gold-drop mate in three: 1b, then 2b or 1c.
MATE_IN_THREE = "8k/9/7R1/9/9/9/9/9/K8 b 2G 1"


def test_go_mate(talk):
    line = talk.ask(f"position sfen {MATE_IN_ONE}", "go mate infinite").split()
    assert line[0] == "checkmate"
    assert GAME.start(sfen=MATE_IN_ONE, moves=line[1:]).is_over
    line = talk.ask(f"position sfen {MATE_IN_THREE}", "go mate 5000").split()
    end = GAME.start(sfen=MATE_IN_THREE, moves=line[1:])
    assert end.is_over
    assert GAME.end(end) == "no moves"
    assert talk.ask("position startpos", "go mate infinite") == "checkmate nomate"
    assert talk.ask(f"position sfen {MATED}", "go mate 100") == "checkmate nomate"
    assert not [line for line in talk.lines if line.startswith("bestmove")]


def test_go_mate_ends_in_time_or_by_stop(talk):
    hard = "l2+R5/4k4/p1n1p1ppp/2pp1p3/1s7/2PP1P3/PP2P1PPP/2G1K4/LN1G3NL b RBGSNPbgs2p 1"
    since = len(talk.lines)
    talk.send(f"position sfen {hard}", "go mate infinite", "stop")
    assert talk.wait_for("checkmate", since)
    assert talk.ask("go mate 1").startswith("checkmate")
    assert len(talk.answers()) == 2


def test_a_longer_mate_is_played_with_its_line(talk):
    talk.send("isready")
    move = talk.move(f"position sfen {MATE_IN_THREE}", "go btime 0 wtime 0 byoyomi 10000")
    last = talk.infos()[-1]
    assert re.fullmatch(r"mate [1357]", fields_of(last)["score"]), last
    assert pv_of(last)[0] == move
    assert GAME.start(sfen=MATE_IN_THREE, moves=pv_of(last)).is_over
    assert int(fields_of(last)["time"]) < 5000


def test_ponder_waits_for_the_move(talk):
    talk.send("setoption name USI_Ponder value true", "isready", "usinewgame")
    answer = talk.ask("position startpos", "go nodes 300")
    found = re.fullmatch(r"bestmove (\S+) ponder (\S+)", answer)
    assert found
    assert found[2] in legal_names(START, found[1])
    # A hit: the clock starts with it.
    since = len(talk.lines)
    talk.send(f"position startpos moves {found[1]} {found[2]}", "go ponder btime 0 wtime 0 byoyomi 300")
    time.sleep(0.6)
    assert not [line for line in talk.lines[since:] if line.startswith("bestmove")]
    talk.send("ponderhit")
    talk.wait_for("bestmove", since)
    # A miss: one answer, legal where it was thought about.
    since = len(talk.lines)
    talk.send(f"position startpos moves {found[1]} {found[2]}", "go ponder btime 0 wtime 0 byoyomi 300", "stop")
    missed = talk.wait_for("bestmove", since).split()[1]
    assert missed in legal_names(START, f"{found[1]} {found[2]}")


def test_early_ponder_tells_the_times_with_the_hit(talk):
    since = len(talk.lines)
    talk.send("position startpos moves 7g7f", "go ponder")
    time.sleep(0.2)
    assert not talk.answers()
    talk.send("ponderhit btime 0 wtime 0 byoyomi 200")
    talk.wait_for("bestmove", since)


@pytest.mark.parametrize("go", ["go ponder btime 0 wtime 0 byoyomi 100", "go infinite", "go ponder nodes 5"])
def test_what_is_proven_or_used_up_waits(talk, go):
    since = len(talk.lines)
    talk.send(f"position sfen {MATE_IN_ONE}", go)
    time.sleep(0.3)
    assert not [line for line in talk.lines[since:] if line.startswith("bestmove")]
    talk.send("stop")
    talk.wait_for("bestmove", since)
    assert len(talk.answers()) == 1


def test_stochastic_ponder_goes_on_by_itself_and_says_nothing(talk):
    talk.send("setoption name Stochastic_Ponder value true", "setoption name USI_Ponder value true", "isready")
    first = talk.ask("position startpos", "go btime 0 wtime 0 byoyomi 200")
    assert "ponder" not in first
    move = first.split()[1]
    assert talk.session._job.is_alive
    time.sleep(0.2)
    assert talk.session._job.is_alive
    said = len(talk.lines)
    time.sleep(0.1)
    assert len(talk.lines) == said
    reply = next(iter(legal_names(START, move)))
    talk.ask(f"position startpos moves {move} {reply}", "go btime 0 wtime 0 byoyomi 200")
    talk.send("gameover draw")
    assert talk.session._job is None
    assert len(talk.answers()) == 2


def test_the_tree_is_used_again(talk):
    talk.send("setoption name USI_Ponder value true")
    answer = talk.ask("position startpos", "go nodes 600").split()
    talk.send(f"position startpos moves {answer[1]} {answer[3]}")
    talk.engine.prepare()
    tree = talk.engine._tree
    tree.seat(talk.session._positions.state)
    assert tree._reused > 2


def test_gameover_while_searching(talk):
    talk.send("go infinite", "stop", "gameover lose", "isready", "usinewgame", "position startpos")
    assert len(talk.answers()) == 1
    assert talk.move("go nodes 5") in legal_names(START)


def test_depth_limits(talk):
    talk.send("setoption name DepthLimit value 2")
    talk.ask("go infinite depth 50", "stop")
    # An hour for a move: talk.move() does not wait so long.
    assert talk.move("go btime 0 wtime 0 byoyomi 3600000") in legal_names(START)


def test_resigning(talk):
    """The engine resigns after three hopeless moves in a row, and only if the option is set."""
    lost = "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S 1"
    talk.send("setoption name ResignValue value 20", "usinewgame", f"position sfen {lost}")
    answers = [talk.move("go nodes 150") for _ in range(3)]
    assert "resign" not in answers[:2]
    assert answers[2] == "resign"
    talk.send("usinewgame")
    assert talk.move("go nodes 150") != "resign"
    talk.send("setoption name ResignValue value 99999")
    assert "resign" not in [talk.move("go nodes 150") for _ in range(4)]


def test_lower_skill_plays_other_moves(talk):
    talk.send("setoption name SkillLevel value 0")
    moves = {talk.move("usinewgame", "go nodes 100000") for _ in range(12)}
    assert len(moves) > 3


def test_a_debug_log_of_the_command_line_has_every_line(tmp_path):
    path = tmp_path / "usi.log"
    talk = Talk(debug_log=str(path))
    talk.send("usi", "position startpos", "quit")
    talk.close()
    lines = path.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("< usi", "< quit")
    assert "> usiok" in lines


def test_debug_log(tmp_path):
    talk = Talk()
    path = tmp_path / "log.txt"
    talk.send(f"setoption name WriteDebugLog value {path}", "isready", "go nodes 5", "quit")
    talk.close()
    lines = path.read_text().splitlines()
    assert "< isready" in lines
    assert "> readyok" in lines
    assert any(line.startswith("> bestmove") for line in lines)


def test_games_beyond_their_end_go_on(talk):
    """A board may see a repetition otherwise, or not at all."""
    there_and_back = "2h3h 8b7b 3h2h 7b8b " * 4
    assert talk.move(f"position startpos moves {there_and_back}", "go nodes 10") in legal_names(START)
    talk.send("setoption name MaxMovesToDraw value 4")
    assert talk.move("position startpos moves 7g7f 3c3d 2g2f 8c8d", "go nodes 10") != "resign"


def test_options_of_the_rules_hold_from_the_next_search(talk):
    talk.send("position startpos moves 7g7f", "setoption name EnteringKingRule value TryRule")
    assert talk.move("go nodes 5") in legal_names(START, "7g7f")
    assert talk.session._positions.state.game.declaration == "TryRule"


def test_the_documentation_has_every_option():
    text = (Path(__file__).parent.parent / "docs" / "usi.md").read_text(encoding="utf-8")
    for option in option_table().values():
        default = option.format(option.default).replace("<empty>", "empty")
        row = next(line for line in text.splitlines() if line.startswith(f"| `{option.name}`"))
        assert f" | {default} | " in row
        assert option.help in row
