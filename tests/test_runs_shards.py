"""Results in shards: whole or absent, of one setting."""

import json

import pytest

from tengen.runs import RunError, Shards
from tengen.runs.errors import RunBusy

SETTINGS = {"seed": 1, "players": ["a", "b"], "most": None, "deep": {"rate": 0.5}}


def filled(folder, count=3):
    shards = Shards(folder, count, SETTINGS)
    for index in range(count):
        shards.write(index, {"jsonl": f"{index}\n".encode() * 3, "txt": b"t"})
    return shards


def test_parts_are_merged_in_order(tmp_path):
    shards = filled(tmp_path / "log.shards")
    assert shards.missing() == []
    shards.merge("jsonl", tmp_path / "log.jsonl")
    assert (tmp_path / "log.jsonl").read_text() == "0\n0\n0\n1\n1\n1\n2\n2\n2\n"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".tmp")] == []
    shards.remove()
    assert not (tmp_path / "log.shards").exists()


def test_what_is_not_whole_is_missing(tmp_path):
    shards = filled(tmp_path)
    shards.path(0, "done").unlink()
    shards.path(1, "txt").unlink()
    shards.path(2, "jsonl").write_bytes(b"2\n2\n")
    assert Shards(tmp_path, 3, SETTINGS).missing() == [0, 1, 2]
    shards.write(1, {"jsonl": b"1\n", "txt": b"t"})
    assert shards.missing() == [0, 2]
    shards.path(1, "done").write_bytes(b"{")
    assert shards.missing() == [0, 1, 2]
    shards.path(1, "done").write_bytes(b"{}")
    assert shards.missing() == [0, 1, 2]


@pytest.mark.parametrize(
    ("count", "settings", "told"),
    [
        (3, SETTINGS | {"seed": 2}, "seed is 1 there and 2 here"),
        (3, SETTINGS | {"deep": {"rate": 0.6}}, "deep.rate is 0.5 there and 0.6 here"),
        (4, SETTINGS, "shards is 3 there and 4 here"),
    ],
)
def test_other_settings_are_refused(tmp_path, count, settings, told):
    filled(tmp_path)
    with pytest.raises(RunError, match="was begun with other settings") as caught:
        Shards(tmp_path, count, settings)
    assert told in str(caught.value)
    assert Shards(tmp_path, 3, SETTINGS).missing() == []


def test_damage_to_the_settings_is_told(tmp_path):
    filled(tmp_path)
    for data in (b"", b"[1]", b"{"):
        (tmp_path / "shards.json").write_bytes(data)
        with pytest.raises(RunError, match=r"shards\.json is damaged"):
            Shards(tmp_path, 3, SETTINGS)
    (tmp_path / "shards.json").unlink()
    with pytest.raises(RunError, match=r"has shards but no shards\.json"):
        Shards(tmp_path, 3, SETTINGS)
    assert json.loads((tmp_path / "part-00000.done").read_text())


def test_one_writer_at_a_time(tmp_path):
    first, second = Shards(tmp_path, 1, {}), Shards(tmp_path, 1, {})
    with first.lock(), pytest.raises(RunBusy), second.lock():
        pass
    with second.lock():
        second.write(0, {"txt": b""})
    assert first.missing() == []
