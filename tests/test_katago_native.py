"""Convolutional networks in the compiled core answer as a plain computation of them does."""

import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from katago_reference import answer
from katago_samples import sample

from tengen import _core
from tengen.nets.katago import KataGoNetwork
from tengen.nets.katago.build import build_native
from tengen.nets.katago.description import Activation
from tengen.nets.runtimes import CPU

KINDS = ("ordinary", "pooling", "nested convolutions")
NAMES = ("policy", "value", "score", "ownership")


def inputs(rows, width, height, seed=0):
    rng = np.random.default_rng(seed)
    planes = (rng.random((rows, 22, height, width)) < 0.3).astype(np.float32)
    planes[:, 0] = 1
    return {"planes": planes, "globals": rng.normal(size=(rows, 19)).astype(np.float32)}


def check(network, rows=2, width=5, height=4, seed=0, threads=1):
    given = inputs(rows, width, height, seed)
    found = build_native(network, width, height, threads).run(given, NAMES)
    wanted = answer(network, given["planes"], given["globals"])
    for name in NAMES:
        assert found[name].shape == wanted[name].shape
        scale = max(1.0, float(np.abs(wanted[name]).max()))
        np.testing.assert_allclose(found[name], wanted[name], rtol=0, atol=3e-5 * scale, err_msg=name)


@pytest.mark.parametrize("version", range(8, 18))
def test_every_version(version):
    for seed in range(3):
        check(sample(version, KINDS if version >= 15 else ("ordinary", "pooling"), seed=seed), seed=seed)


@pytest.mark.parametrize("kinds", [*([kind] for kind in KINDS), *itertools.permutations(KINDS, 2)], ids=" ".join)
def test_every_kind_of_block_alone_and_after_every_other(kinds):
    check(sample(17, list(kinds), seed=len(kinds)))


@pytest.mark.parametrize("activation", list(Activation), ids=lambda kind: kind.name)
def test_every_activation(activation):
    for seed in range(3):
        check(sample(17, KINDS, seed=seed, activation=activation))


@pytest.mark.parametrize(("width", "height"), [*itertools.product((2, 3, 9), (4, 13)), (19, 19), (37, 37)])
def test_every_board(width, height):
    check(sample(8), 1, width, height)


@pytest.mark.parametrize("rows", [1, 2, 5, 17])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_batch(rows, threads):
    check(sample(8), rows, 9, 9, threads=threads)


@pytest.mark.slow
@pytest.mark.parametrize("instructions", ["generic", "avx2", "avx512"])
def test_every_instruction_set(instructions):
    if instructions not in _core.instruction_sets():
        pytest.skip(f"this processor has no {instructions}")
    code = "import test_katago_native as t; t.check(t.sample(14), 3, 9, 9); print(t.instructions_used())"
    environment = os.environ | {"TENGEN_MAX_CPU_ISA": instructions, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.strip()) == (0, instructions), ran.stderr


@pytest.mark.parametrize("kinds", KINDS)
def test_int16_answers_nearly_alike_whatever_the_batch(kinds):
    network, given = sample(17, [kinds], seed=3), inputs(9, 9, 9)
    wanted = build_native(network, 9, 9).run(given, NAMES)
    found = build_native(network, 9, 9, 2, int16=True).run(given, NAMES)
    alone = build_native(network, 9, 9, int16=True).run({name: part[4:5] for name, part in given.items()}, NAMES)
    for name in NAMES:
        scale = max(1.0, float(np.abs(wanted[name]).max()))
        np.testing.assert_allclose(found[name], wanted[name], rtol=0, atol=5e-3 * scale, err_msg=name)
        np.testing.assert_array_equal(found[name][4:5], alone[name], err_msg=name)


def instructions_used():
    return build_native(sample(8), 5, 5).instructions


def test_an_instruction_set_that_is_none():
    environment = os.environ | {"TENGEN_MAX_CPU_ISA": "mmx", "PYTHONPATH": os.pathsep.join(sys.path)}
    code = "import tengen._core as c; c.instruction_sets()"
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert "TENGEN_MAX_CPU_ISA is 'mmx': expected generic, avx2 or avx512" in ran.stderr


def test_threads_take_turns():
    network = build_native(sample(8), 5, 5, threads=2)
    alone = [network.run(inputs(4, 5, 5, seed), NAMES) for seed in range(4)]
    wrong = []

    def ask(seed):
        for _ in range(20):
            found = network.run(inputs(4, 5, 5, seed), NAMES)
            wrong.extend(name for name in NAMES if not np.array_equal(found[name], alone[seed][name]))

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("kinds", "more", "wanted"),
    [
        (["ordinary", "pooling"], {}, "native"),
        (["attention"], {}, "onnxruntime"),
        (["nested"], {}, "onnxruntime"),
        (["nested convolutions"], {}, "native"),
        (["ordinary"], {"providers": [CPU]}, "onnxruntime"),
        (["ordinary"], {"backend": "onnxruntime"}, "onnxruntime"),
    ],
)
def test_what_runs_a_network(kinds, more, wanted):
    """The samples' nested blocks hold attention."""
    assert KataGoNetwork(sample(17, kinds), **more).backend == wanted


def test_attention_is_refused():
    with pytest.raises(ValueError, match="has attention, which the back end 'native' does not compute"):
        KataGoNetwork(sample(17, ["attention"]), backend="native")


def test_inputs_that_do_not_fit_are_refused():
    network = build_native(sample(8), 5, 5)
    given = inputs(2, 5, 5)
    for wrong in (given | {"planes": given["planes"][:1]}, given | {"globals": given["globals"][:, :18]}):
        with pytest.raises(ValueError, match="numbers for each row"):
            network.run(wrong, NAMES)
