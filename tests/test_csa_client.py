"""The client against servers that behave badly, and against itself."""

import logging
import os
import re
import threading
import time

import pytest
from csa_peers import START, ScriptedServer, StubEngine, summary_lines
from csa_referee import Referee

from tengen.games.shogi.records import load_record
from tengen.protocols.csa import CsaClient, CsaSettings, LoginRefused, NameTaken, ServerLost, StopSign
from tengen.protocols.csa.conversation import Conversation
from tengen.protocols.csa.names import only_one
from tengen.protocols.csa.settings import check_password
from tengen.protocols.usi.decision import Decision

WON = ("%TORYO", "#RESIGN", "#WIN")


@pytest.fixture(autouse=True)
def state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def settings_for(server, **more):
    return CsaSettings(
        "127.0.0.1", "ours", server.port, **{"games": 1, "verdict_s": 0.05, "longest_pause_s": 0.02, **more}
    )


def run(server, engine=None, **more):
    return CsaClient(settings_for(server, **more), "secret", engine or StubEngine()).run()


def play_one(handler, engine=None, **more):
    """The result of a game against a server that does as the function says."""
    with ScriptedServer(handler) as server:
        (result,) = run(server, engine, **more)
    return result


def until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.002)


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
        (result,) = run(server, login_timeout_s=0.2)
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

    assert play_one(handle).outcome in ("win", "unknown")


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


# Clocks, repetition, declarations, pondering.


def test_the_clock_is_kept_by_the_servers_times():
    engine = StubEngine()

    def handle(peer):
        peer.begin("-")
        for black, spent in (("+7776FU", 5), ("+2726FU", 20), ("+2625FU", 0)):
            peer.send(f"{black},T{spent}")
            peer.send(f"{peer.hear()},T{2 * spent}")
        peer.end(*WON)

    play_one(handle, engine)
    assert [(limits.btime, limits.wtime, limits.binc) for limits in engine.limits] == [
        (315_000, 310_000, 10_000),
        (305_000, 310_000, 10_000),
        (315_000, 280_000, 10_000),
    ]


def test_byoyomi_and_other_units_and_times_of_each_side():
    engine = StubEngine()
    lines = summary_lines("+", time=("Total_Time:2",))
    at = lines.index("BEGIN Time")
    lines[at : at + 4] = [
        *("BEGIN Time+", "Time_Unit:1min", "Total_Time:2", "Byoyomi:1", "END Time+"),
        *("BEGIN Time-", "Time_Unit:100msec", "Total_Time:50", "Increment:5", "END Time-"),
    ]

    def handle(peer):
        peer.send(f"LOGIN:{peer.hear().split()[1]} OK", *lines)
        peer.expect("AGREE")
        peer.send("START:test+game")
        peer.send(f"{peer.hear()},T3", "-3334FU,T25")
        peer.hear()
        peer.end(*WON)

    play_one(handle, engine)
    first, second = engine.limits
    assert (first.btime, first.wtime, first.byoyomi, first.winc) == (120_000, 5500, 60_000, 500)
    assert (second.btime, second.wtime, second.byoyomi) == (0, 3500, 60_000)


def test_a_game_from_a_handicap_and_one_from_moves_that_were_played():
    """In handicap games White moves first."""
    for position, first, color in (
        (["PI82HI22KA", "-"], "-3334FU", "+"),
        (["PI", "+", "+7776FU,T12", "-3334FU,T6", "+2726FU", "T3"], "-8384FU", "-"),
    ):
        engine = StubEngine([first] if color == "-" else [])

        def handle(peer, position=position, first=first, color=color):
            peer.begin(color, position=position, To_Move=first[0])
            if color == "-":
                peer.expect(first)
                peer.send(f"{first},T1", "+2625FU,T1")
            else:
                peer.send(f"{first},T1")
            assert peer.hear().startswith(color)
            peer.end(*WON)

        assert play_one(handle, engine).outcome == "win"
    assert engine.limits[0].btime == (300 + 10 - 12 + 10 - 3 + 10) * 1000


def test_after_a_repetition_of_the_start_the_game_goes_on_until_the_server_ends_it():
    moves = ["+2838HI", "-8272HI", "+3828HI", "-7282HI"] * 4

    def handle(peer):
        peer.begin("-")
        for black, white in zip(moves[::2], moves[1::2], strict=True):
            peer.send(f"{black},T1")
            peer.expect(white)
            peer.send(f"{white},T1")
        peer.end("#SENNICHITE", "#DRAW")

    assert play_one(handle, StubEngine(moves[1::2])).plies == 16


def test_who_is_mated_resigns_and_who_can_declare_may():
    mate = ["P-51OU", "P-00FU", "P+59OU", "P-58KI57KI", "+"]

    def is_mated(peer):
        peer.begin(position=mate)
        peer.expect("%TORYO")
        peer.end("%TORYO", "#RESIGN", "#LOSE")

    assert play_one(is_mated).outcome == "loss"
    entered = [
        "P1 * +OU+KI+KI+GI+GI+KE+KE+KY",
        "P2+RY+RY+UM+UM *  *  *  * +KY",
        *(f"P{rank}" for rank in range(3, 9)),
        "P9 *  *  *  * -OU",
        "P+00FU00FU00FU00FU00FU",
        "+",
    ]

    def declares(peer):
        peer.begin(position=entered)
        peer.expect("%KACHI")
        peer.end("%KACHI,T0", "%KACHI", "#JISHOGI", "#WIN")

    assert play_one(declares, StubEngine(["%KACHI"])).outcome == "win"


@pytest.mark.parametrize("answer", ["-3334FU", "-8384FU"])
def test_pondering(answer):
    class Pondering(StubEngine):
        def _decide(self, state):
            return Decision("7g7f", ponder="3c3d") if len(self.states) == 1 else super()._decide(state)

    engine = Pondering()

    def handle(peer):
        peer.begin()
        peer.expect("+7776FU")
        peer.send("+7776FU,T1")
        time.sleep(0.1)
        peer.send(f"{answer},T4")
        assert peer.hear().startswith("+")
        peer.end(*WON)

    assert play_one(handle, engine, ponder=True).outcome == "win"
    assert [limits.is_ponder for limits in engine.limits] == [False, True, *([False] * (answer == "-8384FU"))]
    if answer == "-3334FU":
        assert [(limits.btime, limits.wtime) for limits in engine.hits] == [(319_000, 316_000)]


def test_pondering_that_ends_early_is_used():
    class Early(StubEngine):
        def run(self, thinking, on_info=None):
            return Decision("2g2f") if thinking[1].is_ponder else Decision("7g7f", ponder="3c3d")

    def handle(peer):
        peer.begin()
        peer.expect("+7776FU")
        peer.send("+7776FU,T1")
        time.sleep(0.1)
        peer.send("-3334FU,T1")
        peer.expect("+2726FU")
        peer.end(*WON)

    play_one(handle, Early(), ponder=True)


# Signs of life, stopping, names, secrets.


def test_signs_of_life_are_empty_lines_at_a_distance():
    def handle(peer):
        peer.begin("-")
        time.sleep(0.35)
        peer.send("")
        peer.send("+7776FU,T0")
        peer.hear()
        assert peer.heard[2:-1] == ["", "", ""]
        peer.end(*WON)

    with ScriptedServer(handle) as server:
        settings = settings_for(server)
        object.__setattr__(settings, "keep_alive_s", 0.1)  # the protocol forbids less than 30 s
        CsaClient(settings, "secret", StubEngine()).run()
    with pytest.raises(ValueError, match="30 at least"):
        settings_for(server, keep_alive_s=29)


def ask_after(stop, seconds, *levels):
    def ask():
        for _ in levels:
            time.sleep(seconds)
            stop.ask()

    threading.Thread(target=ask, daemon=True).start()


def test_to_stop_is_to_finish_the_game():
    stop = StopSign()

    def handle(peer):
        peer.begin("-")
        time.sleep(0.2)
        stop.ask()
        peer.send("+7776FU,T0")
        assert peer.hear().startswith("-")
        peer.end(*WON)

    with ScriptedServer(handle) as server:
        results = CsaClient(settings_for(server, games=5), "secret", StubEngine(), stop).run()
    assert [result.outcome for result in results] == ["win"]


def test_to_stop_twice_is_to_resign_also_while_thinking():
    stop = StopSign()

    def handle(peer):
        peer.begin("+")
        until(lambda: engine.limits)
        stop.ask()
        stop.ask()
        peer.expect("%TORYO")
        peer.end("%TORYO", "#RESIGN", "#LOSE")

    engine = StubEngine(slow=threading.Event())
    with ScriptedServer(handle) as server:
        results = CsaClient(settings_for(server, games=5), "secret", engine, stop).run()
    assert [result.outcome for result in results] == ["loss"]


def test_to_stop_twice_on_the_opponents_turn_is_to_resign_on_ours():
    stop = StopSign()

    def handle(peer):
        peer.begin("-")
        time.sleep(0.2)
        stop.ask()
        stop.ask()
        time.sleep(0.05)
        peer.send("+7776FU,T0")
        peer.expect("%TORYO")
        peer.end("%TORYO", "#RESIGN", "#LOSE")

    with ScriptedServer(handle) as server:
        CsaClient(settings_for(server), "secret", StubEngine(), stop).run()


def test_to_stop_while_waiting_is_to_leave_at_once():
    stop = StopSign()

    def handle(peer):
        peer.send(f"LOGIN:{peer.hear().split()[1]} OK")
        stop.ask()
        peer.expect("LOGOUT")
        peer.send("LOGOUT:completed")

    with ScriptedServer(handle) as server:
        assert CsaClient(settings_for(server), "secret", StubEngine(), stop).run() == []


def test_to_stop_between_tries_is_to_leave_at_once():
    stop = StopSign()

    def falls(peer):
        peer.send(f"LOGIN:{peer.hear().split()[1]} OK")
        ask_after(stop, 0.05, 1)

    with ScriptedServer(falls) as server:
        began = time.monotonic()
        CsaClient(settings_for(server, longest_pause_s=30), "secret", StubEngine(), stop).run()
    assert time.monotonic() - began < 10


def test_one_program_under_one_name():
    with ScriptedServer(lambda peer: None) as server, only_one("127.0.0.1", server.port, "ours"):
        with pytest.raises(NameTaken, match=f"plays as ours on 127.0.0.1:{server.port}: .*process {os.getpid()}"):
            run(server)
        with only_one("127.0.0.1", server.port, "others"), only_one("LOCALHOST", server.port, "ours"):
            pass


def test_no_password_in_the_log_nor_in_errors(caplog):
    def refuses(peer):
        assert peer.hear() == "LOGIN ours floodgate-300-10F,hush-hush"
        peer.send("LOGIN:incorrect")

    with caplog.at_level(0), ScriptedServer(refuses) as server, pytest.raises(LoginRefused) as error:
        CsaClient(settings_for(server), "hush-hush", StubEngine()).run()
    assert "LOGIN ours floodgate-300-10F,***" in caplog.text
    assert "hush" not in caplog.text + str(error.value)
    with pytest.raises(ValueError) as error:
        check_password("hush hush")
    assert "hush" not in str(error.value)


@pytest.mark.parametrize("bad", [{"name": "a b"}, {"name": "x" * 33}, {"name": ""}, {"game": "a,b"}, {"port": 0}])
def test_settings_that_no_server_takes(bad):
    with pytest.raises(ValueError, match="won't do"):
        CsaSettings(**{"host": "127.0.0.1", "name": "ours", **bad})


def test_a_login_without_a_game():
    def handle(peer):
        peer.expect("LOGIN ours secret")
        peer.send("LOGIN:incorrect")

    with ScriptedServer(handle) as server, pytest.raises(LoginRefused):
        run(server, game="")


def test_a_disk_that_fails_does_not_end_the_game(tmp_path, caplog):
    folder = tmp_path / "games"

    def handle(peer):
        peer.begin()
        until(lambda: list(folder.glob("*.csa")))
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        folder.write_text("in the way")
        peer.send(f"{peer.hear()},T1")
        peer.end(*WON)

    assert play_one(handle, records=folder).outcome == "win"
    assert "could not be written" in caplog.text


def test_a_record_is_whole_after_every_move(tmp_path):
    def handle(peer):
        peer.begin()
        for count, answer in enumerate(("-3334FU", "-8384FU")):
            peer.send(f"{peer.hear()},T1", f"{answer},T2")
            until(lambda count=count: len(load_record(next(tmp_path.glob("*.csa"))).moves) == 2 * count + 2)
        peer.send(f"{peer.hear()},T1")
        peer.end(*WON)

    play_one(handle, records=tmp_path)
    (file,) = tmp_path.glob("*.csa")
    record = load_record(file)
    assert (record.end, record.winner, [node.time_s for node in record.root.main_line()][:4]) == (
        "resign",
        0,
        [1, 2] * 2,
    )
    assert not list(tmp_path.glob("*.part"))


# Against itself.


def test_two_clients_play_whole_games(tmp_path):
    import random

    class Random(StubEngine):
        def _decide(self, state):
            names = [state.game.name(action) for action in state.legal()]
            return Decision("win" if "win" in names else random.Random(len(self.states)).choice(names))

    with Referee(max_moves=60) as referee:
        clients = [
            CsaClient(
                CsaSettings(
                    "127.0.0.1", name, referee.port, games=3, records=tmp_path / name, verdict_s=2, longest_pause_s=0.05
                ),
                "secret",
                Random(),
            )
            for name in ("left", "right")
        ]
        threads = [threading.Thread(target=client.run) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    left, right = (client.results for client in clients)
    assert len(left) == len(right) == len(referee.matches) == 3
    for mine, theirs, match in zip(left, right, referee.matches, strict=True):
        assert mine.plies == theirs.plies == len(match.moves)
        assert mine.reason == theirs.reason == match.verdict[0]
        for name in ("left", "right"):
            stem = tmp_path / name / match.id
            assert load_record(f"{stem}.csa").moves == load_record(f"{stem}.kif").moves == match.moves


def test_a_conversation_waits_no_longer_than_it_is_told():
    with ScriptedServer(lambda peer: peer.hear()) as server, Conversation(settings_for(server), StopSign()) as talk:
        assert talk.next_event(time.monotonic() + 0.05) is None
