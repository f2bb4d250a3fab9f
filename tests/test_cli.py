"""The command line but for `play`: what is printed where, and with which exit code."""

import json
import os
import sys

import pytest
from cli_runner import TOYS, runner
from rich.console import Console

import tengen
from tengen.cli import bench, main, search_progress
from tengen.games import names
from tengen.nets.importers import importers
from tengen.nets.shipped import find_shipped
from tengen.search import Pool

COMMANDS = ("games", "play", "search", "perft", "bench")


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def run_json(run, *words):
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    assert ran.out.count("\n") == 1
    return json.loads(ran.out)


# Help and version.


def test_version(run):
    assert run("--version").out == f"tengen {tengen.__version__}\n"


def test_help_has_a_line_for_each_command(run):
    ran = run("--help")
    assert ran.code == 0
    for command in COMMANDS:
        assert any(f" {command} " in line for line in ran.out.splitlines())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_gives_examples(run, command):
    ran = run(command, "-h")
    assert ran.code == 0
    assert "Examples:" in ran.out
    assert f"tengen {command}" in ran.out.split("Examples:")[1]


def test_main_survives_a_terminal_without_box_signs(monkeypatch):
    read, write = os.pipe()
    with os.fdopen(write, "w", encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(sys, "argv", ["tengen", "search", "pyrga", "--visits", "2"])
        with pytest.raises(SystemExit) as end:
            main()
    with os.fdopen(read, encoding="ascii") as stream:
        assert "?" in stream.read()
    assert not end.value.code


# games


def test_games_are_listed(run):
    ran = run("games")
    assert (ran.code, ran.err) == (0, "")
    for name in names():
        assert name in ran.out
    for word in ("perfect information", "hidden information", "chance", "simultaneous", "20×4×4", "target=20"):
        assert word in ran.out


def test_games_as_json(run):
    facts = run_json(run, "games")
    assert set(facts) == set(names())
    assert facts["pyrga"]["planes"] == [20, 4, 4]
    assert facts["pyrga"]["settings"]["tie_break"] is False
    assert facts["kuhn_poker"]["nature"] == ["hidden information"]


def test_settings_are_shown_with_the_values_that_hold(run, monkeypatch):
    out = run("games", "matgo", "pyrga").out
    assert "None" not in out
    for text in ("preset=tengen (or kflower, hangame)", "bonus_cards=2 (or 0, 3)", "go_min=7", "tie_break=false"):
        assert text in out
    settings = run_json(run, "games", "matgo")["matgo"]["settings"]
    assert settings == dict(tengen.game("matgo").settings)
    for width in (60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = run("games").out.splitlines()
        assert max(map(len, lines)) <= width
        assert not any("…" in line for line in lines)
        assert {line.split()[0] for line in lines if line.strip()} >= set(names())


def test_games_of_ones_own(run, tmp_path):
    source = TOYS.read_text() + "\n\nclass Needy(TicTacToe):\n    def __init__(self, size: int) -> None: ...\n"
    path = tmp_path / "own.py"
    path.write_text(source)
    duel, needy = f"{path}:Duel", f"{path}:Needy"
    facts = run_json(run, "games", duel, needy)
    assert facts[duel]["nature"] == ["chance", "simultaneous choices", "not zero-sum"]
    assert facts[duel]["planes"] is None
    assert facts[needy] | {"title": ""} == {
        "title": "",
        "players": None,
        "nature": ["depends on its settings"],
        "actions": None,
        "planes": None,
        "settings": {"size": None},
    }
    assert "size=?" in run("games", needy).out


# perft

PERFT = {
    "connect_four": ([7, 49, 343, 2401], ()),
    "go": ([362, 130683], ()),
    "kuhn_poker": ([2, 4, 2, 0], ()),
    "pig": ([1, 6, 11, 41], ()),
    "pyrga": ([96, 2384, 54752], ()),
    "rock_paper_scissors": ([9, 0], ()),
    f"{TOYS}:TicTacToe": ([9, 72, 504, 3024], ()),
    f"{TOYS}:Duel": ([6, 36, 72, 0], ()),
    f"{TOYS}:TicTacToe ": ([5, 20], ("--moves", "0 1, 2 3")),
}


@pytest.mark.parametrize(("game", "expected"), PERFT.items())
def test_perft_counts(run, game, expected):
    counts, words = expected
    rows = run_json(run, "perft", game.strip(), "--depth", len(counts), *words)["depths"]
    assert [row["nodes"] for row in rows] == counts
    assert [row["depth"] for row in rows] == list(range(1, len(counts) + 1))


def test_perft_prints_a_row_a_depth(run):
    ran = run("perft", "connect_four", "-d", 3)
    heading, *rows = ran.out.splitlines()
    assert heading.split() == ["depth", "nodes", "seconds", "nodes/s"]
    assert [row.split()[:2] for row in rows] == [["1", "7"], ["2", "49"], ["3", "343"]]
    assert run_json(run, "perft", "pig", "-d", 0)["depths"][0]["nodes"] == 1


def test_perft_divides(run):
    ran = run("perft", "connect_four", "-d", 3, "--divide", "--moves", "d,d")
    assert ran.out.splitlines()[-1] == "343 in all"
    rows = run_json(run, "perft", "rock_paper_scissors", "-d", 1, "--divide")["moves"]
    assert [row["move"] for row in rows][:2] == ["rock | rock", "rock | paper"]
    assert run_json(run, "perft", "rock_paper_scissors", "-d", 0, "--divide")["moves"] == []


def test_perft_leaves_out_what_is_no_move(run):
    """Shogi's declaration."""
    start = "sfen=+R+R2K2+B1/PPPP+P+P2+B/2+P6/9/9/9/9/9/4k4 b P 1"
    whole = run_json(run, "perft", "shogi", "-d", 1, "--start", start)["depths"][0]["nodes"]
    rows = run_json(run, "perft", "shogi", "-d", 1, "--divide", "--start", start)["moves"]
    assert sum(row["nodes"] for row in rows) == whole == 72
    assert "win" not in [row["move"] for row in rows]


# search


@pytest.mark.parametrize("game", names())
def test_search_shows_board_summary_and_moves(run, game):
    ran = run("search", game, "--visits", 300, "--seed", 1)
    assert ran.code == 0
    needs_network = importers(tengen.game(game)) and find_shipped(tengen.game(game)) is None
    assert ran.err.startswith("tengen: there is no network yet") if needs_network else ran.err == ""
    assert "300 visits" in ran.out
    assert ("±" if game == "matgo" else "policy") in ran.out
    assert "\x1b" not in ran.out
    again = run("search", game, "--visits", 300, "--seed", 1)
    assert [line for line in again.out.splitlines() if " s" not in line] == [
        line for line in ran.out.splitlines() if " s" not in line
    ]


@pytest.mark.parametrize("game", names())
def test_search_as_json(run, game):
    answer = run_json(run, "search", game, "--visits", 200, "--seed", 1)
    assert answer["game"] == game
    assert answer["visits"] == 200
    assert answer["done"] is True
    assert len(answer["values"]) == 2
    for move in answer["moves"]:
        assert {"move", "action", "player", "visits", "value", "values", "prior", "policy", "pv"} <= set(move)
        assert move["pv"][0] == move["move"]


def test_search_from_a_position(run):
    assert run_json(run, "search", "connect_four", "--moves", "d d,c")["played"] == ["d", "d", "c"]
    assert run_json(run, "search", "pyrga", "--moves", "square b2, Ca2")["played"] == ["square b2", "circle a2"]
    assert run_json(run, "search", "pig", "--moves", "roll 4 roll 2 hold")["player"] == 1
    after_joint = run_json(run, "search", f"{TOYS}:Duel", "--moves", "1 | 0", "--visits", 50)
    assert after_joint["played"] == ["1 | 0"]
    assert after_joint["player"] is None
    assert after_joint["value"] is None


def test_search_includes_moves(run):
    words = ("search", "pyrga", "--visits", 200, "--include", "square b2, circle a1", "--include-visits", 25)
    moves = {move["move"]: move for move in run_json(run, *words)["moves"]}
    assert moves["square b2"]["visits"] >= 25
    assert moves["circle a1"]["included"]
    shown = run(*words, "--top", 1).out
    assert "square b2 *" in shown
    assert "visits were guaranteed" in shown
    assert "more moves were visited" in shown


def test_skipped_includes_are_warned_of_on_stderr(run):
    ran = run("search", "connect_four", "--moves", "d d d d d d", "--include", "d a", "--visits", 50, "--json")
    assert ran.code == 0
    assert "skipped" in ran.err
    assert "skipped" in json.loads(ran.out)["warnings"][0]


def test_search_allows_and_avoids(run):
    allowed = run_json(
        run, "search", "connect_four", "--net", "rollout", "--visits", 100, "--allow", "a b", "--until-depth", 3
    )
    assert {move["move"] for move in allowed["moves"]} == {"a", "b"}
    avoided = run_json(
        run, "search", "connect_four", "--net", "rollout", "--visits", 100, "--avoid", "a", "--avoid", "b"
    )
    assert {move["move"] for move in avoided["moves"]} == set("cdefg")


def test_search_where_all_choose(run):
    answer = run_json(run, "search", "rock_paper_scissors", "--viewer", 1, "--include", "rock", "--include-visits", 40)
    assert answer["player"] == 1
    assert "player" in run("search", "rock_paper_scissors").out


def test_search_by_the_clock(run):
    answer = run_json(run, "search", "pyrga", "--seconds", 0.05)
    assert answer["done"] is False
    assert answer["elapsed_s"] >= 0.05


def test_search_proves_and_says_so(run):
    ran = run("search", "connect_four", "--moves", "a b a b a b")
    assert "proven" in ran.out
    assert "a !" in ran.out
    assert run_json(run, "search", "connect_four", "--moves", "a b a b a b")["value"] == 1


def test_search_takes_settings_of_game_and_search(run):
    words = ("--set", "target=30", "--tune", "rule=ucb1", "--tune", "c-ucb1=0.7", "--evaluator", "rollout:2")
    answer = run_json(run, "search", "pig", *words)
    assert answer["settings"] == {"target": 30}
    assert run_json(run, "search", "pyrga", "--tune", "c_puct=1", "--evaluator", "heuristic", "--visits", 20)


def test_search_draws_what_the_player_sees(run):
    out = run("search", "kuhn_poker", "--start", "cards=QJ", "--moves", "pass bet").out
    assert "[Q]" in out
    assert "[J]" not in out


def test_a_module_in_this_folder_is_found(run, tmp_path, monkeypatch):
    (tmp_path / "games_that_lie_here.py").write_text(TOYS.read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert run_json(run, "search", "games_that_lie_here:TicTacToe", "--visits", 50)["visits"] == 50


def test_colors_only_where_wanted(run, monkeypatch):
    assert "\x1b[" not in run("search", "connect_four", "--moves", "d").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[1;34m" in run("search", "connect_four", "--moves", "d").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;34m" not in run("search", "connect_four", "--moves", "d").out


def test_files_are_not_cut_to_a_terminal(run, monkeypatch):
    monkeypatch.delenv("COLUMNS")
    out = run("search", "pyrga", "--visits", 3000, "--seed", 1, "--top", 3).out
    assert max(map(len, out.splitlines())) > 100


def test_long_searches_show_progress(run, monkeypatch):
    shown = Console(force_terminal=True, width=100, stderr=True)
    monkeypatch.setattr(search_progress, "error_console", lambda: shown)
    monkeypatch.setattr(search_progress, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(search_progress, "_GLANCE_S", 0.0)
    ran = run("search", "pyrga", "--visits", 300, "--seconds", 60)
    assert "searching" in ran.err
    assert "searching" not in ran.out


# bench


def test_bench_as_json(run):
    answer = run_json(run, "bench", "kuhn_poker", f"{TOYS}:Duel", "--seconds", 0.01, "--tune", "visits=20")
    assert answer["machine"]["tengen"] == tengen.__version__
    assert len(answer["games"]) == 2
    for facts in answer["games"].values():
        assert len(facts) == 11
        assert all(number > 0 for number in facts.values())


def test_bench_shows_progress(run, monkeypatch):
    monkeypatch.setattr(bench, "error_console", lambda: Console(force_terminal=True, width=100, stderr=True))
    ran = run("bench", "kuhn_poker", "--seconds", 0.01, "--tune", "visits=20")
    assert "kuhn_poker: " in ran.err
    assert "kuhn_poker: " not in ran.out


def test_bench_as_table(run):
    ran = run("bench", "pig", "--seconds", 0.01, "--tune", "visits=50")
    assert ran.err == ""
    assert "visits/s, rollout, 1,024 roots" in ran.out
    assert "bytes a node" in ran.out
    assert " M" in ran.out


# Errors

ERRORS = [
    (("search", "conect_four"), "Did you mean 'connect_four'?"),
    (("play", "nothing_like_it"), "There are: connect_four"),
    (("perft", "nofile.py:Nim"), "no file"),
    (("bench", "nomodule:Nim"), "nomodule"),
    (("games", f"{TOYS}:Chess"), "no game 'Chess' there"),
    (("search", "pyrga", "--set", "size=5"), "no setting 'size'"),
    (("search", "pyrga", "--set", "tie_break"), "KEY=VALUE"),
    (("search", "pyrga", "--set", "tie_break=maybe"), "'maybe' does not fit"),
    (("search", "pig", "--set", "target=0"), "target must be"),
    (("search", "kuhn_poker", "--start", "cards=QQ"), "no deal"),
    (("search", "kuhn_poker", "--start", "deck=QQ"), "no setting 'deck'"),
    (("search", "connect_four", "--moves", "d x"), "move 2, 'x'"),
    (("perft", "connect_four", "--moves", "d d d d d d d"), "move 7, 'd': action 3 (d) is illegal"),
    (("search", "connect_four", "--moves", "d|d"), "only player 0 acts"),
    (("search", "rock_paper_scissors", "--moves", "rock"), "all 2 players act at once"),
    (("search", "connect_four", "--moves", "a b a b a b a"), "over"),
    (("search", "pig", "--moves", "roll"), "chance is to act"),
    (("search", "connect_four", "--include", "z"), "'z'"),
    (("search", "connect_four", "--allow", "a", "--avoid", "b"), "can't be used together"),
    (("search", "rock_paper_scissors", "--include", "rock"), "--viewer"),
    (("search", "kuhn_poker", "--viewer", 7), "viewer 7"),
    (("search", "connect_four", "--evaluator", "magic"), "no evaluator is called 'magic'"),
    (("play", "pig", "--evaluator", "heuristic"), "no heuristic"),
    (("search", "connect_four", "--evaluator", "none.onnx"), "no network file"),
    (("search", "connect_four", "--tune", "speed=3"), "no setting 'speed'"),
    (("search", "pig", "--tune", "solve=yes"), "solve needs"),
    (("bench", "pig", "--tune", "c_puct=-1"), "c_puct is -1"),
    (("search", "pig", "--seconds", 0), "--seconds is 0"),
    (("play", "pig", "--seconds", -1), "--seconds is -1"),
    (("bench", "pig", "--seconds", 0), "--seconds is 0"),
    (("play", "pig", "--visits", 1), "at least 2 visits"),
    (("play", "pig", "--seat", 2), "seats 0, 1"),
    (("play", "pig", "--seat", "me"), "--seat is 'me'"),
]


@pytest.mark.parametrize(("words", "text"), ERRORS, ids=lambda part: " ".join(map(str, part))[-50:] if part else "")
def test_errors_are_one_line_on_stderr(run, words, text):
    ran = run(*words)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("tengen: ")
    assert ran.err.count("\n") == 1
    assert text in ran.err


@pytest.mark.parametrize("words", ["search", "search pig --visits 0", "fly", "perft pig -d x"])
def test_wrong_usage(run, words):
    ran = run(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err


def test_a_game_that_turns_out_incomplete(run, tmp_path):
    path = tmp_path / "half.py"
    path.write_text(TOYS.read_text() + "\n\nclass Half(TicTacToe):\n    hidden = True\n")
    ran = run("search", f"{path}:Half")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "tengen: half is declared hidden: write redeal(position, viewer, rng)\n"


def test_interrupts_leave_with_130(run, monkeypatch):
    def interrupt(pool):
        raise KeyboardInterrupt

    monkeypatch.setattr(Pool, "step", interrupt)
    ran = run("search", "pig")
    assert (ran.code, ran.out, ran.err) == (130, "", "")
