"""ONNX graphs in the core answer as in ONNX Runtime."""

import numpy as np
import pytest
from shogi_nets import Maker, write_dlshogi, write_miniosl

from tengen import _core
from tengen.nets.native_graph import NativeGraph, UnsupportedGraph
from tengen.nets.onnx_files import OnnxNetwork
from tengen.nets.runtimes import OnnxRuntime

RNG = np.random.default_rng(3)


def boards(rows, planes):
    return (RNG.random((rows, planes, 9, 9)) < 0.2).astype(np.float32)


def assert_same(path, inputs, outputs, graph):
    wanted = OnnxRuntime(path, str(path)).run(inputs, outputs)
    for name, array in graph.run(inputs, outputs).items():
        assert array.shape == wanted[name].shape
        np.testing.assert_allclose(array, wanted[name], atol=2e-5)


@pytest.mark.parametrize("rows", [1, 3, 17])
def test_columns_pools_and_gates(tmp_path, rows):
    path = write_miniosl(tmp_path / "net.onnx")
    outputs = ["move", "value"]
    assert_same(path, {"input": boards(rows, 176)}, outputs, NativeGraph(path, outputs))


@pytest.mark.parametrize("threads", [1, 2])
def test_two_inputs_norms_and_added_constants(tmp_path, threads):
    path = write_dlshogi(tmp_path / "net.onnx")
    outputs = ["output_policy", "output_value"]
    inputs = {"input1": boards(9, 62), "input2": boards(9, 57)}
    assert_same(path, inputs, outputs, NativeGraph(path.read_bytes(), outputs, threads=threads))


@pytest.mark.parametrize("instructions", _core.instruction_sets())
def test_columns_with_each_instruction_set(instructions):
    net = _core.ConvNet(9, 9, 1, instructions)
    x = net.board_input(5)
    weights, bias = RNG.normal(size=(7, 5, 9)).astype(np.float32), RNG.normal(size=7).astype(np.float32)
    net.output([net.activate(net.conv_columns(x, weights, bias), "sigmoid")])
    net.output([net.flatten(x)])
    net.finish()
    given = RNG.normal(size=(4, 5, 9, 9)).astype(np.float32)
    columns, flat = net.run([given])
    sums = np.einsum("bcyx,ocy->box", given, weights) + bias[:, None]
    wanted = np.repeat(1 / (1 + np.exp(-sums))[:, :, None, :], 9, axis=2)
    np.testing.assert_allclose(columns.reshape(4, 7, 9, 9), wanted, atol=1e-5)
    np.testing.assert_array_equal(flat, given.reshape(4, -1))


def test_filters_must_be_as_high_as_the_board():
    net = _core.ConvNet(9, 9)
    x = net.board_input(2)
    with pytest.raises(ValueError, match="as high as"):
        net.conv_columns(x, np.zeros((3, 2, 7), np.float32), np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="other channels"):
        net.conv_columns(x, np.zeros((3, 4, 9), np.float32), np.zeros(3, np.float32))


def test_what_the_core_does_not_compute_is_left_to_the_runtime(tmp_path):
    path = write_dlshogi(tmp_path / "net.onnx", odd=True)
    with pytest.raises(UnsupportedGraph, match="Abs"):
        NativeGraph(path, ["output_policy"])
    assert OnnxNetwork(path, ["output_policy"]).backend == "onnxruntime"
    with pytest.raises(UnsupportedGraph):
        OnnxNetwork(path, ["output_policy"], backend="native")


def _stepping(m):
    return m.node("Conv", "input", m.array(4, 2, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1])


def _product(m):
    return m.node("Mul", m.conv("input", 2, 2), "input")


def _maxima(m):
    return m.linear(m.node("Flatten", m.node("GlobalMaxPool", "input")), 2, 3)


def _join(m):
    return m.node("Concat", "input", "input", axis=1)


def _turned(m):
    return m.node("Reshape", "input", m.constant([-1, 9, 18]))


@pytest.mark.parametrize("layer", [_stepping, _product, _maxima, _join, _turned])
def test_shapes_that_do_not_fit_are_named(tmp_path, layer):
    m = Maker()
    m.output(layer(m), "out")
    path = m.save(tmp_path / "net.onnx", {"input": [2, 9, 9]}, {"out": ["any"]})
    with pytest.raises(UnsupportedGraph, match=r"\w+"):
        NativeGraph(path, ["out"])


@pytest.mark.parametrize("rows", [1, 9])
@pytest.mark.parametrize("squeeze", [False, True])
def test_networks_of_ours_run_in_the_core(tmp_path, rows, squeeze):
    torch = pytest.importorskip("torch")
    import tengen
    from tengen.evaluators import Onnx
    from tengen.nets import Architecture, build, export_onnx

    architecture = Architecture.of(
        tengen.game("shogi"), channels=16, blocks=2, squeeze=squeeze, policy="planes", moves_left=False
    )
    network = build(architecture, 1)
    with torch.no_grad():
        for part in network.parameters():
            part.add_(torch.randn_like(part) * 0.02)
    path = tmp_path / "net.onnx"
    path.write_bytes(export_onnx(network))
    outputs = ["policy", "value"]
    assert_same(path, {"features": boards(rows, architecture.planes)}, outputs, NativeGraph(path, outputs))
    assert Onnx(path).is_native
    path.write_bytes(export_onnx(build(Architecture.of(tengen.game("pyrga"), channels=8, blocks=1), 1)))
    assert Onnx(path).is_native
    attentive = Architecture.of(tengen.game("pyrga"), channels=8, blocks=1, attention=True)
    path.write_bytes(export_onnx(build(attentive, 1)))
    assert not Onnx(path).is_native
