"""The ONNX graph of a network computes the same outputs as a plain implementation of it."""

import itertools

import numpy as np
import pytest
from katago_reference import answer
from katago_samples import KINDS, sample

from tengen.nets.katago.build import build_onnx
from tengen.nets.katago.description import Activation
from tengen.nets.without_telemetry import import_onnxruntime

NAMES = ("policy", "value", "score", "ownership")


def inputs(rows, width, height, seed=0):
    rng = np.random.default_rng(seed)
    planes = (rng.random((rows, 22, height, width)) < 0.3).astype(np.float32)
    planes[:, 0] = 1
    return planes, rng.normal(size=(rows, 19)).astype(np.float32)


def run(network, planes, told):
    onnxruntime = import_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model = build_onnx(network, planes.shape[3], planes.shape[2]).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return dict(zip(NAMES, session.run(list(NAMES), {"planes": planes, "globals": told}), strict=True))


def check(network, rows=2, width=5, height=4, seed=0):
    planes, told = inputs(rows, width, height, seed)
    found, wanted = run(network, planes, told), answer(network, planes, told)
    for name in NAMES:
        assert found[name].shape == wanted[name].shape
        scale = max(1.0, float(np.abs(wanted[name]).max()))
        np.testing.assert_allclose(found[name], wanted[name], rtol=0, atol=3e-5 * scale, err_msg=name)


@pytest.mark.parametrize("version", range(8, 18))
def test_every_version(version):
    kinds = KINDS if version >= 15 else ("ordinary", "pooling", "ordinary")
    for seed in range(3):
        check(sample(version, kinds, seed=seed), seed=seed)


@pytest.mark.parametrize("kinds", [*([kind] for kind in KINDS), *itertools.permutations(KINDS, 2)], ids=" ".join)
def test_every_kind_of_block_alone_and_after_every_other(kinds):
    check(sample(17, list(kinds), seed=len(kinds)))


@pytest.mark.slow
@pytest.mark.parametrize("activation", list(Activation), ids=lambda kind: kind.name)
@pytest.mark.parametrize("tip", ["batch", "rms", "spatial"])
def test_every_activation_and_norm(activation, tip):
    for seed in range(3):
        check(sample(17, ["nested", "pooling", "attention"], seed=seed, tip=tip, activation=activation))


def test_networks_that_know_people_are_asked_about_nobody():
    check(sample(15, metadata=True))


@pytest.mark.parametrize(("width", "height"), [(2, 2), (19, 19), (3, 13), (9, 9)])
def test_every_board(width, height):
    check(sample(16, ["pooling", "shared attention"]), 1, width, height)


@pytest.mark.parametrize(("width", "height"), [(1, 9), (9, 38), (0, 0)])
def test_boards_that_are_none(width, height):
    with pytest.raises(ValueError, match=f"{width}x{height}"):
        build_onnx(sample(8), width, height)


@pytest.mark.parametrize("rows", [1, 7])
def test_rows_do_not_mix(rows):
    network = sample(17, ["attention", "nested"])
    planes, told = inputs(7, 6, 6)
    whole = run(network, planes, told)
    part = run(network, planes[-rows:], told[-rows:])
    for name in NAMES:
        np.testing.assert_allclose(part[name], whole[name][-rows:], atol=1e-5)
