"""Killed writers and damaged files: a run opens or raises an error with the reason, loses nothing, and continues."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from run_folders import tree

from tengen.runs import DamagedRun, DamagedStep, Run

SETTINGS = {"game": "pig", "visits": 200, "train": {"rate": 0.1, "batch": 64}}
WRITER = """
import itertools, sys
from tengen.runs import Run

run = Run.create(sys.argv[1], {"game": "pig"})
with run.lock():
    print("writing", flush=True)
    for number in itertools.count(len(run.steps())):
        before = run.steps()[-1:]
        with run.step("train", iteration=number, inputs=before, seed=number) as draft:
            draft.write_bytes("large", bytes(40_000))
            draft.write_text("deep/chain", f"{number} after {[step.sha256 for step in before]}")
            draft.metrics["number"] = number
        run.set_champion(draft.step, f"number {number}")
        run.log({"number": number})
        print("one more", flush=True)
"""


def is_cut_short(path):
    return any(folder.name.startswith(".tmp-") for folder in (path / "steps").glob("*"))


def stop_amid_a_step(child, path):
    while True:
        child.send_signal(signal.SIGSTOP)
        os.waitpid(child.pid, os.WUNTRACED)
        if is_cut_short(path):
            return
        child.send_signal(signal.SIGCONT)
        time.sleep(0.001)


@pytest.mark.slow
def test_a_writer_killed_at_any_moment_loses_only_its_unfinished_step(tmp_path):
    chance = random.Random(7)
    path = tmp_path / "run"
    complete, best, cut_short, reported = {}, None, 0, 0
    for kill in range(12):
        # Some die while they begin, some in the midst of a step, most at any moment.
        early, amid = kill % 6 == 0, kill % 6 == 3
        with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE) as child:
            # The first line reports the start and every other one a complete step.
            lines = 0 if early else chance.randint(2, 4)
            for _ in range(lines):
                assert child.stdout.readline()
            reported += max(0, lines - 1)
            if amid:
                stop_amid_a_step(child, path)
            time.sleep(0 if amid else chance.uniform(0, 0.3 if early else 0.02))
            child.kill()
        if not (path / "run.toml").exists():
            continue
        run = Run.open(path)
        cut_short += is_cut_short(path)
        assert run.verify() == []
        steps = {step.id: step.sha256 for step in run.steps()}
        assert complete.items() <= steps.items()
        assert [step.iteration for step in run.steps()] == list(range(len(steps)))
        champion = run.champion
        assert (champion is None and best is None) or champion.iteration >= (best or 0)
        complete, best = steps, champion and champion.iteration
        with run.lock():
            assert not is_cut_short(path)
            assert [past.step for past in run.champions()][-1:] == ([champion.id] if champion else [])
        assert run.verify() == []
    # As if nothing had happened: each step was made from the one before it.
    steps = run.steps()
    for number, step in enumerate(steps):
        before = [earlier.sha256 for earlier in steps[max(number - 1, 0) : number]]
        assert step.file("deep/chain").read_text() == f"{number} after {before}"
    assert len(complete) >= reported > 10
    assert cut_short >= 2


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A run with three steps, two of them champions in turn, and a log."""
    path = tmp_path_factory.mktemp("template") / "run"
    run = Run.create(path, SETTINGS)
    with run.lock():
        before = []
        for name, iteration in (("initial", None), ("train", 1), ("train", 2)):
            with run.step(name, iteration=iteration, inputs=before, settings={"rate": 0.1}, seed=7) as draft:
                draft.write_bytes("net.bin", random.Random(iteration).randbytes(500))
                draft.metrics["loss"] = 0.25
            before = [draft.step]
            run.set_champion(draft.step, "it is better")
            run.log({"event": "trained", "iteration": iteration, "loss": 0.25})
    return path


def damage(path, chance):
    data = bytearray(path.read_bytes())
    if chance.random() < 0.5:
        del data[chance.randrange(len(data)) :]
    else:
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    if data == path.read_bytes():  # the same bit twice
        data[0] ^= 1
    path.write_bytes(data)


def look(run):
    """Reads all there is. What it cannot read it names."""
    complaints = []
    looks = [lambda: run.champion, *(lambda step=step: step.file("net.bin") for step in run.steps())]
    for read in looks:
        try:
            assert read() is not None
        except (DamagedStep, DamagedRun) as error:
            complaints.append(str(error))
    assert len(list(run.events())) <= 3
    assert len(run.champions()) <= 3
    return complaints


def go_on(run):
    """Continue as a resumed run does: move damaged steps aside, then make the next step."""
    with run.lock():
        for problem in run.verify():
            if problem.kind == "damaged":
                run.quarantine(problem.path)
        with run.step("train", iteration=3, inputs=run.steps()[-1:]) as draft:
            draft.write_text("net.bin", "new")
        run.set_champion(draft.step, "it is new")
        run.log({"event": "trained", "iteration": 3})
    return draft.step


def kept(before, after):
    """Return whether every byte still exists: in its place, in quarantine, or in a log that has grown."""
    everything = list(after.values())
    for name, data in before.items():
        if name == "lock" or data in everything:
            continue
        if name.endswith(".jsonl"):
            whole = data[: data.rfind(b"\n") + 1]
            assert after[name].startswith(whole)
            assert data[len(whole) :] in everything or data == whole
        else:
            assert name == "champion"
            assert data.endswith(b"}\n")


TARGETS = ["champion", "champion.jsonl", "metrics.jsonl", "steps/*/manifest.json", "steps/*/net.bin"]


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_thousand_damages(template, tmp_path, monkeypatch, target):
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    chance = random.Random(target)
    path = shutil.copytree(template, tmp_path / "run")
    for number in range(1000 // len(TARGETS)):
        victim = chance.choice(sorted(path.glob(target)))
        whole = victim.read_bytes()
        damage(victim, chance)
        run = Run.open(path)
        assert all("damaged" in complaint for complaint in look(run))
        # A log that lost its end looks like one that was not written further.
        assert run.verify() or target.endswith(".jsonl")
        if number % 5 == 0:
            before = tree(path)
            step = go_on(run)
            run = Run.open(path)
            assert {problem.kind for problem in run.verify()} <= {"log"}
            assert run.champion == step
            kept(before, tree(path))
            shutil.rmtree(path)
            shutil.copytree(template, path)
        victim.write_bytes(whole)
    assert tree(path) == tree(template)


@pytest.mark.slow
def test_a_thousand_damages_of_the_settings(template, tmp_path):
    chance = random.Random(7)
    path = shutil.copytree(template, tmp_path / "run")
    whole = (path / "run.toml").read_bytes()
    for _ in range(1000):
        damage(path / "run.toml", chance)
        before = (path / "run.toml").read_bytes()
        with pytest.raises(DamagedRun, match=r"run\.toml is damaged"):
            Run.open(path)
        with pytest.raises(DamagedRun, match=r"run\.toml is damaged"):
            Run.create(path, SETTINGS)
        assert (path / "run.toml").read_bytes() == before
        (path / "run.toml").write_bytes(whole)
    assert tree(path) == tree(template)
