"""`tengen net`: what a network is, where it is kept, and whether it answers as KataGo does."""

import gzip
import json
from dataclasses import replace

import katago_golden as golden
import numpy as np
import pytest
from cli_runner import runner
from katago_samples import sample, write_file

import tengen
from tengen.nets.importers import Difference
from tengen.nets.katago import KataGoNetwork, inputs_of
from tengen.nets.katago.comparison import FeaturesError, read_cases


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    return runner(monkeypatch, capsys)


@pytest.fixture
def net(tmp_path):
    return write_file(tmp_path / "tiny.bin.gz", sample(16, ["ordinary", "nested"], seed=1))


def test_info(run, net):
    ran = run("net", "info", net)
    assert ran.code == 0
    for words in ("sample-1", "16", "2 ordinary, 1 nested bottleneck", "22 planes, 19 numbers", "values of moves"):
        assert words in ran.out
    facts = json.loads(run("net", "info", net, "--json").out)
    assert facts["version"] == 16
    assert facts["blocks"]["attention"] == 1
    assert facts["parameters"] == sample(16, ["ordinary", "nested"], seed=1).count_parameters()


def test_networks_are_kept(run, net):
    assert "no networks in" in run("net", "list").out
    added = run("net", "add", net, "--name", "mine")
    assert added.code == 0
    assert "mine:" in added.out
    assert "sha256" in added.out
    run("net", "add", net)
    listed = run("net", "list").out
    assert listed.index("mine") < listed.index("tiny")
    assert [each["name"] for each in json.loads(run("net", "list", "--json").out)["networks"]] == ["mine", "tiny"]
    assert "sample-1" in run("net", "info", "mine").out


def test_trouble_is_one_line(run, net, tmp_path):
    other = write_file(tmp_path / "other.bin", sample(8))
    run("net", "add", net, "--name", "mine")
    for words, said in (
        (["info", "nowhere"], "nowhere is no network file"),
        (["info", __file__], "no network of KataGo's"),
        (["add", other, "--name", "mine"], "another network is called 'mine'"),
        (["check", net, "--net", net], "can't be read"),
        (["check", tmp_path / "none.json", "--net", net], "none.json can't be read"),
    ):
        ran = run("net", *words)
        assert ran.code == 2
        assert said in ran.err
        assert ran.out == ""


# Comparing with KataGo. The answers here are a tiny network's own.


def features(network, changes=None):
    """A file's contents: two positions under different rules, the second seen in two symmetries."""
    entries = []
    for name, rules, moves, turns in (
        ("first", "tromp-taylor", [], [0]),
        ("second", "japanese", [["B", "C3"], ["W", "B4"], ["B", "pass"]], [0, 6]),
    ):
        game = tengen.game("go", size=5)
        state = game.start(rules=rules, komi=6.5, moves=moves, prevent_cleanup=True)
        state = game.with_options(state, root_ply=game.ply(state), passing_hacks=True)
        inputs = inputs_of([state])
        evals = []
        for symmetry in turns:
            raw = network.evaluate(
                inputs.planes, inputs.globals, inputs.legal, white_to_move=inputs.white_to_move, symmetry=symmetry
            ).row(0)
            said = {theirs: np.asarray(getattr(raw, ours)).tolist() for theirs, ours in golden.FIELDS.items()}
            evals.append(said | {"symmetry": symmetry})
        entries.append(
            {
                "request": {
                    "id": name,
                    "rules": rules,
                    "komi": 6.5,
                    "moves": moves,
                    "boardXSize": 5,
                    "boardYSize": 5,
                },
                "result": {
                    "pla": "BW"[len(moves) % 2],
                    "inputParams": {
                        "conservativePassAndIsRoot": False,
                        "enablePassingHacks": True,
                        "maxHistory": 1000,
                    },
                    "planes": ["".join(str(int(x)) for x in plane.ravel()) for plane in inputs.planes[0]],
                    "globals": inputs.globals[0].tolist(),
                    "evals": evals,
                },
            }
        )
    for change in changes or []:
        change(entries)
    return json.dumps(entries)


@pytest.fixture
def write_features(tmp_path):
    def write(*changes):
        path = tmp_path / "features.json.gz"
        path.write_bytes(
            gzip.compress(features(KataGoNetwork(sample(16, ["ordinary", "nested"], seed=1)), changes).encode())
        )
        return path

    return write


def test_equal_answers_pass(run, net, write_features):
    ran = run("net", "check", write_features(), "--net", net)
    assert ran.code == 0, ran.out
    assert "2 positions, 3 answers: all as KataGo's, to within 0.0001" in ran.out
    found = json.loads(run("net", "check", write_features(), "--net", net, "--json").out)
    assert found["is_close"]
    assert {each["name"] for each in found["inputs"]} == {"planes", "globals", "legal moves"}


def change_plane(entries):
    planes = entries[1]["result"]["planes"]
    planes[3] = "1" + planes[3][1:]


def change_globals(entries):
    entries[0]["result"]["globals"][5] += 0.05


def change_lead(entries):
    entries[1]["result"]["evals"][1]["whiteLead"] += 0.01


@pytest.mark.parametrize(
    ("change", "name", "where"),
    [(change_plane, "planes", "second"), (change_globals, "globals", "first"), (change_lead, "white_lead", "second")],
)
def test_differences_fail(run, net, write_features, change, name, where):
    path = write_features(change)
    assert run("net", "check", path, "--net", net).code == 1
    ran = run("net", "check", path, "--net", net, "--json")
    assert ran.code == 1
    found = json.loads(ran.out)
    (difference,) = [each for each in (*found["inputs"], *found["outputs"]) if each["name"] == name]
    assert difference["where"] == where
    assert difference["worst"] > 0.001


def test_the_tolerance_is_for_outputs(run, net, write_features):
    assert run("net", "check", write_features(change_lead), "--net", net, "--tolerance", "0.01").code == 0
    assert run("net", "check", write_features(change_plane), "--net", net, "--tolerance", "1000").code == 1


def test_the_tolerance_grows_with_what_is_compared(run, tmp_path):
    plain = sample(16, ["ordinary"], seed=1)
    bias = plain.value.score_bias
    far = replace(bias, weights=bias.weights + np.array([0, 0, 2, 0, 0, 0], np.float32))
    network = replace(plain, value=replace(plain.value, score_bias=far))
    net, path = write_file(tmp_path / "far.bin.gz", network), tmp_path / "features.json"

    def wrong_by(points):
        def change(entries):
            found = entries[0]["result"]["evals"][0]
            assert abs(found["whiteLead"]) > 30
            found["whiteLead"] += points

        path.write_text(features(KataGoNetwork(network), [change]))
        return run("net", "check", path, "--net", net)

    assert wrong_by(5e-4).code == 0
    assert wrong_by(-5e-4).code == 0
    ran = wrong_by(0.02)
    assert ran.code == 1
    assert "to within 0.0001 (relative beyond ±1)" in ran.out


def test_another_network_fails(run, tmp_path, write_features):
    other = write_file(tmp_path / "other.bin.gz", sample(16, seed=9))
    ran = run("net", "check", write_features(), "--net", other)
    assert ran.code == 1
    assert "NOT as KataGo's" in ran.out


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1]", '[{"request": {}, "result": {}}]', "not json"])
def test_odd_feature_files_are_refused(text, tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(FeaturesError, match=r"odd\.json"):
        read_cases(path)


def test_what_is_no_number_is_the_largest_difference():
    found = Difference("x").seen(0.5, "a").seen(float("nan"), "b").seen(7.0, "c").seen(0.1, "d")
    assert found.where == "b"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "file"),
    [
        (golden.CONVOLUTIONAL, "b6c96"),
        (golden.CONVOLUTIONAL, "b6c96_passes_encore"),
        (golden.TRANSFORMERS[0], "b7c96h3tfrs_v17"),
        (golden.TRANSFORMERS[1], "b7c96h6kv3_v17"),
    ],
)
def test_golden_files(run, name, file):
    path = golden.SHARED / "golden" / "katago" / f"features_and_raw_nn_{file}.json.gz"
    if not path.is_file():
        pytest.skip(f"{path.name} is not in {path.parent}")
    ran = run("net", "check", path, "--net", golden.network_file(name))
    assert ran.code == 0, ran.out
