"""Batches that a thread prepares: the same ones in the same order, and no thread that stays."""

import itertools
import threading

import numpy as np
import pytest
from learning_helpers import few_samples, tiny

import tengen
from tengen.learning import TrainSettings
from tengen.learning.prefetch import prepared_ahead

torch = pytest.importorskip("torch")

from tengen.learning import loop, train  # noqa: E402 - only where PyTorch is
from tengen.learning.breaker import Breaker  # noqa: E402
from tengen.learning.loop import TrainingLoop  # noqa: E402
from tengen.learning.processes import Group  # noqa: E402


def prefetching():
    return [thread for thread in threading.enumerate() if thread.name.startswith("prefetch")]


@pytest.fixture
def always_ahead(monkeypatch):
    """Batches are prepared ahead on the processor, too."""
    monkeypatch.setattr(loop, "_ahead", lambda device: 2)


@pytest.mark.parametrize("ahead", [0, 1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_results_come_in_order_and_no_call_is_made_in_vain(count, ahead):
    calls = []

    def prepare():
        calls.append(threading.current_thread() is threading.main_thread())
        return len(calls)

    with prepared_ahead(prepare, count, ahead) as results:
        for number in range(1, count + 1):
            assert next(results) == number
            assert len(calls) <= min(count, number + ahead)
        assert next(results, None) is None
    assert calls == [ahead == 0] * count
    assert not prefetching()


def test_the_next_results_are_prepared_while_one_is_used():
    is_third = threading.Event()
    numbers = itertools.count(1)

    def prepare():
        number = next(numbers)
        if number == 3:
            is_third.set()
        return number

    with prepared_ahead(prepare, 9, 2) as results:
        assert next(results) == 1
        assert is_third.wait(30)


@pytest.mark.parametrize("ahead", [0, 2])
def test_an_exception_comes_in_the_place_of_its_result(ahead):
    numbers = itertools.count(1)

    def prepare():
        number = next(numbers)
        if number == 3:
            raise OSError("the third is damaged")
        return number

    with prepared_ahead(prepare, 9, ahead) as results:
        assert [next(results), next(results)] == [1, 2]
        with pytest.raises(OSError, match="the third is damaged"):
            next(results)
    assert not prefetching()


def test_an_interrupt_ends_the_thread():
    calls = []

    def use_one():
        with prepared_ahead(lambda: calls.append(1), 1000, 2) as results:
            next(results)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        use_one()
    assert not prefetching()
    assert len(calls) <= 3


# Trainings.


@pytest.fixture(scope="module")
def pyrga():
    return tengen.game("pyrga")


@pytest.fixture(scope="module")
def samples(pyrga):
    return few_samples(pyrga)


FEW = TrainSettings(steps=5, batch_size=24, threads=1, average=0.9, sampling="prioritized")


def test_training_has_the_same_bytes_with_a_thread_as_without(pyrga, samples, request):
    alone = train(pyrga, tiny(pyrga), samples, FEW, is_fresh=True)
    request.getfixturevalue("always_ahead")
    both = train(pyrga, tiny(pyrga), samples, FEW, is_fresh=True)
    assert both.state == alone.state
    assert both.metrics == alone.metrics
    for one, other in zip(both.network.state_dict().values(), alone.network.state_dict().values(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.usefixtures("always_ahead")
def test_a_failure_of_the_thread_ends_the_training_at_its_step(pyrga, samples, monkeypatch):
    take, taken, steps = type(samples).take, [], []

    def failing(self, rows):
        taken.append(threading.current_thread().name)
        if len(taken) == 3:
            raise OSError("the file is gone")
        return take(self, rows)

    monkeypatch.setattr(type(samples), "take", failing)
    with pytest.raises(OSError, match="the file is gone"):
        train(pyrga, tiny(pyrga), samples, FEW, lambda step, *_: steps.append(step))
    assert steps == [1, 2]
    assert all(name.startswith("prefetch") for name in taken)
    assert not prefetching()


def made_loop(rng):
    torch.manual_seed(1)
    model = torch.nn.Linear(4, 1)
    drawn = []

    def draw():
        drawn.append(rng.random((8, 4), np.float32))
        return {"x": torch.from_numpy(drawn[-1])}

    made = TrainingLoop(
        model,
        torch.optim.SGD(model.parameters(), lr=0.1),
        Group(),
        Breaker(1e4),
        steps=9,
        lr=0.1,
        rate=lambda step: 1 / (step + 1),
        draw=draw,
        losses=lambda model, batch: {"loss": model(batch["x"]).pow(2).mean()},
    )
    return made, drawn


def test_a_training_that_stops_in_the_middle_leaves_random_numbers_for_the_rest(request):
    """Batches that are prepared ahead and not used would be lost."""
    rng = np.random.default_rng(5)
    whole, _ = made_loop(rng)
    whole.run()
    request.getfixturevalue("always_ahead")
    other = np.random.default_rng(5)
    parts, drawn = made_loop(other)
    for until in (1, 4, 4, 8, None):
        parts.run(until)
        assert len(drawn) == parts.step == (until or 9)
    assert torch.equal(parts.model.weight, whole.model.weight)
    assert other.bit_generator.state == rng.bit_generator.state
