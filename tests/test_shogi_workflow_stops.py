"""A workflow that is stopped and continued, its progress, and the verdict on its pairs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runner import runner
from prophet_helpers import write_records
from run_killer import outcome

sys.path.insert(0, str(Path(__file__).parent / "soak"))
from kill_pairs import TINY, go, tiny_settings

from tengen.arena import elo
from tengen.champion import Silent
from tengen.cluster import open_workers
from tengen.labs.shogi import tasks
from tengen.labs.shogi.final_evaluation import best_pair, verdict
from tengen.labs.shogi.workflow import Workflow, open_workflow
from tengen.learning.loop import TrainingLoop

SHORT = {"rounds": 0, "rounds_without_prophet": 0}


class Watcher(Silent):
    """Records progress, and interrupts a training after so many batches."""

    def __init__(self, stop_in="", stop_at=0):
        self.stop_in, self.stop_at = stop_in, stop_at
        self.phase = ""
        self.totals, self.done = {}, {}

    def begin(self, phase, iteration, total):
        self.phase = phase
        self.totals[phase, iteration] = total

    def advance(self, done, figures):
        self.done.setdefault(self.phase, []).append(done)
        if self.phase == self.stop_in and done >= self.stop_at:
            raise KeyboardInterrupt


def run_with(run, watcher):
    with run.lock(), open_workers("inline") as workers:
        Workflow(run, workers, watcher).go()


@pytest.fixture(name="every_report")
def _every_report(monkeypatch):
    """Reports are not dropped for coming too soon after each other."""
    monkeypatch.setattr("tengen.cluster.task_reports._EVERY_S", 0.0)


@pytest.mark.slow
def test_a_step_continues_where_it_was_stopped(tmp_path, monkeypatch, every_report):
    records = write_records(tmp_path)
    monkeypatch.setattr(tasks, "_PART_STEPS", 2)
    settings = tiny_settings(**SHORT)
    wanted = outcome(go(tmp_path / "undisturbed", records, settings=settings))
    run = open_workflow(tmp_path / "run", settings, [records])
    with pytest.raises(KeyboardInterrupt):
        run_with(run, Watcher("train-prophet-with-records", 8))
    assert run.find("train-prophet-with-records", 1) is None
    begun = []
    original = TrainingLoop.run

    def run_loop(self, until=None, progress=None):
        begun.append(self.step)
        original(self, until, progress)

    monkeypatch.setattr(TrainingLoop, "run", run_loop)
    watcher = Watcher()
    run_with(run, watcher)
    # One part of each of the three models was complete; the second part of the first model was not.
    assert begun[0] == 2
    assert watcher.done["train-prophet-with-records"][0] == 3 * 2 + 1
    assert outcome(run) == wanted


@pytest.mark.slow
def test_progress_counts_batches_and_games(tmp_path, every_report):
    run = open_workflow(tmp_path / "run", tiny_settings(rounds=1, rounds_without_prophet=0), [write_records(tmp_path)])
    watcher = Watcher()
    run_with(run, watcher)
    for name in ("train-prophet-with-records", "train-enforcer-with-random", "train-enforcer-with-match-result"):
        done = watcher.done[name]
        assert done == sorted(done)
        assert set(done) == set(range(1, watcher.totals[name, 1] + 1))
    assert watcher.totals["auto-match", 1] == 6


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_says_so_and_fails(tmp_path, number, code):
    settings = [word for name, value in _flat(TINY) for word in ("--set", f"{name}={value}")]
    words = ["--run", str(tmp_path / "run"), "--records", str(write_records(tmp_path, count=40)), *settings]
    words += ["--set", "train.epochs=400", "--workers", "1"]
    process = subprocess.Popen(
        # Not by -m: CPython 3.11 then ends by SIGINT instead of with the exit code if the interrupt came while a string
        # was executed, as dataclasses do when modules are imported. A shell shows 130 in either case.
        [sys.executable, "-c", "import tengen.cli; tengen.cli.main()", "shogi", "workflow", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that starts the tests in the background makes their children ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )
    deadline = time.monotonic() + 600
    while not (tmp_path / "run" / "steps" / "00000000-000000-000-initial").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=600)
    assert process.returncode == code, err
    assert "run the same command again to go on" in err


def _flat(table, head=""):
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{head}{name}.")
        else:
            yield f"{head}{name}", value


def rated(**wins):
    """Return rows of the table after matches of 100 games, in which the first pair won so many."""
    found = elo([(f"pair {names[0]}", f"pair {names[1]}", won, 0, 100 - won) for names, won in wins.items()])
    return [{"player": each.name, "low": each.low, "high": each.high} for each in found.players]


def test_no_pair_is_best_where_intervals_overlap():
    assert best_pair(rated(ab=95, bc=50, ca=5), "a") == "a"
    assert best_pair(rated(ab=52, bc=50, ca=49), "a") is None
    assert best_pair(rated(ab=50, bc=95, ca=5), "a") is None, "a and b are equal, c is weaker"
    assert verdict({"leader": "a", "ratings": rated(ab=95, bc=50, ca=5)}) == "pair a is the best of the three"
    said = verdict({"leader": "b", "best": None, "ratings": rated(ab=48, bc=50, ca=49)})
    assert "intervals overlap" in said
    assert "pair b has most points" in said
    assert "intervals overlap" in verdict({"best": "a", "ratings": rated(ab=52, bc=50, ca=49)}), "of an earlier version"


@pytest.mark.slow
def test_the_two_measures_have_their_names(tmp_path, monkeypatch, capsys):
    command = runner(monkeypatch, capsys)
    records = write_records(tmp_path, count=8, plies=12)
    settings = [word for name, value in _flat(TINY | SHORT) for word in ("--set", f"{name}={value}")]
    ran = command(
        "shogi", "workflow", "--run", tmp_path / "run", "--records", records, *settings, "--workers", "inline"
    )
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert any(line.startswith("train-prophet-with-records 1: win prediction on held-out games") for line in lines)
    assert any(line.startswith("train-enforcer-with-records 1: top-1 move on held-out games") for line in lines)
    rows = [
        line for line in lines if line.startswith(("train-prophet-with-records 1  ", "train-enforcer-with-records 1  "))
    ]
    assert ["win prediction" in row for row in rows] == ["prophet" in row for row in rows]
    assert ["top-1 move" in row for row in rows] == ["enforcer" in row for row in rows]
    assert "right" not in ran.out
    assert "of the three" in lines[-1]
