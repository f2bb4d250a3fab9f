"""Networks: shapes, checkpoints, exports, and files that are not what they claim to be."""

import ast
import dataclasses
import json
import os
import pickle
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from learning_helpers import Bite, damaged, quick_games, tiny
from toy_games import HighCard, TicTacToe

import tengen
from tengen.learning import SamplesError, load_samples, samples_of
from tengen.nets.onednn import avoid_undescribed_tiles
from tengen.nets.without_telemetry import import_onnxruntime
from tengen.selfplay import RecordError, load_records, parse_record

torch = pytest.importorskip("torch")

from tengen.nets import (  # noqa: E402 - only where PyTorch is
    Architecture,
    Checkpoint,
    CheckpointError,
    ExportError,
    compare,
    count_parameters,
    export_onnx,
    load_checkpoint,
    save_checkpoint,
)

SOURCE = Path(__file__).parent.parent / "src" / "tengen"
GAMES = ("pyrga", "connect_four", "kuhn_poker", "pig")
CHOICES = [
    {},
    {"squeeze": False, "pooling": False},
    {"blocks": 0},
    {"blocks": 2, "pooling": True, "attention": True},
    {"channels": 10, "attention": True, "value": "scalar"},
    {"value": "seats", "moves_left": False},
    {"extras": 0},
    {"trunk": "nested", "blocks": 2},
    {"trunk": "nested", "channels": 1, "attention": True},
    {"trunk": "transformer", "blocks": 2},
    {"trunk": "transformer", "channels": 6},
    {"trunk": "rows", "policy": "pooled"},
    {"trunk": "dense"},
]


def features(network, rows, seed=0):
    a = network.architecture
    return torch.from_numpy(np.random.default_rng(seed).random((rows, a.planes, a.height, a.width), np.float32))


def same_weights(one, other):
    mine, theirs = one.state_dict(), other.state_dict()
    return mine.keys() == theirs.keys() and all(torch.equal(mine[name], theirs[name]) for name in mine)


@pytest.fixture(scope="module")
def pyrga():
    return tengen.game("pyrga")


@pytest.fixture(scope="module")
def checkpoint(pyrga):
    return Checkpoint(tiny(pyrga), "pyrga", dict(pyrga.settings), {"parent": "none", "samples": 12})


@pytest.fixture(scope="module")
def saved(checkpoint):
    return save_checkpoint(checkpoint)


@pytest.mark.parametrize(("broken", "before", "after"), [(True, None, "AVX512_CORE_FP16"), (True, "AVX2", "AVX2"),
                                                         (False, None, None)])  # fmt: skip
def test_undescribed_tiles_are_not_used(broken, before, after, monkeypatch):
    monkeypatch.setattr("tengen._core.has_undescribed_tiles", lambda: broken)
    monkeypatch.setattr(os, "environ", {} if before is None else {"ONEDNN_MAX_CPU_ISA": before})
    avoid_undescribed_tiles()
    assert os.environ.get("ONEDNN_MAX_CPU_ISA") == after


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("name", GAMES)
def test_outputs_have_the_shapes_that_the_game_needs(name, choices):
    game = tengen.game(name)
    network = tiny(game, **choices).eval()
    a = network.architecture
    for rows in (1, 3):
        out = network(features(network, rows))
        assert out.policy.shape == (rows, game.action_count)
        assert out.value.shape == (rows, {"wdl": 3, "scalar": 1, "seats": game.players}[a.value])
        assert out.extras.shape == (rows, choices.get("extras", game.aux_count))
        assert out.moves_left.shape == (rows, int(a.moves_left))
        assert all(bool(torch.isfinite(part).all()) for part in out[:6])
        if a.value != "wdl":
            assert bool((out.value.abs() <= 1).all())
        assert bool((out.extras.abs() <= 1).all())
        assert bool((out.moves_left >= 0).all())


@pytest.mark.parametrize("option", ["squeeze", "pooling", "attention"])
def test_an_option_adds_parameters_that_matter(pyrga, option):
    with_it, without = (tiny(pyrga, blocks=2, **{"attention": False, option: on}) for on in (True, False))
    assert count_parameters(with_it) > count_parameters(without)
    if option != "attention":  # Its output layer starts at zero, so that it changes nothing at first.
        assert not torch.equal(with_it(features(with_it, 2)).policy, without(features(without, 2)).policy)


def test_attention_and_pooling_see_the_whole_board(pyrga):
    """One block of 3 × 3 filters reaches two cells, so only these options connect opposite corners."""
    far = {}
    for choices in ({}, {"attention": True}):
        network = tiny(pyrga, blocks=0, pooling=False, squeeze=False, **choices).eval()
        seen = {}

        def keep(module, inputs, seen=seen):
            seen["x"] = inputs[0]

        network.reader.policy_conv.register_forward_pre_hook(keep)
        rows = torch.zeros((2, *pyrga.shape))
        rows[1, :, 0, 0] = 1
        network(rows)
        far[str(choices)] = float((seen["x"][1] - seen["x"][0])[:, 3, 3].detach().abs().max())
    assert far["{}"] == 0
    assert far["{'attention': True}"] > 0


def test_equal_seeds_build_equal_networks_and_leave_other_random_numbers_alone(pyrga):
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    one, other, third = (tiny(pyrga, seed, attention=True) for seed in (1, 1, 2))
    assert torch.equal(torch.rand(3), wanted)
    assert same_weights(one, other)
    assert not same_weights(one, third)


def test_three_players_get_a_value_a_seat():
    assert Architecture.of(HighCard()).value == "seats"
    assert Architecture.of(HighCard()).value_size == 3
    assert Architecture.of(tengen.game("pyrga")).value == "wdl"


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"channels": 0}, "channels is 0"),
        ({"blocks": -1}, "blocks"),
        ({"value": "win"}, "'win'"),
        ({"policy": "sharp"}, "must be dense, planes or pooled"),
        ({"policy": "pooled"}, "a residual trunk has no rows"),
        ({"depth": 3, "colour": 1}, "colour, depth"),
    ],
)
def test_a_wrong_architecture_is_named(pyrga, choices, text):
    with pytest.raises(ValueError, match=text):
        Architecture.of(pyrga, **choices)


def test_a_game_without_an_encoding_has_no_network():
    with pytest.raises(ValueError, match="no encoding"):
        Architecture.of(TicTacToe())


# Checkpoints.


@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_a_checkpoint_comes_back_whole(pyrga, choices, tmp_path):
    network = tiny(pyrga, 3, **choices)
    network.train()
    network(features(network, 8))  # Move the running means away from their initial values.
    given = Checkpoint(network, "pyrga", {"tie_break": True}, {"parent": "ab", "note": "é\n"})
    data = save_checkpoint(given)
    (tmp_path / "net.safetensors").write_bytes(data)
    for source in (data, tmp_path / "net.safetensors", str(tmp_path / "net.safetensors")):
        found = load_checkpoint(source)
        assert same_weights(found.network, network)
        assert found.network.architecture == network.architecture
        assert (found.game, found.settings, found.lineage) == ("pyrga", {"tie_break": True}, given.lineage)
        assert not found.network.training
        assert save_checkpoint(found) == data


def test_a_checkpoint_has_the_same_bytes_whatever_the_order(checkpoint, saved):
    turned = dict(reversed(checkpoint.lineage.items()))
    assert save_checkpoint(dataclasses.replace(checkpoint, lineage=turned)) == saved
    assert save_checkpoint(checkpoint) == saved
    assert save_checkpoint(dataclasses.replace(checkpoint, lineage={})) != saved


def test_the_header_can_be_read_without_tengen(saved, pyrga):
    size = int.from_bytes(saved[:8], "little")
    header = json.loads(json.loads(saved[8 : 8 + size])["__metadata__"]["tengen"])
    assert header["format"] == "tengen-network-1"
    assert header["game"] == "pyrga"
    assert json.loads(header["architecture"])["channels"] == 8
    assert json.loads(header["lineage"]) == {"parent": "none", "samples": 12}
    assert json.loads(header["settings"]) == dict(pyrga.settings)


def test_a_network_for_another_game_is_refused(checkpoint, pyrga):
    checkpoint.check(pyrga)
    for other in GAMES[1:]:
        with pytest.raises(CheckpointError, match=f"pyrga.*{other}"):
            checkpoint.check(tengen.game(other))
    with pytest.raises(CheckpointError):
        dataclasses.replace(checkpoint, network=tiny(pyrga, extras=0)).check(pyrga)


def test_a_damaged_checkpoint_is_refused_or_equal(checkpoint, saved):
    refused = 0
    for data in damaged(saved, 1000):
        try:
            found = load_checkpoint(data)
        except CheckpointError:
            refused += 1
        else:
            assert same_weights(found.network, checkpoint.network)
            assert found.network.architecture == checkpoint.network.architecture
            assert (found.game, found.settings, found.lineage) == ("pyrga", checkpoint.settings, checkpoint.lineage)
    assert refused > 950


def with_header(saved, **changes):
    """Return the checkpoint with parts of its header replaced."""
    from safetensors.torch import load, save

    size = int.from_bytes(saved[:8], "little")
    header = json.loads(json.loads(saved[8 : 8 + size])["__metadata__"]["tengen"]) | changes
    return save(load(saved), {"tengen": json.dumps(header)})


def changed_architecture(checkpoint, **changes):
    return json.dumps(dataclasses.asdict(checkpoint.network.architecture) | changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"blocks": 10**9},
        {"channels": 10**12},
        {"actions": 2**62, "planes": 2**62},
        {"blocks": 2},
        {"value": "scalar"},
        {"channels": 8.0},
        {"channels": "8"},
        {"channels": None},
    ],
    ids=str,
)
def test_a_header_that_promises_what_is_not_there_costs_nothing(checkpoint, saved, changes):
    """The sizes in the header are compared with the file before any tensor is allocated."""
    with pytest.raises(CheckpointError):
        load_checkpoint(with_header(saved, architecture=changed_architecture(checkpoint, **changes)))


def test_another_format_is_named(saved):
    with pytest.raises(CheckpointError, match="tengen-network-9"):
        load_checkpoint(with_header(saved, format="tengen-network-9"))


def test_a_weight_that_is_no_number_is_refused(pyrga):
    for bad in (float("nan"), float("inf")):
        network = tiny(pyrga)
        with torch.no_grad():
            network.policy_out.bias[3] = bad
        with pytest.raises(CheckpointError, match=r"policy_out\.bias"):
            load_checkpoint(save_checkpoint(Checkpoint(network, "pyrga")))


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 8, b"\xff" * 100, b"{}", (2).to_bytes(8, "little") + b"[]", b"\x10" + b"[" * 100_000],
    ids=["empty", "zeros", "ones", "json", "list", "deep"],
)
def test_what_is_no_checkpoint_at_all_is_refused(data):
    with pytest.raises(CheckpointError):
        load_checkpoint(data)
    nested = b"[" * 50_000
    with pytest.raises(CheckpointError):
        load_checkpoint(len(nested).to_bytes(8, "little") + nested)


def test_a_file_that_is_not_there_is_named(tmp_path):
    for path in (tmp_path / "none.safetensors", tmp_path):
        with pytest.raises(CheckpointError, match=path.name):
            load_checkpoint(path)


# Exports.


@pytest.mark.parametrize("name", GAMES)
def test_an_export_answers_as_the_network_does_for_any_batch(name, tmp_path):
    game = tengen.game(name)
    network = tiny(game, 4, blocks=2, attention=True).train()
    data = export_onnx(network)
    assert network.training
    assert compare(network, data) <= 1e-4
    network.eval()
    session = import_onnxruntime().InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    assert names == (["policy", "value", "extras"] if game.aux_count else ["policy", "value"])
    for rows in (1, 2, 7, 65):
        given = features(network, rows, rows)
        out = network(given)._asdict()
        for part, found in zip(names, session.run(None, {"features": given.numpy()}), strict=True):
            assert found.shape == tuple(out[part].shape)
            assert np.abs(found - out[part].detach().numpy()).max() <= 1e-4


def test_exports_of_equal_networks_have_equal_bytes(pyrga):
    assert export_onnx(tiny(pyrga, 6)) == export_onnx(tiny(pyrga, 6))


def test_how_a_policy_is_read_is_stored_with_the_network(pyrga, tmp_path):
    """Checkpoint, ONNX file and int8 file keep the softness; files without one get the default."""
    from tengen.evaluators import Onnx, Torch
    from tengen.evaluators.fastest import Positions
    from tengen.nets import quantize
    from tengen.nets.shipped import find_shipped
    from tengen.nets.softness import DEFAULT_SOFTNESS

    network = tiny(pyrga, softness=0.2)
    data = export_onnx(network)
    (tmp_path / "net.onnx").write_bytes(data)
    (tmp_path / "net.int8.onnx").write_bytes(quantize(data, Positions.drawn(pyrga, 16).features))
    (tmp_path / "net.safetensors").write_bytes(save_checkpoint(Checkpoint(network, pyrga.id, dict(pyrga.settings))))
    assert Onnx(tmp_path / "net.onnx").softness == 0.2
    assert Onnx(tmp_path / "net.int8.onnx").softness == 0.2
    assert Torch(tmp_path / "net.safetensors").softness == 0.2
    assert Onnx(find_shipped(pyrga).network).softness == DEFAULT_SOFTNESS
    with pytest.raises(ValueError, match="softness is 0"):
        tiny(pyrga, softness=0.0)


def test_an_export_that_differs_is_an_error(pyrga, monkeypatch):
    from tengen.nets import export

    for worst in (2e-4, float("nan")):
        monkeypatch.setattr(export, "compare", lambda *_, worst=worst: worst)
        with pytest.raises(ExportError, match="differs"):
            export_onnx(tiny(pyrga))


def test_large_outputs_are_compared_by_their_size(pyrga):
    """Rounding errors of 32 bits grow with the numbers."""
    from tengen.nets.export import TOLERANCE, compare

    network = tiny(pyrga).eval()
    network.policy_out.weight.data *= 1e5
    with torch.inference_mode():
        assert network(torch.ones(1, *pyrga.shape)).policy.abs().max() > 1000
    exported = export_onnx(network)
    assert 0 < compare(network, exported) < TOLERANCE
    network.policy_out.weight.data *= 1.01
    assert compare(network, exported) == pytest.approx(0.01, rel=0.2)


def test_a_search_plays_with_the_export(pyrga, tmp_path):
    (tmp_path / "net.onnx").write_bytes(export_onnx(tiny(pyrga)))
    assert tengen.search(pyrga.start(1), evaluator=str(tmp_path / "net.onnx"), visits=16, seed=1).visits >= 16


# Pickles.


def test_a_pickle_is_never_opened(tmp_path):
    """Write a pickle bare, inside an NPZ file, and as torch.save writes it."""
    trap = tmp_path / "sprung"
    bare = pickle.dumps(Bite(trap))
    array, archive, torch_file = BytesIO(), BytesIO(), BytesIO()
    np.save(array, np.array([Bite(trap)], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("s", "p", "z"):
            file.writestr(f"{name}.npy", array.getvalue())
    torch.save({"weights": Bite(trap)}, torch_file)
    hidden = BytesIO()
    with zipfile.ZipFile(hidden, "w") as file:
        for name in ("s", "p", "z"):
            file.writestr(name, bare)
    for data in (bare, array.getvalue(), archive.getvalue(), torch_file.getvalue(), hidden.getvalue()):
        with pytest.raises(CheckpointError):
            load_checkpoint(data)
        with pytest.raises(SamplesError):
            load_samples(data)
        with pytest.raises(RecordError):
            load_records(data)
        with pytest.raises(RecordError):
            parse_record(data.decode("latin-1"))
    assert not trap.exists()
    # Check that the pickle would run its code if it were loaded.
    pickle.loads(bare)
    assert trap.exists()


PICKLERS = ("pickle", "shelve", "marshal", "joblib", "dill")


def opened_pickles(path):
    """Return calls that unpickle data, except for values that the same call has just pickled."""
    text = path.read_text(encoding="utf-8")
    if not any(name in text.lower() for name in ("torch", *PICKLERS)):
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        call, options = ast.unparse(node.func), {word.arg: ast.unparse(word.value) for word in node.keywords}
        is_copy = bool(node.args) and ast.unparse(node.args[0]).startswith("pickle.dumps(")
        if (call == "torch.load" and options.get("weights_only") != "True") or (
            call.split(".")[-1] in ("load", "loads", "Unpickler", "read_pickle", "open")
            and any(name in call.lower() for name in PICKLERS)
            and not is_copy
        ):
            yield f"line {node.lineno}: {call}"
        if options.get("allow_pickle", "False") != "False":
            yield f"line {node.lineno}: allow_pickle"


@pytest.mark.slow
def test_no_source_reads_a_pickle_from_a_file():
    """Tasks for workers (cluster/) are the only exception, and none of them comes from a file: a process reads the data
    of its parent from an anonymous pipe, or a node reads the data of a coordinator that has the cluster's token."""
    found = {str(path.relative_to(SOURCE)): list(opened_pickles(path)) for path in SOURCE.rglob("*.py")}
    calls = {name: lines for name, lines in found.items() if lines}
    assert {name for name in calls if not name.startswith("cluster")} == set()
    assert all("ForkingPickler.loads" in line for lines in calls.values() for line in lines)


def test_samples_of_a_network_free_game_need_no_torch():
    """Workers make samples without PyTorch."""
    import subprocess
    import sys

    code = "import sys, tengen.learning, tengen.selfplay; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert len(samples_of(tengen.game("pyrga"), quick_games("pyrga", 1))) > 0
