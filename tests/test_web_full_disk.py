"""Tables and studies whose disk is full: what could not be written has not happened."""

import asyncio
import base64
import json

import pytest
from test_web_studies import SGF
from test_web_tables import CATALOG, make_table
from test_web_variations import Tab

from tengen.web.app import WebSettings, make_app
from tengen.web.clocks import ClockSettings
from tengen.web.engines import Engines
from tengen.web.lobby import Lobby
from tengen.web.messages import Edit, Open, Play
from tengen.web.studies import StudyError
from tengen.web.study_room import StudyRoom
from tengen.web.tables import Place, TableError


def fail(_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("game", "act"),
    [
        ("pyrga", lambda table: table.resign(0)),
        ("pyrga", lambda table: table.undo(0)),
        ("rock_paper_scissors", lambda table: table.play(0, 0, 0)),
        ("matgo", lambda table: table.play(table.session.state.actor, 1, table.session.state.legal()[0])),
    ],
)
def test_nothing_has_happened(game, act, tmp_path, monkeypatch):
    table = make_table(tmp_path, game)
    actor = table.session.state.actor
    if isinstance(actor, int):
        table.play(actor, 0, table.session.state.legal()[0])

    def told():
        return [json.loads(table.board(Place(seat), None)[0]) for seat in (0, 1)]

    before = told()

    monkeypatch.setattr("tengen.web.line_files.os.fsync", fail)
    with pytest.raises(TableError, match="No space left"):
        act(table)
    monkeypatch.undo()
    assert told() == before
    assert act(table)
    assert told() != before
    table.close()


@pytest.mark.parametrize(
    "act",
    [
        lambda table: table.note_next("other"),
        lambda table: table.change_keys(0),
        lambda table: table.change_keys(None),
        lambda table: table.allow_hints(for_guests=True),
    ],
)
def test_keys_hints_and_the_next_table_are_what_was_written(act, tmp_path, monkeypatch):
    lobby = Lobby(tmp_path, CATALOG, None)
    table = lobby.make_table("pyrga", {}, [None, None], ClockSettings(60.0))
    table.play(0, 0, table.session.state.legal()[0])

    def facts():
        keys = [*table.settings.keys, table.settings.watch_key]
        guest = table.place_of(keys[0], is_owner=False)
        return keys, guest.has_hints, table.next_table, table.version

    before, kept = facts(), (tmp_path / f"{table.settings.id}.jsonl").read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", fail)
        with pytest.raises(TableError, match="No space left"):
            act(table)
    assert facts() == before
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [kept]
    act(table)
    assert facts() != before
    table.close()


@pytest.mark.parametrize("call", ["fsync", "write", "replace"])
def test_a_full_disk_leaves_no_empty_file(call, tmp_path, monkeypatch):
    lobby = Lobby(tmp_path, CATALOG, None)
    monkeypatch.setattr(f"os.{call}", lambda *_: fail(0))
    with pytest.raises(TableError, match="No space left"):
        lobby.make_table("pyrga", {}, [None, None])
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []
    assert lobby.list_tables() == []


def test_a_full_disk_leaves_no_empty_study(tmp_path, monkeypatch):
    app = make_app(WebSettings(tmp_path)).app
    monkeypatch.setattr("os.fsync", fail)
    told, status = {}, []

    async def receive():
        return {"type": "http.request", "body": json.dumps({"data": base64.b64encode(SGF).decode()}).encode()}

    async def send(message):
        status.append(message.get("status"))
        told.update(json.loads(message.get("body") or b"{}"))

    scope = {"type": "http", "method": "POST", "path": "/api/studies", "query_string": b"", "headers": []}
    asyncio.run(app(scope | {"tengen.is_owner": True}, receive, send))
    assert status[0] == 507
    assert "No space left" in told["problem"]
    assert list((tmp_path / "studies").iterdir()) == []


def test_a_study_is_what_was_written(tmp_path, monkeypatch):
    head = {"data": base64.b64encode(SGF).decode(), "name": "", "game": ""}
    (tmp_path / "s.jsonl").write_text(json.dumps(head) + "\n")
    room, tab = StudyRoom(tmp_path, CATALOG, Engines()), Tab()

    async def study():
        await room.open(tab, Open(study="s"))
        await room.play(tab, Play(ply=1, text="D4"))
        with monkeypatch.context() as patched:
            patched.setattr("tengen.web.line_files.os.fsync", fail)
            for asked in (room.play(tab, Play(ply=1, text="F4")), room.edit(tab, Edit(node=2, what="delete"))):
                with pytest.raises(StudyError, match="No space left"):
                    await asked
        await room.play(tab, Play(ply=1, text="G3"))
        await room.play(tab, Play(ply=1, text="G3"))

    asyncio.run(study())
    room.close()
    assert [node["name"] for node in tab.nodes().values()][-2:] == ["D4", "G3"]
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()[1:]]
    assert [set(line) for line in lines] == [{"play", "node", "n", "seal"}] * 2
