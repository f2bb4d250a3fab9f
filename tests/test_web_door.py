"""Access control of the page's server."""

import asyncio

import pytest

from tengen.web.door import HEADERS, Door, DoorSettings
from tengen.web.request_errors import RequestError


async def nobody(scope, receive, send):
    body = b"owner" if scope["tengen.is_owner"] else b"guest"
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def knock(door, *, method="GET", host="127.0.0.1:8300", kind="http", protocols=(), **headers):
    """Return the response: a status or "accept"/"close", and the body."""
    sent = []
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    pairs += [(b"host", one.encode()) for one in ([host] if isinstance(host, str) else host)]
    scope = {"type": kind, "method": method, "path": "/", "headers": pairs, "subprotocols": list(protocols)}

    async def receive():
        return {"type": "http.request", "body": b"{}"} if kind == "http" else {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    asyncio.run(door(scope, receive, send))
    if kind == "websocket":
        return sent[0]["type"].removeprefix("websocket."), None
    found = {name.decode() for name, _ in sent[0]["headers"]}
    assert {name.lower() for name in HEADERS} <= found, "whatever the answer, browsers are told what pages may do"
    return sent[0]["status"], sent[1]["body"].decode()


OPEN = Door(nobody, DoorSettings())
CLOSED = Door(nobody, DoorSettings("0.0.0.0", "secret secret", ("my-machine.local",)))
POST = {"method": "POST", "content_type": "application/json", "content_length": "2"}


@pytest.mark.parametrize("host", ["127.0.0.1:8300", "localhost:8300", "localhost", "[::1]:8300"])
def test_this_machine_is_known_by_its_names(host):
    assert knock(OPEN, host=host) == (200, "owner")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "127.0.0.1.evil.example", "evil.example:8300", "", "10.0.0.7:8300", "user@127.0.0.1",
        "localhost/x", "localhost:99999999", "[::1", "127.0.0.1 evil.example", "localhost#x", "tengen.test",
        "0x7f.1.evil",
        [], ["127.0.0.1", "127.0.0.1"],
    ],
)  # fmt: skip
def test_other_hosts_are_refused(host):
    assert knock(OPEN, host=host)[0] == 421
    assert knock(OPEN, host=host, kind="websocket", origin="http://127.0.0.1:8300")[0] == "close"


def test_hosts_elsewhere():
    for host in ("my-machine.local:8300", "192.168.1.5:8300", "localhost:8300"):
        assert knock(CLOSED, host=host)[0] == 200
    assert knock(CLOSED, host="evil.example")[0] == 421


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1", "https://127.0.0.1.evil.example:8300",
        "file://", "http://127.0.0.1:8300.evil.example", "ws://127.0.0.1:8300", "", "http://localhost:8300",
    ],
)  # fmt: skip
def test_pages_of_others_change_nothing(origin):
    assert knock(OPEN, **POST, origin=origin)[0] == 403
    assert knock(OPEN, kind="websocket", origin=origin)[0] == "close"


def test_own_pages_may():
    assert knock(OPEN, **POST, origin="http://127.0.0.1:8300") == (200, "owner")
    assert knock(OPEN, kind="websocket", origin="http://127.0.0.1:8300")[0] == "accept"


def test_who_names_no_page_changes_nothing():
    assert knock(OPEN, **POST)[0] == 403
    assert knock(OPEN, kind="websocket")[0] == "close"


def test_only_json_of_a_known_size_is_read():
    own = {"origin": "http://127.0.0.1:8300"}
    assert knock(OPEN, **POST | {"content_type": "text/plain"}, **own)[0] == 415
    assert knock(OPEN, **POST | {"content_length": "99999999"}, **own)[0] == 413
    assert knock(OPEN, method="POST", content_type="application/json", **own)[0] == 413


def test_the_token_makes_an_owner():
    assert knock(CLOSED) == (200, "guest")
    with pytest.raises(RequestError, match="token is wrong"):
        CLOSED.open_session("wrong", "192.0.2.1")
    session = CLOSED.open_session("secret secret", "192.0.2.1")
    assert knock(CLOSED, authorization=f"Bearer {session}") == (200, "owner")
    assert knock(CLOSED, authorization="Bearer wrong") == (200, "guest")
    assert knock(CLOSED, authorization="Bearer secret secret") == (200, "guest"), (
        "the token itself opens only a session"
    )


def test_a_token_is_needed_elsewhere():
    with pytest.raises(ValueError, match="needs a token"):
        DoorSettings("0.0.0.0")
    for short in (" ", "a" * 11, "a" * 11 + " "):
        with pytest.raises(ValueError, match="at least 12"):
            DoorSettings(token=short)
    for wrong in ("half a pair \udcff", "a line\nof another"):
        with pytest.raises(ValueError, match="can't be printed"):
            DoorSettings(token=wrong)
