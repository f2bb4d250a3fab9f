"""A player on a server: simultaneous battles, lost connections, refused choices, records."""

import asyncio
import json
import threading
import time
from dataclasses import replace

import pytest
from showdown_peers import FORMAT, LOGS, SHORT, FakeShowdown, First

from tengen.games.pokemon.requests import offered
from tengen.games.pokemon.tracker import Tracker
from tengen.protocols.showdown.client import ShowdownClient
from tengen.protocols.showdown.deciding import Decider, Decision
from tengen.protocols.showdown.errors import NameRefused, ServerLost, ShowdownFailure
from tengen.protocols.showdown.recording import BattleResult, read_results, write_result
from tengen.protocols.showdown.settings import ShowdownSettings

QUICK = {"connect_timeout_s": 20.0, "login_timeout_s": 20.0, "longest_pause_s": 0.01, "seconds": 30.0}


def settings_for(server, tmp_path, **changes):
    wanted = {"name": "ours", "challenge": "theirs", "battles": 1, **QUICK, **changes}
    return ShowdownSettings(url=server.url, records=tmp_path, **wanted)


def play(server, tmp_path, decider=None, **changes):
    client = ShowdownClient(settings_for(server, tmp_path, **changes), decider or First())
    asyncio.run(asyncio.wait_for(client.run(), 60))
    return client


def notes_of(tmp_path, result):
    lines = (tmp_path / result.file).read_text(encoding="utf-8").splitlines()
    return [json.loads(line.removeprefix("|tengen|")) for line in lines if line.startswith("|tengen|")]


def verdict(log):
    winner = next(line for line in LOGS[log]["p1"] if line.startswith("|win|"))
    return "win" if winner == "|win|A" else "loss"


@pytest.mark.parametrize("request_first", [False, True])
def test_a_battle_is_played_and_kept(request_first, tmp_path):
    decider = First()
    with FakeShowdown(request_first=request_first) as server:
        (result,) = play(server, tmp_path, decider).results
        side = server.battles[f"battle-{FORMAT}-1"].sides["ours"]
    assert (result.outcome, result.opponent, result.player) == (verdict(SHORT), "theirs", "first")
    assert (result.invalid, result.late, result.choices) == (0, 0, len(decider.asked))
    assert side.is_over
    notes = notes_of(tmp_path, result)
    assert [note["choice"] for note in notes if "choice" in note] == side.choices
    assert all(note["win_rate"] == 0.5 for note in notes if "choice" in note)
    assert notes[-1]["outcome"] == result.outcome
    assert read_results(tmp_path) == [result]
    recorded = (tmp_path / result.file).read_text(encoding="utf-8").splitlines()
    assert [line for line in recorded if line.startswith("|move|")] == [
        line for line in LOGS[SHORT]["p1"] if line.startswith("|move|")
    ]


@pytest.mark.parametrize("request_first", [False, True])
def test_the_decider_sees_what_a_tracker_of_all_lines_sees(request_first, tmp_path, monkeypatch):
    """Whatever the messages are cut into, and though a server sends requests, also those that ask nothing, before the
    lines that led to them."""
    told = []
    take = Tracker.take
    monkeypatch.setattr(Tracker, "take", lambda self, message: (told.append(message), take(self, message)))
    seen = []
    decider = First(lambda situation: seen.append((situation.tracker.turn, situation.actions)))
    with FakeShowdown(logs=[3], request_first=request_first) as server:
        play(server, tmp_path, decider)
    by_client, told[:] = list(told), []
    tracker, wanted = Tracker(), []
    for line in LOGS[3]["p1"]:
        tracker.feed(line)
        if line.startswith("|request|") and offered(tracker):
            wanted.append((tracker.turn, tuple(offered(tracker))))
    assert seen == wanted

    def order(messages):
        """Return the lines between the requests, and the kinds of the requests."""
        kinds = ("request", "turn", "move", "switch", "drag", "-damage", "-heal", "faint", "upkeep")
        return [
            (message.kind, "wait" in message.arg(0)[:20] if message.kind == "request" else message.arg(0))
            for message in messages
            if message.kind in kinds
        ]

    assert any(kind == "request" and waits is True for kind, waits in order(told))
    assert order(by_client) == order(told)


def test_battles_at_once_do_not_wait_for_each_other(tmp_path):
    """Four choices are thought about at the same time, or this would never end."""
    together = threading.Barrier(4)
    first = threading.local()

    def act(situation):
        if situation.tracker.turn == 1 and not getattr(first, "was", False):
            first.was = True
            together.wait(30)

    with FakeShowdown() as server:
        client = play(server, tmp_path, First(act), battles=4, at_once=4, threads=4)
    assert len(client.results) == 4
    assert len({result.file for result in client.results}) == 4


def test_no_more_battles_at_once_than_wanted(tmp_path):
    most = 0

    async def watch(server, socket, battle, side, choice):
        nonlocal most
        most = max(most, sum(not one.sides["ours"].is_over for one in server.battles.values()))
        return False

    with FakeShowdown(on_choice=watch) as server:
        assert play(server, tmp_path, battles=5, at_once=2).verdicts == 5
    assert most <= 2


def test_two_of_ours_meet(tmp_path):
    async def both(server):
        ours = ShowdownClient(settings_for(server, tmp_path, battles=2), First())
        theirs = ShowdownClient(
            replace(
                settings_for(server, tmp_path), name="theirs", challenge=None, accept=True, battles=2, records=None
            ),
            First(),
        )
        accepting = asyncio.create_task(theirs.run())
        while "theirs" not in server.users:
            await asyncio.sleep(0.01)
        return await asyncio.gather(ours.run(), accepting)

    with FakeShowdown() as server:
        one, other = asyncio.run(asyncio.wait_for(both(server), 60))
    assert [result.outcome for result in one] == [verdict(SHORT)] * 2
    assert {result.outcome for result in other} == {"win", "loss"} - {verdict(SHORT)}


def test_the_ladder(tmp_path):
    with FakeShowdown() as server:
        client = play(server, tmp_path, challenge=None, ladder=True, battles=2)
    assert [result.opponent for result in client.results] == ["stranger"] * 2


def test_challenges_of_others_and_of_other_formats_are_left_alone(tmp_path):
    async def offer(server):
        client = ShowdownClient(settings_for(server, tmp_path, challenge=None, accept=True, opponent="friend"), First())
        running = asyncio.create_task(client.run())
        while "ours" not in server.users:
            await asyncio.sleep(0.01)
        for name, format_name in (("enemy", FORMAT), ("friend", "gen9ou"), ("friend", FORMAT)):
            asyncio.run_coroutine_threadsafe(server.challenge_from(name, "ours", format_name), server._loop).result()
        return await running

    with FakeShowdown() as server:
        (result,) = asyncio.run(asyncio.wait_for(offer(server), 60))
        assert [text for text in server.heard if "/accept" in text] == ["|/accept friend"]
    assert result.opponent == "friend"


@pytest.mark.parametrize("request_first", [False, True])
def test_a_cut_connection_is_made_again_and_the_battle_goes_on(request_first, tmp_path, monkeypatch):
    """A client that joins again receives the lines before the request, whatever order the server uses."""
    monkeypatch.setattr("tengen.protocols.showdown.battle._LINES_S", 0.1)
    with FakeShowdown(cut_after=[3, 6], request_first=request_first) as server:
        client = play(server, tmp_path)
        assert server.logins == 3
    (result,) = client.results
    assert result.outcome == verdict(SHORT)
    assert client.reconnections == 2
    assert sum("rejoined" in note for note in notes_of(tmp_path, result)) == 2


def test_a_server_that_has_forgotten_the_battle_abandons_it(tmp_path):
    async def forget(server, socket, battle, side, choice):
        server.forget_battles = server.choices == 2
        return False

    with FakeShowdown(cut_after=[2], on_choice=forget) as server:
        client = play(server, tmp_path)
    lost, played = client.results
    assert lost.outcome == "abandoned"
    assert played.outcome == verdict(SHORT)
    assert notes_of(tmp_path, lost)[-1]["outcome"] == "abandoned"


def test_a_server_that_dies_is_told_and_records_are_kept(tmp_path):
    async def die(server, socket, battle, side, choice):
        if server.choices == 4:
            server._stop.set()
            socket.transport.abort()
            return True
        return False

    with FakeShowdown(on_choice=die) as server:
        client = ShowdownClient(settings_for(server, tmp_path, tries=3), First())
        with pytest.raises(ServerLost, match="is lost after 3 tries"):
            asyncio.run(asyncio.wait_for(client.run(), 60))
    (result,) = client.results
    assert (result.outcome, result.choices) == ("abandoned", 4)
    assert read_results(tmp_path) == [result]
    assert sum("choice" in note for note in notes_of(tmp_path, result)) == 4


def test_nobody_listens(tmp_path):
    with FakeShowdown() as server:
        settings = settings_for(server, tmp_path, tries=2)
    with pytest.raises(ServerLost, match=f"nobody listens at 127.0.0.1:{server.port}"):
        asyncio.run(asyncio.wait_for(ShowdownClient(settings, First()).run(), 60))


def test_a_refused_name(tmp_path):
    with FakeShowdown(refuse_name="ours") as server, pytest.raises(NameRefused, match="Somebody else is using it"):
        play(server, tmp_path)


def test_an_opponent_who_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.protocols.showdown.client._FIRST_PAUSE_S", 0.001)
    with FakeShowdown() as server, pytest.raises(ShowdownFailure, match="no battle after 2 tries: The user 'nobody'"):
        play(server, tmp_path, challenge="nobody", tries=2)


@pytest.mark.parametrize(("invalid", "wanted"), [(1, ["other"]), (2, ["other", "default"])])
def test_an_invalid_choice_is_not_made_again(invalid, wanted, tmp_path):
    decider = First()
    with FakeShowdown(invalid=invalid) as server:
        (result,) = play(server, tmp_path, decider).results
        choices = server.battles[result.room].sides["ours"].choices
    assert result.outcome == verdict(SHORT)
    first, *others = choices[: len(wanted) + 1]
    assert first not in others
    assert others[1:] == wanted[1:]
    assert result.invalid >= invalid


def test_after_an_invalid_default_nothing_is_sent(tmp_path):
    with FakeShowdown(invalid=1000) as server, pytest.raises(ShowdownFailure, match="2 battles in a row"):
        play(server, tmp_path, silence_s=0.3, tries=2)
    sides = [battle.sides["ours"] for battle in server.battles.values()]
    assert [len(side.choices) for side in sides] == [3, 3]
    assert {side.choices[-1] for side in sides} == {"default"}


def test_a_stale_choice_is_not_answered(tmp_path):
    """If the server reports a late choice, the next request counts."""

    async def late(server, socket, battle, side, choice):
        if server.choices == 2:
            await server._send("ours", battle, ["|error|[Invalid choice] Sorry, too late to make a different move"])
        return False

    with FakeShowdown(on_choice=late) as server:
        (result,) = play(server, tmp_path).results
    assert result.invalid == 0
    assert result.outcome == verdict(SHORT)


def test_an_unavailable_choice_gets_the_new_request_answered(tmp_path):
    """The recorded battle has five of them: trapped by an ability that the request did not show."""
    log = next(i for i, log in enumerate(LOGS) if any("[Unavailable" in line for line in log["p1"]))
    count = sum("[Unavailable" in line for line in LOGS[log]["p1"])
    with FakeShowdown(logs=[log]) as server:
        (result,) = play(server, tmp_path).results
    assert result.outcome == verdict(log)
    assert result.invalid == 0
    assert sum("unavailable" in note for note in notes_of(tmp_path, result)) == count


def test_without_a_new_request_the_default_is_chosen(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.protocols.showdown.battle._NEW_REQUEST_S", 0.05)

    async def refuse(server, socket, battle, side, choice):
        if server.choices == 1:
            await server._send("ours", battle, ["|error|[Unavailable choice] Can't switch: trapped"])
            return True
        return False

    with FakeShowdown(on_choice=refuse) as server:
        (result,) = play(server, tmp_path).results
        assert server.battles[result.room].sides["ours"].choices[1] == "default"
    assert result.outcome == verdict(SHORT)


class Broken(Decider):
    name = "broken"

    def __init__(self, answer):
        self.answer = answer

    def decide(self, situation):
        return self.answer(situation)


def fail(situation):
    raise RuntimeError("no idea")


@pytest.mark.parametrize(("answer", "remark"), [(fail, "failed: no idea"), (lambda _: Decision(99), "not on offer")])
def test_a_decider_that_fails_costs_a_choice_only(answer, remark, tmp_path):
    with FakeShowdown() as server:
        (result,) = play(server, tmp_path, Broken(answer)).results
    assert result.outcome == verdict(SHORT)
    assert all(remark in note["remark"] for note in notes_of(tmp_path, result) if "choice" in note)


def test_the_timer_is_respected(tmp_path):
    """A decider that never returns loses its turns, not the battle."""
    forever = threading.Event()
    decider = First(lambda situation: forever.wait() if len(decider.asked) == 1 else None)
    try:
        with FakeShowdown(timer_s=4) as server:
            (result,) = play(server, tmp_path, decider, threads=2).results
    finally:
        forever.set()
    assert result.late == 1
    assert result.outcome == verdict(SHORT)
    assert all(situation.seconds <= 1 for situation in decider.asked)


def test_stopping_once_plays_on_and_twice_gives_up(tmp_path):
    async def stop(times):
        with FakeShowdown() as server:
            client = ShowdownClient(settings_for(server, tmp_path, battles=None), First())

            def act(situation):
                if situation.tracker.turn == 2:
                    for _ in range(times):
                        loop.call_soon_threadsafe(client.stop)
                    time.sleep(0.05)

            loop = asyncio.get_running_loop()
            client._decider.act = act
            await asyncio.wait_for(client.run(), 60)
            return client.results, [text for text in server.heard if "/forfeit" in text]

    results, forfeits = asyncio.run(stop(1))
    assert ([result.outcome for result in results], forfeits) == ([verdict(SHORT)], [])
    results, forfeits = asyncio.run(stop(2))
    assert [result.outcome for result in results] == ["abandoned"]
    assert len(forfeits) == 1


def test_who_is_told_to_end_while_news_come_ends(tmp_path):
    """A match waits for its second player, which receives the end of a battle at the same moment."""

    async def work(server):
        client = ShowdownClient(settings_for(server, tmp_path, challenge=None, accept=True, battles=None), First())
        playing = asyncio.create_task(client.run())
        async with asyncio.timeout(60):
            while not client._is_in:
                await asyncio.sleep(0.01)
            client._wake.set()
            playing.cancel()
            await asyncio.wait([playing])
        assert playing.cancelled()

    with FakeShowdown() as server:
        asyncio.run(work(server))


def test_a_torn_result_costs_no_other(tmp_path):
    results = [BattleResult(f"battle-{number}", "a\u2028b", "random", "win") for number in range(3)]
    for result in results:
        write_result(tmp_path, result)
        with (tmp_path / "results.jsonl").open("ab") as file:
            file.write(b'{"room": "torn')
    assert read_results(tmp_path) == results
