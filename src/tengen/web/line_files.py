"""Files of JSON lines, each of them on the disk before anybody hears of it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["LineFile", "is_id", "read_lines"]


def is_id(text: str) -> bool:
    """Whether a file may be called so: an id that a page tells is no path."""
    return 0 < len(text) <= 40 and all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in text)


def read_lines(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The whole lines of a file, and how many bytes they are; a cut or damaged line ends them."""
    found: list[dict[str, Any]] = []
    size = 0
    with path.open("rb") as file:
        for line in file:
            try:
                value = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                value = None
            if not isinstance(value, dict):
                break
            found.append(value)
            size += len(line)
    return found, size


class LineFile:
    """One writer's. What was cut is dropped when it is opened."""

    def __init__(self, path: Path, size: int = 0) -> None:
        """Its first `size` bytes stay."""
        is_new = not path.exists()
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(self._fd, size)
        os.lseek(self._fd, size, os.SEEK_SET)
        self._size = size
        if is_new:
            folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
            os.fsync(folder)
            os.close(folder)

    def append(self, *lines: Mapping[str, Any]) -> None:
        """Returns once they are on the disk. An OSError leaves the file as it was."""
        data = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]
            os.fsync(self._fd)
        except OSError:
            os.ftruncate(self._fd, self._size)
            os.lseek(self._fd, self._size, os.SEEK_SET)
            raise
        self._size += len(data)

    def close(self) -> None:
        """What is appended afterwards is refused by an OSError: the number may be another file's by then."""
        os.close(self._fd)
        self._fd = -1
