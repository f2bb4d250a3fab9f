"""Games of one's own: files, what is wrong with them in one line, a template to begin with, games of other packages."""

import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import runner

import tengen
from tengen.games import BrokenGame, find, names, registry

HEAD = "from toy_games import Duel, TicTacToe\nfrom tengen import Game\n"
LACKING = "class Mine(Game):\n    action_count = 2\n\n    def legal(self, position, player):\n        return [0]\n"


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def write(text, name="mine.py"):
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_the_only_game_of_a_file_needs_no_name(run):
    write(HEAD + "class Mine(TicTacToe):\n    title = 'My own'\n")
    assert tengen.game("mine.py").title == "My own"
    ran = run("search", "mine.py", "--visits", "20", "--json")
    assert (ran.code, ran.err) == (0, "")


def test_of_several_games_one_must_be_named(run):
    write(HEAD + "class Mine(TicTacToe): ...\nclass Yours(Duel): ...\n", "two.py")
    ran = run("search", "two.py")
    assert ran.code == 2
    assert "'two.py' has 2 games (Mine, Yours): name one, as in two.py:Mine" in ran.err
    assert run("search", write("x = 1\n", "none.py")).err.startswith("tengen: 'none.py' has no games")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("syntax.py", "x = 1\nclass Mine(Game:\n", "syntax.py:2: SyntaxError: "),
        ("missing.py", "import tengen\nimport no_such_package\n", "missing.py:2: ModuleNotFoundError: No module named"),
        ("early.py", "x = 1\ny = x[0]\n", "early.py:2: TypeError: 'int' object is not subscriptable"),
        ("lacking.py", HEAD + LACKING, "lacking.py:3: class Mine lacks actor, apply, initial, payoff"),
        (
            "countless.py",
            HEAD + LACKING.replace("    action_count = 2\n", "") + "    actor = apply = initial = payoff = legal\n",
            "countless.py:3: class Mine lacks action_count",
        ),
    ],
)
def test_what_is_wrong_with_a_file_takes_one_line(run, name, text, told):
    write(text, name)
    for command in ("search", "check", "play"):
        ran = run(command, name)
        assert ran.code == 2
        assert ran.out == ""
        assert ran.err.startswith(f"tengen: {told}")
        assert ran.err.count("\n") == 1


FAULTS = {
    "initial": "        return {}['x']\n",
    "legal": "        return [self.nothing]\n",
    "apply": "        return position[100]\n",
    "payoff": "        return 1 / 0\n",
}


@pytest.mark.parametrize("hook", FAULTS)
def test_faults_in_the_rules_take_one_line(run, hook):
    arguments = {"initial": "rng", "legal": "position, player", "apply": "position, action", "payoff": "position"}[hook]
    name = write(HEAD + f"class Mine(TicTacToe):\n    def {hook}(self, {arguments}):\n{FAULTS[hook]}", f"{hook}_.py")
    for command in (("search", name, "--visits", "2000"), ("check", name)):
        ran = run(*command)
        assert ran.code in (1, 2)
        assert ran.err.startswith(f"tengen: {name}:5: ")
        assert f", in {hook}()" in ran.err
        assert ran.err.count("\n") == 1


def test_a_fault_can_be_seen_whole(run, monkeypatch):
    write(HEAD + "class Mine(TicTacToe):\n    def payoff(self, position):\n        return 1 / 0\n", "whole.py")
    monkeypatch.setenv("TENGEN_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        run("check", "whole.py")


def test_faults_of_ours_are_not_called_the_game_s(run, monkeypatch):
    monkeypatch.setattr("tengen.cli.check.check_conformance", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run("check", "pig")


def test_check_tells_what_it_tried(run):
    ran = run("check", "connect_four", "--games", "3")
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "Connect Four keeps the contract."
    assert "connect_four: 3 games" in ran.out


def test_check_tells_the_first_fault_and_where(run):
    lopsided = "class Mine(TicTacToe):\n    def payoff(self, position):\n        return (1, 0)\n"
    ran = run("check", write(HEAD + lopsided, "lopsided.py"))
    assert ran.code == 1
    assert "do not add up to 0" in ran.err
    assert "history" in ran.out


# A template.


@pytest.mark.slow
def test_a_new_game_works_from_the_first_minute(run, tmp_path):
    ran = run("new", "game", "MyHex")
    assert ran.code == 0
    assert "tengen check my_hex.py" in ran.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my_hex.py", "test_my_hex.py"]
    assert "My Hex keeps the contract." in run("check", "my_hex.py").out
    assert run("search", "my_hex.py", "--visits", "50").code == 0
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_hex.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "3 passed" in done.stdout, done.stdout


def test_a_new_game_overwrites_nothing(run, tmp_path):
    write("mine", "test_hex.py")
    ran = run("new", "game", "hex")
    assert (ran.code, ran.out) == (2, "")
    assert "test_hex.py is there already" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["test_hex.py"]
    assert (tmp_path / "test_hex.py").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "a/b", "1st", "class", "../up", "pyrga", "a.b", "-"])
def test_names_that_no_game_can_have(run, tmp_path, name):
    ran = run("new", "game", "--", name)
    assert ran.code == 2
    assert repr(name) in ran.err
    assert list(tmp_path.iterdir()) == []


# Games of other packages.


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a package with an entry point where Python looks for installed ones."""
    site = tmp_path / "site"
    site.mkdir()
    for name in names():
        find(name)  # what is imported while the registry is another's would be unknown afterwards
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))

    def make(name, value, text):
        (site / f"{value.partition(':')[0]}.py").write_text(text)
        info = site / f"{name}_pack-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-pack\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[tengen.games]\n{name} = {value}\n")

    return make


def test_games_of_installed_packages_are_found(install, run):
    install("hexagon", "hexagon_game:Hexagon", HEAD + "class Hexagon(TicTacToe):\n    title = 'Hexagon'\n")
    assert "hexagon" in names()
    assert tengen.game("hexagon").title == "Hexagon"
    assert "hexagon" in run("games").out
    assert run("search", "hexagon", "--visits", "10").code == 0


@pytest.mark.parametrize(
    ("value", "text", "told"),
    [
        ("bad_one:Bad", "1 / 0\n", "'bad' of package 'bad-pack' does not load: ZeroDivisionError"),
        ("bad_two:Bad", "Bad = 3\n", "bad_two:Bad is no subclass of tengen.Game"),
        ("bad_three:Other", HEAD + "class Other(TicTacToe): ...\n", "its class has the id 'other'"),
    ],
)
def test_a_broken_package_leaves_the_others_alone(install, run, value, text, told):
    install("bad", value, text)
    ran = run("games")
    assert ran.code == 0
    assert "pyrga" in ran.out
    assert told in ran.err
    with pytest.raises(BrokenGame, match="package 'bad-pack'"):
        find("bad")
    assert run("search", "bad").code == 2


def test_a_long_check_shows_how_far_it_is(run, monkeypatch):
    monkeypatch.setattr("tengen.console.progress._SOON_S", 0.0)
    write(HEAD + "class Mine(TicTacToe): ...\n")
    ran = run("check", "mine.py", "--games", "3")
    assert ran.code == 0
    assert "games: 0 of 3, 1 states" in ran.err
