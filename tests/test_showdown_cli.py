"""`tengen showdown` as people call it, and matches against poke-env's players."""

import asyncio
import functools
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from cli_runner import runner
from showdown_peers import LOGS, SHORT, FakeShowdown

from tengen.protocols.showdown.recording import BattleResult, read_results
from tengen.protocols.showdown.server_match import MatchSummary, opponent_name, played_before
from tengen.protocols.showdown.settings import ShowdownSettings

needs_poke_env = pytest.mark.skipif(importlib.util.find_spec("poke_env") is None, reason="poke-env is not installed")
OUTCOME = "win" if "|win|A" in LOGS[SHORT]["p1"] else "loss"


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TENGEN_SHOWDOWN", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return runner(monkeypatch, capsys)


def test_battles_are_played_and_counted(run, tmp_path):
    with FakeShowdown() as server:
        args = ("--server", server.url, "--name", "ours", "--challenge", "theirs", "--battles", "2")
        result = run("showdown", *args, "--player", "random", "--log", "log.txt")
    assert result.code == 0
    assert "2 battles: " in result.out
    assert [one.outcome for one in read_results(tmp_path / "showdown-battles")] == [OUTCOME] * 2
    assert "against theirs" in (tmp_path / "log.txt").read_text()


def test_the_ladder_as_json(run):
    with FakeShowdown() as server:
        result = run("showdown", "--server", server.url, "--ladder", "1", "--player", "max-power", "--json")
    answer = json.loads(result.out)
    assert (answer["battles"], answer["abandoned"], answer["invalid"]) == (1, 0, 0)
    assert answer[OUTCOME] == 1


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ((), "one of --challenge, --accept, --ladder, --opponent and --serve is needed"),
        (("--accept", "--ladder", "3"), "one of --challenge, --accept"),
        (("--accept", "--name", "a|b"), "the name 'a|b' won't do"),
        (("--accept", "--server", "http://x"), "the server 'http://x' won't do"),
        (("--accept", "--player", "oracle"), "no player of battles is called 'oracle'"),
        (("--opponent", "showdown:Champion"), "poke-env has no player 'Champion'"),
        (("--opponent", "oracle"), "no player of battles is called 'oracle'"),
        (("--opponent", "random", "--package", "/nowhere"), "was looked for in /nowhere"),
        (("--challenge", "tengen"), "one can't challenge oneself"),
    ],
)
def test_what_does_not_fit(more, text, run):
    result = run("showdown", *more)
    assert result.code == 2
    assert text in result.err


def test_battles_need_a_folder(run, tmp_path):
    (tmp_path / "file").touch()
    ran = run("showdown", "--accept", "--records", tmp_path / "file")
    assert ran.code == 2
    assert f"--records {tmp_path / 'file'}: no folder for battles can be made there: File exists" in ran.err


def test_a_refused_name_has_an_exit_code_of_its_own(run):
    with FakeShowdown(refuse_name="ours") as server:
        result = run("showdown", "--server", server.url, "--name", "ours", "--accept")
    assert result.code == 3
    assert "refuses the name" in result.err


@pytest.fixture
def nobody(monkeypatch):
    """An address of this machine at which nobody listens; neither pauses nor opponents are allowed."""

    def refuse(*_):
        raise AssertionError("something was started or waited for although no server is there")

    monkeypatch.setattr("tengen.protocols.showdown.client.random.uniform", refuse)
    monkeypatch.setattr("tengen.protocols.showdown.server_match.PokeEnvOpponent", refuse)
    monkeypatch.setattr("tengen.protocols.showdown.server_match.check_poke_env", lambda: None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        yield free.getsockname()[1]


@pytest.mark.parametrize(
    "way",
    [
        ("--accept",),
        ("--ladder", "2"),
        ("--challenge", "friend", "--json"),
        ("--opponent", "showdown:Random"),
        ("--opponent", "random", "--json"),
    ],
)
def test_a_server_that_is_not_there_is_said_at_once(way, run, nobody):
    result = run("showdown", "--server", f"ws://127.0.0.1:{nobody}/showdown/websocket", "--player", "random", *way)
    assert result.code == 1
    assert f"nobody listens at 127.0.0.1:{nobody}" in result.err
    assert f"tengen showdown --serve {nobody}" in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


def test_a_host_that_is_not_known_is_said(run, monkeypatch):
    async def fail(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr("tengen.protocols.showdown.reaching.asyncio.open_connection", fail)
    result = run("showdown", "--server", "ws://nowhere.invalid/showdown/websocket", "--opponent", "random")
    assert result.code == 1
    assert "the host 'nowhere.invalid' is not known" in result.err


def test_a_server_that_is_lost_later_is_said(run, monkeypatch):
    monkeypatch.setattr("tengen.cli.showdown.ShowdownSettings", functools.partial(ShowdownSettings, tries=2))

    async def leave(server, *_):
        server._loop.call_soon(server._stop.set)
        return True

    with FakeShowdown(on_choice=leave) as server:
        result = run("showdown", "--server", server.url, "--challenge", "theirs", "--player", "random")
    assert result.code == 1
    assert "is lost after 2 tries" in result.err


def test_without_poke_env_its_players_say_so(run, monkeypatch):
    monkeypatch.setattr("tengen.protocols.showdown.opponents.importlib.util.find_spec", lambda name: None)
    result = run("showdown", "--opponent", "showdown:Random")
    assert result.code == 2
    assert "need the package poke-env: pip install 'tengen-games[showdown]'" in result.err


def test_a_match_of_two_of_ours_goes_on_where_it_stopped(run, tmp_path):
    with FakeShowdown() as server:
        args = ("showdown", "--server", server.url, "--opponent", "random", "--player", "max-power", "--at-once", "2")
        assert run(*args, "--battles", "2").code == 0
        result = run(*args, "--battles", "3", "--json")
        assert len(server.battles) == 3
    assert "2 battles of the two are in showdown-battles already, 1 are left" in result.err
    answer = json.loads(result.out)
    assert (answer["battles"], answer["player"], answer["opponent"]) == (3, "max-power", "random")
    assert len(played_before(tmp_path / "showdown-battles", "max-power", "random")) == 3
    assert played_before(tmp_path / "showdown-battles", "max-power", "matchup") == []


async def _in_step(server, socket, battle, side, choice):
    """Our side, the faster one, waits for the other's choices."""
    other = battle.sides["random"]
    while side is not other and not other.is_over and len(other.choices) < len(side.choices):
        await asyncio.sleep(0.005)
    return False


@needs_poke_env
@pytest.mark.slow
def test_a_match_against_one_of_poke_envs_players(run, tmp_path):
    with FakeShowdown(on_choice=_in_step) as server:
        args = ("--player", "max-power", "--opponent", "showdown:Random", "--battles", "2", "--at-once", "2")
        result = run("showdown", "--server", server.url, *args)
        sides = [battle.sides["random"] for battle in server.battles.values()]
    assert result.code == 0, result.err
    assert "2 battles: " in result.out
    assert all(len(side.choices) > 10 for side in sides)
    # The battle is a recorded one, whatever is chosen: poke-env may find that nothing fits, but not always.
    assert all(any(choice.startswith("move ") for choice in side.choices) for side in sides)


@pytest.mark.slow
def test_ctrl_c_ends_it_and_keeps_the_record(tmp_path):
    with FakeShowdown(logs=[3], on_choice=_dawdle) as server:
        command = [sys.executable, "-m", "tengen", "showdown", "--server", server.url, "--challenge", "theirs"]
        process = subprocess.Popen([*command, "--player", "random"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        while server.choices < 2:
            assert process.poll() is None
            time.sleep(0.01)
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(process.pid, number)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "1 abandoned" in out
    assert [one.outcome for one in read_results(tmp_path / "showdown-battles")] == ["abandoned"]


async def _dawdle(server, socket, battle, side, choice):
    await asyncio.sleep(0.2)
    return False


def test_a_summary():
    results = [BattleResult("r", "o", "p", outcome, 10, 20, seconds=2.0) for outcome in ["win"] * 3 + ["loss", "tie"]]
    summary = MatchSummary((*results, BattleResult("r", "o", "p", "abandoned")))
    assert summary.battles == 5
    assert summary.score.value == 0.7
    assert 0.25 < summary.score.low < 0.7 < summary.score.high < 0.95
    assert str(summary).startswith("5 battles: +3 =1 -1, 70.0 % (")
    assert "100 ms a choice" in str(summary)
    assert MatchSummary(()).score.high == 1
    assert "%" not in str(MatchSummary(()))
    assert str(MatchSummary((BattleResult("r", "o", "p", "abandoned"),))) == (
        "no battle was played to its end, 1 abandoned"
    )


@pytest.mark.parametrize(
    ("spec", "name"),
    [("showdown:SimpleHeuristics", "SimpleHeuristics"), ("pokemon-seed:100", "pokemon seed 100"), ("x" * 30, "x" * 18)],
)
def test_names_of_opponents(spec, name):
    assert opponent_name(spec) == name
