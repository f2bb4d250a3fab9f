"""Training by several processes of one machine."""

import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pytest
from learning_helpers import few_samples, tiny

import tengen
from tengen.learning import TrainSettings

torch = pytest.importorskip("torch")

from group_training import dying, trained  # noqa: E402 - only where PyTorch is

from tengen.learning import TrainingStopped, train  # noqa: E402
from tengen.learning.processes import train_in_processes  # noqa: E402
from tengen.nets.tensor_files import parse_file  # noqa: E402

FEW = TrainSettings(steps=4, batch_size=16, threads=1, warmup=0.0, schedule="constant")


@pytest.mark.slow
def test_two_processes_train_one_network():
    """By gloo, as cards would by NCCL."""
    pyrga = tengen.game("pyrga")
    samples = few_samples(pyrga)
    network, heard = tiny(pyrga), []
    alone = train(pyrga, network, samples, FEW)
    two = dataclasses.replace(FEW, processes=2)
    both = train(pyrga, network, samples, two, lambda step, _, figures: heard.append((step, figures)))
    assert [step for step, _ in heard] == [1, 2, 3, 4]
    assert both.metrics["loss"] == pytest.approx(alone.metrics["loss"], rel=0.05)
    assert parse_file(both.state)[0]["header"] == parse_file(alone.state)[0]["header"] == {"step": 4}
    more = train(pyrga, both.network, samples, two, state=both.state, is_fresh=True)
    assert parse_file(more.state)[0]["header"] == {"step": 8}
    for name, tensor in alone.network.state_dict().items():
        torch.testing.assert_close(both.network.state_dict()[name], tensor, atol=0.1, rtol=0.1)


@pytest.mark.slow
def test_processes_train_as_threads_do():
    """Both divide a batch in the same way; only the statistics of batch normalization are the first process's."""
    pyrga = tengen.game("pyrga")
    samples = few_samples(pyrga)
    settings = dataclasses.replace(FEW, batch_size=64, average=0.9)
    threads = train(pyrga, tiny(pyrga), samples, dataclasses.replace(settings, threads=2))
    processes = train(pyrga, tiny(pyrga), samples, dataclasses.replace(settings, processes=2))
    assert processes.metrics == pytest.approx(threads.metrics, rel=1e-5)
    wanted, found = (parse_file(each.state)[1] for each in (threads, processes))
    assert wanted.keys() == found.keys()
    for name, tensor in wanted.items():
        close = 0.1 if "running" in name else 1e-5
        torch.testing.assert_close(found[name], tensor, atol=close, rtol=close, msg=name)


@pytest.mark.slow
def test_a_group_trains_as_one_process_on_whole_batches(monkeypatch):
    """Without batch normalization. Weights that no process uses have no gradient, so that no optimizer changes them."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=":")
    both, alone = train_in_processes(trained, dataclasses.replace(FEW, processes=2), None), trained()
    assert (both["size"], alone["size"]) == (2, 1)
    assert both["without"] == alone["without"] == ["unused.weight", "unused.bias"]
    assert both["figures"] == pytest.approx(alone["figures"], rel=1e-5)
    for name, rows in alone["weights"].items():
        np.testing.assert_allclose(both["weights"][name], rows, atol=1e-6, err_msg=name)


def test_what_another_process_was_stopped_by_is_told_as_it_was():
    first = TrainingStopped("loss", 3, "the loss is nan")
    again = pickle.loads(pickle.dumps(first))
    assert (str(again), again.kind, again.step) == (str(first), "loss", 3)


@pytest.mark.slow
def test_processes_that_end_without_a_result_are_an_error(monkeypatch):
    two = dataclasses.replace(FEW, processes=2)
    with pytest.raises(RuntimeError, match="training by 2 processes ended with 1; stderr says why"):
        train_in_processes(dying, two, None)
    # They end before they ask what to do.
    monkeypatch.setattr("sys.executable", "false")
    with pytest.raises(RuntimeError, match="training by 2 processes ended with 1; stderr says why"):
        train_in_processes(trained, two, None)
