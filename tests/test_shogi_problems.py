"""Mate problems: those in the box, files, what a move is good for, the defence; and a person at the terminal."""

import pytest
from cli_runner import runner

import tengen
from tengen.games import GameError
from tengen.games.shogi.mate import MateSolver
from tengen.games.shogi.problems import BUILT_IN
from tengen.games.shogi.records import new_record, save_records

SHOGI = tengen.game("shogi")
THREE = "9/8k/8b/7R1/9/7p1/9/9/9 b SLrb4g3s4n3l17p 1"
"""S*2a, K1a, L*1b."""


@pytest.fixture(scope="module")
def built_in():
    return SHOGI.open_problems(BUILT_IN)


@pytest.fixture
def three(tmp_path):
    path = tmp_path / "three.sfen"
    path.write_text(f"# a problem\nsfen {THREE}\n\n")
    return path


def test_those_in_the_box_get_harder(built_in):
    plies = [len(built_in.solution(built_in.start(number))) for number in range(len(built_in))]
    assert plies == sorted(plies)
    assert plies[0] == 1
    assert plies[-1] >= 5
    assert "mates in 1 plies" in built_in.task(0)


@pytest.mark.slow
def test_those_in_the_box_have_one_solution_and_white_has_the_rest(built_in):
    for number in range(len(built_in)):
        state = built_in.start(number)
        layout = SHOGI.layout(state)
        assert sum(piece != 0 for piece in layout.board) + sum(layout.hands) == 39
        while not state.is_over:
            keeping = [action for action in state.legal() if built_in.judge(state, action).keeps]
            assert len(keeping) == 1, (number, SHOGI.sfen(state))
            state = state.play(keeping[0])
            state = state if state.is_over else state.play(built_in.defend(state))
        assert SHOGI.end(state) == "no moves"
        assert not any(SHOGI.layout(state).hands[:7])


def test_what_a_move_is_good_for(three):
    problems = SHOGI.open_problems(str(three))
    state = problems.start(0)
    assert problems.task(0) == "Problem 1 of 1: Black mates in 3 plies, with check all the way."
    good, quiet, wrong = (problems.judge(state, SHOGI.parse(move, state)) for move in ("S*2a", "L*5e", "2d2b+"))
    assert (good.keeps, good.text) == (True, "the mate is still there, in 2 plies")
    assert (quiet.keeps, quiet.text) == (False, "that gives no check")
    assert wrong.keeps is False
    assert wrong.text.startswith("that lets the king get away: ")
    after = state.play("S*2a")
    answer = problems.defend(after)
    assert SHOGI.name(problems.solution(after.play(answer))[0]) == "L*1b"


def test_the_defence_gets_away_where_it_can(three):
    problems = SHOGI.open_problems(str(three))
    after = problems.start(0).play("2d2b+")
    assert not problems.solution(after.play(problems.defend(after)))


def test_mates_are_the_shortest():
    """The solver by itself finds a longer one here, or may."""
    nine = "pr1k4b/1Ppp1+B1gl/5s2p/1p5p1/S1Ggpp1n1/S4np1P/3GKP2L/L1P1L1R2/2+n3SN1 b P4p 1"
    problems = SHOGI.open_problems(BUILT_IN)
    line = problems.solution(SHOGI.start(sfen=nine))
    bounded = tengen.game("shogi", max_plies=len(line) - 2)
    assert len(line) <= 9
    assert MateSolver(4).solve(bounded.start(sfen=nine)).is_mate is False


def test_records_are_problems_too(tmp_path):
    save_records(new_record([], start=THREE), tmp_path / "problem.kif")
    assert len(SHOGI.open_problems(str(tmp_path / "problem.kif")).solution(SHOGI.start(sfen=THREE))) == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "holds no position"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", "problem 1: no mate is proven"),
        ("hello", "no SFEN"),
        (None, "can't be read"),
    ],
)
def test_what_is_no_problem_is_named(tmp_path, text, reason):
    path = tmp_path / "problems.sfen"
    if text is not None:
        path.write_text(text)
    with pytest.raises(GameError, match=reason):
        SHOGI.open_problems(str(path)).start(0)
    with pytest.raises(GameError, match="has no problems"):
        tengen.game("connect_four").open_problems("mate")


def test_at_the_terminal(monkeypatch, capsys, three):
    run = runner(monkeypatch, capsys)
    ran = run("play", "shogi", "--problem", three, typed="2d2b+\nundo\nhint\nS*2a\nreview\nL*1b\nnew\nquit\n")
    said = " ".join(ran.out.split())
    assert ran.code == 0
    assert "Problem 1 of 1: Black mates in 3 plies" in said
    assert "That lets the king get away" in said
    assert "`undo` takes it back" in said
    assert "S*2a 1b1a L*1b" in said
    assert "The mate is still there, in 2 plies." in said
    assert "You win. Solved. `new` brings the next problem." in said
    ran = run("play", "shogi", "--problem", three, "--lang", "ja", typed="L*5e\nresign\nquit\n")
    assert "3手詰" in ran.out
    assert "王手ではない" in ran.out
    assert "不正解" in ran.out


def test_the_command_says_what_does_not_fit(monkeypatch, capsys, three):
    run = runner(monkeypatch, capsys)
    ran = run("play", "shogi", "--problem", three, "--seat", "1")
    assert ran.code == 2
    assert "--problem brings positions" in " ".join(ran.err.split())
    ran = run("play", "shogi", "--problem", "nowhere.sfen")
    assert ran.code == 2
    assert "can't be read" in " ".join(ran.err.split())
    ran = run("play", "pyrga", "--problem", "mate")
    assert ran.code == 2
    assert "pyrga has no problems" in " ".join(ran.err.split())
