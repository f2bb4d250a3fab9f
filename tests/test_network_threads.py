"""Threads of a network take parts of a batch: no thread waits for another one busily."""

import importlib
import os
import threading
import time

import numpy as np
import pytest
from cli_runner import runner
from katago_samples import sample

from tengen.nets.katago import KataGoNetwork
from tengen.nets.runtimes import OpenVinoModel, OpenVinoRequests, shares

BACKENDS = ["native", "onnxruntime", "openvino"]


def network(backend, threads):
    if backend == "openvino":
        pytest.importorskip("openvino")
    return KataGoNetwork(sample(17, ["ordinary", "pooling"]), backend=backend, threads=threads)


def batch(rows, size=9):
    rng = np.random.default_rng(rows)
    planes = (rng.random((rows, 22, size, size)) < 0.3).astype(np.float32)
    planes[:, 0] = 1
    return planes, rng.normal(size=(rows, 19)).astype(np.float32)


@pytest.mark.parametrize("backend", BACKENDS)
def test_rows_are_the_same_by_any_number_of_threads(backend):
    alone, *others = (network(backend, threads) for threads in (1, 2, 3))
    for rows in (1, 2, 3, 7, 9):
        one = alone.answer(*batch(rows))
        for several in others:
            many = several.answer(*batch(rows))
            for name, answer in one.items():
                np.testing.assert_allclose(many[name], answer, atol=1e-5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_without_work_take_no_processor_time(backend):
    asked = network(backend, 2)
    inputs = batch(4)
    asked.answer(*inputs)

    def idle(nap):
        """The processor's time during naps after an evaluation each."""
        taken = 0.0
        for _ in range(20):
            asked.answer(*inputs)
            began = time.process_time()
            time.sleep(nap)
            taken += time.process_time() - began
        return taken

    assert idle(0.02) < 0.1, "threads spin for a while after an evaluation"


def test_onnx_runtime_has_no_threads_of_its_own(monkeypatch):
    onnxruntime = pytest.importorskip("onnxruntime")
    given = []
    plain = onnxruntime.InferenceSession

    def session(source, options, **more):
        given.append((options.intra_op_num_threads, options.inter_op_num_threads))
        return plain(source, options, **more)

    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    network("onnxruntime", 3).answer(*batch(2))
    assert given == [(1, 1)]


def test_a_batch_is_shared_out_evenly():
    assert shares(1, 4) == [range(1)]
    assert shares(7, 2) == [range(3), range(3, 7)]
    for rows in range(1, 40):
        for threads in range(1, 9):
            parts = shares(rows, threads)
            assert [row for part in parts for row in part] == list(range(rows))
            assert len(parts) == min(rows, threads)
            assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_threads_ask_at_the_same_time():
    """Each of them sees its own part only."""
    asked = network("onnxruntime", 2)
    inputs = {rows: batch(rows) for rows in range(1, 6)}
    alone = {rows: asked.answer(*inputs[rows]) for rows in inputs}
    wrong = []

    def ask(rows):
        for _ in range(5):
            answer = asked.answer(*inputs[rows])
            wrong.extend(name for name in answer if not np.allclose(answer[name], alone[rows][name], atol=1e-5))

    threads = [threading.Thread(target=ask, args=(rows,)) for rows in inputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_openvino_computes_hardly_a_row_that_is_none(monkeypatch):
    pytest.importorskip("openvino")
    from tengen.nets.katago.build import build_onnx

    model = OpenVinoModel(build_onnx(sample(8), 5, 5).SerializeToString(), "sample", threads=2)
    computed = []
    compile_batch = model.compile
    monkeypatch.setattr(model, "compile", lambda size: computed.append(size) or compile_batch(size))
    for rows, wanted in ((2, [1, 1]), (5, [1, 1, 4]), (8, [4, 4]), (14, [8, 8])):
        computed.clear()
        planes, told = batch(rows, 5)
        OpenVinoRequests(model).run({"planes": planes, "globals": told}, ["value"])
        assert computed == wanted


@pytest.mark.parametrize(
    ("words", "key"), [(["gtp"], "numSearchThreads"), (["analyze", "go"], "numAnalysisThreads")], ids=["gtp", "analyze"]
)
@pytest.mark.parametrize(("more", "wanted"), [(["--threads", "3"], 3), (["--threads", "1"], 1), ([], os.cpu_count())])
def test_commands_keep_every_thread_busy(monkeypatch, capsys, words, key, more, wanted):
    """By leaves of the one search that GTP has, or by searches."""
    given = []

    def engine(*_, config, threads, **__):
        given.append((int(config.values[key]), threads))
        raise ValueError("enough")

    monkeypatch.setattr(importlib.import_module(f"tengen.cli.{words[0]}"), "Engine", engine)
    run = runner(monkeypatch, capsys)
    for call in (more, [*more, "--override-config", f"{key}=7"]):
        assert "enough" in run(*words, "--net", "rollout", *call).err
    assert given == [(wanted, wanted), (7, wanted)]
