"""Many clients over WebSocket: who may come in, who must wait, and what becomes of those who do not read."""

import asyncio
import contextlib
import json
import signal
from collections import Counter
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

pytest.importorskip("websockets", reason="the package websockets is not installed")

from cli_runner import runner
from soak.analysis_clients import POSITIONS, Server, Tally, connect, forever, part, soak, stall, vanish
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tengen.analysis import websocket
from tengen.analysis.connections import ConnectionLimits, is_loopback
from tengen.analysis.engine import Engine
from tengen.analysis.service import Service
from tengen.analysis.websocket import ListenSettings, run_websocket, serve_websocket
from tengen.evaluators import MissingPackage

POSITION = POSITIONS["connect_four"]


class Here:
    """A server in this process."""

    def __init__(self, service):
        self.service = service
        self.ended = asyncio.Event()
        self.address = ""

    def terminate(self):
        """As a signal would."""
        self.ended.set()


@asynccontextmanager
async def serving(net="uniform", max_open=10_000, active=4, **settings):
    with Engine("connect_four", net, active=active) as engine:
        here = Here(Service(engine, max_open=max_open))
        ready = asyncio.get_running_loop().create_future()
        listen = ListenSettings(port=0, parting_s=1, **settings)
        task = asyncio.create_task(serve_websocket(here.service, listen, here.ended, ready.set_result))
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        [here.address] = ready.result()
        try:
            yield here
        finally:
            here.terminate()
            await asyncio.wait_for(task, 60)


def run(main):
    asyncio.run(asyncio.wait_for(main(), 120))


def query(name, visits=5, **more):
    return json.dumps({"id": name, "moves": [], "maxVisits": visits, **more})


async def ask(client, *requests):
    """The first answer to each, by id."""
    found = {}
    for request in requests:
        await client.send(request)
    for _ in requests:
        answer = json.loads(await client.recv())
        found[answer.get("id")] = answer
    return found


async def is_let_in(address, **more):
    try:
        async with connect(address, **more) as client:
            return "a" in await ask(client, query("a"))
    except InvalidStatus as refused:
        return refused.response.status_code


def test_questions_and_answers():
    async def main():
        async with serving() as here, connect(here.address) as client, connect(here.address) as other:
            found = await ask(client, query("a"), '{"id":"v","action":"query_version"}', "[]")
            assert found["a"]["rootInfo"]["visits"] == 5
            assert found["v"]["git_hash"].startswith("tengen-")
            assert "not an object" in found[None]["error"]
            # Terminating is for one's own queries only.
            await client.send(json.dumps(forever("mine", reportDuringSearchEvery=0.01)))
            await client.recv()
            found = await ask(other, '{"id":"t","action":"terminate","terminateId":"mine"}')
            assert found["t"]["terminateId"] == "mine"
            assert json.loads(await client.recv())["isDuringSearch"]
            await client.send('{"id":"t","action":"terminate_all"}')
            while (answer := json.loads(await client.recv())).get("isDuringSearch") is not False:
                pass
            assert answer["id"] == "mine"

    run(main)


def test_messages_of_every_kind():
    async def main():
        async with serving() as here:
            async with connect(here.address) as client:
                # Bytes are text, as long as they are.
                assert (await ask(client, query("binary").encode()))["binary"]["rootInfo"]
                assert "UTF-8" in (await ask(client, b"\xff\xfe"))[None]["error"]
                assert "parse error" in (await ask(client, "\x00"))[None]["error"]
                two = await ask(client, query("a") + "\n" + query("b"))
                assert "parse error" in two[None]["error"]
                await client.send("")
                await client.send("  \n")
                # In pieces.
                await client.send([query("frag")[:10], query("frag")[10:]])
                assert json.loads(await client.recv())["id"] == "frag"
            client = await connect(here.address)
            await client.send(json.dumps(forever("open")))
            with pytest.raises(ConnectionClosed) as closed:
                await ask(client, '"' + "x" * (5 << 20) + '"')
            assert closed.value.rcvd.code == 1009
            assert await is_let_in(here.address)

    run(main)


def test_origins():
    async def main():
        async with serving(origins=("https://goban.example",)) as here:
            port = here.address.rsplit(":", 1)[1]
            for origin, is_known in {
                "http://localhost:3000": True,
                "http://127.0.0.1": True,
                f"http://[::1]:{port}": True,
                "https://goban.example": True,
                "https://goban.example.evil.test": False,
                "http://localhost.evil.test": False,
                "http://127.0.0.1.evil.test": False,
                "https://evil.test": False,
                "null": False,
                "file://": False,
                "http://[": False,
                "chrome-extension://127.0.0.1": False,
            }.items():
                assert (await is_let_in(here.address, origin=origin)) in ((True,) if is_known else (403, 400)), origin
            # A foreign name that leads here: the origin of the page equals the host.
            rebound = await is_let_in(
                here.address, origin="http://evil.test:80", additional_headers={"Host": "evil.test:80"}
            )
            assert rebound in (403, 400)

    run(main)


def test_tokens():
    async def main():
        async with serving(token="secret secret é") as here:
            assert await is_let_in(here.address) == 401
            assert await is_let_in(here.address + "/?token=wrong") == 401
            assert await is_let_in(here.address + "/?token=") == 401
            assert await is_let_in(here.address + "/?token=secret+secret+%C3%A9") is True
            assert await is_let_in(here.address, additional_headers={"Authorization": "Bearer nothing"}) == 401
            assert await is_let_in(here.address, additional_headers={"Authorization": "Basic secret"}) == 401
            assert await is_let_in(here.address + "/?token=secret+secret+%C3%A9", origin="https://evil.test") == 403
            # Programs that are no browsers say that they come from the server itself.
            own = here.address.replace("ws://", "http://")
            assert await is_let_in(here.address + "/?token=secret+secret+%C3%A9", origin=own) is True
        async with serving(token="plain plain plain") as here:
            assert (
                await is_let_in(here.address, additional_headers={"Authorization": "bearer  plain plain plain"}) is True
            )

    run(main)


@pytest.mark.parametrize("host", ["0.0.0.0", "", "192.168.1.5", "::", "example.org"])
def test_anything_but_loopback_needs_a_token(host):
    with pytest.raises(ValueError, match="needs a token"):
        ListenSettings(host)
    ListenSettings(host, token="a" * 12)
    for short in ("  ", "a" * 11):
        with pytest.raises(ValueError, match="at least 12"):
            ListenSettings(host, token=short)


def test_wrong_tokens_are_slowed_down():
    async def main():
        async with serving(token="secret secret") as here:
            for _ in range(7):
                assert await is_let_in(here.address) == 401, "no token is no guess"
            wrong = [await is_let_in(f"{here.address}/?token=wrong{number}") for number in range(6)]
            assert wrong == [401] * 5 + [429]
            assert await is_let_in(f"{here.address}/?token=secret+secret") == 429

    run(main)


def test_half_sent_handshakes_keep_nobody_out():
    async def main():
        async with serving(limits=ConnectionLimits(total=16, per_address=8, header_s=3600)) as here:
            host, port = urlsplit(here.address).netloc.rsplit(":", 1)
            halves = [await asyncio.open_connection(host, port) for _ in range(40)]
            for _, writer in halves:
                writer.write(b"GET / HTTP/1.1\r\nHost: x")
            assert await is_let_in(here.address) is True
            # The oldest ones were closed.
            for reader, _ in halves[:24]:
                with contextlib.suppress(ConnectionError):
                    assert await reader.read(1) == b""
            for _, writer in halves:
                writer.close()

    run(main)


def test_a_half_sent_handshake_is_closed():
    async def main():
        async with serving(limits=ConnectionLimits(header_s=0.1)) as here:
            host, port = urlsplit(here.address).netloc.rsplit(":", 1)
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x")
            with contextlib.suppress(ConnectionError):
                await reader.read()
            writer.close()

    run(main)


def test_loopback():
    assert all(map(is_loopback, ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]"]))
    assert not any(map(is_loopback, ["", "0.0.0.0", "::", "10.0.0.1", "localhost.example", "127.0.0.1.example"]))


def test_a_port_that_is_taken():
    async def main():
        async with serving() as here:
            port = int(here.address.rsplit(":", 1)[1])
            with pytest.raises(OSError, match="address"):
                await serve_websocket(here.service, ListenSettings(port=port), asyncio.Event(), lambda _: None)

    run(main)


def test_so_many_clients_and_no_more():
    async def main():
        async with serving(max_clients=2) as here:
            async with connect(here.address) as one, connect(here.address) as two:
                assert len(await ask(one, query("a"))) == len(await ask(two, query("a"))) == 1
                assert await is_let_in(here.address) == 503
            for _ in range(200):
                if await is_let_in(here.address) is True:
                    break
                await asyncio.sleep(0.05)
            else:
                raise AssertionError("places do not become free")

    run(main)


@pytest.mark.slow
def test_a_client_with_many_queries_does_not_keep_others_waiting():
    """Most of the 500 queries of one client finish after the single query of another client."""

    async def main():
        async with serving(active=2) as here, connect(here.address) as many, connect(here.address) as one:
            counted = 0

            async def count():
                nonlocal counted
                while counted < 500:
                    await many.recv()
                    counted += 1

            for number in range(500):
                await many.send(query(str(number), 800))
            counting = asyncio.create_task(count())
            await ask(one, query("single", 800))
            before = counted
            await counting
            assert before < 100

    run(main)


def test_pondering_does_not_keep_others_waiting():
    """Every place is taken by searches without an end."""

    async def main():
        async with serving(active=2) as here, connect(here.address) as hog, connect(here.address) as other:
            for number in range(10):
                await hog.send(json.dumps(forever(str(number), reportDuringSearchEvery=0.01)))
            await hog.recv()
            found = await ask(other, query("a", 50), query("b", 50))
            assert {answer["rootInfo"]["visits"] for answer in found.values()} == {50}

    run(main)


def test_a_full_client_is_refused_and_can_still_terminate():
    async def main():
        async with serving(max_open=5, active=1) as here, connect(here.address) as client:
            for number in range(7):
                await client.send(json.dumps(forever(str(number))))
            refused = [json.loads(await client.recv()) for _ in range(2)]
            assert [answer["id"] for answer in refused] == ["5", "6"]
            assert all("Too much is open" in answer["error"] for answer in refused)
            await client.send('{"id":"t","action":"terminate_all"}')
            answers = [json.loads(await client.recv()) for _ in range(6)]
            assert Counter(answer["id"] for answer in answers) == Counter(["0", "1", "2", "3", "4", "t"])
            assert "rootInfo" in (await ask(client, query("again")))["again"]

    run(main)


@pytest.mark.slow
def test_stalled_clients_are_cut_off_and_hold_little(monkeypatch):
    """The queue for a stalled client is bounded, and other clients are not affected."""
    monkeypatch.setattr(websocket, "HELD_BYTES", 200_000)
    held = []

    async def main():
        async with serving(patience_s=0.5, active=2) as here, connect(here.address) as other:
            tally = Tally()
            put = websocket._Client._put

            def watched(client, line):
                put(client, line)
                held.append(client._bytes)

            monkeypatch.setattr(websocket._Client, "_put", watched)
            stalls = [asyncio.create_task(stall(here.address, POSITION, f"s{i}", 400, tally, 20_000)) for i in range(3)]
            while not all(task.done() for task in stalls):
                assert "rootInfo" in (await ask(other, query("a")))["a"]
            assert len(tally.cut_off) == 3
            # In a thread: the server, whose loop this is, has yet to drop their queries.
            assert await asyncio.to_thread(here.service.engine.scheduler.drain, 60)

    run(main)
    # A message is answered before the next is read: at most one answer too much for each search that runs.
    assert 200_000 < max(held) < 400_000


def test_a_slow_client_gets_everything(monkeypatch):
    """A slow client is throttled, not disconnected, although the responses exceed its queue many times."""
    monkeypatch.setattr(websocket, "HELD_BYTES", 50_000)

    async def main():
        async with serving(active=2) as here, connect(here.address, max_queue=1) as client:
            asked = {str(number): None for number in range(300)}

            async def send():
                for name in asked:
                    await client.send(query(name, 2, nonsense="x" * 100))

            sending = asyncio.create_task(send())
            finals, warnings = Counter(), Counter()
            while finals.total() < 300:
                answer = json.loads(await client.recv())
                (warnings if "warning" in answer else finals)[answer["id"]] += 1
                await asyncio.sleep(0.001)
            await sending
            assert finals == warnings == Counter(asked.keys())

    run(main)


def test_reports_that_nobody_reads_are_left_out(monkeypatch):
    monkeypatch.setattr(websocket, "PARTIAL_BYTES", 20_000)

    async def main():
        async with serving() as here, connect(here.address, max_queue=1) as client:
            await client.send(json.dumps(forever("a", reportDuringSearchEvery=0.001)))
            await asyncio.sleep(1)
            await client.send('{"id":"t","action":"terminate_all"}')
            found = []
            while not found or found[-1].get("isDuringSearch") is not False:
                found.append(json.loads(await client.recv()))
            assert found[0]["isDuringSearch"]

    run(main)


def test_queries_of_vanished_clients_end():
    async def main():
        async with serving() as here:
            await asyncio.gather(*(vanish(here.address, POSITION, f"v{i}") for i in range(5)))
            for _ in range(1000):
                if here.service.engine.scheduler.drain(0):
                    break
                await asyncio.sleep(0.02)
            assert here.service.engine.scheduler.drain(0)
            assert await is_let_in(here.address) is True

    run(main)


def test_the_end_answers_what_is_open():
    """A client that does not read does not delay the end."""

    async def main():
        tally = Tally()
        async with serving(patience_s=0.5) as here:
            clients = [await connect(here.address) for _ in range(5)]
            stalled = asyncio.create_task(stall(here.address, POSITION, "s", 300, tally, 20_000))
            await part(here, POSITION, clients, tally)
        await stalled
        assert tally.problems == []

    run(main)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "websockets", None)
    with Engine("connect_four", "uniform") as engine, pytest.raises(MissingPackage, match=r"'tengen-games\[web\]'"):
        run_websocket(Service(engine), ListenSettings(port=0))


def test_without_the_package_nothing_is_loaded(monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "websockets", None)
    monkeypatch.setattr("tengen.cli.analyze.Engine", lambda *_, **__: pytest.fail("a network is loaded first"))
    ran = runner(monkeypatch, capsys)("analyze", "connect_four", "--listen", "127.0.0.1:0")
    assert (ran.code, ran.out) == (2, "")
    assert "--listen: serving needs the package websockets" in ran.err
    assert "pip install 'tengen-games[web]' (in a checkout: pip install '.[web]')" in ran.err


@pytest.mark.slow
def test_the_process_with_many_clients():
    """A small version of tests/soak/analysis_clients.py."""
    # Less patient than it is.
    quick = "import functools, tengen.cli.analyze as cli; from tengen.analysis.websocket import ListenSettings; "
    quick += "cli.ListenSettings = functools.partial(ListenSettings, patience_s=1, parting_s=60); "
    server = Server("connect_four", "--net", "uniform", before=quick)
    tally = Tally()
    try:
        _, memory, _ = asyncio.run(soak(server, POSITION, 15, 1, 2, 8, tally, asked_by_stalled=1500, idle_s=0.6))
        code = server.wait()
    finally:
        server.kill()
    assert tally.problems == []
    assert code == 0
    assert len(tally.cut_off) == 1
    assert tally.answers > 12 * 8
    assert max(memory) < memory[0] + 300
    assert not any("Traceback" in line for line in server.log)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGTERM, ("--token", "abcdefghijkl")), (signal.SIGINT, ())],
    ids=["a token is given", "one is made up where others can come"],
)
def test_the_process_ends_on_a_signal(number, words):
    server = Server("connect_four", "--net", "uniform", *words, listen="127.0.0.1:0" if words else "0.0.0.0:0")
    address = server.address.replace("0.0.0.0", "127.0.0.1")
    made_up = [line.removeprefix("Token: ") for line in server.log if line.startswith("Token: ")]
    [token] = words[1:] or made_up
    tally = Tally()

    async def main():
        assert await is_let_in(address) == 401
        clients = [await connect(f"{address}/?token={token}") for _ in range(3)]
        server.terminate = lambda: server.process.send_signal(number)
        await part(server, POSITION, clients, tally)

    try:
        asyncio.run(main())
        assert server.wait() == 0
    finally:
        server.kill()
    assert tally.problems == []
    assert not any("Traceback" in line for line in server.log)
