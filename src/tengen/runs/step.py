"""A complete step of a run, and the manifest that makes it one."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from tengen.runs.disk import sha256_file
from tengen.runs.errors import DamagedStep, RunError, explained
from tengen.runs.sealed import unseal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FORMAT = 1
MANIFEST = "manifest.json"
INITIAL = "initial"
INITIAL_STAMP = "00000000-000000-000"
_FOLDER = re.compile(r"(?P<stamp>\d{8}-\d{6}-\d{3})-(?P<name>[a-z0-9]+(?:-[a-z0-9]+)*)")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_STAMP = "%Y%m%d-%H%M%S"


@dataclass(frozen=True)
class Input:
    """What a step was made from: a step of the same run (`step` is its folder's name), or a file (`file` is its path,
    from the run's folder when it is inside)."""

    sha256: str
    step: str | None = None
    file: str | None = None


@dataclass(frozen=True)
class StoredFile:
    size: int
    sha256: str


@dataclass(frozen=True)
class Step:
    """Steps are equal when their folders are. Nothing of a step ever changes."""

    path: Path
    manifest: Mapping[str, Any] = field(repr=False, compare=False)
    """All of it; the properties are its parts."""
    _checked: set[str] = field(default_factory=set, repr=False, compare=False, init=False)

    @property
    def id(self) -> str:
        """The folder's name. Ids sort by time."""
        return self.path.name

    @property
    def name(self) -> str:
        return str(self.manifest["name"])

    @property
    def iteration(self) -> int | None:
        iteration: int | None = self.manifest["iteration"]
        return iteration

    @property
    def seed(self) -> int | None:
        seed: int | None = self.manifest["seed"]
        return seed

    @property
    def settings(self) -> Mapping[str, Any]:
        return dict(self.manifest["settings"])

    @property
    def metrics(self) -> Mapping[str, Any]:
        return dict(self.manifest["metrics"])

    @property
    def created(self) -> datetime:
        return datetime.fromisoformat(self.manifest["created"])

    @property
    def duration_s(self) -> float:
        return float(self.manifest["duration_s"])

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        return tuple(Input(**entry) for entry in self.manifest["inputs"])

    @cached_property
    def files(self) -> Mapping[str, StoredFile]:
        """By name, without the manifest."""
        return {name: StoredFile(**entry) for name, entry in self.manifest["files"].items()}

    @cached_property
    def sha256(self) -> str:
        """Of the files' names and contents: what `sha256sum` prints of them, sorted by name, hashed once more. Two runs
        that did the same have the same."""
        lines = "".join(f"{self.files[name].sha256}  {name}\n" for name in sorted(self.files))
        return hashlib.sha256(lines.encode()).hexdigest()

    def file(self, name: str) -> Path:
        """Where the file is; the first time its content is compared with the manifest."""
        if name not in self.files:
            there = ", ".join(self.files) or "no files"
            raise RunError(f"{self.path} has no file {name!r}; it has {there}")
        if name not in self._checked:
            self.check(name)
            self._checked.add(name)
        return self.path / name

    def read_json(self, name: str) -> Any:
        path = self.file(name)
        with explained("read", path):
            return json.loads(path.read_bytes())

    def check(self, name: str) -> None:
        """Reads the whole file. DamagedStep when it is not what was written."""
        wanted, path = self.files[name], self.path / name
        with explained("read", path):
            if not path.is_file():
                raise DamagedStep(self.path, name, "is missing")
            size = path.stat().st_size
        if size != wanted.size:
            raise DamagedStep(self.path, name, f"is damaged: it has {size} bytes and had {wanted.size}")
        if sha256_file(path) != wanted.sha256:
            raise DamagedStep(self.path, name, "is damaged: its checksum does not fit")


def load_step(folder: Path) -> Step:
    """DamagedStep when there is no manifest, or when it is not what was written."""
    path = folder / MANIFEST
    with explained("read", path):
        if not path.is_file():
            raise DamagedStep(folder, MANIFEST, "is missing")
        data = path.read_bytes()
    try:
        manifest = unseal(data, spread=True)
    except ValueError as error:
        raise DamagedStep(folder, MANIFEST, str(error)) from None
    if manifest.get("format") != FORMAT:
        raise DamagedStep(folder, MANIFEST, f"has format {manifest.get('format')!r}; this Tengen reads {FORMAT}")
    try:
        _check_manifest(manifest)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedStep(folder, MANIFEST, f"is not a manifest: {error}") from None
    if manifest["step"] != folder.name:
        raise DamagedStep(folder, MANIFEST, f"belongs to {manifest['step']!r}")
    return Step(folder, manifest)


def _check_manifest(manifest: Mapping[str, Any]) -> None:
    """Sealed by mistake or by hand, it may still hold anything; above all no path may lead out of the step."""
    for key, kind in _MANIFEST_KINDS.items():
        if not isinstance(manifest[key], kind) or isinstance(manifest[key], bool):
            raise TypeError(f"its {key!r} is {manifest[key]!r}")
    check_name(manifest["name"])
    datetime.fromisoformat(manifest["created"])
    for entry in manifest["inputs"]:
        if not _SHA256.fullmatch(Input(**entry).sha256):
            raise ValueError(f"its input {entry!r} has no checksum")
    for name, entry in manifest["files"].items():
        check_file_name(name)
        if not isinstance(StoredFile(**entry).size, int) or not _SHA256.fullmatch(entry["sha256"]):
            raise ValueError(f"its file {name!r} has no size or no checksum")


_MANIFEST_KINDS: dict[str, Any] = {
    "step": str,
    "name": str,
    "iteration": int | None,
    "seed": int | None,
    "created": str,
    "duration_s": int | float,
    "settings": dict,
    "inputs": list,
    "versions": dict,
    "files": dict,
    "metrics": dict,
}


def check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise RunError(f"a step cannot be called {name!r}: small letters, digits and single hyphens only")


def check_file_name(name: str) -> None:
    """A relative path inside the step, with / between its parts."""
    is_plain = name == str(PurePosixPath(name)) and name.isprintable() and ".." not in PurePosixPath(name).parts
    if not is_plain or name in (".", MANIFEST) or name.startswith("/"):
        raise RunError(f"a file of a step cannot be called {name!r}")


def is_step_id(text: str) -> bool:
    return _time_of(text) is not None


def next_step_id(name: str, others: Iterable[str], now: datetime) -> str:
    """Later than all `others`, also when they are of the same millisecond or the clock went back."""
    if name == INITIAL:
        return f"{INITIAL_STAMP}-{INITIAL}"
    moment = now.astimezone(UTC).replace(tzinfo=None)
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    latest = max((time for other in others if (time := _time_of(other))), default=datetime.min)  # noqa: DTZ901
    if moment <= latest:
        try:
            moment = latest + timedelta(milliseconds=1)
        except OverflowError:
            raise RunError("a step of the last millisecond there is leaves no room for another") from None
    return f"{moment:{_STAMP}}-{moment.microsecond // 1000:03}-{name}"


def _time_of(step_id: str) -> datetime | None:
    match = _FOLDER.fullmatch(step_id)
    if match is None:
        return None
    if step_id == f"{INITIAL_STAMP}-{INITIAL}":
        return datetime.min  # noqa: DTZ901 - stamps are UTC without saying so
    try:
        moment = datetime.strptime(match["stamp"][:-4], _STAMP)  # noqa: DTZ007
    except ValueError:
        return None
    return moment + timedelta(milliseconds=int(match["stamp"][-3:]))
