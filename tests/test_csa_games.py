"""Games of the client: clocks, pondering, records; how people stop it; names and secrets; games against itself."""

import os
import random
import threading
import time

import pytest
from csa_peers import WON, ScriptedServer, StubEngine, play_one, run, settings_for, summary_lines, until
from csa_referee import Referee

from tengen.games.shogi.records import START_SFEN, Board, load_record
from tengen.protocols.csa import CsaClient, CsaSettings, LoginRefused, NameTaken, StopRequest
from tengen.protocols.csa.comments import format_evaluation
from tengen.protocols.csa.conversation import Conversation
from tengen.protocols.csa.login_lock import lock_login
from tengen.protocols.csa.settings import check_password
from tengen.protocols.usi.decision import Decision, Score


@pytest.fixture(autouse=True)
def state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


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
        until(lambda: len(engine.limits) == 2)
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

    engine = Early()

    def handle(peer):
        peer.begin()
        peer.expect("+7776FU")
        peer.send("+7776FU,T1")
        until(lambda: len(engine.limits) == 2)
        time.sleep(0.05)  # not needed, but then it has most likely ended
        peer.send("-3334FU,T1")
        peer.expect("+2726FU")
        peer.end(*WON)

    play_one(handle, engine, ponder=True)


@pytest.mark.parametrize(
    ("side", "decision", "text"),
    [
        ("b", Decision("7g7f", None, Score(cp=30), ("7g7f", "3c3d")), "30 +7776FU -3334FU"),
        ("w", Decision("3c3d", None, Score(cp=30), ("3c3d",)), "-30 -3334FU"),
        ("b", Decision("7g7f", None, Score(cp=-5), ("2g2f", "3c3d")), "-5 +7776FU"),
        ("w", Decision("3c3d", None, Score(mate=3), ("3c3d", "7g7f", "2b8h+")), "-99997 -3334FU +7776FU -2288UM"),
        ("b", Decision("7g7f", None, Score(mate=-4), ()), "-99996 +7776FU"),
        ("b", Decision("7g7f", None, Score(is_won=True), ("7g7f", "3c3d", "win")), "100000 +7776FU -3334FU"),
        ("b", Decision("7g7f"), ""),
    ],
    ids=str,
)
def test_evaluations_are_from_blacks_view_and_begin_with_the_move(side, decision, text):
    board = Board.of_sfen(START_SFEN.replace(" b ", f" {side} "))
    assert format_evaluation(board, decision) == text


# Signs of life, stopping, names, secrets.


def test_signs_of_life_are_empty_lines_at_a_distance():
    def often(peer):
        peer.begin("-")
        assert [peer.hear_anything() for _ in range(3)] == ["", "", ""]
        peer.send("")
        peer.send("+7776FU,T0")
        assert peer.hear().startswith("-")
        peer.end(*WON)

    def never(peer):
        peer.begin("-")
        time.sleep(0.3)
        peer.send("+7776FU,T0")
        assert peer.hear_anything().startswith("-")
        peer.end(*WON)

    for handle, distance_s in ((often, 0.1), (never, 1e6)):
        with ScriptedServer(handle) as server:
            settings = settings_for(server)
            object.__setattr__(settings, "keep_alive_s", distance_s)  # the protocol forbids less than 30 s
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
    stop = StopRequest()

    def handle(peer):
        peer.begin("-")
        stop.ask()
        peer.send("+7776FU,T0")
        assert peer.hear().startswith("-")
        peer.end(*WON)

    with ScriptedServer(handle) as server:
        results = CsaClient(settings_for(server, games=5), "secret", StubEngine(), stop).run()
    assert [result.outcome for result in results] == ["win"]


def test_to_stop_twice_is_to_resign_also_while_thinking():
    stop = StopRequest()

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
    stop = StopRequest()

    def handle(peer):
        peer.begin("-")
        peer.send("+7776FU,T0")
        peer.send(f"{peer.hear()},T0")
        stop.ask()
        stop.ask()
        peer.send("+2726FU,T0")
        peer.expect("%TORYO")
        peer.end("%TORYO", "#RESIGN", "#LOSE")

    with ScriptedServer(handle) as server:
        CsaClient(settings_for(server), "secret", StubEngine(), stop).run()


def test_to_stop_while_waiting_is_to_leave_at_once():
    stop = StopRequest()

    def handle(peer):
        peer.send(f"LOGIN:{peer.hear().split()[1]} OK")
        stop.ask()
        peer.expect("LOGOUT")
        peer.send("LOGOUT:completed")

    with ScriptedServer(handle) as server:
        assert CsaClient(settings_for(server), "secret", StubEngine(), stop).run() == []


def test_to_stop_between_tries_is_to_leave_at_once():
    stop = StopRequest()

    def falls(peer):
        peer.send(f"LOGIN:{peer.hear().split()[1]} OK")
        ask_after(stop, 0.05, 1)

    with ScriptedServer(falls) as server:
        client = CsaClient(settings_for(server, longest_pause_s=1e6), "secret", StubEngine(), stop)
        thread = threading.Thread(target=client.run, daemon=True)
        thread.start()
        thread.join(300)
        assert not thread.is_alive(), "it waits for the next try"


def test_one_program_under_one_name():
    with ScriptedServer(lambda peer: None) as server, lock_login("127.0.0.1", server.port, "ours"):
        with pytest.raises(NameTaken, match=f"plays as ours on 127.0.0.1:{server.port}: .*process {os.getpid()}"):
            run(server)
        with lock_login("127.0.0.1", server.port, "others"), lock_login("LOCALHOST", server.port, "ours"):
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


def test_a_folder_that_can_not_be_made_does_not_end_the_game_either(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")

    def handle(peer):
        peer.begin()
        peer.send(f"{peer.hear()},T1")
        peer.end(*WON)

    assert play_one(handle, records=tmp_path / "file").outcome == "win"
    assert "this game is not written" in caplog.text


def test_a_fault_of_ours_costs_a_game_and_not_the_next(caplog):
    class Faulty(StubEngine):
        faults = iter([True])

        def begin(self, state, limits):
            if next(self.faults, False):
                raise RuntimeError("a fault")
            return super().begin(state, limits)

    def handle(peer):
        peer.begin()
        if peer.hear() is not None:
            peer.end(*WON)

    assert play_one(handle, Faulty()).outcome == "win"
    assert "this game failed" in caplog.text


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
    with ScriptedServer(lambda peer: peer.hear()) as server, Conversation(settings_for(server), StopRequest()) as talk:
        assert talk.next_event(time.monotonic() + 0.05) is None
