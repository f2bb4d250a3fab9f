"""Sparse linear regression: it finds what is there, the same on every device, and its figures are SciPy's."""

import math
import random

import numpy as np
import pytest
from scipy import stats

from tengen.labs.matgo.regression import (
    Errors,
    LinearSettings,
    SparseSample,
    TrainingFailed,
    fit_linear,
    is_held_out,
    measure,
)


def planted(count=4000, dim=32, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=dim)
    samples = []
    for _ in range(count):
        indices = rng.choice(dim, 5, replace=False).tolist()
        values = rng.normal(size=5).tolist()
        target = float(weights[indices] @ values) + 3.0 + noise * rng.normal()
        samples.append(SparseSample(target, indices, values))
    return weights, samples


def test_planted_weights_are_found():
    weights, samples = planted()
    found, bias = fit_linear(lambda: samples, LinearSettings(dim=32, epochs=20, lr=0.3))
    assert np.abs(found - weights).max() < 0.03
    assert abs(bias - 3.0) < 0.02
    assert measure(found, bias, samples).rmse < 0.11


def test_the_same_samples_give_the_same_weights():
    _, samples = planted(500)
    settings = LinearSettings(dim=32, epochs=2)
    first, again = (fit_linear(lambda: samples, settings) for _ in range(2))
    assert np.array_equal(first[0], again[0])
    assert first[1] == again[1]
    other, _ = fit_linear(lambda: samples, LinearSettings(dim=32, epochs=2, seed=14))
    assert not np.array_equal(first[0], other)


def test_pytorch_takes_the_same_steps():
    _, samples = planted(500)
    samples.append(SparseSample(1.0, [3, 3, 4], [0.5, 0.25, 2.0]))
    own = fit_linear(lambda: samples, LinearSettings(dim=32, epochs=3, l2=0.01))
    torch = fit_linear(lambda: samples, LinearSettings(dim=32, epochs=3, l2=0.01, device="cpu:0"))
    assert np.allclose(own[0], torch[0], rtol=1e-9, atol=1e-12)
    assert math.isclose(own[1], torch[1], rel_tol=1e-9)


def test_a_step_is_the_gradient_and_the_decay():
    samples = [SparseSample(2.0, [0], [1.0]), SparseSample(4.0, [0, 1], [1.0, 2.0])]
    settings = LinearSettings(dim=3, epochs=2, lr=0.1, l2=0.5, batch_size=2, shuffle_buffer=0)
    weights, bias = np.zeros(3), 0.0
    for rate in (0.1, 0.01):
        errors = [bias + weights[0] - 2.0, bias + weights[0] + 2 * weights[1] - 4.0]
        gradient = np.array([(errors[0] + errors[1]) / 2, 2 * errors[1] / 2, 0.0])
        weights = weights - rate * (gradient + 0.5 * weights)
        bias -= rate * sum(errors) / 2
    found = fit_linear(lambda: samples, settings)
    assert np.allclose(found[0], weights)
    assert math.isclose(found[1], bias)


def test_weights_that_grow_without_end_are_an_error():
    samples = [SparseSample(1.0, [0], [1e5])] * 500
    with pytest.raises(TrainingFailed, match="take a smaller lr than 5"):
        fit_linear(lambda: samples, LinearSettings(dim=1, lr=5.0, epochs=3))
    with pytest.raises(TrainingFailed, match="no samples"):
        fit_linear(list, LinearSettings())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dim": 0}, "dim is 0 and must be at least 1"),
        ({"epochs": 0}, "epochs is 0"),
        ({"lr": 0.0}, "lr is 0.0 and must be above 0"),
        ({"lr": math.nan}, "lr is nan"),
        ({"l2": -1.0}, "l2 is -1.0"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"shuffle_buffer": -1}, "shuffle_buffer is -1"),
    ],
)
def test_settings_that_do_not_fit(change, message):
    with pytest.raises(ValueError, match=message):
        LinearSettings(**change)


def test_a_device_that_is_not_there():
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU for CUDA")
    with pytest.raises(ValueError, match="PyTorch can't compute on 'cuda'"):
        fit_linear(lambda: [SparseSample(1.0, [0], [1.0])], LinearSettings(device="cuda"))


def test_figures_are_the_textbook_s():
    rng = np.random.default_rng(2)
    targets = rng.normal(1e6, 300, 1000)
    guesses = 0.4 * targets + rng.normal(0, 100, 1000)
    errors = Errors()
    for guess, target in zip(guesses, targets, strict=True):
        errors.add(guess, target)
    assert math.isclose(errors.mse, np.mean((guesses - targets) ** 2))
    assert math.isclose(errors.rmse, math.sqrt(errors.mse))
    assert math.isclose(errors.mae, np.mean(np.abs(guesses - targets)))
    assert math.isclose(errors.pearson, stats.pearsonr(guesses, targets).statistic, rel_tol=1e-9)
    assert math.isclose(errors.spread, targets.std(), rel_tol=1e-9)
    assert Errors().figures() == dict.fromkeys(("mse", "rmse", "mae", "pearson", "spread")) | {"samples": 0}


def test_a_group_is_held_out_as_a_whole_whatever_else_there_is():
    groups = [str(random.Random(i).getrandbits(40)) for i in range(20_000)]
    share = sum(is_held_out(group, 0.1) for group in groups) / len(groups)
    assert abs(share - 0.1) < 0.01
    assert all(is_held_out(group, 0.3) for group in groups if is_held_out(group, 0.1))
    assert not any(is_held_out(group, 0.0) for group in groups)
    assert all(is_held_out(group, 1.0) for group in groups)
    assert [is_held_out(group, 0.5, 1) for group in groups] != [is_held_out(group, 0.5, 2) for group in groups]
