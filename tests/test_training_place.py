"""The place of trainings in their run, by which the schedule "run" of the learning rate goes."""

import pytest
from soak.kill_async import async_settings, learn_async
from soak.kill_resume import tiny_settings

import tengen
from tengen.champion import Loop, open_run
from tengen.champion.async_loop import Clock
from tengen.champion.training_place import PLACE, Place
from tengen.cluster import open_workers

pytest.importorskip("torch")

GAME = tengen.game("connect_four")
CHANGES = {"train": {"schedule": "run", "decay": 0.5}, "gate": "none", "anchor": ""}


def learn(path, find_place=None):
    run, settings = open_run(path, GAME, tiny_settings(**CHANGES))
    with run.lock(), open_workers("inline") as workers:
        loop = Loop(run, GAME, settings, workers)
        if find_place is not None:
            loop.find_place = find_place
        loop.run_until(2)
    return run


def places(run):
    return [Place(step.settings["run_begin"], step.settings["run_end"]) for step in run.steps("train")]


def test_a_place_goes_by_iterations_or_by_the_time():
    assert Place.of(3, 10) == (0.2, 0.3)
    assert Place.of(12, 10) == (1.0, 1.0)
    before = Place(0.1, 0.45)
    assert Place.of(3, 10, 0.5, before) == (0.45, 0.5)
    assert Place.of(3, 10, 1.5, before) == (0.45, 1.0)
    # The run has become longer than it seemed to be.
    assert Place.of(3, 10, 0.25, before) == (0.3, 0.3)
    assert Place.of(3, 10, 0.5) == (0.2, 0.5)


def test_the_clock_of_a_run_without_order_knows_its_share():
    assert Clock().share is None
    assert Clock(20.0, 10.0, 5.0).share == 1.0, "no other training fits"
    assert Clock(100.0, 10.0, 5.0, used_s=100.0).share == pytest.approx(110 / 195, abs=1e-3)


def test_trainings_have_their_place_in_the_run(tmp_path):
    assert places(learn(tmp_path / "run")) == [(0.0, 0.5), (0.5, 1.0)]


@pytest.mark.slow
def test_a_repeated_training_keeps_its_place(tmp_path):
    """The time that the run has used is another one when the training is repeated."""
    asked = []

    def by_time(iteration, before):
        asked.append((iteration, before))
        return Place.of(iteration, 2, 0.7, before)

    run = learn(tmp_path / "run", by_time)
    wanted = [(0.0, 0.7), (0.7, 1.0)]
    assert places(run) == wanted
    assert asked == [(1, None), (2, wanted[0])]
    assert [event["end"] for event in run.events() if event["event"] == PLACE] == [0.7, 1.0]
    network = run.find("train", 2).file("net.safetensors").read_bytes()
    run.find("train", 2).path.joinpath("net.safetensors").write_bytes(b"damaged")
    again = learn(tmp_path / "run", lambda *_: Place(0.1, 0.2))
    assert places(again) == wanted
    assert again.find("train", 2).file("net.safetensors").read_bytes() == network


@pytest.mark.slow
def test_runs_without_order_have_one_schedule(tmp_path):
    run = learn_async(tmp_path / "run", 2, game=GAME, settings=async_settings(**CHANGES))
    assert places(run) == [(0.0, 0.5), (0.5, 1.0)]
