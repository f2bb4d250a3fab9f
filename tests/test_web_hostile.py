"""What nobody should send: a thousand messages, a hundred paths, fifty records, twenty origins and hosts. All of it is
refused, and nothing drops."""

import http.client
import json
import random
from urllib.parse import urlsplit

import pytest
from live_browser import web_here
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

pytestmark = pytest.mark.slow
KINDS = ("open", "play", "undo", "resign", "offer", "rematch", "hint", "ask", "edit", "review", "watch", "look")
SECRET = "root:x:0:0"
VALUES = (
    None,
    True,
    -1,
    0,
    2**63,
    1e308,
    "",
    "x" * 500,
    "../../etc/passwd",
    "\0",
    "<script>",
    [],
    [[]],
    {},
    {"a": [1]},
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("root")


@pytest.fixture(scope="module")
def server(tmp_path_factory, folder):
    write_records(folder)
    with web_here(tmp_path_factory.mktemp("web"), roots=(folder,)) as address:
        yield urlsplit(address).netloc


def talk(server, **more):
    return connect(f"ws://{server}/socket", origin=f"http://{server}", subprotocols=["tengen"], **more)


def ask(server, path, method="GET", body=None, **headers):
    """Status and content. The path goes out as it is."""
    connection = http.client.HTTPConnection(server, timeout=60)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in (
            {"Host": server} | {key.replace("_", "-"): value for key, value in headers.items()}
        ).items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def hostile_message(rng):
    kind = rng.choice((*KINDS, "nothing", "", 7))
    match rng.randrange(6):
        case 0:
            return rng.randbytes(rng.randrange(200))
        case 1:
            return "[" * rng.randrange(1, 60_000)
        case 2:
            return json.dumps({"t": kind} | {rng.choice("abcxyz"): rng.choice(VALUES) for _ in range(3)})
        case 3:
            return json.dumps({"t": kind, "ply": rng.choice(VALUES), "action": rng.choice(VALUES)})
        case 4:
            names = ("table", "key", "study", "node", "run", "match", "visits", "pins", "visible", "text", "what")
            return json.dumps({"t": kind} | {rng.choice(names): rng.choice(VALUES) for _ in range(3)})
        case _:
            return "x" * rng.randrange(65_000, 70_000)


def test_a_thousand_messages(server):
    """Most are refused for coming too quickly; those that are read, for what they say. The connection stays."""
    rng = random.Random(5)
    with talk(server, max_size=None, compression=None) as socket:
        for _ in range(1000):
            socket.send(hostile_message(rng))
            answer = json.loads(socket.recv(60))
            assert answer["t"] == "problem", answer
            assert answer["text"].strip()
            assert "\n" not in answer["text"]
    with talk(server) as socket:
        socket.send(json.dumps({"t": "watch", "run": "no such"}))
        assert json.loads(socket.recv(60))["about"] == "watch"


def hostile_paths():
    rng = random.Random(6)
    ways = ("../" * 8, "..%2f" * 8, "%2e%2e/" * 8, "....//" * 4, "..\\" * 4, "/", "//", "%00", "./../")
    places = ("/static/", "/static/x/", "/api/library/", "/api/tables/", "/api/picture/", "/", "/api/library/x/games/")
    goals = ("etc/passwd", "proc/self/environ", "run.toml", "index.html", "main.js", "", "..")
    made = [place + way + goal for place in places for way in ways for goal in goals]
    odd = [
        "/api/library/x/games/-1",
        "/api/library/x/games/99999999999999999999",
        "/api/library/compare?first=a&second=b",
    ]
    odd += ["/api/library/compare", "/%ff%fe", "/" + "a" * 5000, "/api/home/../..", "/docs", "/openapi.json"]
    return odd + rng.sample(made, 100 - len(odd))


def test_a_hundred_paths(server):
    home = ask(server, "/")[1]
    paths = hostile_paths()
    assert len(paths) == 100
    for path in paths:
        status, content = ask(server, path)
        assert SECRET.encode() not in content, path
        assert status in (400, 401, 404, 405, 409, 414, 421, 422, 307) or content == home, (path, status, content[:200])
    assert ask(server, "/")[0] == 200


def test_twenty_origins_and_hosts(server):
    port = server.rpartition(":")[2]
    hosts = ["evil.example", f"evil.example:{port}", "", "127.0.0.1.evil.example", f"127.0.0.1:{port}.evil.example"]
    hosts += [
        f"localhost.evil.example:{port}",
        "0.0.0.0",
        f"[::ffff:8.8.8.8]:{port}",
        "127.0.0.1:1@evil.example",
        "a" * 300,
    ]
    for host in hosts:
        assert ask(server, "/", Host=host)[0] in (400, 421), host
    origins = [
        "null",
        "http://evil.example",
        f"http://evil.example:{port}",
        "http://127.0.0.1",
        f"https://127.0.0.1.evil:{port}",
    ]
    origins += [f"http://{server}.evil.example", "file://", f"http://{server}/path", f"http://user@{server}", ""]
    assert len(hosts) + len(origins) == 20
    for origin in origins:
        with pytest.raises(InvalidStatus) as refused, connect(f"ws://{server}/socket", origin=origin or None):
            pass
        assert refused.value.response.status_code == 403, origin
        told = {"Content_Type": "application/json", "Content_Length": "2"} | ({"Origin": origin} if origin else {})
        assert ask(server, "/api/tables", "POST", b"{}", **told)[0] == 403, origin


def write_records(folder):
    """Fifty, all broken in another way."""
    rng = random.Random(7)
    whole = {
        ".sgf": b"(;GM[1]FF[4]SZ[19]KM[7.5];B[pd];W[dp](;B[pp];W[dd])(;B[dd]))",
        ".kif": "手合割：平手\n手数----指手\n1 ７六歩(77)\n2 ３四歩(33)\n".encode(),
        ".json": b'{"format":"tengen-game","version":1,"game":"pyrga","settings":{},"moves":["square b2"]}',
    }
    made = []
    for number in range(44):
        suffix = list(whole)[number % 3]
        data = bytearray(whole[suffix])
        for _ in range(rng.randrange(1, 12)):
            place = rng.randrange(len(data))
            data[place : place + rng.randrange(4)] = rng.randbytes(rng.randrange(4))
        made.append((suffix, bytes(data)))
    made += [
        (".sgf", b"(;" * 100_000),
        (".json", b"[" * 500_000),
        (".json", b'{"a":' * 100_000),
        (".kif", b"\xff" * 100_000),
    ]
    made += [(".sgf", b"(;GM[1]SZ[99999])"), (".json", b'{"format":"tengen-game","game":"../../x.py:Game"}')]
    for number, (suffix, data) in enumerate(made):
        (folder / f"record-{number:02}{suffix}").write_bytes(data)


def test_fifty_records(server):
    status, content = ask(server, "/api/library")
    entries = json.loads(content)["entries"]
    assert status == 200
    assert len(entries) == 50
    refused = 0
    for entry in entries:
        status, content = ask(server, f"/api/library/{entry['id']}/games/0")
        assert status in (200, 409), (entry, content[:300])
        told = json.loads(content)
        assert "games" in told or told["problem"]
        refused += status == 409
    assert refused >= 25
