"""Files of JSON lines that are on the disk before anybody sees what they record, and that survive damage.

Each line is sealed with a checksum and carries its number, so that a damaged, missing or repeated line is noticed.
Files of earlier versions have neither; they are read, and sealed when they are opened.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.runs.disk import QUARANTINE, checksum, sync, temporary_name, write_all
from tengen.runs.sealed import seal, unseal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["FileLines", "LineFile", "is_id", "list_quarantine", "read_lines", "reason_of", "set_aside"]

_NUMBER = "n"
_LINE_END = re.compile(rb'(,"seal":"[0-9a-f]{16}"\}).', re.DOTALL)
"""The end of a sealed line and its line break. It occurs in no text, where quotes are escaped."""
_log = logging.getLogger(__name__)


def is_id(text: str) -> bool:
    """Return whether `text` may be used as the name of a file: an id sent by a page must not be a path."""
    return 0 < len(text) <= 40 and all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in text)


def reason_of(error: OSError) -> str:
    """Return why the disk refused, without the path."""
    return os.strerror(error.errno) if error.errno else str(error)


@dataclass(frozen=True)
class FileLines:
    """The contents of a line file."""

    lines: list[dict[str, Any]]
    """The intact lines before the first damaged or missing one."""
    later: list[dict[str, Any]]
    """The intact lines after it, in order. Always empty in files without checksums, where nothing proves them."""
    damaged: int
    """How many lines are damaged or missing, apart from a torn last one."""
    torn: bytes
    """The beginning of a last line whose writer was stopped. It was never acknowledged."""
    is_sealed: bool
    """True if the lines have checksums."""
    data: bytes
    """The whole file."""


def read_lines(path: Path) -> FileLines:
    data = path.read_bytes()
    # A damaged line break leaves the lines on both sides of it intact.
    *whole, torn = _LINE_END.sub(rb"\1\n", data).split(b"\n")
    is_sealed = any(_read_sealed(line) is not None for line in [*whole, torn])
    read = _read_sealed if is_sealed else _read_plain
    # A last line that lacks nothing but its line break was written completely.
    ending = next((end for end in (torn, torn[:-1]) if read(end) is not None), None)
    if ending is not None:
        whole, torn = [*whole, ending], b""
    found = [read(line) for line in whole]
    if is_sealed:
        return _check_numbers(data, found, torn)
    good = next((number for number, line in enumerate(found) if line is None), len(found))
    lines = [line for line in found[:good] if line is not None]
    return FileLines(lines, [], len(found) - good, torn, False, data)


def _check_numbers(data: bytes, found: list[dict[str, Any] | None], torn: bytes) -> FileLines:
    numbered: dict[int, dict[str, Any]] = {}
    for line in found:
        if line is not None:
            numbered.setdefault(line.pop(_NUMBER, -1), line)
    good = 0
    while good < len(found) and good in numbered and found[good] is numbered[good]:
        good += 1
    lines = [line for line in found[:good] if line is not None]
    later = [numbered[number] for number in sorted(numbered) if number >= good]
    missing = max([*numbered, good - 1]) + 1 - len(numbered)
    damaged = max(missing, sum(line is None for line in found), int(good < len(found)))
    return FileLines(lines, later, damaged, torn, True, data)


def _read_sealed(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError, RecursionError):
        return unseal(line + b"\n")
    return None


def _read_plain(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(line)
        if isinstance(value, dict) and "seal" not in value:
            return value
    return None


def _format(lines: Iterable[Mapping[str, Any]], first: int = 0) -> bytes:
    return b"".join(seal({**line, _NUMBER: number}) for number, line in enumerate(lines, start=first))


def set_aside(path: Path, data: bytes) -> str:
    """Copy a damaged file to the folder `quarantine` beside it, and return the name of the copy."""
    folder = path.parent / QUARANTINE
    folder.mkdir(mode=0o700, exist_ok=True)
    name = f"{path.name}-{checksum(data)}"
    os.close(_put(folder / name, data))
    _log.warning("%s was damaged; it is kept as it was found in %s", path, folder / name)
    return name


def list_quarantine(folder: Path) -> list[str]:
    """Return the names of the damaged files that are kept in a folder."""
    with contextlib.suppress(OSError):
        return sorted(path.name for path in (folder / QUARANTINE).iterdir() if not path.name.startswith("."))
    return []


def _put(path: Path, data: bytes) -> int:
    """Make `data` the content of a file, or leave everything as it was and raise an OSError. Return its descriptor."""
    new = path.with_name(temporary_name())
    fd = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        write_all(fd, data)
        os.fsync(fd)
        os.replace(new, path)  # noqa: PTH105 - the tests make it fail
    except BaseException:
        os.close(fd)
        with contextlib.suppress(OSError):
            new.unlink()
        raise
    return fd


class LineFile:
    """A line file that is open for appending. It has one writer."""

    def __init__(self, path: Path, fd: int, size: int, count: int) -> None:
        self._path = path
        self._fd = fd
        self._size = size
        self._count = count
        self._is_clean = True

    @classmethod
    def create(cls, path: Path, *lines: Mapping[str, Any]) -> LineFile:
        """Create a file that holds `lines`. An OSError leaves no file."""
        data = _format(lines)
        fd = _put(path, data)
        try:
            sync(path.parent)
        except OSError:
            os.close(fd)
            path.unlink(missing_ok=True)
            raise
        return cls(path, fd, len(data), len(lines))

    @classmethod
    def open(cls, path: Path, found: FileLines, lines: list[dict[str, Any]] | None = None) -> LineFile:
        """Open a file that was read as `found`, and make it hold `lines`, by default the intact ones.

        Only a torn last line is cut off in place. Other changes make a new file that replaces the old one.
        """
        kept = found.lines if lines is None else lines
        data = _format(kept)
        if data + found.torn == found.data:
            opened = cls(path, os.open(path, os.O_RDWR | os.O_CLOEXEC), len(data), len(kept))
            opened._is_clean = not found.torn
            with contextlib.suppress(OSError):
                opened._cut()
            return opened
        return cls(path, _put(path, data), len(data), len(kept))

    def append(self, *lines: Mapping[str, Any]) -> None:
        """Return once the lines are on the disk. An OSError leaves the file as it was."""
        data = _format(lines, self._count)
        self._cut()
        self._is_clean = False
        os.lseek(self._fd, self._size, os.SEEK_SET)
        try:
            write_all(self._fd, data)
            os.fsync(self._fd)
        except OSError:
            # If this fails as well, the next append() tries again.
            with contextlib.suppress(OSError):
                self._cut()
            raise
        self._is_clean = True
        self._size += len(data)
        self._count += len(lines)

    def _cut(self) -> None:
        """Cut off what was not written completely."""
        if not self._is_clean:
            os.ftruncate(self._fd, self._size)
            self._is_clean = True

    def replace_first(self, line: Mapping[str, Any]) -> None:
        """Replace the first line, so that nothing of the old one is left in the file. An OSError changes nothing."""
        _, _, rest = os.pread(self._fd, self._size, 0).partition(b"\n")
        data = _format([line]) + rest
        fd = _put(self._path, data)
        os.close(self._fd)
        self._fd, self._size, self._is_clean = fd, len(data), True
        with contextlib.suppress(OSError):
            sync(self._path.parent)

    def close(self) -> None:
        """Close the file. Appending afterwards raises an OSError: the descriptor may belong to another file by then."""
        os.close(self._fd)
        self._fd = -1
