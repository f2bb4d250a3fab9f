"""Damaged files of tables and studies: nothing intact is lost, nothing revoked comes back, the damaged file is kept."""

import asyncio
import base64
import json
import random
import shutil

import pytest
from live_browser import Browser, web_here
from test_web_tables import CATALOG, play_on
from test_web_variations import SGF
from test_web_variations import Tab as QuietTab

from tengen.web.engines import Engines
from tengen.web.lobby import Lobby
from tengen.web.messages import Edit, Open, Play
from tengen.web.studies import StudyError
from tengen.web.study_room import StudyRoom
from tengen.web.tables import TableError


class Tab(QuietTab):
    def __init__(self):
        super().__init__()
        self.problems = []

    def complain(self, error, about=""):
        self.problems.append(str(error))


FLIPS = (0x01, 0x20, 0x80, 0xFF)


@pytest.fixture
def quick_disk(monkeypatch):
    """Thousands of files need not outlive a power failure."""
    monkeypatch.setattr("os.fsync", lambda _: None)


def make_file(folder):
    """A table of thirteen lines whose keys were replaced and whose hints were withdrawn in the middle of the game."""
    lobby = Lobby(folder, CATALOG, None)
    table = lobby.make_table("connect_four", {}, [None, None])
    rng = random.Random(1)
    play_on(table, rng, 4)
    table.allow_hints(for_guests=True)
    old = [*table.settings.keys, table.settings.watch_key]
    for seat in (0, 1, None):
        table.change_keys(seat)
    play_on(table, rng, 4)
    table.allow_hints(for_guests=False)
    play_on(table, rng, 4)
    table.close()
    return folder / f"{table.settings.id}.jsonl", old, table.session.state.history


def old_form(lines):
    """The lines as version 1 of the format wrote them: without checksums, and keys and hints in lines of their own."""
    head, *moves = ({k: v for k, v in json.loads(line).items() if k not in ("seal", "n")} for line in lines)
    now = {"keys": head["keys"], "watch_key": head["watch_key"]}
    head |= {"tengen_table": 1, "keys": ["old0", "old1"], "watch_key": "oldw"}
    head.pop("hints_for_guests")
    rows = [head, *moves[:4], {"hints": True}, now, *moves[4:8], {"hints": False}, *moves[8:]]
    return [json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows]


def find(path, data):
    """The table that a file with these bytes makes, None if it makes none; and all bytes that are kept."""
    shutil.rmtree(path.parent / "quarantine", ignore_errors=True)
    path.write_bytes(data)
    lobby = Lobby(path.parent, CATALOG, None)
    try:
        table = lobby.find(path.stem)
    except TableError:
        table = None
    if table is not None:
        table.close()
    return table, {one.read_bytes() for one in path.parent.rglob("*") if one.is_file()}


def is_known(table, keys):
    return any(table.place_of(key) is not None for key in keys)


def test_one_damaged_byte_does_not_erase_what_follows(tmp_path):
    path, _, history = make_file(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 13
    lines[5] = lines[5].replace(b'"play"', b'"pl\x01y"')
    table, kept = find(path, b"".join(lines))
    assert b"".join(lines) in kept
    assert table.session.state.history == history[:4]
    assert "damaged" in str(table.repaired)
    assert [path.parent / "quarantine" / name for name in Lobby(tmp_path, CATALOG, None).list_damaged()] == list(
        (path.parent / "quarantine").iterdir()
    )
    # The repaired file is intact.
    again, _ = find(path, path.read_bytes())
    assert again.repaired is None
    assert again.session.state.history == history[:4]


@pytest.mark.parametrize("damage", ["torn", "middle"])
def test_the_list_has_the_keys_of_a_repaired_table(damage, tmp_path):
    path, _, _ = make_file(tmp_path)
    lines = old_form(path.read_bytes().splitlines(keepends=True))
    if damage == "torn":
        lines = [*lines[:6], lines[6][:20]]
    else:
        lines[6] = lines[6].replace(b'"keys"', b'"ke\x01s"')
    path.write_bytes(b"".join(lines))
    lobby = Lobby(tmp_path, CATALOG, None)
    [row] = lobby.list_tables()
    table = lobby.find(row["table"])
    assert table.place_of(row["key"]).seat == 0
    assert not is_known(table, ["old0", "old1", "oldw"])
    assert "links to it were replaced" in str(table.repaired)
    table.close()


def test_a_revoked_key_is_not_in_the_file(tmp_path):
    path, old, _ = make_file(tmp_path)
    assert not any(key.encode() in path.read_bytes() for key in old)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["new", "old"])
@pytest.mark.usefixtures("quick_disk")
def test_any_flipped_byte(form, tmp_path):
    path, old, history = make_file(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    if form == "old":
        lines, old = old_form(lines), ["old0", "old1", "oldw"]
        whole, _ = find(path, b"".join(lines))
        assert (whole.session.state.history, whole.repaired, is_known(whole, old)) == (history, None, False)
    data = b"".join(lines)
    rng = random.Random(2)
    opened = 0
    for place in range(0, len(data), 1 if form == "new" else 2):
        damaged = bytearray(data)
        damaged[place] ^= rng.choice(FLIPS)
        table, kept = find(path, bytes(damaged))
        if table is None:
            assert bytes(damaged) in kept, place
            continue
        opened += 1
        assert not is_known(table, old), place
        assert not table.settings.hints_for_guests, place
        at = data[:place].count(b"\n")
        good = sum(b'"play":' in line for line in lines[:at])
        assert len(table.session.state.history) >= good, place
        if form == "new":
            found = table.session.state.history
            assert found == history[: len(found)], place
            assert found == history or bytes(damaged) in kept, place
        elif len(table.session.state.history) < len(history):
            assert bytes(damaged) in kept, place
    assert opened > len(data) // 10


@pytest.mark.slow
@pytest.mark.parametrize("form", ["new", "old"])
@pytest.mark.usefixtures("quick_disk")
def test_a_cut_at_any_byte(form, tmp_path):
    path, old, history = make_file(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    if form == "old":
        lines, old = old_form(lines), ["old0", "old1", "oldw"]
    data = b"".join(lines)
    revoked = 0 if form == "new" else data.index(b'{"keys"')
    for size in range(len(data)):
        table, kept = find(path, data[:size])
        if table is None:
            assert data[:size] in kept, size
            continue
        at = data[:size].count(b"\n")
        good = sum(b'"play":' in line for line in lines[:at])
        assert len(table.session.state.history) >= good
        assert table.session.state.history == history[: len(table.session.state.history)]
        # An old file that ends before the line that revoked a key does not know that it was.
        if size > revoked:
            assert not is_known(table, old), size


def study_file(folder):
    head = {"data": base64.b64encode(SGF).decode(), "name": "", "game": "", "title": "Go"}
    path = folder / "s.jsonl"
    path.write_text(json.dumps(head) + "\n")
    tab = Tab()

    async def steps(room):
        await room.open(tab, Open(study="s"))
        for node, text in ((1, "D4"), (1, "F4"), (2, "G4"), (2, "H5")):
            await room.play(tab, Play(ply=node, text=text))
        added = [row["id"] for row in tab.nodes().values()][-4:]
        for node in added:
            await room.edit(tab, Edit(node=node, what="comment", text=f"number {node}"))
        await room.play(tab, Play(ply=added[0], text="E3"))

    in_room(folder, steps)
    return path, tab


def in_room(folder, steps):
    room = StudyRoom(folder, CATALOG, Engines())
    try:
        asyncio.run(steps(room))
    finally:
        room.close()


def open_study(path, data):
    shutil.rmtree(path.parent / "quarantine", ignore_errors=True)
    path.write_bytes(data)
    tab = Tab()
    try:
        in_room(path.parent, lambda room: room.open(tab, Open(study="s")))
    except StudyError:
        tab = None
    return tab, {one.read_bytes() for one in path.parent.rglob("*") if one.is_file()}


def test_a_study_loses_only_what_hangs_on_the_damaged_line(tmp_path):
    path, tab = study_file(tmp_path)
    whole = tab.nodes()
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 10
    lines[2] = lines[2].replace(b'"play"', b'"pl\x01y"')
    found, kept = open_study(path, b"".join(lines))
    assert b"".join(lines) in kept
    lost = {number for number, row in whole.items() if row["name"] == "F4"}
    nodes = found.nodes()
    assert nodes.keys() == whole.keys() - lost
    assert {number: row.get("comment") for number, row in nodes.items()} == {
        number: row.get("comment") for number, row in whole.items() if number not in lost
    }
    assert any("damaged" in text for text in found.problems)
    # The numbers stay as they are when the repaired file is read.
    again, _ = open_study(path, path.read_bytes())
    assert again.nodes().keys() == nodes.keys()
    assert not any("damaged" in text for text in again.problems)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_disk")
def test_any_flipped_byte_of_a_study(tmp_path):
    path, tab = study_file(tmp_path)
    whole, data = tab.nodes(), path.read_bytes()
    rng = random.Random(3)
    for place in range(data.index(b"\n") + 1, len(data), 3):
        damaged = bytearray(data)
        damaged[place] ^= rng.choice(FLIPS)
        found, kept = open_study(path, bytes(damaged))
        nodes = found.nodes()
        assert len(nodes) >= len(whole) - 2, place
        assert all(whole[number]["name"] == row["name"] for number, row in nodes.items()), place
        assert nodes == whole or bytes(damaged) in kept, place


@pytest.mark.slow
def test_the_page_shows_that_a_file_was_damaged(tmp_path):
    path, _, _ = make_file(tmp_path / "tables")
    lines = path.read_bytes().splitlines(keepends=True)
    key = json.loads(lines[0])["keys"][0]
    lines[5] = lines[5].replace(b'"play"', b'"pl\x01y"')
    path.write_bytes(b"".join(lines))
    with web_here(tmp_path) as address, Browser() as page:
        page.goto(address)
        page.wait(f"document.querySelector('#damaged').innerText.includes({path.name!r})")
        page.evaluate(f"location.hash = '#/play/{path.stem}/{key}'")
        page.wait("document.querySelector('.table').dataset.ply === '4'")
        page.wait("document.getElementById('status').textContent.includes('was damaged')")
        assert page.complaints == []
