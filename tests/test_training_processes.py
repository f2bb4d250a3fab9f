"""Training by several processes of one machine."""

import dataclasses
import pickle

import numpy as np
import pytest
from learning_helpers import quick_games, tiny

import tengen
from tengen.learning import TrainSettings, samples_of

torch = pytest.importorskip("torch")

from tengen.learning import TrainingStopped, train  # noqa: E402 - only where PyTorch is
from tengen.nets.tensor_files import parse_file  # noqa: E402

FEW = TrainSettings(steps=4, batch_size=16, threads=1, warmup=0.0, schedule="constant")


@pytest.mark.slow
def test_two_processes_train_one_network():
    """By gloo, as cards would by NCCL."""
    pyrga = tengen.game("pyrga")
    samples = samples_of(pyrga, quick_games(pyrga, 4, visits=12)).take(np.arange(64))
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


def test_what_another_process_was_stopped_by_is_told_as_it_was():
    first = TrainingStopped("loss", 3, "the loss is nan")
    again = pickle.loads(pickle.dumps(first))
    assert (str(again), again.kind, again.step) == (str(first), "loss", 3)
