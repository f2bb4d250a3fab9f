"""Damaged network files are refused in one line, or read; nothing else happens, in whatever way they are loaded."""

import subprocess
import sys

import numpy as np
import onnx
import pytest
from damaged_networks import outcome, write_originals
from learning_helpers import damaged
from onnx import numpy_helper

pytest.importorskip("torch", reason="networks are made with PyTorch")

ONNX = ("core.onnx", "runtime.onnx", "prophet.onnx", "enforcer.onnx", "dlshogi.onnx", "odd.onnx", "miniosl.onnx")


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    return write_originals(tmp_path_factory.mktemp("networks"))


@pytest.fixture
def damage(originals, tmp_path):
    """Return the way to load a kind of file, after its damaged content was written."""

    def write(kind, data):
        path = tmp_path / kind
        path.write_bytes(data)
        return path, originals[kind][1]

    return write


def test_originals_are_read(originals):
    assert {kind: outcome(path, way) for kind, (path, way) in originals.items()} == dict.fromkeys(originals, "read")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*ONNX, "own.safetensors", "pair.safetensors", "katago.bin.gz", "katago.bin"])
def test_damaged_files_are_refused_in_one_line_or_read(originals, damage, kind):
    data = originals[kind][0].read_bytes()
    found = [outcome(*damage(kind, each)) for each in damaged(data, 60, seed=11)]
    assert any(text != "read" for text in found)


@pytest.mark.slow
def test_openvino_refuses_damaged_files(originals, damage):
    data = originals["openvino.onnx"][0].read_bytes()
    found = [outcome(*damage("openvino.onnx", each)) for each in damaged(data, 12, seed=5)]
    assert any(text != "read" for text in found)


def with_weight(path, value):
    """Return an ONNX file in which a weight of the largest array has another value."""
    model = onnx.load(path)
    largest = max(model.graph.initializer, key=lambda each: np.prod(each.dims))
    array = numpy_helper.to_array(largest).copy()
    array.flat[array.size // 2] = value
    largest.CopyFrom(numpy_helper.from_array(array, largest.name))
    return model.SerializeToString()


@pytest.mark.parametrize("kind", [*ONNX, "openvino.onnx"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_refused(originals, damage, kind, value):
    path, way = damage(kind, with_weight(originals[kind][0], value))
    assert "is not finite" in outcome(path, way)


@pytest.mark.parametrize("kind", ["core.onnx", "runtime.onnx", "dlshogi.onnx"])
def test_numbers_that_overflow_are_reported(originals, damage, kind):
    """Weights of 3e38 are finite; their products are not."""
    model = onnx.load(originals[kind][0])
    for each in model.graph.initializer:
        array = numpy_helper.to_array(each)
        if array.dtype == np.float32 and array.ndim == 4:
            each.CopyFrom(numpy_helper.from_array(np.where(array > 0, 3e38, -3e38).astype(np.float32), each.name))
    path, way = damage(kind, model.SerializeToString())
    assert "not finite" in outcome(path, way)


def test_refusals_print_nothing(originals, damage, capfd):
    """stdout belongs to protocols and stderr to the one line of the command."""
    data = originals["runtime.onnx"][0].read_bytes()
    for each in (data.replace(b"Conv", b"C\xffnv"), data.replace(b"Conv", b"Cxnv"), data[:2000]):
        assert outcome(*damage("runtime.onnx", each)) != "read"
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("damaged_part", ["weight", "half", "text"])
def test_the_command_prints_one_line(originals, damage, damaged_part):
    source = originals["core.onnx"][0]
    data = source.read_bytes()
    damaged_data = {"weight": with_weight(source, np.nan), "half": data[: len(data) // 2], "text": b"not a network"}
    path, _ = damage("core.onnx", damaged_data[damaged_part])
    command = [sys.executable, "-m", "tengen", "search", "pyrga", "--evaluator", str(path), "--visits", "3"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert not ran.stdout
    (line,) = ran.stderr.splitlines()
    assert line.startswith(f"tengen: {path} is ")


@pytest.mark.slow
def test_the_command_prints_one_line_when_a_network_fails_later(originals, damage):
    model = onnx.load(originals["runtime.onnx"][0])
    for each in model.graph.initializer:
        array = numpy_helper.to_array(each)
        if array.dtype == np.float32 and array.ndim == 4:
            each.CopyFrom(numpy_helper.from_array(np.where(array > 0, 3e38, -3e38).astype(np.float32), each.name))
    path, _ = damage("runtime.onnx", model.SerializeToString())
    command = [sys.executable, "-m", "tengen", "search", "pyrga", "--evaluator", str(path), "--visits", "3"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert line.startswith(f"tengen: {path} can't be evaluated: ")
