"""What lies below the roots of the command line: runs, matches, networks, records. All are known by ids of this
listing, and nothing else is ever opened."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.runs.progress import PROGRESS
from tengen.runs.settings import SETTINGS
from tengen.web.record_reading import MAX_RECORD_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Entry", "Library"]

MAX_ENTRIES = 5000
MAX_DEPTH = 8
_LASTS_S = 2.0
"""So long a listing is used again."""
_NETWORKS = (".onnx", ".safetensors", ".bin.gz", ".txt.gz")
_RECORDS = (".sgf", ".kif", ".kifu", ".ki2", ".csa", ".usi", ".json", ".log", ".html")


@dataclass(frozen=True)
class Entry:
    id: str
    kind: str
    """run, match, network or record."""
    path: Path
    root: Path
    changed: float
    size: int = 0

    @property
    def name(self) -> str:
        return str(self.path.relative_to(self.root)) if self.path != self.root else self.path.name

    def plain(self) -> dict[str, Any]:
        """For a page: names are labels, and no path leaves this machine."""
        return {"id": self.id, "kind": self.kind, "name": self.name, "changed": self.changed, "size": self.size}

    def is_inside(self) -> bool:
        """Still, when it is about to be read: a folder may have become a link since it was listed."""
        try:
            return self.path.resolve(strict=True).is_relative_to(self.root.resolve())
        except OSError:
            return False


class Library:
    """Links are not followed: what they lead to may be anywhere."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = [root.absolute() for root in roots]
        self._lock = threading.Lock()
        self._listed: dict[str, Entry] = {}
        self._until = 0.0

    def entries(self, search: str = "") -> list[Entry]:
        """The newest first; with a search, those whose names have all of its words."""
        with self._lock:
            if time.monotonic() > self._until:
                found = (entry for root in self._roots for entry in _list(root, root, MAX_DEPTH))
                self._listed = {entry.id: entry for entry, _ in zip(found, range(MAX_ENTRIES), strict=False)}
                self._until = time.monotonic() + _LASTS_S
            listed = list(self._listed.values())
        words = search.casefold().split()
        fitting = [entry for entry in listed if all(word in entry.name.casefold() for word in words)]
        return sorted(fitting, key=lambda entry: -entry.changed)

    def find(self, entry_id: str, *kinds: str) -> Entry | None:
        self.entries()
        entry = self._listed.get(entry_id)
        return entry if entry is not None and entry.kind in kinds and entry.is_inside() else None


def _list(root: Path, folder: Path, depth: int) -> Iterator[Entry]:
    try:
        found = sorted(os.scandir(folder), key=lambda item: item.name)
    except OSError:
        return
    names = {item.name for item in found}
    kind = "run" if SETTINGS in names else "match" if _is_match(names) else ""
    if kind:
        changed = max((_changed(folder / name) for name in (PROGRESS, "steps") if name in names), default=0.0)
        yield Entry(_id_of(folder), kind, folder, root, changed or _changed(folder))
        return
    for item in found:
        # What is hidden or a link is left alone.
        if item.name.startswith(".") or item.is_symlink():
            continue
        try:
            if item.is_dir(follow_symlinks=False):
                if depth:
                    yield from _list(root, folder / item.name, depth - 1)
                continue
            stat = item.stat(follow_symlinks=False)
        except OSError:
            continue
        ending = item.name.lower()
        what = "network" if ending.endswith(_NETWORKS) else "record" if ending.endswith(_RECORDS) else ""
        if what == "record" and stat.st_size > MAX_RECORD_BYTES:
            continue
        if what and item.is_file(follow_symlinks=False):
            path = folder / item.name
            yield Entry(_id_of(path), what, path, root, stat.st_mtime, stat.st_size)


def _is_match(names: set[str]) -> bool:
    return any(name.startswith("match-") and name.endswith(".json") for name in names) or PROGRESS in names


def _changed(path: Path) -> float:
    try:
        return path.stat(follow_symlinks=False).st_mtime
    except OSError:
        return 0.0


def _id_of(path: Path) -> str:
    """The same as long as it lies there."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:20]
