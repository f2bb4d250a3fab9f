"""The samples that a training of a run sees."""

import pytest
from learning_helpers import quick_games
from soak.kill_resume import tiny_settings

import tengen
from tengen.champion import open_run
from tengen.champion.window import read_window, wanted_samples
from tengen.learning import pack, samples_of, save_packed, save_samples

GAME = tengen.game("pyrga")


@pytest.fixture
def run(tmp_path):
    """A run of six iterations, the first of which was made by an earlier version."""
    made, _ = open_run(tmp_path / "run", GAME, tiny_settings())
    for i in range(1, 7):
        records = quick_games(GAME, 3, seed=10 * i, visits=4)
        with made.lock(), made.step("self-play", iteration=i) as draft:
            if i == 1:
                draft.write_bytes("samples.npz", save_samples(samples_of(GAME, records)))
            else:
                draft.write_bytes("packed.npz", save_packed(pack(GAME, records)))
            draft.metrics.update(samples=sum(len(record.decisions) for record in records))
    return made


def iterations(run, last=6, **changes):
    steps, samples = read_window(run, tiny_settings(**changes), last)
    assert len(samples) == sum(step.metrics["samples"] for step in steps)
    return [step.iteration for step in steps]


def test_the_window_has_the_newest_iterations(run):
    assert iterations(run, window=16) == [1, 2, 3, 4, 5, 6]
    assert iterations(run, window=2) == [5, 6]
    assert iterations(run, last=4, window=3) == [2, 3, 4]


def test_the_window_is_bounded_in_megabytes(run, monkeypatch):
    _, samples = read_window(run, tiny_settings(window=2), 6)
    # Megabytes of so few samples are bytes here.
    changed = tiny_settings(window=16, window_mb=samples.nbytes)
    monkeypatch.setattr("tengen.champion.window._MEGABYTE", 1)
    assert [step.iteration for step in read_window(run, changed, 6)[0]] == [5, 6]
    least = tiny_settings(window=16, window_mb=1)
    assert [step.iteration for step in read_window(run, least, 6)[0]] == [6]


def test_the_window_grows_with_the_run(run):
    counts = [run.find("self-play", i).metrics["samples"] for i in range(1, 7)]
    wanted = wanted_samples(counts[0], sum(counts))
    assert counts[0] < wanted < sum(counts)
    found = iterations(run, window=16, window_samples=counts[0])
    assert found == list(range(found[0], 7))
    assert sum(counts[found[0] :]) < wanted <= sum(counts[found[0] - 1 :])
    assert iterations(run, last=1, window_samples=counts[0]) == [1]
    assert wanted_samples(100, 1600) == pytest.approx(100 * (1 + 0.4 * (8 - 1) / 0.75))
    assert wanted_samples(0, 1000) == 0
    assert wanted_samples(100, 50) == 100


def test_damaged_samples_are_left_out(run):
    (run.find("self-play", 4).path / "packed.npz").write_bytes(b"PK nothing")
    with run.lock():
        assert iterations(run, window=4) == [3, 5, 6]
    assert run.find("self-play", 4) is None
