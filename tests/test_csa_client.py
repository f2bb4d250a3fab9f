"""The client against servers that behave badly."""

import logging
import re
import time

import pytest
from csa_peers import START, WON, ScriptedServer, StubEngine, play_one, run, summary_lines

from tengen.games.shogi.records import load_record
from tengen.protocols.csa import LoginRefused, ServerLost
from tengen.protocols.usi.decision import Decision


@pytest.fixture(autouse=True)
def state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


# Connections.


def test_nobody_there_is_an_error_after_a_few_tries():
    with ScriptedServer(lambda peer: None) as server:
        pass
    with pytest.raises(ServerLost, match="can't be reached"):
        run(server)


def test_a_login_without_an_answer_is_tried_again():
    def begins(peer):
        peer.begin()
        peer.hear()
        peer.end(*WON)

    with ScriptedServer(lambda peer: peer.hear() and peer.hear(), begins) as server:
        (result,) = run(server, login_timeout_s=1)
    assert result.outcome == "win"


def test_a_connection_that_ends_while_waiting_is_made_again():
    def falls(peer):
        peer.send(f"LOGIN:{peer.hear().split()[1]} OK", *summary_lines()[:12])
        peer.send_bytes(b"Max_Mo")

    def is_reset(peer):
        peer.send(f"LOGIN:{peer.hear().split()[1]} OK")
        peer.reset()

    def begins(peer):
        peer.begin()
        peer.hear()
        peer.end(*WON)

    with ScriptedServer(falls, is_reset, falls, begins) as server:
        (result,) = run(server)
        assert len(server.peers) == 4
    assert result.outcome == "win"


@pytest.mark.parametrize("how", ["close", "reset"])
def test_a_connection_that_ends_within_a_game_ends_the_game_and_the_next_one_is_played(how, tmp_path):
    def falls(peer):
        peer.begin()
        peer.send(f"{peer.hear()},T1", "-3334FU,T1")
        peer.hear()
        getattr(peer, how)()

    def begins(peer):
        peer.begin("-")
        peer.send("+7776FU,T1")
        peer.send(f"{peer.hear()},T1")
        peer.end(*WON)

    with ScriptedServer(falls, begins) as server:
        first, second = run(server, games=2, records=tmp_path)
    assert (first.outcome, first.plies, second.outcome) == ("unknown", 2, "win")
    files = sorted(tmp_path.glob("*.csa"), key=lambda file: len(file.name))
    assert [load_record(file).end for file in files] == ["interrupt", "resign"]
    assert files[1].name == "test+game-2.csa"


def test_a_verdict_counts_although_a_reset_follows_and_our_move_can_not_be_sent():
    def handle(peer):
        peer.begin("-")
        peer.send("+7776FU,T1", *WON)
        peer.reset()

    assert play_one(handle).outcome == "win"


def test_a_refusal_after_a_success_is_tried_again():
    """The server may not have noticed yet that our last connection is gone."""

    def falls(peer):
        peer.send(f"LOGIN:{peer.hear().split()[1]} OK")

    def refuses(peer):
        peer.hear()
        peer.send("LOGIN:incorrect")

    def begins(peer):
        peer.begin()
        peer.hear()
        peer.end(*WON)

    with ScriptedServer(falls, refuses, begins) as server:
        assert run(server)[0].outcome == "win"
    with ScriptedServer(falls, refuses) as server, pytest.raises(LoginRefused):
        run(server)


def test_bytes_that_come_slowly_and_in_odd_pieces_are_lines():
    def handle(peer):
        peer.hear()
        text = "\n".join(["LOGIN:ours OK", "", *summary_lines("-"), ""]).replace("\n", "\r\n")
        for at in range(0, len(text), 7):
            peer.send_bytes(text[at : at + 7].encode())
            time.sleep(0.0005)
        peer.expect("AGREE")
        for sign in "START:test+game\n+7776FU,T3\n":
            peer.send_bytes(sign.encode())
            time.sleep(0.005)
        peer.hear()
        peer.end(*WON)

    assert play_one(handle).plies == 1


# Lines that should not be there.


def test_lines_that_do_not_belong_are_reported_and_ignored(caplog):
    def handle(peer):
        peer.send("WELCOME to our server", "##[chat] hello")
        login = peer.hear()
        peer.send(f"LOGIN:{login.split()[1]} OK", "+7776FU,T1", "#WIN", "END Time")
        peer.send(*summary_lines("-"))
        peer.expect("AGREE")
        peer.send("+2726FU,T1", "START:another+game", "LOGIN:ours OK")
        peer.send("-3334FU,T1", "+5554FU,T1", "+7776KI,T1", "+0055KA,T1", "+7770FU,T1", "++++", "T3")
        peer.send_bytes("+7776歩,T1\n\xff\xfe\n".encode("utf-16"))
        peer.send_bytes(b"\x00\n" + b"x" * 100_000 + b"\n\n\n")
        peer.send("+7776FU,T2")
        answer = peer.hear()
        assert answer.startswith("-")
        peer.send(f"{answer},T1", f"{answer},T1", "+7776FU,T2", "+2726FU,T1")
        assert peer.hear().startswith("-")
        peer.send("#SOMETHING_NEW", "what?")
        peer.end("#WIN")

    with caplog.at_level(logging.WARNING):
        result = play_one(handle)
    assert (result.reason, result.outcome, result.plies) == ("#SOMETHING_NEW", "win", 3)
    for text in ("WELCOME", "'-3334FU' is ignored", "'+5554FU' is ignored", "another+game", "more than", "what?"):
        assert text in caplog.text


def test_a_move_that_the_server_takes_although_rules_forbid_it_is_followed(caplog):
    """Black's king stays in check: we go on from what stands on the board."""
    position = [line.replace("P1-KY", "P1 * ") for line in START]
    position = [line.replace("P5 *  *  *  *  *", "P5 *  *  *  * -KY") for line in position]
    position = [line.replace("P7+FU+FU+FU+FU+FU", "P7+FU+FU+FU+FU * ") for line in position]

    def handle(peer):
        peer.begin("-", position=position)
        peer.send("+9796FU,T1")
        peer.hear()
        peer.end("#ILLEGAL_MOVE", "#WIN")

    result = play_one(handle)
    assert (result.outcome, result.plies) == ("win", 1)
    assert "our rules forbid" in caplog.text


def test_the_servers_word_about_our_own_move_counts(caplog):
    def handle(peer):
        peer.begin()
        assert peer.hear() == "+2726FU"
        peer.send("+7776FU,T1", "-3334FU,T1")
        assert peer.hear() == "+8822UM"
        peer.end(*WON)

    assert play_one(handle, StubEngine(["+2726FU", "+8822UM"])).plies == 2
    assert "we sent +2726FU" in caplog.text


def test_a_search_that_fails_or_answers_nonsense_costs_a_move_not_the_game(caplog):
    class Failing(StubEngine):
        answers = iter(["5e5d", "resigns", None])

        def run(self, thinking, on_info=None):
            answer = next(self.answers)
            if answer is None:
                raise RuntimeError("out of memory")
            return Decision(answer)

    def handle(peer):
        peer.begin()
        for move in ("-3334FU", "-8384FU", None):
            played = peer.hear()
            assert re.fullmatch(r"\+\d{4}[A-Z]{2}", played)
            peer.send(f"{played},T1", *([f"{move},T1"] if move else []))
        peer.end(*WON)

    assert play_one(handle, Failing()).plies == 5
    assert caplog.text.count("is played instead") == 3


def test_a_server_that_falls_silent_is_given_up():
    def handle(peer):
        peer.begin(time=("Total_Time:0", "Byoyomi:1"))
        peer.hear()
        peer.hear()

    result = play_one(handle, patience_s=0.2)
    assert (result.reason, result.outcome) == ("the server is silent", "unknown")


def test_a_verdict_of_one_line_is_enough_when_the_connection_ends():
    def handle(peer):
        peer.begin()
        peer.hear()
        peer.send("#SENNICHITE")

    result = play_one(handle)
    assert (result.reason, result.outcome) == ("#SENNICHITE", "draw")


@pytest.mark.parametrize(
    "change",
    [
        {"Your_Turn": "x"},
        {"Your_Turn": None},
        {"Game_ID": None},
        {"Format": "Chess 1.0"},
        {"Max_Moves": "many"},
        {"position": ["P1-XX", "+"]},
        {"position": []},
        {"position": ["PI", "+", "+7775FU", "-9999OU"]},
        {"position": ["P-51OU", "P+59OU58KY", "+"]},
        {"time": ("Time_Unit:1fortnight",)},
        {"time": ("Total_Time:-1",)},
    ],
    ids=str,
)
def test_a_game_that_can_not_be_played_is_rejected(change):
    def rejects(peer):
        peer.send(f"LOGIN:{peer.hear().split()[1]} OK", *summary_lines(**change))
        peer.expect("REJECT")

    def begins(peer):
        peer.begin()
        peer.hear()
        peer.end(*WON)

    with ScriptedServer(rejects, begins) as server:
        assert run(server)[0].outcome == "win"
