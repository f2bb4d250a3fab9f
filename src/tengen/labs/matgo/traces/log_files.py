"""Log files, plain or compressed with gzip."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

from tengen.labs.matgo.traces.log_reader import TraceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["MAX_LINE_BYTES", "read_lines"]

MAX_LINE_BYTES = 1 << 24
"""Longest line that is read, after decompression. A game takes about 50 kB."""
_GZIP = b"\x1f\x8b"


def read_lines(path: Path, on_progress: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Yield the lines of a log. A file is decompressed if it begins as gzip does, whatever its name is.

    Only one line is in memory at a time. `on_progress` is called with the number of bytes read from the file. Raises a
    TraceError for a line that is longer than MAX_LINE_BYTES and for compressed data that is damaged.
    """
    with path.open("rb") as raw:
        is_compressed = raw.read(len(_GZIP)) == _GZIP
        raw.seek(0)
        file = gzip.GzipFile(fileobj=raw) if is_compressed else raw
        number = 0
        try:
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(line) > MAX_LINE_BYTES:
                    raise TraceError(f"{path}, line {number}: longer than {MAX_LINE_BYTES:,} bytes, no game of a log")
                if on_progress is not None:
                    on_progress(raw.tell())
                yield line
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise TraceError(f"{path}, after line {number}: the compressed data is damaged: {error}") from error
