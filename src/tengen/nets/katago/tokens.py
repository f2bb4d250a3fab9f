"""The words and float arrays of a network file, read as a stream: no size is believed before the bytes are there."""

from __future__ import annotations

import io
import math
import re
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import numpy as np

from tengen._decompress import BoundedGzip, DecompressError, is_gzip, largest

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_CHUNK = 1 << 20
_LONGEST_WORD = 512
_LONGEST_GAP = 4096
"""Spaces between words: files have one."""
_MAX_FLOATS = 1 << 25
"""In one layer; the largest known have a third of it."""
_MAX_FLOATS_IN_ALL = 1 << 29
_LONGEST_NUMBER = 64
_WORD = re.compile(rb"\S+")
_SPACE = re.compile(rb"\s*")
_MARK = b"@BIN@"


class KataGoFileError(ValueError):
    """A file that is no network of KataGo's, a damaged one, or one that this version can't run."""


class Tokens:
    """Reads from a file or from bytes, compressed or not. Float arrays may be binary or text, as each is found."""

    def __init__(self, source: Path | bytes, where: str) -> None:
        self.where = where
        self._place = "the header"
        self._buffer = b""
        self._at = 0
        self._passed = 0
        self._floats = 0
        self._ended = False
        try:
            raw: BinaryIO = BytesIO(source) if isinstance(source, bytes) else source.open("rb")
            begin = raw.read(2)
            raw.seek(0)
        except OSError as error:
            raise KataGoFileError(f"{where} can't be read: {error.strerror or error}") from error
        self._raw = raw
        size = raw.seek(0, io.SEEK_END)
        raw.seek(0)
        self._file: BinaryIO | BoundedGzip = BoundedGzip(raw, largest(size)) if is_gzip(begin) else raw

    def close(self) -> None:
        self._raw.close()

    def fail(self, problem: str) -> NoReturn:
        raise KataGoFileError(f"{self.where}: {problem} (in {self._place}, near byte {self._passed + self._at:,})")

    def enter(self, place: str) -> None:
        """Names the part that is read now, for errors."""
        self._place = place

    def word(self, what: str) -> str:
        self._skip_space(what)
        found = _WORD.match(self._buffer, self._at)
        while found is not None and found.end() == len(self._buffer) and len(found[0]) <= _LONGEST_WORD:
            if not self._more():
                break
            found = _WORD.match(self._buffer, self._at)
        if found is None:
            self.fail(f"the file ends where {what} is due")
        if len(found[0]) > _LONGEST_WORD or not found[0].isascii():
            self.fail(f"{what} is due, but there are {found[0][:20]!r}…")
        self._at = found.end()
        return found[0].decode("ascii")

    def integer(self, what: str, minimum: int, maximum: int) -> int:
        word = self.word(what)
        value = int(word) if re.fullmatch(r"-?\d{1,12}", word) else None
        if value is None:
            self.fail(f"{what} is {word[:40]!r} and must be a whole number")
        if not minimum <= value <= maximum:
            self.fail(
                f"{what} is {value} and must be {minimum if minimum == maximum else f'from {minimum} to {maximum}'}"
            )
        return value

    def number(self, what: str, above: float = 0.0, maximum: float = 1e6) -> float:
        word = self.word(what)
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not above < value <= maximum:
            self.fail(f"{what} is {word[:40]!r} and must be a number above {above:g}, at most {maximum:g}")
        return value

    def floats(self, *shape: int) -> NDArray[np.float32]:
        """The next array; all of it must be finite."""
        count = math.prod(shape)
        if count > _MAX_FLOATS:
            self.fail(f"{count:,} weights in one layer are more than the {_MAX_FLOATS:,} that are read")
        self._floats += count
        if self._floats > _MAX_FLOATS_IN_ALL:
            self.fail(f"more than the {_MAX_FLOATS_IN_ALL:,} weights in all that are read")
        self._skip_space("weights")
        while len(self._buffer) - self._at < len(_MARK) and self._more():
            pass
        if self._buffer.startswith(_MARK, self._at):
            self._at += len(_MARK)
            values = self._binary(count)
        else:
            values = self._text(count)
        if not np.isfinite(values).all():
            self.fail("a weight is not finite")
        return values.reshape(shape)

    def end(self) -> None:
        """Nothing may follow; only now is a compressed file's checksum known to fit."""
        self._skip_space("nothing more", may_end=True)
        if self._at < len(self._buffer):
            self.fail("the file goes on where it should end")

    def _binary(self, count: int) -> NDArray[np.float32]:
        size = 4 * count
        parts = [self._buffer[self._at : self._at + size]]
        missing = size - len(parts[0])
        self._at += len(parts[0])
        while missing > 0:
            self._drop()
            if not self._more():
                self.fail(f"{count:,} weights are due, but the file ends {missing:,} bytes too early")
            parts.append(self._buffer[:missing])
            self._at = len(parts[-1])
            missing -= self._at
        return np.frombuffer(b"".join(parts), "<f4").astype(np.float32)

    def _text(self, count: int) -> NDArray[np.float32]:
        parts: list[NDArray[np.float64]] = []
        missing = count
        while missing > 0:
            if len(self._buffer) - self._at < min(_CHUNK, missing * _LONGEST_NUMBER):
                self._more()
            # Up to the last space: the word after it may not be complete.
            end = len(self._buffer) if self._ended else self._buffer.rfind(b"\n", self._at)
            if end < 0:
                end = self._buffer.rfind(b" ", self._at)
            words = self._buffer[self._at : max(end, self._at)].split(None, missing)
            rest = words.pop() if len(words) > missing else b""
            if not words:
                self.fail(f"{count:,} weights are due, but there are {count - missing:,}")
            parts.append(self._numbers(words))
            missing -= len(words)
            self._at = end - len(rest)
        with np.errstate(over="ignore"):
            return np.concatenate(parts).astype(np.float32)

    def _numbers(self, words: list[bytes]) -> NDArray[np.float64]:
        # Words are cut to the longest that a number has: in an array all are as long as the longest.
        short = [word[: _LONGEST_NUMBER + 1] for word in words]
        try:
            return np.array(short).astype(np.float64)
        except ValueError:
            self.fail(f"weights are due, but there are {b' '.join(short)[:40]!r}")

    def _skip_space(self, what: str, *, may_end: bool = False) -> None:
        skipped = 0
        while True:
            found = _SPACE.match(self._buffer, self._at)
            assert found is not None
            skipped += found.end() - self._at
            self._at = found.end()
            if skipped > _LONGEST_GAP:
                self.fail(f"there is only empty space where {what} is due")
            if self._at < len(self._buffer):
                return
            if not self._more():
                if may_end:
                    return
                self.fail(f"the file ends where {what} is due")

    def _drop(self) -> None:
        """Forgets what was read."""
        self._passed += self._at
        self._buffer = self._buffer[self._at :]
        self._at = 0

    def _more(self) -> bool:
        self._drop()
        try:
            chunk = self._file.read(_CHUNK)
        except (OSError, DecompressError) as error:
            self.fail(f"the file is damaged: {error}")
        self._buffer += chunk
        self._ended = not chunk
        return bool(chunk)
