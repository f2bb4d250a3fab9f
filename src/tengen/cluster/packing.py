"""Tasks as bytes for another machine: files are left out and named by their content."""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any

from tengen._files import File

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PackedTask", "pack_task", "unpack_task"]


class PackedTask:
    """The bytes of a call, and the files that it needs by their digests."""

    def __init__(self, data: bytes, files: dict[str, File]) -> None:
        self.data = data
        self.files = files


def pack_task(function: Callable[..., object], args: tuple[object, ...]) -> PackedTask:
    target = io.BytesIO()
    writer = _Writer(target, 5)
    writer.dump((function, args))
    return PackedTask(target.getvalue(), writer.files)


def unpack_task(data: bytes, find_file: Callable[[str, str], File]) -> tuple[Callable[..., object], tuple[Any, ...]]:
    """The call. What a file is here, find_file(name, digest) says.

    Only a node reads such bytes, and only those of a coordinator that has shown the cluster's token.
    """
    function, args = _Reader(io.BytesIO(data), find_file).load()
    return function, args


class _Writer(pickle.Pickler):
    def __init__(self, target: io.BytesIO, protocol: int) -> None:
        super().__init__(target, protocol)
        self.files: dict[str, File] = {}

    def persistent_id(self, value: Any) -> tuple[str, str] | None:
        if not isinstance(value, File):
            return None
        digest = value.digest
        self.files[digest] = value
        return value.name, digest


class _Reader(pickle.Unpickler):
    def __init__(self, source: io.BytesIO, find_file: Callable[[str, str], File]) -> None:
        super().__init__(source)
        self._find_file = find_file

    def persistent_load(self, found: Any) -> File:
        return self._find_file(*found)
