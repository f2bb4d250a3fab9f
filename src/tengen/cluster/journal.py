"""Finished tasks on the disk, so that a coordinator that was killed repeats only what was under way."""

from __future__ import annotations

import functools
import hashlib
import importlib
import io
import pickle
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen._files import File
from tengen.cluster.values import ValuesError, decode
from tengen.runs.disk import atomic_write

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Journal", "package_hash", "task_key"]


class Journal:
    """A folder with a file for each finished task, under the task's key. A file that is torn or changed is as if it
    were not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, key: str, data: bytes) -> None:
        """A value in the form of values.encode()."""
        self.folder.mkdir(parents=True, exist_ok=True)
        atomic_write(self.folder / key, _sum(key, data) + data)

    def read(self, key: str) -> tuple[Any] | None:
        """The value, in a tuple because None is one too."""
        path = self.folder / key
        try:
            content = path.read_bytes()
        except OSError:
            return None
        found, data = content[:64], content[64:]
        if found == _sum(key, data):
            with suppress(ValuesError):
                return (decode(data),)
        with suppress(OSError):
            path.unlink()
        return None


def _sum(key: str, data: bytes) -> bytes:
    return hashlib.sha256(key.encode() + data).hexdigest().encode()


def task_key(function: Callable[..., object], args: tuple[object, ...]) -> str:
    """Equal calls of equal code have equal keys, in any process and wherever their files lie."""
    target = io.BytesIO()
    writer = _KeyWriter(target, 5)
    # Without its memory of objects it has met: whether two equal arguments are one object is of no consequence.
    writer.fast = True
    writer.dump((function, args))
    return hashlib.sha256(package_hash().encode() + target.getvalue()).hexdigest()


class _KeyWriter(pickle.Pickler):
    def persistent_id(self, value: Any) -> Any:
        return ("file", value.name, value.digest) if isinstance(value, File) else None


@functools.cache
def package_hash() -> str:
    """Of the installed code: other code may play other games."""
    home = Path(__file__).parents[1]
    core = Path(str(importlib.import_module("tengen._core").__file__))
    files = {str(path.relative_to(home)): path for path in sorted(home.rglob("*.py"))} | {"_core": core}
    total = hashlib.sha256()
    for name, path in files.items():
        total.update(f"{name}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
