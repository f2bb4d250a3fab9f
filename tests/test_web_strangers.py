"""Clients of the page's server that show no token: they cost little, and never shut the owner out."""

import asyncio
import contextlib
import errno
import json
import logging
import resource
import socket
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from live_browser import Browser, web_here, web_server
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tengen.analysis.connections import (
    ConnectionGuard,
    ConnectionLimits,
    GuessLimit,
    network_of,
    quiet_accept_errors,
)
from tengen.web.door import DoorSettings

TOKEN = "a token of the tests"
PATIENCE_S = 60.0
"""Time limit for an event, in seconds. Only a failing test waits that long."""


class Client:
    """A client of the server that sends raw bytes, requests, or socket messages."""

    def __init__(self, address):
        self.address = address.partition("#")[0].rstrip("/")
        self.where = urlsplit(self.address)
        self.session = None

    def post(self, path, body):
        """The status, and what was answered."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Origin": self.address}
        if self.session is not None:
            headers["Authorization"] = f"Bearer {self.session}"
        request = urllib.request.Request(self.address + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def show_token(self):
        status, answer = self.post("/api/session", {"token": TOKEN})
        assert status == 200, answer
        self.session = answer["session"]
        return self

    def get_page(self):
        with urllib.request.urlopen(self.address + "/", timeout=PATIENCE_S) as answer:
            return answer.status

    def send(self, data):
        """A connection over which these bytes were sent."""
        connection = socket.create_connection((self.where.hostname, self.where.port), timeout=PATIENCE_S)
        with contextlib.suppress(OSError):
            connection.sendall(data)
        return connection

    def open_socket(self):
        protocols = ["tengen"] if self.session is None else ["tengen", f"session.{self.session}"]
        return connect(f"ws://{self.where.netloc}/socket", origin=self.address, subprotocols=protocols)

    @property
    def half(self):
        return f"GET / HTTP/1.1\r\nHost: {self.where.netloc}\r\nX-".encode()


def tried_again(action):
    """Repeat an action until it succeeds: if limits are short, a busy machine may be too slow at first."""
    for _ in range(100):
        try:
            return action()
        except (OSError, EOFError, ConnectionClosed):
            continue
    raise AssertionError("it failed a hundred times")


def wait_for_close(connection):
    """The code with which the server closes a socket."""
    try:
        while True:
            connection.recv(PATIENCE_S)
    except ConnectionClosed as closed:
        return closed.rcvd.code


def is_closed(connection):
    """Waits for the end of a connection; False if something else comes, or nothing for very long."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True
    except TimeoutError:
        return False


@pytest.fixture
def serve(tmp_path):
    with contextlib.ExitStack() as held:

        def start(door=None, **limits):
            door = DoorSettings(token=TOKEN) if door is None else door
            here = web_here(tmp_path, door=door, limits=ConnectionLimits(**limits))
            return Client(held.enter_context(here))

        yield start


@pytest.mark.parametrize(
    "rest",
    ["", "GET / HTTP/1.1\r\nHost: x", "POST /api/session HTTP/1.1\r\n{head}Content-Length: 30\r\n\r\n{{"],
    ids=["nothing", "half of the headers", "half of the body"],
)
def test_a_request_has_little_time(rest, serve):
    client = serve(header_s=0.1, body_s=0.1)
    head = f"Host: {client.where.netloc}\r\nOrigin: {client.address}\r\nContent-Type: application/json\r\n"
    with client.send(rest.format(head=head).encode()) as connection:
        assert is_closed(connection)


@pytest.mark.parametrize("waits", [False, True], ids=["with its head", "after the response"])
def test_a_damaged_body_is_no_error_of_the_server(waits, serve, caplog, monkeypatch):
    """Any stranger could write a traceback per request to the owner's terminal."""
    client = serve()
    # The server's own logger shows its records itself.
    monkeypatch.setattr(logging.getLogger("uvicorn.error"), "handlers", [caplog.handler])
    head = f"POST /api/session HTTP/1.1\r\nHost: {client.where.netloc}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    for _ in range(5):
        with client.send(head if waits else head + b"zz\r\n") as connection:
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 4")
            if waits:
                connection.sendall(b"zz\r\n")
            connection.settimeout(PATIENCE_S)
            while True:
                try:
                    if not connection.recv(1 << 16):
                        break
                except ConnectionError:
                    break
    assert client.get_page() == 200
    assert not [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR]


def test_time_does_not_begin_anew_with_every_byte(serve):
    client = serve(header_s=0.3)
    with client.send(client.half) as connection:
        connection.settimeout(0.05)
        # Each byte is followed by a pause. Sixteen thousand bytes would be too many headers.
        assert any(not is_open_after(connection, b"a") for _ in range(1000))


def is_open_after(connection, data):
    try:
        connection.sendall(data)
        return connection.recv(1) != b""
    except TimeoutError:
        return True
    except ConnectionError:
        return False


def test_the_second_request_of_a_connection_has_little_time_too(serve):
    client = serve(header_s=0.2)
    whole = f"GET / HTTP/1.1\r\nHost: {client.where.netloc}\r\n\r\n".encode()

    def ask():
        connection = client.send(whole)
        got = b""
        while b"</html>" not in got:
            part = connection.recv(1 << 16)
            if not part:
                connection.close()
                raise EOFError
            got += part
        return connection

    with tried_again(ask) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(client.half)
        assert is_closed(connection)


def test_a_socket_outlives_the_time_for_headers(serve):
    client = serve(header_s=0.1, body_s=0.1)
    tried_again(client.show_token)
    with tried_again(client.open_socket) as tab, client.send(client.half) as other:
        assert is_closed(other)
        tab.send(json.dumps({"t": "hint", "ply": 0}))
        assert json.loads(tab.recv(PATIENCE_S))["t"] == "problem"


def test_half_sent_requests_leave_the_owner_in(serve):
    client = serve(total=16, per_address=8, header_s=3600)
    with contextlib.ExitStack() as held:
        halves = [held.enter_context(client.send(client.half)) for _ in range(40)]
        assert client.get_page() == 200
        assert client.show_token().post("/api/tables", {"game": "pyrga", "seats": [None, None]})[0] == 200
        assert all(is_closed(connection) for connection in halves[:24])


@pytest.mark.slow
def test_the_owner_comes_in_when_files_are_few(tmp_path):
    """As many connections as there are files for would keep everybody out, and each try would write a traceback."""
    before = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))"
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(400, soft - 200)
    with web_server(tmp_path, "--token", TOKEN, before=before) as (address, process), contextlib.ExitStack() as held:
        client = Client(address)
        for _ in range(count):
            held.enter_context(client.send(client.half))
        assert client.show_token().get_page() == 200
        process.terminate()
        assert len(process.communicate(timeout=PATIENCE_S)[1]) < 2000


def test_sockets_without_a_key_take_no_tab(serve, monkeypatch):
    monkeypatch.setattr("tengen.web.app.MAX_SOCKETS", 2)
    client = serve(key_s=3600)
    with contextlib.ExitStack() as held:
        for _ in range(5):
            held.enter_context(client.open_socket())
        client.show_token()
        made = client.post("/api/tables", {"game": "pyrga", "seats": [None, None]})[1]
        for _ in range(2):
            tab = held.enter_context(client.open_socket())
            tab.send(json.dumps({"t": "open", "table": made["table"], "key": made["key"]}))
            assert json.loads(tab.recv(PATIENCE_S))["t"] == "table"
        third = held.enter_context(client.open_socket())
        assert "close another one" in json.loads(third.recv(PATIENCE_S))["text"]


def test_guests_leave_tabs_for_the_owner(serve, monkeypatch):
    monkeypatch.setattr("tengen.web.app.MAX_GUESTS", 1)
    client = serve()
    guest = Client(client.address)
    made = client.show_token().post("/api/tables", {"game": "pyrga", "seats": [None, None]})[1]
    opening = json.dumps({"t": "open", "table": made["table"], "key": made["key"]})
    with contextlib.ExitStack() as held:
        first, second, own = [held.enter_context(one.open_socket()) for one in (guest, guest, client)]
        first.send(opening)
        assert json.loads(first.recv(PATIENCE_S))["t"] == "table"
        second.send(opening)
        assert wait_for_close(second) == 1000
        own.send(opening)
        assert json.loads(own.recv(PATIENCE_S))["t"] == "table"


def test_a_socket_without_a_key_is_closed(serve):
    client = serve(key_s=0.1)
    with client.open_socket() as stranger:
        assert "needs a link" in json.loads(stranger.recv(PATIENCE_S))["text"]
        assert wait_for_close(stranger) == 1008


def test_a_guest_stays_until_the_key_is_revoked(serve):
    client = serve(key_s=0.1)
    guest = Client(client.address)
    made = client.show_token().post("/api/tables", {"game": "pyrga", "seats": [None, None]})[1]

    def sit_down():
        tab = guest.open_socket()
        tab.send(json.dumps({"t": "open", "table": made["table"], "key": made["key"]}))
        if {json.loads(tab.recv(PATIENCE_S))["t"] for _ in range(2)} != {"table", "board"}:
            tab.close()
            raise EOFError
        return tab

    with tried_again(sit_down) as tab:
        # Another stranger comes and is sent away meanwhile.
        with guest.open_socket() as stranger:
            assert wait_for_close(stranger) == 1008
        tab.send(json.dumps({"t": "hint", "ply": 0}))
        assert "hints are for the owner" in json.loads(tab.recv(PATIENCE_S))["text"]
        assert client.post(f"/api/tables/{made['table']}/keys", {"seat": 0})[0] == 200
        assert wait_for_close(tab) == 1008


def test_wrong_tokens_are_slowed_down(serve):
    client = serve()
    found = [client.post("/api/session", {"token": f"wrong {number}"})[0] for number in range(7)]
    assert found == [401] * 5 + [429] * 2
    status, answer = client.post("/api/session", {"token": TOKEN})
    assert status == 429, "whether the next one is right is not told either"
    assert "wait" in answer["problem"]


def test_guesses_are_counted_by_address():
    now = [0.0]
    limit = GuessLimit(burst=3, every_s=10.0, clock=lambda: now[0])
    for _ in range(3):
        assert limit.wait_s("192.0.2.1") == 0
        limit.note_wrong("192.0.2.1")
    assert limit.wait_s("192.0.2.1") == 10.0
    assert limit.wait_s("::ffff:192.0.2.1") == 10.0
    assert limit.wait_s("192.0.2.2") == 0
    now[0] = 10.0
    assert limit.wait_s("192.0.2.1") == 0
    limit.note_wrong("192.0.2.1")
    assert limit.wait_s("192.0.2.1") == 10.0
    now[0] = 1000.0
    assert limit.wait_s("192.0.2.1") == 0
    for number in range(5000):
        limit.note_wrong(f"10.0.{number // 256}.{number % 256}")
    assert len(limit._free_at) <= 1000


def test_a_network_of_ipv6_is_one_address():
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1%eth0") != network_of("2001:db8:0:1::1")


class Transport:
    def __init__(self, host):
        self.host, self.is_aborted = host, False

    def get_extra_info(self, _):
        return self.host, 1

    def is_closing(self):
        return self.is_aborted

    def abort(self):
        self.is_aborted = True


def test_a_crowded_address_pushes_out_its_own():
    guard = ConnectionGuard(ConnectionLimits(total=10, per_address=6, grace_s=0.0))
    quiet = [Transport(f"192.0.2.{number}") for number in range(4)]
    loud = [Transport("198.51.100.1") for _ in range(50)]
    for one in (*quiet, *loud, Transport("203.0.113.1"), Transport("203.0.113.2")):
        guard.enter(one)
    assert not any(one.is_aborted for one in quiet)
    assert sum(not one.is_aborted for one in loud) == 4
    assert all(one.is_aborted for one in loud[:46])
    owner = Transport("198.51.100.1")
    guard.enter(owner)
    guard.admit(owner)
    for _ in range(50):
        guard.enter(Transport("198.51.100.1"))
    assert not owner.is_aborted


def test_a_burst_of_one_address_is_let_in():
    now = [0.0]
    guard = ConnectionGuard(ConnectionLimits(total=100, per_address=6, grace_s=1.0), clock=lambda: now[0])
    burst = [Transport("198.51.100.1") for _ in range(50)]
    for one in burst:
        guard.enter(one)
    assert not any(one.is_aborted for one in burst)
    # Those that are still there later are pushed out one by one.
    now[0] = 2.0
    for _ in range(60):
        guard.enter(Transport("198.51.100.1"))
    assert sum(not one.is_aborted for one in burst) == 5


def test_all_tabs_may_come_back_at_the_same_time(serve):
    client = serve(DoorSettings())
    whole = f"GET / HTTP/1.1\r\nHost: {client.where.netloc}\r\nConnection: close\r\n\r\n".encode()

    async def ask():
        reader, writer = await asyncio.open_connection(client.where.hostname, client.where.port)
        writer.write(whole)
        found = await reader.read()
        writer.close()
        return found[:12]

    async def ask_all():
        return set(await asyncio.gather(*(ask() for _ in range(100))))

    assert asyncio.run(ask_all()) == {b"HTTP/1.1 200"}


def test_accept_errors_are_one_line(caplog):
    async def work():
        loop = asyncio.get_running_loop()
        quiet_accept_errors(loop)
        error = OSError(errno.EMFILE, "Too many open files")
        for _ in range(1000):
            loop.call_exception_handler({"message": "socket.accept() out of system resource", "exception": error})
        loop.call_exception_handler({"message": "something else", "exception": ValueError("seen")})

    with caplog.at_level(logging.WARNING):
        asyncio.run(work())
    assert [record.name for record in caplog.records] == ["tengen.analysis.connections.accept", "asyncio"]
    assert "Too many open files" in caplog.records[0].getMessage()
    assert caplog.records[0].exc_info is None


LONE = rb'"\ud800"'


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/session", b'{"token":%s}'),
        ("/api/tables", b'{"game":%s,"seats":[null,null]}'),
        ("/api/tables", b'{"game":"pyrga","seats":[null,null],"settings":{%s:1}}'),
        ("/api/studies", b'{"data":"","game":"pyrga","name":%s}'),
    ],
)
def test_half_a_surrogate_is_refused(path, body, serve):
    client = serve().show_token()
    status, answer = client.post(path, body % LONE)
    assert (status, answer["problem"]) == (400, "the request must be a JSON object, which this is not")


@pytest.mark.parametrize(
    "message", [rb'{"t":"open","table":"a","key":%s}', rb'{"t":%s}', rb'{"t":"play","ply":0,"text":%s}']
)
def test_half_a_surrogate_does_not_cost_the_connection(message, serve):
    client = serve().show_token()
    with client.open_socket() as tab:
        for _ in range(2):
            tab.send((message % LONE).decode())
            assert "must be a JSON object" in json.loads(tab.recv(PATIENCE_S))["text"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "hash_part", ["#/%E0%A4%A", "#/play/%E0%A4%A/x", "#/__proto__", "#/constructor", "#token=%E0%A4%A"]
)
def test_an_address_that_leads_nowhere_is_no_blank_page(hash_part, serve):
    client = serve(DoorSettings())
    with Browser() as page:
        page.goto(f"{client.address}/{hash_part}")
        page.wait("document.querySelector('#main').innerText.trim()")
        assert page.text("nav")
        assert page.complaints == []
