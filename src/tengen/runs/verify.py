"""Whether everything in a run is what was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tengen.runs.champion import HISTORY, ChampionPointer
from tengen.runs.disk import QUARANTINE, TEMPORARY, list_folder, sha256_file
from tengen.runs.errors import DamagedStep, DiskError, RunError
from tengen.runs.sealed import read_lines
from tengen.runs.settings import read_settings
from tengen.runs.step import MANIFEST, Input, Step, is_step_id, load_step

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

METRICS = "metrics.jsonl"
STEPS = "steps"


@dataclass(frozen=True)
class Problem:
    kind: Literal["settings", "debris", "damaged", "input", "champion", "log", "disk"]
    """`debris` is no step and in nobody's way; a `damaged` step should be quarantined; an `input` of a step is gone or
    changed; a damaged line of a `log` is left out by readers; the `disk` cannot be read."""
    path: Path
    """Where it is. Of a damaged step, the step's folder."""
    text: str
    """Names the path."""

    def __str__(self) -> str:
        return self.text


def verify(run: Path) -> list[Problem]:
    """Nothing unfinished or torn is a problem: it never was. What is in quarantine is none any more."""
    return list(_Checker(run).problems())


class _Checker:
    def __init__(self, run: Path) -> None:
        self.run = run
        self.good: dict[str, Step] = {}
        self.sums: dict[Path, str] = {}

    def problems(self) -> Iterator[Problem]:
        try:
            read_settings(self.run)
        except RunError as error:
            yield Problem("settings", self.run, str(error))
        try:
            entries = list_folder(self.run / STEPS)
        except DiskError as error:
            yield Problem("disk", self.run / STEPS, str(error))
            return
        for path in entries:
            if not path.name.startswith(TEMPORARY):
                yield from self.check_entry(path)
        for step in self.good.values():
            for given in step.inputs:
                yield from self.check_input(step, given)
        yield from self.check_champion()
        for log in (HISTORY, METRICS):
            yield from self.check_log(self.run / log)

    def check_entry(self, path: Path) -> Iterator[Problem]:
        if not is_step_id(path.name) or not (path / MANIFEST).exists():
            yield Problem("debris", path, f"{path} is not a step: it has no {MANIFEST}, or no name of a step")
            return
        try:
            step = load_step(path)
            for name in step.files:
                step.check(name)
        except DamagedStep as error:
            yield Problem("damaged", path, str(error))
            return
        except DiskError as error:
            yield Problem("disk", path, str(error))
            return
        self.good[step.id] = step
        known = {path / name for name in (*step.files, MANIFEST)}
        for stranger in sorted(path.rglob("*")):
            if stranger not in known and not stranger.is_dir():
                yield Problem("debris", stranger, f"{stranger} is not in the step's {MANIFEST}")

    def check_input(self, step: Step, given: Input) -> Iterator[Problem]:
        if given.step is not None:
            is_kept = (self.run / QUARANTINE / given.step).exists()
            fits = is_kept if given.step not in self.good else self.good[given.step].sha256 == given.sha256
            # A damaged step is a problem already, once.
            if not fits and not (self.run / STEPS / given.step).exists():
                yield Problem("input", step.path, f"{step.path} was made from {given.step}, which is gone")
            elif not fits and given.step in self.good:
                yield Problem("input", step.path, f"{step.path} was made from another {given.step} than there is")
            return
        path = self.run / str(given.file)
        if not path.exists() and path.is_relative_to(self.run / STEPS):
            path = self.run / QUARANTINE / path.relative_to(self.run / STEPS)
        try:
            if path not in self.sums:
                self.sums[path] = sha256_file(path)
        except DiskError as error:
            yield Problem("input", step.path, f"{step.path} was made from {path}: {error}")
            return
        if self.sums[path] != given.sha256:
            yield Problem("input", step.path, f"{step.path} was made from {path}, which has changed since")

    def check_champion(self) -> Iterator[Problem]:
        pointer = ChampionPointer(self.run)
        try:
            promotion = pointer.read()
            if promotion is not None and promotion.step not in self.good:
                yield Problem("champion", pointer.path, f"{pointer.path} names {promotion.step}, which is no good step")
        except RunError as error:
            yield Problem("champion", pointer.path, str(error))

    def check_log(self, path: Path) -> Iterator[Problem]:
        try:
            for number, record in read_lines(path):
                if record is None:
                    yield Problem("log", path, f"{path} is damaged in line {number}, which is left out")
        except DiskError as error:
            yield Problem("disk", path, str(error))
