"""The analyzed turns of an unfinished review, in a file that survives a crash."""

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
from tengen.runs.disk import keep, write_all
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
    """A file with one line for each turn. Its first line describes the game and the settings of the analysis.

    A line that was torn when its writer was killed counts as never written. A damaged line costs its own turn only.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.note = ""
        """Why what the file held is not used, if it held something."""
        self.damaged = 0
        """How many lines of the file are damaged."""
        self._fd = -1

    def open(self, about: Mapping[str, Any], answer_type: type[Answer] = Answer) -> dict[int, Answer]:
        """Return the stored analysis of each turn if it was made for `about`: everything that the analysis depends on.

        Raises ReviewError if the file belongs to something else, or if another process is writing it.
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
        # The first line may be truncated as well.
        if not (data.startswith(_HEAD) or _HEAD.startswith(data)):
            self.close()
            raise ReviewError(f"{self.path} is in the way: it does not hold the turns of a review")
        size = data.rfind(b"\n") + 1
        head, *records = _read(data[:size])
        if head is not None and head.get("key") == key and head.get("version") == _VERSION:
            os.ftruncate(self._fd, size)
            os.lseek(self._fd, size, os.SEEK_SET)
            self.damaged = records.count(None)
            turns = [record for record in records if record is not None]
            return {int(record["turn"]): answer_type.of_json(record["answer"]) for record in turns}
        if head is not None:
            self.note = _differences(head.get("about", {}), about)
        elif size:
            keep(data, self.path.with_name(f"{self.path.name}-damaged"))
            self.note = "its first line is damaged (the file is kept beside it)"
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


def _read(data: bytes) -> list[dict[str, Any] | None]:
    """Return the record of each line, None if the line is damaged; a single None if there is no line."""
    records: list[dict[str, Any] | None] = []
    for line in data.split(b"\n")[:-1]:
        try:
            records.append(unseal(line + b"\n"))
        except ValueError:
            records.append(None)
    return records or [None]


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    if before.get("played") != now.get("played"):
        return "it is of another game"
    changed = [name for name in now if before.get(name) != now[name]]
    return f"it was made with other settings ({', '.join(changed)})" if changed else "it is of another version"
