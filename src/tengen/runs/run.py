"""The run directory: everything a run made, and all that is needed to go on."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.runs.champion import ChampionPointer, Promotion
from tengen.runs.disk import QUARANTINE, TEMPORARY, list_folder, sync, temporary_name
from tengen.runs.draft import Draft
from tengen.runs.errors import DISK_TROUBLE, DamagedRun, DamagedStep, DiskError, RunBusy, RunError, explained
from tengen.runs.lock import LOCK, locked
from tengen.runs.sealed import append_line, plain, read_lines
from tengen.runs.settings import SETTINGS, differences, has_settings, read_settings, write_settings
from tengen.runs.step import Step, is_step_id, load_step
from tengen.runs.toml import format_toml
from tengen.runs.verify import METRICS, STEPS, Problem, verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


PARTS = "parts"


class Run:
    """A run's folder, from `Run.create` or `Run.open`. Anyone may read it at any time; what writes needs `lock()`."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.settings = settings
        """As they were written: what was None is absent."""
        self._steps = path / STEPS
        self._quarantine = path / QUARANTINE
        self._pointer = ChampionPointer(path)
        self._known: dict[str, Step] = {}
        self._is_locked = False

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    @classmethod
    def create(
        cls,
        path: str | Path,
        settings: Mapping[str, object],
        complete: Callable[[Run], Mapping[str, object]] | None = None,
    ) -> Run:
        """Return a new run, or the existing one if it has these settings.

        `complete` returns the settings of an existing run together with those that later versions added.
        """
        path = Path(path).absolute()
        text = format_toml(settings)
        if not has_settings(path):
            cls.check_free(path)
            with explained("create", path):
                path.mkdir(parents=True, exist_ok=True)
            with locked(path):
                if not has_settings(path):
                    write_settings(path, text)
        run = cls.open(path)
        differing = differences(complete(run) if complete else run.settings, settings)
        if differing:
            raise RunError(f"{path} holds a run with other settings: {'; '.join(differing)}. Use another folder")
        return run

    @staticmethod
    def check_free(path: str | Path) -> None:
        """Raise a RunError unless the path can hold a run.

        That is an empty or missing folder, one that holds a run, or one in which a run stopped before its first file.
        """
        path = Path(path).absolute()
        if not os.path.lexists(path) or has_settings(path):
            return
        if not path.is_dir():
            raise RunError(f"{path} is there and is not a folder; use another one")
        names = [entry.name for entry in list_folder(path)]
        strangers = [name for name in names if name != LOCK and not name.startswith(TEMPORARY)]
        if strangers:
            raise RunError(f"{path} is there and is not a run (it holds {strangers[0]}); use another folder")

    @classmethod
    def open(cls, path: str | Path) -> Run:
        path = Path(path).absolute()
        if not has_settings(path):
            raise RunError(f"{path} is not a run: it has no {SETTINGS}")
        return cls(path, read_settings(path))

    @property
    def parts(self) -> Path:
        """Folder for finished parts of the step in progress, which a repeated step reuses. It is removed when a step is
        complete."""
        return self.path / PARTS

    @contextmanager
    def lock(self) -> Iterator[Run]:
        """Makes this the run's one writer, or raises RunBusy. Removes what an earlier writer left unfinished."""
        if self._is_locked:
            raise RunBusy(f"{self.path} is being written by this very process")
        with locked(self.path):
            self._is_locked = True
            try:
                self._tidy()
                yield self
            finally:
                self._is_locked = False

    @contextmanager
    def step(
        self,
        name: str,
        *,
        iteration: int | None = None,
        inputs: Iterable[Step | Path | str] = (),
        settings: Mapping[str, object] | None = None,
        seed: int | None = None,
        spent_s: float = 0.0,
    ) -> Iterator[Draft]:
        """Make a step from what the block puts into the draft. If the block fails there is no step.

        `spent_s` is the time in seconds that its content took before the block.

        Its folder is named after the time it was complete, in UTC; the one called "initial" comes before all others.
        """
        self._need_lock()
        draft = Draft(
            self.path, name, iteration=iteration, inputs=inputs, settings=settings or {}, seed=seed, spent_s=spent_s
        )
        try:
            yield draft
            with explained(f"make the step {name!r} in", self.path):
                draft.commit()
            self._remove_parts()
        except BaseException as error:
            draft.discard()
            # Callers that write into the draft raise plain OSErrors.
            if isinstance(error, OSError) and not isinstance(error, DiskError) and error.errno in DISK_TROUBLE:
                raise DiskError(f"make the step {name!r} in", self.path, error) from error
            raise

    def steps(self, name: str | None = None) -> list[Step]:
        """The complete steps, oldest first. One without a readable manifest does not exist; `verify` lists it."""
        folders = [path for path in list_folder(self._steps) if is_step_id(path.name)]
        known, self._known = self._known, {}
        for folder in folders:
            with suppress(DamagedStep):
                self._known[folder.name] = known.get(folder.name) or load_step(folder)
        return [step for step in self._known.values() if name is None or step.name == name]

    def find(self, name: str, iteration: int | None = None) -> Step | None:
        """The latest complete step of this name and iteration: what a resumed run need not do again."""
        return next((step for step in reversed(self.steps(name)) if step.iteration == iteration), None)

    @property
    def champion(self) -> Step | None:
        """The current best. DamagedStep when it is not what was written; `quarantine` brings back the one before."""
        promotion = self._pointer.current()
        if promotion is None:
            return None
        return next((step for step in self.steps() if step.id == promotion.step), None) or load_step(
            self._steps / promotion.step
        )

    def set_champion(self, step: Step, reason: str) -> None:
        """Changes nothing when `step` is champion already."""
        self._need_lock()
        load_step(self._steps / step.id)
        self._pointer.set(step.id, reason)

    def champions(self) -> list[Promotion]:
        """All promotions, oldest first, also of steps that were quarantined since."""
        return self._pointer.history()

    def log(self, event: Mapping[str, object]) -> None:
        """Appends an event to metrics.jsonl, with the time unless it has one. NaN and infinity become null."""
        self._need_lock()
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        append_line(self.path / METRICS, {"time": now} | plain(event, "event"))

    def events(self) -> Iterator[dict[str, Any]]:
        """Return the logged events, oldest first, without damaged lines."""
        return (record for _, record in read_lines(self.path / METRICS) if record is not None)

    def verify(self) -> list[Problem]:
        """Reads every byte. Nothing unfinished or torn is a problem: it never was."""
        return verify(self.path)

    def quarantine(self, step: Step | Path | str) -> Path | None:
        """Moves a step, or anything else in steps/, to quarantine/; returns its new place, None if it was gone already.

        If it was the champion, the latest earlier one that is still there becomes it again.
        """
        self._need_lock()
        given = self._steps / (step.path if isinstance(step, Step) else step)
        source = self._steps / given.name
        if given.name in ("", "..") or given.parent.absolute() != self._steps:
            raise RunError(f"{given} is not in {self._steps}")
        target = None
        if os.path.lexists(source):
            target = self._free_place(source.name)
            with explained("move", source):
                source.rename(target)
            sync(self._quarantine)
            sync(self._steps)
        self._known.pop(source.name, None)
        self._replace_champion(source.name)
        return target

    def _replace_champion(self, lost: str) -> None:
        try:
            promotion = self._pointer.current()
        except DamagedRun:  # the next promotion writes it anew
            return
        if promotion is None or promotion.step != lost:
            return
        there = {step.id for step in self.steps()}
        earlier = next((past.step for past in reversed(self.champions()) if past.step in there), None)
        if earlier is not None:
            self._pointer.set(earlier, f"{lost} was quarantined")
            return
        with explained("move", self._pointer.path):
            self._pointer.path.rename(self._free_place(self._pointer.path.name))
        sync(self.path)

    def _free_place(self, name: str) -> Path:
        with explained("create", self._quarantine):
            self._quarantine.mkdir(exist_ok=True)
        place, number = self._quarantine / name, 1
        while os.path.lexists(place):
            number += 1
            place = self._quarantine / f"{name}-{number}"
        return place

    def _remove_parts(self) -> None:
        """The folder's name goes first, so that a kill leaves all of it or what is tidied up. Parts that stay are in
        nobody's way: they are found by what they were made from."""
        gone = self.path / temporary_name()
        with suppress(OSError):
            self.parts.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)

    def _tidy(self) -> None:
        with explained("create", self._steps):
            self._steps.mkdir(exist_ok=True)
        for folder in (self.path, self._steps, self._quarantine):
            for path in (path for path in list_folder(folder) if path.name.startswith(TEMPORARY)):
                with explained("remove", path):
                    if path.is_dir() and not path.is_symlink():
                        shutil.rmtree(path)
                    else:
                        path.unlink()
        self._pointer.complete_history()

    def _need_lock(self) -> None:
        if not self._is_locked:
            raise RunError(f"writing to {self.path} needs its lock: with run.lock(): …")
