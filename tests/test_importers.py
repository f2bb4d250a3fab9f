"""Importers of other programs' networks: a new one is known to the store, evaluators, commands and the engine."""

import json
from typing import ClassVar

import numpy as np
import pytest
from cli_runner import runner

import tengen
from tengen.evaluators import Evaluation, Evaluator, choose_evaluator, find_evaluator
from tengen.nets import importers as registry
from tengen.nets.importers import Comparison, Difference, Importer, find_importer, importers, register_importer
from tengen.nets.store import StoreError, add_network, find_imported, newest_network

GAME = tengen.game("connect_four")


class ToyNetwork(Evaluator):
    """Likes the column that its file names."""

    def __init__(self, path, *, threads=1, cache_entries=0, symmetry=None, seed=0, sharp=False):
        self.column = int(path.read_text())
        self.options = {"threads": threads, "cache_entries": cache_entries, "symmetry": symmetry, "seed": seed}
        self.sharp = sharp
        side = path.with_name(path.name + ".ini")
        self.note = side.read_text() if side.exists() else None

    def evaluate(self, leaves):
        logits = np.zeros((len(leaves), leaves.game.action_count), np.float32)
        logits[:, self.column] = 9 if self.sharp else 3
        return Evaluation(logits, np.zeros((len(leaves), 2), np.float32))


class ToyImporter(Importer):
    program = "Toy"
    prefixes: ClassVar = {"toy": {}, "toy-sharp": {"sharp": True}}
    suffixes = (".toy",)
    side_suffixes = (".ini",)
    source = "Toys are made by hand"
    installed = None

    def serves(self, game):
        return game.id == GAME.id

    def find_installed(self, name):
        return self.installed if name == "package" else None

    def validate(self, path):
        if not path.read_text().isdecimal():
            raise ValueError(f"{path} is no toy")

    def info(self, path):
        return {"column": int(path.read_text())}

    def open(self, path, **options):
        return ToyNetwork(path, **options)

    def compare(self, path, reference):
        error = abs(int(path.read_text()) - int(reference.read_text()))
        return Comparison(1, 1, (), (Difference("column").seen(error, "start"),))


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """The file of a toy network that likes column d."""
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    importers()
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    register_importer(ToyImporter)
    path = tmp_path / "mine.toy"
    path.write_text("3")
    return path


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def favorite(evaluator):
    return tengen.search(GAME.start(), evaluator=evaluator, visits=8, seed=1).best.name


def test_the_shipped_importers_are_there():
    assert [importer.program for importer in importers()] == ["dlshogi", "KataGo", "miniosl"]
    assert importers(tengen.game("pyrga")) == []


def test_a_prefix_has_one_owner(toy):
    class Other(ToyImporter):
        prefixes: ClassVar = {"other": {}, "toy-sharp": {}}

    with pytest.raises(ValueError, match="'toy-sharp' is already a prefix of Toy's"):
        register_importer(Other)


def test_the_store_keeps_its_networks_with_what_lies_beside_them(toy):
    toy.with_name("mine.toy.ini").write_text("Softmax_Temperature=174")
    stored = add_network(toy, "d")
    assert stored.path.name == "d.toy"
    assert find_evaluator("toy:d", GAME).note == "Softmax_Temperature=174"
    assert newest_network(GAME) == stored
    assert newest_network(tengen.game("go")) is None
    toy.write_text("no number")
    with pytest.raises(ValueError, match=r"mine\.toy is no toy"):
        add_network(toy, "e")
    with pytest.raises(StoreError, match=r"must end with .*\.bin\.gz, .*\.toy"):
        add_network(toy.with_suffix(".game"))


def test_evaluators_are_found_by_file_name_and_prefix(toy):
    add_network(toy, "d")
    for name in (str(toy), "d", "toy:d", f"toy:{toy}", toy):
        found = find_evaluator(name, GAME)
        assert isinstance(found, ToyNetwork)
        assert not found.sharp
        assert favorite(name) == "d"
    assert find_evaluator("toy-sharp:d", GAME).sharp
    assert choose_evaluator(None, GAME) == ("toy:d", 500)
    with pytest.raises(StoreError, match="nobody is no network file"):
        find_evaluator("toy:nobody", GAME)
    with pytest.raises(ValueError, match=r"no evaluator is called 'toi'.*NETWORK\.toy.*toy-sharp:NETWORK"):
        find_evaluator("toi", GAME)


def test_an_installed_package_may_bring_a_network(toy, monkeypatch):
    monkeypatch.setattr(ToyImporter, "installed", toy)
    assert find_evaluator("toy:package", GAME).column == 3


def test_of_two_that_recognize_a_file_the_one_that_serves_the_game_opens_it(toy):
    class Twin(ToyImporter):
        program = "Twin"
        prefixes: ClassVar = {"twin": {}}

        def serves(self, game):
            return game.id == "pyrga"

    register_importer(Twin)
    for game, program in ((GAME, "Toy"), (tengen.game("pyrga"), "Twin")):
        assert find_importer(toy, game).program == program
        assert find_imported(toy, game).importer.program == program


def test_commands_know_it(run, toy, monkeypatch):
    assert "column:" in run("net", "info", toy).out
    assert json.loads(run("net", "info", f"toy:{toy}", "--json").out) == {"column": 3, "file": str(toy)}
    with monkeypatch.context() as patch:
        patch.setattr("tengen.cli.networks.find_shipped", lambda _game: None)
        assert "Toys are made by hand; `tengen net add FILE`" in run("search", GAME.id, "--visits", 8).err
    assert run("net", "add", toy, "--name", "d").code == 0
    ran = run("search", GAME.id, "--visits", 8)
    assert "the network is d" in ran.err
    same = toy.with_name("same.txt")
    same.write_text("3")
    checked = run("net", "check", same, "--net", "d")
    assert (checked.code, "1 positions, 1 answers: all as Toy's" in checked.out) == (0, True)
    same.write_text("4")
    assert run("net", "check", same, "--net", "toy:d").code == 1


def test_the_engine_opens_it_as_its_configuration_says(toy):
    add_network(toy, "d")
    config = tengen.analysis.Config(values={"nnRandSeed": "x", "numEigenThreadsPerModel": "2", "nnForcedSymmetry": "1"})
    with tengen.Engine(GAME, "toy-sharp:d", config=config) as engine:
        assert engine.evaluator.sharp
        assert engine.evaluator.options["threads"] == 2
        assert engine.evaluator.options["symmetry"] == 1
        assert engine.evaluator.options["cache_entries"] > 0
        [answer] = engine.analyze(visits=8)
        assert answer.best.move == "d"
