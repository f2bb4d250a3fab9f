"""The store of networks: names, copies that are whole, and nothing overwritten."""

import gzip
import hashlib
import json

import pytest
from katago_samples import sample, write, write_file

from tengen.nets import StoreError, add_network, find_network, list_networks
from tengen.nets.katago import KataGoFileError, load
from tengen.nets.store import folder


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_a_network_is_kept_under_its_name(tmp_path, data):
    file = write_file(tmp_path / "small.v8.bin.gz", sample(8))
    stored = add_network(file)
    assert stored.name == "small.v8"
    assert stored.path == data / "nets" / "small.v8.bin.gz"
    assert stored.path.read_bytes() == file.read_bytes()
    assert stored.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert stored.size == file.stat().st_size
    assert list_networks() == [stored]
    file.unlink()
    assert find_network("small.v8") == stored.path
    assert load("small.v8").info.name == "sample-0"
    assert {path.name for path in folder().iterdir()} == {"small.v8.bin.gz", "small.v8.json"}


def test_names_are_chosen_and_listed_in_order(tmp_path):
    file = write_file(tmp_path / "a.txt", sample(9))
    for name in ("zeta", "alpha"):
        assert add_network(file, name).source == "a.txt"
    assert [stored.name for stored in list_networks()] == ["alpha", "zeta"]


def test_another_network_of_that_name_is_refused(tmp_path):
    first, second = (write_file(tmp_path / f"{seed}.bin", sample(8, seed=seed)) for seed in (1, 2))
    kept = add_network(first, "mine")
    assert add_network(first, "mine") == kept
    with pytest.raises(StoreError, match="another network is called 'mine' already"):
        add_network(second, "mine")
    assert find_network("mine").read_bytes() == first.read_bytes()


def test_what_is_no_network_is_not_kept(tmp_path):
    (tmp_path / "bad.bin.gz").write_bytes(gzip.compress(write(sample(8))[:1000]))
    (tmp_path / "net.onnx").write_bytes(b"")
    with pytest.raises(KataGoFileError, match=r"bad\.bin\.gz"):
        add_network(tmp_path / "bad.bin.gz")
    with pytest.raises(StoreError, match="what is in it is not of"):
        add_network(tmp_path / "net.onnx")
    with pytest.raises(StoreError, match=r"must end with .*\.bin\.gz"):
        add_network(tmp_path / "net.pb")
    with pytest.raises(KataGoFileError, match="none"):
        add_network(tmp_path / "none.bin.gz")
    good = write_file(tmp_path / "good.bin", sample(8))
    for name in ("../up", "", ".hidden", "a b", "x" * 101):
        with pytest.raises(StoreError, match="can't be called"):
            add_network(good, name)
    assert not folder().exists() or list(folder().iterdir()) == []


def test_a_path_comes_before_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = write_file(tmp_path / "net.bin", sample(8))
    add_network(file, "net.bin")
    assert find_network("net.bin").resolve() == file
    file.unlink()
    assert find_network("net.bin").parent == folder()


def test_unknown_names_list_what_there_is(tmp_path):
    with pytest.raises(StoreError, match="there are: none"):
        find_network("mine")
    add_network(write_file(tmp_path / "known.bin", sample(8)))
    with pytest.raises(StoreError, match=r"mine is no network file.*there are: known"):
        load("mine")


def test_entries_that_are_not_ours_are_left_out(tmp_path):
    kept = add_network(write_file(tmp_path / "kept.bin", sample(8)))
    gone = add_network(write_file(tmp_path / "gone.bin", sample(8)))
    gone.path.unlink()
    (folder() / "other.json").write_text("[1]")
    (folder() / "broken.json").write_text("{")
    (folder() / "newer.json").write_text(json.dumps({"name": "newer", "color": "red"}))
    assert list_networks() == [kept]
    # A file that was lost may come again.
    assert add_network(write_file(tmp_path / "gone.bin", sample(8, seed=5))).path.is_file()


@pytest.mark.parametrize("has_xdg", [True, False])
def test_where_it_is(has_xdg, tmp_path, monkeypatch):
    monkeypatch.delenv("TENGEN_DATA")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    if has_xdg:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert folder() == (tmp_path / "xdg" if has_xdg else tmp_path / ".local" / "share") / "tengen" / "nets"
