"""Every transcript of a real server, replayed against the client from both sides."""

import gzip
import json
import re
import socket
from pathlib import Path

import pytest
from csa_peers import ScriptedServer, StubEngine

from tengen.games.shogi.records import load_record
from tengen.protocols.csa import CsaClient, CsaSettings, LoginRefused

TRANSCRIPTS = json.loads(gzip.decompress((Path(__file__).parent / "data" / "csa_transcripts.json.gz").read_bytes()))
BAD_MOVES = {"illegal_nifu": "-2255KA", "illegal_from_empty": "+5554FU", "wrong_kachi": "%KACHI", "chudan": "%CHUDAN"}
"""What no client of ours would send; the server's answer is the same to what it sends instead."""


@pytest.fixture(autouse=True)
def state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def entries(name, client):
    return [(entry["dir"], entry["line"]) for entry in TRANSCRIPTS[name]["log"] if entry["client"] == client]


def is_crossing(sent, rest):
    """A move that was on its way when the server had already ended the game: our client awaits the verdict instead."""
    return re.match("[+-]", sent) and rest and rest[0][1] in ("#SENNICHITE", "#MAX_MOVES")


def replay(script, name):
    """A server's side of a transcript."""

    def handle(peer):
        for at, (direction, line) in enumerate(script):
            if direction == "<" and line is not None:
                peer.send(line)
            elif direction == ">" and line.startswith("LOGIN"):
                assert re.fullmatch(r"LOGIN (\w+) ([\w-]+,)?\S+", peer.hear())
            elif direction == ">" and line == BAD_MOVES.get(name):
                assert peer.hear() is not None
            elif direction == ">" and not is_crossing(line, script[at + 1 :]):
                peer.expect(line)
            elif direction == "!" and line == "ConnectionResetError":
                peer.reset()

    return handle


def engine_for(name, script):
    """One that answers what the transcript's client said."""
    said = [line for direction, line in script if direction == ">" and line[0] in "+-%"]
    said = [line for line in said if line != BAD_MOVES.get(name)]
    comments = [line.partition(",'* ")[2] or None for line in said]
    return StubEngine([line.partition(",")[0] for line in said], evaluations=comments)


def client_for(name, script, server, records):
    login = next(line for direction, line in script if direction == ">")
    _, player, password = login.split()
    game, _, password = password.rpartition(",")
    settings = CsaSettings(
        "127.0.0.1", player, server.port, game=game, games=1, records=records, verdict_s=0.1, longest_pause_s=0.05
    )
    return CsaClient(settings, password, engine_for(name, script))


GAMES = [name for name in TRANSCRIPTS if name not in ("bad_login", "reject")]


@pytest.mark.parametrize("client", [0, 1])
@pytest.mark.parametrize("name", GAMES)
def test_a_game_ends_as_the_server_says(name, client, tmp_path):
    script = entries(name, client)
    lines = [line for direction, line in script if direction == "<" and line]
    if name == "disconnect" and client == 1:
        script = script[: script.index(("x", None))]
        lines = [*lines, "", ""]
    with ScriptedServer(replay(script, name)) as server:
        (result,) = client_for(name, script, server, tmp_path / "games").run()
    verdict = lines[-2]
    if verdict.startswith("#"):
        assert result.reason == verdict
    outcomes = {"#WIN": "win", "#LOSE": "loss", "#DRAW": "draw", "#CENSORED": "censored", "": "unknown"}
    assert result.outcome == outcomes[lines[-1]]
    moves = [line for line in lines if re.match(r"[+-]\d", line)]
    assert result.plies == len(moves)
    (file,) = (tmp_path / "games").glob("*.csa")
    text = file.read_text()
    assert re.findall(r"^[+-]\d{4}[A-Z]{2}$", text, re.MULTILINE) == [line.partition(",")[0] for line in moves]
    record = load_record(file)
    assert load_record(file.with_suffix(".kif")).moves == record.moves
    assert record.header["event"] == next(line for line in lines if line.startswith("Game_ID:"))[8:]
    assert record.end is not None


@pytest.mark.parametrize("client", [0, 1])
def test_comments_go_out_as_floodgate_shows_them_and_into_the_record(client, tmp_path):
    script = entries("comments", client)
    with ScriptedServer(replay(script, "comments")) as server:
        client_for("comments", script, server, tmp_path).run()
    (file,) = tmp_path.glob("*.csa")
    comment = next(line for direction, line in script if direction == ">" and ",'*" in line).partition(",'")[2]
    assert f"'*{comment}\n" in file.read_text()


@pytest.mark.parametrize("client", [0, 1])
def test_a_login_that_is_refused_is_said_so(client):
    refusal = replay([(">", "LOGIN x y,z"), ("<", entries("bad_login", client)[1][1])], "bad_login")
    with ScriptedServer(refusal) as server:
        settings = CsaSettings("127.0.0.1", "somebody", server.port, games=1)
        with pytest.raises(LoginRefused, match="refused the login of somebody"):
            CsaClient(settings, "secret", StubEngine()).run()


@pytest.mark.parametrize("client", [0, 1])
def test_after_a_rejected_game_the_next_one_is_played(client, tmp_path):
    """The transcript's second client rejects; ours agrees, and the server says that somebody has not."""
    script = [("<" if line == "REJECT" else direction, line) for direction, line in entries("reject", client)]
    script = [(direction, "AGREE") if line == "REJECT" else (direction, line) for direction, line in script]
    script = [(">" if line == "AGREE" else direction, line) for direction, line in script]
    after = entries("resign", client)
    with ScriptedServer(replay(script, "reject"), replay(after, "resign")) as server:
        (result,) = client_for("resign", after, server, tmp_path).run()
    assert result.reason == "#RESIGN"


def test_the_servers_that_answer_here_are_told_of_surprises():
    """So that the tests above can fail."""
    server = ScriptedServer(lambda peer: peer.expect("LOGIN"))
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(b"something\n")
        client.recv(1)
    with pytest.raises(AssertionError, match="instead of"):
        server.__exit__(None, None, None)
