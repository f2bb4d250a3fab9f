"""Files that travel by content: what a task is given instead of a path that another machine does not have."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

__all__ = ["File", "data_folder", "digest_of", "file_spans", "local_name", "portable_name", "read_source"]

_BREAKS = ":@,=|+;"


class File(type(Path())):  # type: ignore[misc]  # the class of paths of this system; pathlib's own can be subclassed from Python 3.12 on
    """A path whose content travels with a task: workers on other machines find a copy under the same name, and a
    journal identifies it by its content. Files in the same folder whose names are its whole name and a further ending
    (`net.onnx.json`) travel with it. In all else it is an ordinary path."""

    def pieces(self) -> dict[str, Path]:
        """The files by name, its own first."""
        beside = sorted(path for path in self.parent.glob(f"{_quoted(self.name)}.*") if path.is_file())
        return {path.name: Path(path) for path in [self, *beside]}

    @property
    def digest(self) -> str:
        """SHA-256 of the names and contents."""
        stats = []
        for path in self.pieces().values():
            found = path.stat()
            stats.append((str(path), found.st_size, found.st_mtime_ns))
        return _digest(tuple(stats))


@functools.lru_cache(maxsize=256)
def _digest(stats: tuple[tuple[str, int, int], ...]) -> str:
    """Compute a digest once for many tasks with the same file; a changed file has another modification time."""
    sums = {}
    for name, _, _ in stats:
        with Path(name).open("rb") as file:
            sums[Path(name).name] = hashlib.file_digest(file, "sha256").hexdigest()
    return digest_of(sums)


def digest_of(sums: dict[str, str]) -> str:
    """Return the digest of a set of files from the SHA-256 of each, by name."""
    return hashlib.sha256(json.dumps(sums, sort_keys=True).encode()).hexdigest()


def data_folder() -> Path:
    """Return the user's data folder: TENGEN_DATA, or tengen in XDG_DATA_HOME, by default in ~/.local/share."""
    if os.environ.get("TENGEN_DATA"):
        return Path(os.environ["TENGEN_DATA"])
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tengen"


def read_source(source: bytes | str | Path) -> bytes:
    """Return the content of a file that is given by its path, or as it is."""
    return source if isinstance(source, bytes | bytearray | memoryview) else Path(source).read_bytes()


def _quoted(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def file_spans(text: str) -> list[tuple[int, int]]:
    """Return the parts of a player's text that name existing files with a dot or a slash in their names. If several
    names start at the same place, the longest counts."""
    breaks = [i for i, letter in enumerate(text) if letter in _BREAKS]
    spans: list[tuple[int, int]] = []
    for begin in [0, *(i + 1 for i in breaks)]:
        if spans and begin < spans[-1][1]:
            continue
        for end in [len(text), *reversed(breaks)]:
            if end > begin and _is_file(text[begin:end]):
                spans.append((begin, end))
                break
    return spans


def portable_name(name: object) -> object:
    """Return the name of a network or a player in the form for workers: a text in parts, with files as File."""
    if isinstance(name, Path):
        return File(name) if name.is_file() else name
    spans = file_spans(name) if isinstance(name, str) else []
    if not spans:
        return name
    assert isinstance(name, str)
    parts: list[str | File] = []
    done = 0
    for begin, end in spans:
        parts += [name[done:begin], File(name[begin:end])]
        done = end
    return (*parts, name[done:])


def local_name(name: object) -> object:
    """Undo portable_name(): return a text with paths of this machine."""
    return "".join(map(str, name)) if isinstance(name, tuple) else name


def _is_file(text: str) -> bool:
    with suppress(OSError, ValueError):
        return ("." in text or "/" in text) and Path(text).is_file()
    return False
