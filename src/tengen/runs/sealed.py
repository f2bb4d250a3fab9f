"""JSON records that know when they were damaged: the last entry, `seal`, is a checksum of every byte before it.

It guards against disks and accidents, not against people.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tengen.runs.disk import QUARANTINE, checksum, keep, sync, write_all
from tengen.runs.errors import RunError, explained

if TYPE_CHECKING:
    from pathlib import Path


def plain(value: object, where: str = "record") -> Any:
    """The same as JSON can hold it: numbers and arrays of NumPy and PyTorch by their values, NaN and infinity as null
    (JSON has neither)."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(part, f"{where}.{key}") for key, part in value.items()}
    if isinstance(value, PurePath):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name), f"{where}.{field.name}")
            for field in dataclasses.fields(value)
        }
    if hasattr(value, "tolist"):
        return plain(value.tolist(), where)
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray | memoryview):
        return [plain(part, where) for part in value]
    raise RunError(f"{where} is {value!r}, which JSON cannot hold")


def seal(record: Mapping[str, object], *, spread: bool = False) -> bytes:
    """One line of JSON, or many when `spread`. `record` must be plain and not empty."""
    text = json.dumps(record, indent=1 if spread else None, separators=None if spread else (",", ":"))
    head = text.removesuffix("}").removesuffix("\n").encode()
    return head + _tail(head, spread)


def unseal(data: bytes, *, spread: bool = False) -> dict[str, Any]:
    """The record, or a ValueError when a byte of it changed."""
    head = data[: -len(_tail(b"", spread))]
    if not head or data != head + _tail(head, spread):
        raise ValueError("is damaged: its checksum does not fit")
    record = json.loads(data)
    del record["seal"]
    return dict(record)


def _tail(head: bytes, spread: bool) -> bytes:
    digits = checksum(head)
    return (f',\n "seal": "{digits}"\n}}\n' if spread else f',"seal":"{digits}"}}\n').encode()


def append_line(path: Path, record: Mapping[str, object], *, durable: bool = False) -> None:
    """Adds a sealed line. A line that was torn when a writer stopped is moved to quarantine/ first."""
    with explained("write", path):
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            size = os.fstat(fd).st_size
            if size and os.pread(fd, 1, size - 1) != b"\n":
                size = _cut_torn_line(fd, path)
            try:
                write_all(fd, seal(record))
                if durable:
                    os.fsync(fd)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(fd, size)
                raise
        finally:
            os.close(fd)
    if durable and not size:
        sync(path.parent)


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Each line's number with its record, None where it is damaged. A torn last line is no line."""
    with explained("read", path):
        if not path.exists():
            return
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return
                try:
                    record = unseal(line)
                except ValueError:
                    record = None
                yield number, record


def _cut_torn_line(fd: int, path: Path) -> int:
    data = path.read_bytes()
    kept = data.rfind(b"\n") + 1
    keep(data[kept:], path.parent / QUARANTINE / f"{path.name}-torn")
    os.ftruncate(fd, kept)
    return kept
