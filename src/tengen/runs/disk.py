"""Files that are whole or absent, whenever the process or the machine stops."""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tengen.runs.errors import explained

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEMPORARY = ".tmp-"
"""Begins the name of everything unfinished. The next writer removes it."""


QUARANTINE = "quarantine"
"""The folder for what is damaged. Nothing is ever removed from it."""


def temporary_name() -> str:
    return f"{TEMPORARY}{os.getpid()}-{secrets.token_hex(4)}"


def list_folder(path: Path) -> list[Path]:
    """Sorted; nothing when there is no such folder. Path.glob would also pass over a folder that it may not read."""
    with explained("list", path):
        try:
            return sorted(path.iterdir())
        except FileNotFoundError:
            return []


def write_all(fd: int, data: bytes) -> None:
    """os.write may take only a part, for instance of what still fits on the disk."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_file(path: Path, data: bytes) -> None:
    """Not yet safe from power loss; `sync` makes it so."""
    with explained("write", path):
        _write(path, data)


def _write(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        write_all(fd, data)
    finally:
        os.close(fd)


def append_to(path: Path, data: bytes) -> None:
    """Append lines to a file. A torn last line is ended first, so that it does not damage the next one."""
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        size = os.fstat(fd).st_size
        is_torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        write_all(fd, b"\n" * is_torn + data)
    finally:
        os.close(fd)


def sync(path: Path) -> None:
    """Waits until a file's content, or a folder's list of names, is on the disk."""
    with explained("write", path):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def atomic_write(path: Path, data: bytes) -> None:
    """Afterwards the file holds `data`; at any moment before, and after any failure, what it held before."""
    with replacing(path) as new, explained("write", path):
        _write(new, data)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside `path`. The file that the block writes there replaces `path` when the block ends,
    and is removed if the block fails."""
    new = path.with_name(temporary_name())
    try:
        yield new
        sync(new)
        with explained("write", path):
            os.replace(new, path)  # noqa: PTH105 - the tests make it fail
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
    sync(path.parent)


def sha256_file(path: Path) -> str:
    with explained("read", path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksum(data: bytes) -> str:
    """Short: enough to notice damage."""
    return hashlib.sha256(data).hexdigest()[:16]


def keep(data: bytes, path: Path) -> None:
    """Stores what is about to be replaced, under a name that begins as `path` does."""
    with explained("create", path.parent):
        path.parent.mkdir(exist_ok=True)
    atomic_write(path.with_name(f"{path.name}-{checksum(data)}"), data)
