"""Disks that are full, read-only or failing: a clear error, and nothing that was complete is lost."""

import errno
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from run_folders import tree

from tengen.runs import DiskError, Run, RunError

SETTINGS = {"game": "pig"}


def make(run, name="train", data=b"content"):
    with run.step(name) as draft:
        draft.write_bytes("folder/file", data)
    return draft.step


@pytest.fixture
def tiny(tmp_path):
    """A disk of 64 kB, for those who may mount one."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", tmp_path]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a disk")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


class TestRealDisk:
    def test_a_full_disk_loses_nothing(self, tiny):
        run = Run.create(tiny / "run", SETTINGS)
        with run.lock():
            step = make(run)
            run.set_champion(step, "")
            with pytest.raises(DiskError, match=r"the disk is full\. Free some space") as error:
                make(run, data=bytes(100_000))
            assert error.value.errno == errno.ENOSPC
            assert isinstance(error.value, RunError)
            assert isinstance(error.value, OSError)
        run = Run.open(tiny / "run")
        assert (run.steps(), run.champion, run.verify()) == ([step], step, [])
        with run.lock():
            assert len([make(run), *run.steps()]) == 3

    def test_full_by_other_means(self, tiny):
        """Code that knows nothing of runs writes into the draft."""
        run = Run.create(tiny / "run", SETTINGS)
        with run.lock(), pytest.raises(DiskError, match="cannot make the step 'train' in"), run.step("train") as draft:
            (draft.path / "file").write_bytes(bytes(100_000))
        assert run.steps() == []

    def test_every_last_byte(self, tiny):
        """Whatever the operation that meets the end of the disk, the rest stays whole."""
        run = Run.create(tiny / "run", SETTINGS)
        made, failed = [], set()
        with run.lock():
            (tiny / "ballast").write_bytes(bytes(16_000))
            for number in range(300):
                for act in (lambda: made.append(make(run)), lambda: run.log({"text": "x" * 500})):
                    try:
                        act()
                    except DiskError as error:
                        failed.add(error.errno)
                if made:
                    try:
                        run.set_champion(made[-1], f"number {number}")
                    except DiskError as error:
                        failed.add(error.errno)
        assert failed == {errno.ENOSPC}
        run = Run.open(tiny / "run")
        assert (run.steps(), run.verify()) == (made, [])
        before = list(run.events())
        (tiny / "ballast").unlink()
        with run.lock():
            run.log({"text": "there is room again"})
            made.append(make(run))
            run.set_champion(made[-1], "")
        assert (run.steps(), run.champion, run.verify()) == (made, made[-1], [])
        assert list(run.events())[:-1] == before
        assert run.champions()[-1].step == made[-1].id

    def test_a_new_run_on_a_full_disk(self, tiny):
        with pytest.raises(OSError):
            (tiny / "ballast").write_bytes(bytes(100_000))
        with pytest.raises(DiskError, match="the disk is full"):
            Run.create(tiny / "run", SETTINGS)
        (tiny / "ballast").unlink()
        assert Run.create(tiny / "run", SETTINGS).steps() == []

    def test_a_read_only_disk_can_be_read(self, tiny):
        run = Run.create(tiny / "run", SETTINGS)
        with run.lock():
            step = make(run)
            run.set_champion(step, "")
            run.log({"number": 1})
        subprocess.run(["mount", "-o", "remount,ro", tiny], check=True)
        run = Run.create(tiny / "run", SETTINGS)
        assert (run.steps(), run.champion, run.verify()) == ([step], step, [])
        assert [event["number"] for event in run.events()] == [1]
        with pytest.raises(DiskError, match=r"cannot lock .*the disk is read-only\. Make it writable"), run.lock():
            pass
        with pytest.raises(DiskError, match=r"cannot create .*the disk is read-only"):
            Run.create(tiny / "other", SETTINGS)


@pytest.fixture
def ordinary():
    """A run's folder of somebody whom permissions bind: root becomes nobody for a while."""
    nobody, was_root = 65534, os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        if was_root:
            os.chown(folder, nobody, nobody)
            os.seteuid(nobody)
        try:
            yield Run.create(Path(folder) / "run", SETTINGS)
        finally:
            subprocess.run(["chmod", "-R", "u+rwX", folder], check=True)
            if was_root:
                os.seteuid(0)


class TestPermissions:
    def test_a_folder_that_may_not_be_written(self, ordinary):
        with ordinary.lock():
            step = make(ordinary)
        ordinary.path.chmod(0o555)
        (ordinary.path / "lock").chmod(0o444)
        assert (Run.open(ordinary.path).steps(), ordinary.verify()) == ([step], [])
        with pytest.raises(DiskError, match=r"cannot lock .*: permission denied\. Change its"), ordinary.lock():
            pass
        with pytest.raises(DiskError, match=r"cannot create .*: permission denied"):
            Run.create(ordinary.path / "inner", SETTINGS)

    @pytest.mark.parametrize("name", ["", "run.toml"])
    def test_a_run_that_may_not_be_read(self, ordinary, name):
        (ordinary.path / name).chmod(0)
        for door in (Run.open, lambda path: Run.create(path, SETTINGS)):
            with pytest.raises(DiskError, match=r"cannot read .*: permission denied"):
                door(ordinary.path)

    def test_steps_that_may_not_be_listed_are_not_taken_for_none(self, ordinary):
        with ordinary.lock():
            step = make(ordinary)
            ordinary.set_champion(step, "")
        step.path.parent.chmod(0)
        run = Run.open(ordinary.path)
        for look in (run.steps, lambda: run.champion, run.lock().__enter__):
            with pytest.raises(DiskError, match="permission denied"):
                look()
        assert [problem.kind for problem in run.verify()] == ["disk"]

    def test_a_file_that_may_not_be_read_is_not_taken_for_damaged(self, ordinary):
        with ordinary.lock():
            step = make(ordinary)
        step.file("folder/file").chmod(0)
        with pytest.raises(DiskError, match="permission denied"):
            Run.open(ordinary.path).steps()[0].file("folder/file")
        (step.path / "manifest.json").chmod(0)
        with pytest.raises(DiskError, match="permission denied"):
            Run.open(ordinary.path).steps()
        assert [problem.kind for problem in ordinary.verify()] == ["disk"]


class Gremlin:
    """Makes the n-th call that writes fail, and all after it until it is taken away."""

    CALLS = ("open", "write", "fsync", "replace", "rename", "mkdir", "ftruncate")

    def __init__(self, monkeypatch, count, code, *, forever):
        self.left = count
        self.struck = False
        for name in self.CALLS:
            monkeypatch.setattr(os, name, self.wrap(getattr(os, name), code, forever))

    def wrap(self, call, code, forever):
        def wrapped(*args, **keywords):
            self.left -= 1
            if self.left == 0 or (forever and self.left < 0):
                self.struck = True
                raise OSError(code, os.strerror(code))
            return call(*args, **keywords)

        return wrapped


def prepare(folder):
    run = Run.create(folder / "run", SETTINGS)
    with run.lock():
        first, second = make(run, "initial"), make(run)
        run.set_champion(first, "first")
        run.set_champion(second, "second")
        run.log({"number": 1})
    return run


def use(run):
    """Every kind of writing, once."""
    with run.lock():
        run.log({"number": 2})
        step = make(run, "arena")
        run.set_champion(step, "third")
        run.quarantine(step)
        make(run, "train")


CASES = [
    (errno.ENOSPC, "once"),
    (errno.ENOSPC, "forever"),
    (errno.EROFS, "forever"),
    (errno.EACCES, "once"),
    (errno.EIO, "forever"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "how"), CASES, ids=str)
def test_any_call_may_fail(tmp_path, monkeypatch, code, how):
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    prepared = prepare(tmp_path / "prepared")
    count, struck = 0, True
    while struck:
        count += 1
        run = Run.open(shutil.copytree(prepared.path, tmp_path / str(count)))
        before = tree(run.path / "steps")
        error = None
        with pytest.MonkeyPatch.context() as patch:
            gremlin = Gremlin(patch, count, code, forever=how == "forever")
            try:
                use(run)
            except DiskError as caught:
                error = caught
        struck = gremlin.struck
        assert error is None or (error.errno == code and "cannot " in str(error))
        # What was there is there, what is there is whole, and the same work can be done again.
        again = Run.open(run.path)
        if [problem.kind for problem in again.verify()] == ["champion"]:
            with again.lock():
                again.quarantine(again.champions()[-1].step)
        assert again.verify() == []
        assert before.items() <= tree(run.path / "steps").items()
        assert [event["number"] for event in again.events()] in ([1], [1, 2])
        assert again.champion in again.steps()
        use(again)
        assert again.verify() == []
    assert count > 40
