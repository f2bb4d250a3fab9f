"""The run directory: what is written, what is read back, who may write."""

import json
import math
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from run_folders import SETTINGS, make, tree

import tengen
from tengen.runs import DamagedRun, Run, RunBusy, RunError, atomic_write, sha256_file
from tengen.runs import draft as draft_module
from tengen.runs.disk import checksum
from tengen.runs.step import is_step_id, load_step, next_step_id


@pytest.fixture
def run(tmp_path):
    return Run.create(tmp_path / "run", SETTINGS)


@pytest.fixture
def writer(run):
    with run.lock():
        yield run


class TestRun:
    def test_settings_are_read_back(self, run):
        expected = {"game": "pig", "visits": 200, "rate": 0.1, "train": {"batch": 64}}
        assert Run.open(run.path).settings == run.settings == expected

    def test_creating_it_again_opens_it(self, run):
        with run.lock():
            step = make(run)
        before = tree(run.path)
        assert Run.create(str(run.path), dict(SETTINGS)).steps() == [step]
        assert tree(run.path) == before

    def test_other_settings_are_named(self, run):
        before = tree(run.path)
        other = {"game": "pig", "rate": 0.1, "train": {"batch": 65, "decay": 0.5}, "new": [1]}
        with pytest.raises(RunError) as error:
            Run.create(run.path, other)
        text = str(error.value)
        for part in (
            "visits is 200 there and not set here",
            "train.batch is 64 there and 65 here",
            "train.decay is not set there and 0.5 here",
            "new is not set there and [1] here",
        ):
            assert part in text
        assert "rate" not in text
        assert "game" not in text
        assert tree(run.path) == before

    def test_a_whole_number_is_not_a_fraction(self, run):
        with pytest.raises(RunError, match=r"visits is 200 there and 200\.0 here"):
            Run.create(run.path, SETTINGS | {"visits": 200.0})

    def test_what_is_not_a_run_is_left_alone(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(RunError, match=r"is not a run \(it holds thesis\.tex\)"):
            Run.create(tmp_path, SETTINGS)
        with pytest.raises(RunError, match="is not a folder"):
            Run.create(tmp_path / "thesis.tex", SETTINGS)
        with pytest.raises(RunError, match="a part of this path is a file"):
            Run.create(tmp_path / "thesis.tex" / "run", SETTINGS)
        assert tree(tmp_path) == {"thesis.tex": b"years of work"}

    def test_settings_that_cannot_be_written_leave_no_folder(self, tmp_path):
        with pytest.raises(RunError, match="path"):
            Run.create(tmp_path / "run", {"path": Path("x")})
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize("name", ["absent", "empty", "file"])
    def test_opening_what_is_no_run_is_an_error(self, tmp_path, name):
        (tmp_path / "empty").mkdir()
        (tmp_path / "file").touch()
        with pytest.raises(RunError, match=r"is not a run: it has no run\.toml"):
            Run.open(tmp_path / name)

    def test_an_empty_folder_will_do(self, tmp_path):
        assert Run.create(tmp_path, SETTINGS).steps() == []

    def test_a_creation_that_stopped_can_be_repeated(self, tmp_path):
        (tmp_path / "lock").touch()
        (tmp_path / ".tmp-12-34").write_text("half of it")
        run = Run.create(tmp_path, SETTINGS)
        with run.lock():
            assert not (tmp_path / ".tmp-12-34").exists()

    def test_edited_settings_are_noticed(self, run):
        path = run.path / "run.toml"
        path.write_text(path.read_text().replace("200", "400"))
        with pytest.raises(DamagedRun, match=r"run\.toml is damaged or was edited"):
            Run.open(run.path)
        assert [problem.kind for problem in run.verify()] == ["settings"]

    def test_a_later_format_is_not_guessed_at(self, run):
        path = run.path / "run.toml"
        body = path.read_text().rpartition("# seal")[0].replace("format 1.", "format 2.")
        path.write_text(f"{body}# seal {checksum(body.encode())}\n")
        with pytest.raises(RunError, match=r"another version of Tengen: .*format 2"):
            Run.open(run.path)

    def test_it_goes_on_after_a_change_of_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        run = Run.create("run", SETTINGS)
        monkeypatch.chdir("/")
        with run.lock():
            make(run)
        assert len(Run.open(tmp_path / "run").steps()) == 1


class TestStep:
    def test_it_is_read_back(self, writer, tmp_path):
        (tmp_path / "book.txt").write_text("openings")
        began = datetime.now(UTC)
        first = make(writer, "self-play", iteration=3)
        with writer.step(
            "train",
            iteration=3,
            inputs=[first, first.file("file.txt"), tmp_path / "book.txt"],
            settings={"rate": 0.5, "path": tmp_path},
            seed=2**64 - 1,
        ) as draft:
            assert draft.path.is_dir()
            assert draft.step is None
            draft.write_bytes("net.bin", b"\0\1")
            draft.write_json("deep/inside/loss.json", {"loss": np.float32(0.5), "by": np.arange(2)})
            draft.file("own.txt").write_text("written by other means")
            draft.metrics["loss"] = np.float64(0.25)
            draft.metrics["steps"] = np.int64(7)
            draft.metrics["lost"] = math.nan
        step = Run.open(writer.path).find("train", 3)
        assert step == draft.step
        assert (step.name, step.iteration, step.seed) == ("train", 3, 2**64 - 1)
        assert step.settings == {"rate": 0.5, "path": str(tmp_path)}
        assert step.metrics == {"loss": 0.25, "steps": 7, "lost": None}
        assert list(step.files) == ["deep/inside/loss.json", "net.bin", "own.txt"]
        assert step.file("net.bin").read_bytes() == b"\0\1"
        assert step.files["net.bin"].sha256 == sha256_file(step.path / "net.bin")
        assert step.read_json("deep/inside/loss.json") == {"loss": 0.5, "by": [0, 1]}
        assert step.file("own.txt").read_text() == "written by other means"
        assert began - timedelta(seconds=1) < step.created < datetime.now(UTC) + timedelta(seconds=1)
        assert 0 <= step.duration_s < 60
        assert step.manifest["versions"]["tengen"] == tengen.__version__
        assert step.manifest["versions"]["numpy"] == np.__version__
        assert step.manifest["versions"]["python"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}.")
        by_step, inside, outside = step.inputs
        assert (by_step.step, by_step.sha256) == (first.id, first.sha256)
        assert inside.file == f"steps/{first.id}/file.txt"
        assert outside.file == str(tmp_path / "book.txt")
        assert writer.verify() == []

    def test_equal_contents_have_equal_checksums(self, writer):
        first, second, third = make(writer), make(writer, iteration=2, seed=3), make(writer, text="other")
        assert first.sha256 == second.sha256 != third.sha256

    def test_its_folder_names_time_and_kind(self, writer):
        step = make(writer, "train-prophet-with-records")
        assert is_step_id(step.id)
        assert step.id.endswith("-train-prophet-with-records")
        stamp = datetime.strptime(step.id[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
        assert abs(datetime.now(UTC) - stamp) < timedelta(minutes=1)

    def test_initial_comes_first_and_once(self, writer):
        later = make(writer)
        initial = make(writer, "initial")
        assert initial.id == "00000000-000000-000-initial"
        assert writer.steps() == [initial, later]
        with pytest.raises(RunError, match="is there already"):
            make(writer, "initial", text="other")
        assert writer.find("initial").file("file.txt").read_text() == "content"

    def test_a_failed_block_makes_no_step(self, writer):
        with pytest.raises(KeyError), writer.step("train") as draft:
            raise KeyError(draft.write_text("file.txt", "content"))
        with pytest.raises(KeyboardInterrupt), writer.step("train"):
            raise KeyboardInterrupt
        assert writer.steps() == []
        assert list((writer.path / "steps").iterdir()) == []

    def test_steps_of_one_moment_are_ordered(self, writer, monkeypatch):
        class Stopped(datetime):
            @classmethod
            def now(cls, tz=None):
                return datetime(2026, 11, 16, 23, 59, 59, 999_900, tzinfo=tz)

        monkeypatch.setattr(draft_module, "datetime", Stopped)
        made = [make(writer, name).id for name in ("z", "a", "m")]
        assert made == ["20261116-235959-999-z", "20261117-000000-000-a", "20261117-000000-001-m"]
        assert [step.id for step in writer.steps()] == made

    def test_a_clock_that_goes_back_keeps_the_order(self):
        now = datetime(2026, 1, 1, tzinfo=UTC)
        others = ["20270101-000000-000-train", "20269999-000000-000-train", ".tmp-1", "20280101-000000-000-UPPER"]
        assert next_step_id("arena", others, now) == "20270101-000000-001-arena"

    def test_the_end_of_time_is_an_error(self):
        with pytest.raises(RunError):
            next_step_id("arena", ["99991231-235959-999-train"], datetime.now(UTC))

    def test_find_gives_the_latest(self, writer):
        make(writer, iteration=1)
        second = make(writer, iteration=1)
        make(writer, iteration=2)
        assert writer.find("train", 1) == second
        assert writer.find("train", 3) is None
        assert writer.find("train") is None
        assert writer.find("arena", 1) is None
        assert len(writer.steps("train")) == 3
        assert writer.steps("arena") == []

    @pytest.mark.parametrize("name", ["", "Train", "a b", "a--b", "-a", "a/b", "..", "a_b", "a\n"])
    def test_names_are_small_words(self, writer, name):
        with pytest.raises(RunError, match="cannot be called"):
            make(writer, name)

    @pytest.mark.parametrize(
        "name", ["", ".", "..", "../x", "a/../../x", "/etc/x", "manifest.json", "a//b", "a\0", "./a"]
    )
    def test_files_stay_inside(self, writer, name):
        with pytest.raises(RunError, match="cannot be called"), writer.step("train") as draft:
            draft.write_text(name, "content")
        assert writer.steps() == []

    def test_links_are_refused(self, writer):
        with pytest.raises(RunError, match="neither a file nor a folder"), writer.step("train") as draft:
            (draft.path / "link").symlink_to("/etc/passwd")

    def test_a_missing_input_is_an_error(self, writer, tmp_path):
        with pytest.raises(RunError, match="absent cannot be an input"):
            make(writer, inputs=[tmp_path / "absent"])

    def test_what_json_cannot_hold_is_an_error(self, writer):
        with pytest.raises(RunError, match=r"metrics\.odd"), writer.step("train") as draft:
            draft.metrics["odd"] = object()
        with pytest.raises(RunError, match=r"settings\.odd"), writer.step("train", settings={"odd": b"x"}):
            raise AssertionError("settings are looked at before the work")
        assert writer.steps() == []

    def test_an_unknown_file_is_an_error(self, writer):
        with pytest.raises(RunError, match=r"has no file 'other'; it has file\.txt"):
            make(writer).file("other")


class TestEvents:
    def test_they_are_read_back(self, writer):
        writer.log({"event": "loss", "loss": np.float32(0.5), "lost": math.inf})
        writer.log({"event": "other", "time": "noon"})
        first, second = Run.open(writer.path).events()
        assert first.pop("time")
        assert first == {"event": "loss", "loss": 0.5, "lost": None}
        assert second == {"event": "other", "time": "noon"}

    def test_every_line_is_json(self, writer):
        for number in range(3):
            writer.log({"number": number, "text": "a\nb\u2028\ud800"})
        lines = (writer.path / "metrics.jsonl").read_text().splitlines()
        assert [json.loads(line)["number"] for line in lines] == [0, 1, 2]

    def test_a_torn_line_is_no_line(self, writer):
        for number in range(3):
            writer.log({"number": number})
        path = writer.path / "metrics.jsonl"
        path.write_bytes(path.read_bytes()[:-5])
        torn = path.read_bytes().splitlines()[-1]
        assert [event["number"] for event in writer.events()] == [0, 1]
        assert writer.verify() == []
        writer.log({"number": 3})
        assert [event["number"] for event in writer.events()] == [0, 1, 3]
        assert [file.read_bytes() for file in (writer.path / "quarantine").iterdir()] == [torn]
        assert writer.verify() == []

    def test_a_damaged_line_is_left_out(self, writer):
        for number in range(3):
            writer.log({"number": number})
        path = writer.path / "metrics.jsonl"
        path.write_text(path.read_text().replace('"number":1', '"number":7'))
        assert [event["number"] for event in writer.events()] == [0, 2]
        (problem,) = writer.verify()
        assert problem.kind == "log"
        assert "line 2" in str(problem)

    def test_no_log_is_no_events(self, run):
        assert list(run.events()) == []


class TestLock:
    def test_writing_needs_it(self, run):
        for write in (lambda: make(run), lambda: run.log({}), lambda: run.quarantine("x")):
            with pytest.raises(RunError, match="needs its lock"):
                write()
        with run.lock():
            step = make(run)
        with pytest.raises(RunError, match="needs its lock"):
            run.set_champion(step, "")

    def test_a_second_writer_learns_who_holds_it(self, run):
        with run.lock():
            with pytest.raises(RunBusy, match="this very process"), run.lock():
                pass
            with (
                pytest.raises(RunBusy, match=rf"written by process {os.getpid()} on .+ since 2"),
                Run.open(run.path).lock(),
            ):
                pass
            make(run)
            assert len(Run.open(run.path).steps()) == 1
        with Run.open(run.path).lock():
            pass

    def test_a_holder_that_did_not_sign_is_another_process(self, run):
        with run.lock():
            (run.path / "lock").write_text("")
            with pytest.raises(RunBusy, match="another process"), Run.open(run.path).lock():
                pass

    def test_a_killed_writer_leaves_it_free(self, run):
        code = (
            "import sys, time; from tengen.runs import Run; run = Run.open(sys.argv[1])\n"
            "with run.lock(), run.step('train') as draft: draft.write_text('a', 'b'); print(flush=True); time.sleep(99)"
        )
        with subprocess.Popen([sys.executable, "-c", code, run.path], stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            with pytest.raises(RunBusy, match=rf"process {child.pid} "), run.lock():
                pass
            assert run.verify() == []
            child.kill()
        assert len(list((run.path / "steps").iterdir())) == 1
        with run.lock():
            assert list((run.path / "steps").iterdir()) == []
        assert run.steps() == []

    def test_a_child_that_outlives_the_writer_does_not_hold_it(self, run):
        with run.lock():
            child = subprocess.Popen(["sleep", "3600"], close_fds=False)
        try:
            with run.lock():
                assert child.poll() is None
        finally:
            child.kill()
            child.wait()


def test_atomic_write_replaces_whole_files(tmp_path):
    path = tmp_path / "file"
    atomic_write(path, b"old")
    atomic_write(path, b"new" * 100_000)
    assert path.read_bytes() == b"new" * 100_000
    assert list(tmp_path.iterdir()) == [path]


def test_a_step_is_read_once(writer, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    for number in range(20):
        make(writer, iteration=number)
    read = []
    monkeypatch.setattr("tengen.runs.run.load_step", lambda folder: read.append(folder) or load_step(folder))
    run = Run.open(writer.path)
    assert len(run.steps()) == 20
    for number in range(20):
        assert run.find("train", number).iteration == number
    assert len(read) == 20
