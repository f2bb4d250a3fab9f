"""A step that is not complete yet."""

from __future__ import annotations

import json
import platform
import shutil
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.runs.disk import list_folder, sha256_file, sync, temporary_name, write_file
from tengen.runs.errors import RunError, explained
from tengen.runs.sealed import plain, seal
from tengen.runs.step import FORMAT, MANIFEST, Step, check_file_name, check_name, load_step, next_step_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PACKAGES = ("tengen", "numpy", "torch", "onnxruntime", "openvino")


_crew: list[str] = []


def note_crew(text: str) -> None:
    """Add a text to the versions in the manifests of later steps, about machines that differ from this one."""
    if text not in _crew:
        _crew.append(text)


class Draft:
    """Put files into `path`, by whatever means, or through `write_…`; put numbers into `metrics`. When the block of
    `Run.step` ends, `step` is the finished step."""

    def __init__(
        self,
        run: Path,
        name: str,
        *,
        iteration: int | None,
        inputs: Iterable[Step | Path | str],
        settings: Mapping[str, object],
        seed: int | None,
        spent_s: float = 0.0,
    ) -> None:
        check_name(name)
        self.name = name
        self.iteration = iteration
        self.seed = seed
        self.settings: dict[str, Any] = plain(settings, "settings")
        self.metrics: dict[str, Any] = {}
        self.step: Step | None = None
        self._run = run
        self._inputs = [_input(run, given) for given in inputs]
        self._began = time.monotonic() - spent_s
        self.path = run / "steps" / temporary_name()
        with explained("create", self.path):
            self.path.mkdir()

    def file(self, name: str) -> Path:
        """Return the path for a file of the step; `name` may lead through folders."""
        check_file_name(name)
        path = self.path / name
        with explained("create", path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write_bytes(self, name: str, data: bytes) -> Path:
        path = self.file(name)
        write_file(path, data)
        return path

    def write_text(self, name: str, text: str) -> Path:
        return self.write_bytes(name, text.encode())

    def write_json(self, name: str, value: object) -> Path:
        return self.write_text(name, json.dumps(plain(value, name), indent=1) + "\n")

    def commit(self) -> Step:
        """The manifest last, then the rename: before it there is no step, after it there is a whole one."""
        files = {name: {"size": path.stat().st_size, "sha256": sha256_file(path)} for name, path in self._files()}
        now = datetime.now(UTC)
        steps = self.path.parent
        step_id = next_step_id(self.name, (path.name for path in list_folder(steps)), now)
        final = steps / step_id
        if final.exists():
            raise RunError(f"{final} is there already")
        manifest = {
            "format": FORMAT,
            "step": step_id,
            "name": self.name,
            "iteration": self.iteration,
            "seed": self.seed,
            "created": now.isoformat(timespec="milliseconds"),
            "duration_s": round(time.monotonic() - self._began, 3),
            "settings": self.settings,
            "inputs": self._inputs,
            "versions": _versions(),
            "files": files,
            "metrics": plain(self.metrics, "metrics"),
        }
        write_file(self.path / MANIFEST, seal(manifest, spread=True))
        sync(self.path / MANIFEST)
        sync(self.path)
        self.path.rename(final)
        sync(steps)
        self.step = load_step(final)
        return self.step

    def discard(self) -> None:
        """Remove the draft. Files that cannot be removed now are removed by the next writer."""
        with suppress(OSError):
            shutil.rmtree(self.path)

    def _files(self) -> list[tuple[str, Path]]:
        """All files by name, each safely on the disk."""
        files = []
        for path in sorted(self.path.rglob("*")):
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise RunError(f"{path} is neither a file nor a folder, and a step holds nothing else")
            if path.is_file():
                name = path.relative_to(self.path).as_posix()
                check_file_name(name)
                files.append((name, path))
            sync(path)
        return files


def _input(run: Path, given: Step | Path | str) -> dict[str, str]:
    if isinstance(given, Step):
        return {"step": given.id, "sha256": given.sha256}
    path = Path(given)
    if not path.is_file():
        raise RunError(f"{path} cannot be an input: it is not a file")
    absolute, home = path.resolve(), run.resolve()
    name = absolute.relative_to(home) if absolute.is_relative_to(home) else absolute
    return {"file": str(name), "sha256": sha256_file(path)}


def _versions() -> dict[str, str]:
    """Return the versions of the packages that have been imported."""
    found = {name: getattr(sys.modules.get(name), "__version__", None) for name in _PACKAGES}
    known = {name: str(version) for name, version in found.items() if version}
    return {"python": platform.python_version()} | known | ({"nodes": "; ".join(_crew)} if _crew else {})
