"""`tengen net` with networks of shogi, and the store."""

import json
import random
import sys
from pathlib import Path

import onnx
import pytest
from cli_runner import runner
from shogi_nets import write_dlshogi, write_miniosl, write_tutorial

import tengen
from tengen.arena import shipped_champion
from tengen.console.levels import level_player
from tengen.console.players import resolve_player
from tengen.evaluators import choose_evaluator, find_evaluator
from tengen.nets import StoreError, add_network, list_networks
from tengen.nets.miniosl import files
from tengen.nets.miniosl.files import KNOWN, find_package
from tengen.nets.onnx_files import OnnxFileError, read_facts
from tengen.nets.shipped import find_shipped
from tengen.play import make_champion

DATA = Path(__file__).parent / "data" / "shogi"
GAME = tengen.game("shogi")


@pytest.fixture(autouse=True)
def data(monkeypatch, tmp_path):
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


@pytest.fixture
def package(monkeypatch, tmp_path):
    """A package miniosl whose network keeps its weights in a second file, as newer ones do."""
    folder = tmp_path / "site" / "miniosl"
    (folder / "pretrained").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('not to be imported')")
    licence = tmp_path / "site" / "miniosl-9.dist-info"
    licence.mkdir()
    (licence / "METADATA").write_text("Metadata-Version: 2.1\nName: miniosl\nVersion: 9\n")
    (licence / "LICENSE.osl").write_text("Redistribution is permitted.\n-------\n同じこと\n", encoding="utf-8")
    (licence / "RECORD").write_text("miniosl-9.dist-info/LICENSE.osl,,\nmodule.py,,\n")
    path = write_miniosl(folder / "pretrained" / "eval.onnx")
    model = onnx.load(path)
    path.unlink()
    onnx.save(model, path, save_as_external_data=True, location="eval.onnx.data", size_threshold=0)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    sys.modules.pop("miniosl", None)
    return path


def test_the_installed_network_is_added_with_its_licence(run, package):
    said = run("net", "add", "miniosl")
    assert said.code == 0
    assert "Redistribution is permitted." in said.out
    assert "同じ" not in said.out
    stored = list_networks(GAME)[0]
    assert (stored.name, stored.source) == ("miniosl", "eval.onnx")
    package.with_name("eval.onnx.data").unlink()
    for name in ("miniosl", f"miniosl:{stored.path}"):
        assert tengen.search(GAME.start(), evaluator=name, visits=3).visits == 3
    assert choose_evaluator(None, GAME).evaluator == "miniosl:miniosl"


def test_the_installed_network_is_an_evaluator_by_its_name(package):
    assert find_evaluator("miniosl", GAME).path == package
    assert find_evaluator("miniosl:miniosl", GAME).path == package
    assert list_networks() == []


def test_without_the_package_it_is_said_how_to_get_it(run, monkeypatch):
    monkeypatch.setattr(files.importlib.util, "find_spec", lambda name: None)
    said = run("net", "add", "miniosl")
    assert said.code == 2
    assert "pip install 'tengen-games[shogi]'" in said.err


def test_a_network_is_kept_with_its_settings(run, tmp_path):
    path = write_dlshogi(tmp_path / "model.onnx", hands=119, batch=2)
    path.with_name("model.onnx.ini").write_text("Softmax_Temperature=150\nC_init=100\nUCT_Threads=4\n")
    assert run("net", "add", str(path), "--name", "dl").code == 0
    facts = json.loads(run("net", "info", "dl", "--json").out)
    assert (facts["hand_planes"], facts["batch"], facts["softmax_temperature"]) == (119, 2, 1.5)
    assert (facts["search"], facts["ignored"]) == ({"c_puct": 2.0}, {"UCT_Threads": "4"})
    shown = run("net", "info", "dl").out
    assert "119 of hands and entering kings" in shown
    assert "2 alone" in shown
    assert find_evaluator("dl", GAME).temperature == 1.5
    assert "119 of hands" not in run("net", "info", str(write_dlshogi(tmp_path / "plain.onnx"))).out


def test_info_of_miniosl_s(run, tmp_path):
    path = write_miniosl(tmp_path / "net.onnx")
    facts = json.loads(run("net", "info", str(path), "--json").out)
    assert (facts["name"], facts["planes"], facts["history"]) == ("unknown", 176, 7)
    assert "the last 7 moves among them" in run("net", "info", str(path)).out


def test_an_added_network_plays_at_every_level(tmp_path):
    """The strongest level is the computer of `tengen play` and of the page; `champion` is the player that ships."""
    shipped = shipped_champion(find_shipped(GAME)).resolved
    assert level_player("champion", GAME) == resolve_player("champion", GAME) == shipped
    add_network(write_dlshogi(tmp_path / "mine.onnx"))
    assert str(level_player("champion", GAME)) == "dlshogi:mine@500"
    assert str(level_player("hard", GAME)) == "dlshogi:mine@62"
    _, opponent = make_champion(GAME, random.Random(1), 1.0)
    assert opponent._settings.visits == 500
    assert resolve_player("champion", GAME) == shipped


@pytest.mark.parametrize(
    ("write", "wrong"),
    [
        (write_tutorial, "one input of 104 planes: that is the format of a tutorial's engine"),
        (lambda path: write_dlshogi(path, hands=60), "has 60 planes in its input 'input2', and must have 57"),
        (lambda path: write_dlshogi(path, hands=62, board=57), "its input 'input1' is .*57.*, not .*62, 9, 9"),
    ],
)
def test_relatives_are_refused_by_their_shapes(tmp_path, write, wrong):
    with pytest.raises(OnnxFileError, match=wrong):
        add_network(write(tmp_path / "net.onnx"))
    assert list_networks() == []


def test_others_are_refused(run, tmp_path):
    for write in (lambda path: write_miniosl(path, planes=44), lambda path: write_miniosl(path, values=3)):
        with pytest.raises(StoreError, match="what is in it is not of dlshogi or miniosl"):
            add_network(write(tmp_path / "net.onnx"))
    with pytest.raises(StoreError, match="no such file"):
        add_network(tmp_path / "none.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"no graph")
    said = run("net", "info", str(tmp_path / "bad.onnx"))
    assert said.code == 2
    assert "bad.onnx is no ONNX file" in said.err


def test_inputs_are_checked_without_a_network(run, tmp_path):
    for name in ("miniosl", "dlshogi"):
        for net in ([], ["--net", f"{name}-int8"]):
            said = run("net", "check", str(DATA / f"{name}.json.gz"), *net)
            assert said.code == 0, said.err
            assert f"40 positions, 0 answers: all as {name}'s" in said.out
    path = write_dlshogi(tmp_path / "net.onnx")
    found = json.loads(run("net", "check", str(DATA / "dlshogi.json.gz"), "--net", str(path), "--json").out)
    assert found["is_close"]
    assert [each["name"] for each in found["inputs"]] == ["input1", "features2", "labels of moves"]
    said = run("net", "check", str(path))
    assert said.code == 2
    assert "--net FILE" in said.err


@pytest.mark.skipif(find_package() is None, reason="the package miniosl is not installed")
def test_the_real_network_is_checked(run):
    said = run("net", "check", str(DATA / "miniosl.json.gz"), "--net", "miniosl")
    is_its = KNOWN.get(read_facts(find_package()).sha256) == "eval.onnx of miniosl 0.1.6"
    assert (said.code, "40 positions, 40 answers: all as miniosl's" in said.out) == (
        (0, True) if is_its else (2, False)
    )
    other = find_package().with_name("eval-aozora.onnx")
    said = run("net", "add", str(other), "--name", "aozora")
    assert "plays ordinary shogi badly" in said.out + said.err
