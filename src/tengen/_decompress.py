"""Decompression with a bound: a small file that expands without end is refused before it fills the memory."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["BoundedGzip", "DecompressError", "check_archive", "gunzip", "gunzip_lines", "inflate", "is_gzip", "largest"]

TEXT_RATIO, TEXT_ALWAYS = 100, 16 << 20
"""How many times as large as its file a text may be, and the bytes that it may have in any case. Records of games are 5
to 25 times as large as their files."""
ARRAY_RATIO, ARRAY_ALWAYS = 700, 64 << 20
"""Ratio and allowance for arrays. Planes of a board are mostly zeros and 40 to 250 times as large as their files."""
_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 20


class DecompressError(ValueError):
    """Compressed data that is damaged, or too large when it is decompressed."""


def largest(compressed: int) -> int:
    """Return how many bytes of text, or of weights, may come out of `compressed` ones."""
    return max(TEXT_ALWAYS, TEXT_RATIO * compressed)


def is_gzip(data: bytes) -> bool:
    return data.startswith(_GZIP)


class BoundedGzip:
    """A gzip file that is read piece by piece and raises DecompressError when it is damaged or too large."""

    def __init__(self, raw: BinaryIO, most: int) -> None:
        self._file = gzip.GzipFile(fileobj=raw)
        self._most = self._left = most

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end."""
        try:
            data = self._file.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise DecompressError(str(error)) from error
        self._left -= len(data)
        if self._left < 0:
            raise DecompressError(f"it expands to more than {self._most:,} bytes, which is too much for its size")
        return data


def gunzip(data: bytes, most: int | None = None) -> bytes:
    """Return the content of gzip data of at most `most` bytes, by default by `largest`."""
    file = BoundedGzip(io.BytesIO(data), largest(len(data)) if most is None else most)
    return b"".join(iter(lambda: file.read(_CHUNK), b""))


def gunzip_lines(data: bytes) -> Iterator[str]:
    """Yield the lines of a gzipped text in UTF-8, without all of it in memory. Raises DecompressError."""
    # Refuse a file that is too large before the caller keeps any of it.
    file = BoundedGzip(io.BytesIO(data), largest(len(data)))
    while file.read(_CHUNK):
        pass
    file = BoundedGzip(io.BytesIO(data), largest(len(data)))
    rest = b""
    while piece := file.read(_CHUNK):
        *lines, rest = (rest + piece).split(b"\n")
        yield from map(_decode, lines)
    if rest:
        yield _decode(rest)


def inflate(data: bytes, most: int) -> bytes:
    """Return the content of zlib data of at most `most` bytes."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise DecompressError(str(error)) from error
    if len(content) > most:
        raise DecompressError(f"it expands to more than {most:,} bytes")
    if not unpacker.eof:
        raise DecompressError("the compressed data is incomplete")
    return content


def check_archive(source: bytes | Path) -> None:
    """Raise DecompressError if the files in a ZIP archive, such as NPZ, are too large together."""
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    try:
        with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
            total = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise DecompressError(str(error)) from error
    most = max(ARRAY_ALWAYS, ARRAY_RATIO * size)
    if total > most:
        raise DecompressError(f"it expands to {total:,} bytes, more than the {most:,} that fit its {size:,} bytes")


def _decode(line: bytes) -> str:
    try:
        return line.decode().rstrip("\r")
    except UnicodeDecodeError as error:
        raise DecompressError(str(error)) from error
