"""The file that tells how far a step is: often enough, not too often, and never torn."""

import dataclasses
import json
import os
import socket
import subprocess
import sys
import time

import cli_runner
import pytest

from tengen.champion import Recorded, Silent
from tengen.champion.jobs import ScoreSoFar
from tengen.runs import Progress, ProgressFile, Run, read_progress
from tengen.runs.progress import PROGRESS


def wait_for(folder, fits):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = read_progress(folder)
        if found is not None and fits(found):
            return found
        time.sleep(0.02)
    pytest.fail(f"in vain: {read_progress(folder)}")


def test_it_is_replaced_at_most_once_a_second(tmp_path, monkeypatch):
    writes = []

    def write(file):
        file._written = time.monotonic()
        writes.append(file._now)

    monkeypatch.setattr(ProgressFile, "_write", write)
    told = ProgressFile(tmp_path)
    began = time.monotonic()
    told.begin("arena", 3, 1000)
    for done in range(1000):
        told.advance(done, {"wins": done})
    assert 1 <= len(writes) <= 1 + (time.monotonic() - began)
    told.end()
    assert writes[-1].is_over
    assert writes[-1].done == 999


def test_what_was_told_last_comes_by_itself(tmp_path):
    told = ProgressFile(tmp_path)
    told.begin("self-play", 1, 10)
    told.advance(4, {"visits": 80, "wins": 1, "draws": 2, "losses": 1})
    found = wait_for(tmp_path, lambda now: now.done == 4)
    assert (found.wins, found.draws, found.losses, found.figures) == (1, 2, 1, {"visits": 80.0})
    assert found.is_active(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [PROGRESS]
    told.end()
    assert not wait_for(tmp_path, lambda now: now.is_over).is_active(tmp_path)


def test_how_long_it_takes_still():
    now = Progress("train", 1, 25, 100, began=1000.0, updated=1050.0)
    assert now.left_s == pytest.approx(150)
    assert dataclasses.replace(now, done=0).left_s is None
    assert dataclasses.replace(now, is_over=True).left_s is None


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"{}", b'"text"', b"\xff\xfe", b"[" * 100_000, b'{"step": 1}', b"x" * 100_000],
)
def test_a_damaged_file_tells_nothing(tmp_path, content):
    (tmp_path / PROGRESS).write_bytes(content)
    assert read_progress(tmp_path) is None


def test_values_of_another_kind_tell_nothing(tmp_path):
    told = ProgressFile(tmp_path)
    told.begin("arena", 1, 10)
    plain = json.loads((tmp_path / PROGRESS).read_text())
    assert read_progress(tmp_path) is not None
    for name, value in (
        ("done", "1"),
        ("done", True),
        ("began", None),
        ("began", float("nan")),
        ("figures", 3),
        ("step", 1),
    ):
        (tmp_path / PROGRESS).write_text(json.dumps(plain | {name: value}))
        assert read_progress(tmp_path) is None, (name, value)
    assert read_progress(tmp_path / "nowhere") is None


def test_who_is_gone_is_not_at_it(tmp_path):
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    now = Progress("arena", pid=child.pid, host=socket.gethostname())
    assert not now.is_active(tmp_path)
    elsewhere = dataclasses.replace(now, host="elsewhere", updated=100.0)
    assert elsewhere.is_active(tmp_path, now=110.0)
    assert not elsewhere.is_active(tmp_path, now=1000.0)
    run = Run.create(tmp_path / "run", {"game": {"name": "pyrga"}})
    with run.lock():
        assert now.is_active(run.path), "the run goes on in another process"
    mine = dataclasses.replace(now, pid=os.getpid())
    assert not mine.is_active(run.path), "this process has left it"


def test_trouble_with_the_disk_stops_nobody(tmp_path):
    told = ProgressFile(tmp_path / "nowhere")
    told.begin("arena", 1, 10)
    told.end()
    assert read_progress(tmp_path / "nowhere") is None


def test_a_watcher_hears_what_is_written(tmp_path):
    heard = []

    class Listener(Silent):
        def advance(self, done, figures):
            heard.append(done)

    watcher = Recorded(tmp_path, Listener())
    watcher.begin("train", 2, 5)
    watcher.advance(3, {"loss": 0.5})
    watcher.end("train", 2, "done", {})
    assert heard == [3]
    found = read_progress(tmp_path)
    assert (found.step, found.iteration, found.done, found.is_over) == ("train", 2, 3, True)
    assert ScoreSoFar().figures == {"wins": 0, "draws": 0, "losses": 0}


@pytest.mark.slow
def test_a_match_tells_how_it_stands(tmp_path, monkeypatch, capsys):
    run = cli_runner.runner(monkeypatch, capsys)
    folder = tmp_path / "match"
    words = ["arena", "pig", "random", "rollout:8", "--games", "40", "--seed", "1", "--out", str(folder)]
    assert run(*words).code == 0
    now = read_progress(folder)
    assert (now.done, now.total, now.is_over) == (40, 40, True)
    assert now.wins + now.draws + now.losses == 40
    match = json.loads((folder / "match-001.json").read_text())
    assert len(match["games"]) == 40
    assert sorted(path.name for path in folder.iterdir()) == ["match-001.json", PROGRESS]
    assert run(*words).code == 0, "another match takes its place"
    (folder / "mine.txt").write_text("dear")
    assert "mine.txt" in run(*words).err
