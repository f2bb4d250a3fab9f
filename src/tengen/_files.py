"""Files that travel by content: what a task is given instead of a path that another machine does not have."""

from __future__ import annotations

import functools
import hashlib
import json
from contextlib import suppress
from pathlib import Path

__all__ = ["File", "digest_of", "file_spans", "local_name", "portable_name"]

_BREAKS = ":@,=|+;"


class File(type(Path())):  # type: ignore[misc]  # the class of paths of this system; pathlib's own can be subclassed from Python 3.12 on
    """A path whose content goes where a task goes: workers on other machines find a copy under the same name, and a
    journal knows it by its content. What lies beside it under its whole name and a further ending (`net.onnx.json`)
    comes along. Else it is a path as any other."""

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
    """A network is an argument of many tasks and read once; whoever changes a file changes its time."""
    sums = {}
    for name, _, _ in stats:
        with Path(name).open("rb") as file:
            sums[Path(name).name] = hashlib.file_digest(file, "sha256").hexdigest()
    return digest_of(sums)


def digest_of(sums: dict[str, str]) -> str:
    """Of files by name, from the SHA-256 of each."""
    return hashlib.sha256(json.dumps(sums, sort_keys=True).encode()).hexdigest()


def _quoted(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def file_spans(text: str) -> list[tuple[int, int]]:
    """Where a player's text names files: what has a dot or a slash in its name and is there. The longest names first
    where several begin at the same place."""
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
    """What names a network or a player, as it is sent to a worker: a text in parts, its files among them as File."""
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
    """The same as a text again, with paths of this machine."""
    return "".join(map(str, name)) if isinstance(name, tuple) else name


def _is_file(text: str) -> bool:
    with suppress(OSError, ValueError):
        return ("." in text or "/" in text) and Path(text).is_file()
    return False
