"""`tengen csa` as people call it."""

import os
import signal
import subprocess
import sys

import pytest
from cli_runner import runner
from csa_peers import ScriptedServer, until
from csa_referee import Referee

from tengen.games.shogi.records import load_record
from tengen.protocols.csa import StopRequest

QUICK = ("--net", "rollout", "--option", "NodesLimit=1")


@pytest.fixture(autouse=True)
def state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("TENGEN_CSA_PASSWORD", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def arguments(server, *more):
    return ["csa", "--host", "127.0.0.1", "--port", str(server.port), "--name", "ours", *QUICK, *more]


def refuse(peer):
    peer.expect("LOGIN ours floodgate-300-10F,hush")
    peer.send("LOGIN:incorrect")


@pytest.mark.parametrize("how", ["option", "file", "environment"])
def test_a_refused_login_has_an_exit_code_of_its_own(how, run, tmp_path, monkeypatch):
    (tmp_path / "pw").write_text("hush\n")
    more = {"option": ["--password", "hush"], "file": ["--password-file", "pw"], "environment": []}[how]
    if how == "environment":
        monkeypatch.setenv("TENGEN_CSA_PASSWORD", "hush")
    with ScriptedServer(refuse) as server:
        result = run(*arguments(server, *more, "--log", "log.txt"))
    assert result.code == 3
    assert "refused the login of ours" in result.err
    assert "hush" not in result.out + result.err + (tmp_path / "log.txt").read_text()


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ((), "a password is needed"),
        (("--password", "a b"), "the password won't do"),
        (("--password", "x", "--password-file", "y"), "give one of them"),
        (("--password-file", "missing"), "missing"),
        (("--password", "x", "--game", "a b"), "the game 'a b' won't do"),
        (("--password", "x", "--keep-alive", "5"), "30 at least"),
        (("--password", "x", "--option", "Threads"), "expected NAME=VALUE"),
        (("--password", "x", "--option", "Threads=none"), "Threads"),
        (("--password", "x", "--option", "NoSuch=1"), "NoSuch"),
    ],
)
def test_what_does_not_fit_is_said_before_anything_is_sent(more, text, run):
    with ScriptedServer(refuse) as server:
        result = run(*arguments(server, *more))
        assert not server.peers
    assert result.code == 2
    assert text in result.err


@pytest.mark.slow
def test_two_engines_play_each_other(tmp_path):
    with Referee(max_moves=6) as referee:
        programs = [
            subprocess.Popen(
                [
                    *(sys.executable, "-m", "tengen", "csa", "--host", "127.0.0.1", "--port", str(referee.port)),
                    *("--name", name, "--password", "x", "--games", "1", *QUICK, *more),
                ],
                cwd=tmp_path,
                stderr=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for name, more in (("left", ("--ponder", "--records", "left")), ("right", ("--records", "right")))
        ]
        outputs = [program.communicate(timeout=100) for program in programs]
    assert [program.returncode for program in programs] == [0, 0], outputs
    assert "1 game: 0 won, 0 lost, 0 drawn, 1 without a result" in outputs[0][0]
    for match in referee.matches:
        assert len(match.moves) == 6
        assert all(comment.startswith("'* ") for _, _, comment in match.lines)
        for folder in ("left", "right"):
            assert load_record(tmp_path / folder / f"{match.id}.csa").moves == match.moves


@pytest.mark.parametrize("signals", [[signal.SIGINT] * 2, [signal.SIGTERM]], ids=["twice", "terminate"])
def test_signals(signals, run, monkeypatch):
    monkeypatch.setenv("TENGEN_CSA_PASSWORD", "x")
    said, asked, ask = [], [], StopRequest.ask
    monkeypatch.setattr(StopRequest, "ask", lambda *args: asked.append(args) or ask(*args))

    def handle(peer):
        peer.begin("-")
        peer.send("+7776FU,T1")
        peer.send(f"{peer.hear()},T1")
        for count, number in enumerate(signals, 1):
            os.kill(os.getpid(), number)
            until(lambda count=count: len(asked) == count)
        peer.send("+2726FU,T1")
        said.append(peer.hear())
        peer.end("%TORYO", "#RESIGN", "#LOSE")

    with ScriptedServer(handle) as server:
        result = run(*arguments(server))
    assert (result.code, said) == (0, ["%TORYO"])
    assert "1 game: 0 won, 1 lost" in result.out
