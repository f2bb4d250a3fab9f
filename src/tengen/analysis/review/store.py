"""What is known of a review so far, in a file that outlives whoever writes it."""

from __future__ import annotations

import fcntl
import hashlib
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from tengen.analysis.answers import Answer
from tengen.analysis.jsonlines import format_json
from tengen.analysis.review.played_game import ReviewError
from tengen.analysis.review.review import FORMAT
from tengen.runs.disk import write_all
from tengen.runs.errors import explained
from tengen.runs.sealed import seal, unseal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Store"]

_VERSION = 1
_HEAD = f'{{"format":"{FORMAT}",'.encode()
"""Every such file begins so."""


class Store:
    """A file with one line a turn; the first says which game it is of, and how it is analyzed.

    A line that was torn when its writer was killed counts as never written, and so does what comes after it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.note = ""
        """Why what the file held is not used, if it held something."""
        self._fd = -1

    def open(self, about: Mapping[str, Any], answer_type: type[Answer] = Answer) -> dict[int, Answer]:
        """The answers by turn that belong to `about`, which says everything that they depend on.

        Raises ReviewError where the file is no review's, or another process is writing it.
        """
        key = hashlib.sha256(format_json(about).encode()).hexdigest()
        with explained("write", self.path):
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise ReviewError(f"{self.path} is being written by another review; wait for it, or stop it") from None
        with explained("read", self.path), os.fdopen(os.dup(self._fd), "rb") as file:
            data = file.read()
        # Also a first line that was torn.
        if not (data.startswith(_HEAD) or _HEAD.startswith(data)):
            self.close()
            raise ReviewError(f"{self.path} is in the way: it does not hold the turns of a review")
        records, size = _read(data.splitlines(keepends=True))
        if records and records[0].get("key") == key and records[0].get("version") == _VERSION:
            os.ftruncate(self._fd, size)
            os.lseek(self._fd, size, os.SEEK_SET)
            return {int(record["turn"]): answer_type.of_json(record["answer"]) for record in records[1:]}
        if records:
            self.note = _differences(records[0].get("about", {}), about)
        os.ftruncate(self._fd, 0)
        os.lseek(self._fd, 0, os.SEEK_SET)
        self._write({"format": FORMAT, "version": _VERSION, "key": key, "about": dict(about)})
        return {}

    def add(self, turn: int, answer: Answer) -> None:
        self._write({"turn": turn, "answer": answer.to_json()})

    def _write(self, record: dict[str, Any]) -> None:
        with explained("write", self.path):
            write_all(self._fd, seal(record))
            os.fsync(self._fd)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def remove(self) -> None:
        """When the review is complete, and written elsewhere."""
        with suppress(FileNotFoundError):
            self.path.unlink()
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(lines: list[bytes]) -> tuple[list[dict[str, Any]], int]:
    """The records up to the first line that is not whole, and how many bytes they are."""
    records: list[dict[str, Any]] = []
    size = 0
    for line in lines:
        try:
            records.append(unseal(line))
        except ValueError:
            break
        size += len(line)
    return records, size


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    if before.get("played") != now.get("played"):
        return "it is of another game"
    changed = [name for name in now if before.get(name) != now[name]]
    return f"it was made with other settings ({', '.join(changed)})" if changed else "it is of another version"
