"""Go where nobody names a network: the newest in the store, else random games and where networks come from."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import runner
from katago_samples import sample, write_file

import tengen
from tengen.evaluators import choose_evaluator
from tengen.nets import store
from tengen.nets.katago import KataGo
from tengen.nets.store import add_network, newest_network

GO = tengen.game("go", size=5)
WHERE = "katagotraining.org"


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.sgf").write_bytes(b"(;SZ[5];B[cc];W[bb])")
    return runner(monkeypatch, capsys)


@pytest.fixture
def networks(run, tmp_path, monkeypatch):
    """Two, of which `late` was added after `early`."""
    for day, name in enumerate(("late", "early")):
        stored = add_network(write_file(tmp_path / f"{name}.bin.gz", sample(9, seed=day)))
        facts = json.loads((store.folder() / f"{name}.json").read_text(encoding="utf-8"))
        facts["added"] = f"2026-01-0{2 - day}T00:00:00+00:00"
        (store.folder() / f"{stored.name}.json").write_text(json.dumps(facts), encoding="utf-8")


def test_without_networks_random_games_judge(run):
    assert newest_network(GO) is None
    assert choose_evaluator(None, GO).evaluator == "rollout"


def test_the_newest_network_is_the_default(networks):
    assert newest_network(GO).name == "late"
    chosen = choose_evaluator(None, GO)
    assert (chosen.evaluator, chosen.visits) == ("katago:late", 500)
    assert tengen.search(GO.start(), visits=4).visits == 4
    with tengen.Engine(GO) as engine:
        assert isinstance(engine.evaluator, KataGo)
        assert engine.net_name == "katago:late"
    # A name that is given counts, and the network is for its own game only.
    assert choose_evaluator("rollout", GO).evaluator == "rollout"
    assert newest_network(tengen.game("kuhn_poker")) is None
    assert choose_evaluator(None, tengen.game("kuhn_poker")).evaluator == "rollout"


COMMANDS = {
    "search": ["search", "go", "--set", "size=5", "--visits", "8"],
    "analyze": ["analyze", "go"],
    "gtp": ["gtp", "--visits", "4", "--threads", "1"],
    "review": ["review", "game.sgf", "--visits", "12", "--force"],
}


@pytest.mark.parametrize("command", ["search", "review"])
def test_commands_say_what_judges(run, networks, command):
    ran = run(*COMMANDS[command])
    assert ran.code == 0, ran.err
    assert "tengen: the network is late, the newest of 2 in `tengen net list`" in ran.err
    assert WHERE not in ran.err


@pytest.mark.parametrize("command", ["search", "review"])
def test_commands_say_where_networks_come_from_and_go_on(run, command):
    ran = run(*COMMANDS[command])
    assert ran.code == 0, ran.err
    for words in ("random games", WHERE, "*.bin.gz", "`tengen net add FILE`"):
        assert words in ran.err
    assert ran.out


def test_who_names_an_evaluator_is_told_nothing(run, networks):
    assert run(*COMMANDS["search"], "--evaluator", "rollout").err == ""
    assert run("search", "connect_four", "--visits", "8").err == ""


def test_play_tells_it_before_the_game(run, networks):
    words = ["play", "go", "--set", "size=5", "--visits", 4]
    assert "The network is late, the newest of 2" in run(*words, typed="quit\n").out
    assert "network" not in run(*words, "--evaluator", "rollout", typed="quit\n").out


def test_play_without_a_network_plays(run):
    ran = run("play", "go", "--set", "size=5", "--visits", 40, typed="C3\nquit\n")
    assert ran.code == 0
    assert WHERE in ran.out
    assert "The computer plays" in ran.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "asked", "answer"),
    [
        ("gtp", "boardsize 5\ngenmove b\nquit\n", "= "),
        (
            "analyze",
            '{"id":"a","moves":[],"rules":"chinese","boardXSize":5,"boardYSize":5,"maxVisits":8}\n',
            '"moveInfos"',
        ),
    ],
)
def test_programs_that_start_us_without_a_network_are_served(command, asked, answer, tmp_path):
    program = Path(sys.executable).with_name("tengen")
    done = subprocess.run(
        [program, *COMMANDS[command]],
        input=asked,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=os.environ | {"TENGEN_DATA": str(tmp_path)},
    )
    assert answer in done.stdout
    assert WHERE in done.stderr
    assert WHERE not in done.stdout
