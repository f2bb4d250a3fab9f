"""Players of the arena on CSA servers: `tengen csa --player`."""

import dataclasses
import threading

import pytest
from cli_runner import runner
from csa_peers import WON, ScriptedServer, play_one, settings_for
from csa_referee import Referee
from prophet_helpers import GAME, write_pair

from tengen.arena import find_player
from tengen.protocols.csa import CsaClient
from tengen.protocols.usi.options import PlayerSettings
from tengen.protocols.usi.player_engine import PlayerEngine


@pytest.fixture(autouse=True)
def state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(name="engine")
def _engine(tmp_path):
    player = find_player(f"pair:{write_pair(tmp_path / 'pair')},depth=2,width=2", GAME)
    engine = PlayerEngine(player, PlayerSettings(ponder=True), seed=1)
    engine.prepare()
    yield engine
    engine.close()


def test_a_pair_plays_with_a_comment(engine):
    said = []

    def handle(peer):
        peer.begin("+")
        for _ in range(2):
            said.append(peer.hear())
            peer.send(f"{said[-1].partition(',')[0]},T1")
            reply = ("-3334FU", "-8384FU")[len(said) - 1]
            peer.send(f"{reply},T1")
        said.append(peer.hear())
        peer.end(*WON)

    result = play_one(handle, engine)
    assert result.outcome == "win"
    for text in said:
        move, _, comment = text.partition(",")
        assert comment.startswith("'* ")
        score, first, *_ = comment.removeprefix("'* ").split()
        assert int(score) == float(score)
        assert first == move


@pytest.mark.slow
def test_two_pairs_play_whole_games_on_a_server(tmp_path):
    folder = write_pair(tmp_path / "pair")
    with Referee(total_s=20, increment_s=1, max_moves=16) as referee:
        clients = []
        for name, spec in (("left", f"pair:{folder},depth=2,width=3"), ("right", f"pair:{folder},width=2,depth=3")):
            engine = PlayerEngine(find_player(spec, GAME), PlayerSettings(ponder=name == "left"), seed=1)
            settings = settings_for(referee, game=referee.game_name, games=2, ponder=name == "left")
            clients.append(CsaClient(dataclasses.replace(settings, name=name), "x", engine))
        threads = [threading.Thread(target=client.run) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        verdicts = [match.verdict[0] for match in referee.matches]
    assert len(verdicts) == 2
    # Fresh networks may repeat themselves; they neither play an illegal move nor run out of time.
    assert set(verdicts) <= {"#MAX_MOVES", "#SENNICHITE"}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--player", "pair:nowhere"), "no prophet can be read"),
        (("--player", "random", "--net", "champion"), "--net has no effect with --player"),
        (("--player", "random", "--threads", "2"), "--threads has no effect with --player"),
        (("--player", 'usi:"fairy-stockfish",movetime=9'), "start that program instead"),
    ],
)
def test_what_does_not_fit_is_refused_before_the_login(more, says, monkeypatch, capsys):
    run = runner(monkeypatch, capsys)
    with ScriptedServer(lambda peer: peer.begin()) as server:
        words = ("csa", "--host", "127.0.0.1", "--port", server.port, "--name", "ours", "--password", "x")
        ran = run(*words, *more)
        assert not server.peers
    assert ran.code == 2
    assert says in ran.err


def test_the_command_plays_a_pair(tmp_path, monkeypatch, capsys):
    folder = write_pair(tmp_path / "pair")
    run = runner(monkeypatch, capsys)

    def handle(peer):
        peer.begin("-")
        peer.send("+7776FU,T1")
        peer.send(f"{peer.hear().partition(',')[0]},T0")
        peer.end(*WON)

    with ScriptedServer(handle) as server:
        words = ("csa", "--host", "127.0.0.1", "--port", server.port, "--name", "ours", "--password", "x")
        ran = run(*words, "--games", 1, "--player", f"pair:{folder},depth=1", "--resign", 30000)
    assert ran.code == 0, ran.err
    assert "1 game: 1 won" in ran.out
