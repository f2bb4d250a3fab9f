"""Files that came with tasks, as a node keeps them: each once, whole, and the longest unused ones given up."""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tengen._files import File, digest_of
from tengen.runs.disk import TEMPORARY, list_folder, temporary_name, write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FileCache", "cache_folder"]

_LIMIT = 2 << 30
"""Bytes."""


def cache_folder() -> Path:
    """tengen/files in XDG_CACHE_HOME, by default ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tengen" / "files"


class FileCache:
    """A folder with a folder for each File, named by its digest. Several processes may use it at once."""

    def __init__(self, folder: Path, limit: int = _LIMIT) -> None:
        self._folder = folder
        self._limit = limit
        self._checked: set[str] = set()

    def find(self, name: str, digest: str, fetch: Callable[[], Mapping[str, bytes]]) -> File:
        """The file of that name. What is not there, or not as it was, is fetched: contents by name. A ValueError if
        those are not what the digest says."""
        place = self._folder / digest
        # Another process may have given it up since.
        if not (digest in self._checked and place.exists()) and not _is_whole(place, digest):
            self._write(place, digest, fetch())
        self._checked.add(digest)
        with suppress(OSError):
            os.utime(place)
        return File(place / name)

    def _write(self, place: Path, digest: str, contents: Mapping[str, bytes]) -> None:
        if digest_of({name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}) != digest:
            raise ValueError(f"the files {', '.join(contents)} did not arrive as they were sent")
        self._folder.mkdir(parents=True, exist_ok=True)
        self._make_room(sum(map(len, contents.values())))
        new = self._folder / temporary_name()
        new.mkdir()
        try:
            for name, data in contents.items():
                write_file(new / name, data)
            if place.exists() and not _is_whole(place, digest):
                shutil.rmtree(place, ignore_errors=True)
            # Whoever came first has written the same.
            with suppress(OSError):
                new.rename(place)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        if not _is_whole(place, digest):
            raise ValueError(f"{place} cannot be written")

    def _make_room(self, size: int) -> None:
        """Files that a task still has open stay readable for it on systems where Ray runs."""
        entries = [path for path in list_folder(self._folder) if not path.name.startswith(TEMPORARY)]
        sizes = {path: _size(path) for path in entries}
        total = sum(sizes.values())
        for path in sorted(entries, key=_age):
            if total + size <= self._limit:
                break
            shutil.rmtree(path, ignore_errors=True)
            self._checked.discard(path.name)
            total -= sizes[path]


def _is_whole(place: Path, digest: str) -> bool:
    try:
        sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in place.iterdir()}
    except OSError:
        return False
    return bool(sums) and digest_of(sums) == digest


def _size(place: Path) -> int:
    with suppress(OSError):
        return sum(path.stat().st_size for path in place.iterdir())
    return 0


def _age(place: Path) -> float:
    with suppress(OSError):
        return place.stat().st_mtime
    return 0.0
