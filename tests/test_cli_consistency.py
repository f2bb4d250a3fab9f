"""Options that mean the same in every command have the same names in all of them, and take the same values."""

import json
import subprocess
import sys

import pytest
from cli_runner import Ran, runner

from tengen.cli.app import app
from tengen.cli.commands import COMMANDS, Group
from tengen.console.option_names import ALIASES, NET_NAMES, VISITS_NAMES

NAMES = [
    (name, *more)
    for name, command in COMMANDS.items()
    for more in (((verb,) for verb in command.commands) if isinstance(command, Group) else ((),))
]
FAMILIES = {"net": NET_NAMES, "visits": VISITS_NAMES}
# Enough words for each command to get as far as its network.
WITH_NET = {
    ("play",): ("play", "pyrga"),
    ("search",): ("search", "pyrga"),
    ("analyze",): ("analyze", "pyrga"),
    ("analysis",): ("analysis",),
    ("gtp",): ("gtp",),
    ("usi",): ("usi",),
    ("csa",): ("csa", "--host", "127.0.0.1", "--port", "1", "--name", "x", "--password", "x", "--games", "1"),
    ("review",): ("review", "game.sgf"),
    ("selfplay",): ("selfplay", "pyrga", "--out", "games.npz"),
    ("net", "check"): ("net", "check", "features.json"),
}


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.sgf").write_text("(;GM[1]FF[4]SZ[9];B[ee];W[cc])", encoding="utf-8")
    (tmp_path / "features.json").write_text("{}", encoding="utf-8")
    return runner(monkeypatch, capsys)


def run_process(*words):
    """Run a command in a process of its own, without input."""
    command = [sys.executable, "-c", "import tengen.cli; tengen.cli.main()", *words]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


def options_of(words):
    command = app
    for word in words:
        command = command.commands[word]
    return [param for param in command.load().params if param.param_type_name == "option"]


def has(words, family):
    return any(set(FAMILIES[family]) & set(option.opts) for option in options_of(words))


@pytest.mark.parametrize("words", NAMES, ids=" ".join)
def test_every_name_of_an_option_is_known_wherever_one_is(words):
    for names in FAMILIES.values():
        for option in options_of(words):
            if set(option.opts) & set(names):
                assert set(option.opts) >= set(names)
                assert option.opts[0] == names[0], "help shows the first name"


@pytest.mark.parametrize("words", NAMES, ids=" ".join)
def test_names_that_are_aliases_are_not_shown(run, words):
    ran = run(*words, "--help")
    assert ran.code == 0
    listed = {
        word for line in ran.out.splitlines() if line.startswith("  -") for word in line.replace(",", " ").split()
    }
    assert not listed & ALIASES
    for family, names in FAMILIES.items():
        assert (names[0] in listed) == has(words, family)


@pytest.mark.parametrize("words", NAMES, ids=" ".join)
def test_a_parameter_is_called_as_its_option(words):
    """The parameters of commands have the names of their options."""
    for family, names in FAMILIES.items():
        for option in options_of(words):
            if names[0] in option.opts:
                assert option.name in (family, "evaluator")


def test_all_commands_with_a_network_are_tried():
    assert set(WITH_NET) == {words for words in NAMES if has(words, "net")}


@pytest.mark.parametrize("name", NET_NAMES)
@pytest.mark.parametrize("words", WITH_NET.values(), ids=lambda words: words[0])
def test_a_network_that_is_not_there_is_refused_in_every_command(run, words, name):
    # `tengen usi` opens its network when its input needs it, and reads the input of its own process.
    ran = (run_process if words == ("usi",) else run)(*words, name, "magic")
    assert (ran.code, ran.out) == (2, "")
    assert "magic" in ran.err
    assert "No such option" not in ran.err


@pytest.mark.parametrize("name", VISITS_NAMES)
@pytest.mark.parametrize("words", [words for words in NAMES if has(words, "visits")], ids=" ".join)
def test_no_search_has_fewer_visits_than_one(run, words, name):
    rest = {"review": ("game.sgf",), "gtp": (), "selfplay": ("pyrga", "--out", "x.npz")}.get(words[0], ("pyrga",))
    more = ("--run", "run") if words[0] == "learn" else ()
    ran = run(*words, *rest, *more, name, "0")
    assert ran.code == 2
    assert "No such option" not in ran.err


def test_both_names_of_visits_give_the_same_search(run):
    words = ("search", "pyrga", "--net", "uniform", "--seed", 1, "--json")
    found = [json.loads(run(*words, name, 30).out) for name in VISITS_NAMES]
    assert found[0]["visits"] == 30
    assert found[0]["moves"] == found[1]["moves"]


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("search", "pyrga", "--solve"), "solve is a search setting, --tune solve=true"),
        (("play", "pyrga", "--solve"), "solve is a search setting, --tune solve=true"),
        (("selfplay", "pyrga", "--c-puct", "2"), "c_puct is a search setting, --tune c_puct=VALUE"),
        (("bench", "--solve"), "--tune solve=true"),
        (("arena", "pyrga", "--solve"), "as in rollout:1000,solve=true"),
        (("evaluate", "pyrga", "--c-puct=2"), "as in rollout:1000,c_puct=VALUE"),
    ],
)
def test_search_settings_as_options_are_explained(run, words, advice):
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert advice in ran.err
    assert "Possible options" not in ran.err


def test_what_is_advised_works(run):
    assert run("search", "connect_four", "--tune", "solve=true", "--visits", 20).code == 0


def test_an_unknown_option_is_answered_as_before(run):
    assert "Possible options" in run("search", "pyrga", "--sed", 1).err
