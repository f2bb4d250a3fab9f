"""A large result in parts, each complete or absent, so that an interrupted command can make the missing ones."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import json
import shutil
from contextlib import nullcontext
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from tengen.runs.disk import TEMPORARY, atomic_write, list_folder, sha256_file
from tengen.runs.errors import RunError, explained
from tengen.runs.lock import locked
from tengen.runs.settings import differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

__all__ = ["Shards"]

_SETTINGS = "shards.json"
_PIECE = 1 << 20


class Shards:
    """A folder with `count` parts of several files each. The settings that made them are written with them: with others
    it is refused, for a result of two settings is none.

    Parts are made anywhere; one process holds `lock()` and writes them.
    """

    def __init__(self, folder: Path, count: int, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self.count = count
        self._settings = json.loads(json.dumps({"shards": count, **settings}))
        with explained("create", folder):
            folder.mkdir(parents=True, exist_ok=True)
        path = folder / _SETTINGS
        if not path.exists():
            if any(file.suffix == ".done" for file in list_folder(folder)):
                raise RunError(f"{folder} has shards but no {_SETTINGS}: remove the folder, or use another name")
            atomic_write(path, json.dumps(self._settings, indent=1).encode())
            return
        changed = differences(_read_json(path), self._settings)
        if changed:
            raise RunError(
                f"{folder} was begun with other settings ({'; '.join(changed)}): go on with those, remove the folder, "
                "or use another name"
            )

    def lock(self) -> AbstractContextManager[None]:
        """Raises RunBusy if another process writes here."""
        return locked(self.folder)

    def path(self, index: int, kind: str) -> Path:
        """Return where a part's file of that kind lies; kinds are endings such as `jsonl`, or `FOLDER/jsonl`."""
        folder, _, ending = kind.rpartition("/")
        return self.folder / folder / f"part-{index:05}.{ending}"

    def missing(self) -> list[int]:
        """Parts that are absent, or not as they were written."""
        return [index for index in range(self.count) if not self._is_whole(index)]

    def write(self, index: int, files: Mapping[str, bytes]) -> None:
        """One part: afterwards all of it is there, at any moment before none of it counts."""
        for kind, data in files.items():
            path = self.path(index, kind)
            with explained("create", path.parent):
                path.parent.mkdir(exist_ok=True)
            atomic_write(path, data)
        sums = {kind: hashlib.sha256(data).hexdigest() for kind, data in files.items()}
        atomic_write(self._mark(index), json.dumps(sums, sort_keys=True).encode())

    def pieces(self, kind: str) -> Iterator[bytes]:
        """Yield the parts' files of one kind in pieces of bounded size.

        If the parts begin with a byte order mark, that of the first one is kept.
        """
        for index in range(self.count):
            path = self.path(index, kind)
            with explained("read", path), path.open("rb") as file:
                piece = file.read(_PIECE)
                yield piece if index == 0 else piece.removeprefix(codecs.BOM_UTF8)
                while piece := file.read(_PIECE):
                    yield piece

    def merge(self, kind: str, target: Path) -> None:
        """Write them as one file, which is whole or absent; it is compressed if the target's name ends in `.gz`."""
        new = target.with_name(f"{TEMPORARY}{target.name}")
        with explained("write", target):
            with new.open("wb") as file, _compressed(file, target) as stream:
                for piece in self.pieces(kind):
                    stream.write(piece)
            new.replace(target)

    def remove(self) -> None:
        with explained("remove", self.folder):
            shutil.rmtree(self.folder)

    def _mark(self, index: int) -> Path:
        return self.path(index, "done")

    def _is_whole(self, index: int) -> bool:
        mark = self._mark(index)
        if not mark.exists():
            return False
        try:
            sums = _read_json(mark)
            return bool(sums) and all(sha256_file(self.path(index, kind)) == sums[kind] for kind in sums)
        except RunError:
            return False


def _compressed(file: BinaryIO, target: Path) -> AbstractContextManager[IO[bytes]]:
    """Return a stream into the file. The compressed bytes depend on the content alone."""
    if target.suffix != ".gz":
        return nullcontext(file)
    return cast("IO[bytes]", gzip.GzipFile("", "wb", fileobj=file, mtime=0))


def _read_json(path: Path) -> dict[str, Any]:
    with explained("read", path):
        data = path.read_bytes()
    try:
        values = json.loads(data)
    except ValueError as error:
        raise RunError(f"{path} is damaged: {error}") from error
    if not isinstance(values, dict):
        raise RunError(f"{path} is damaged: it holds no object")
    return values
