"""Finished chunks of self-play that no step of the run holds yet, each a file that is whole or absent."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tengen._decompress import DecompressError, check_archive
from tengen.learning import PackedSamples, load_packed, save_packed
from tengen.runs.disk import QUARANTINE, atomic_write, keep, list_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tengen.runs import Run

__all__ = ["CHUNKS", "Chunk", "ChunkFacts", "ChunkStore", "join_samples", "load_window"]

CHUNKS = "chunks"
"""The folder of a run with its chunks."""
_FACTS, _GAMES, _SAMPLES = "facts.json", "games.jsonl.gz", "packed.npz"
_ENDING = ".zip"
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class ChunkFacts:
    """A chunk of games and who played them."""

    number: int
    """No two chunks of a run have the same."""
    network: int
    """The iteration whose network played, 0 for the first network."""
    lag: int
    """Number of networks that were trained while the games were played."""
    player: str
    targets: str
    """The kind of the policies, as `Player.policy_targets` names it."""
    figures: dict[str, float]
    part: int = 0
    """Number of the chunk among those of the teacher that the first iteration needs; 0 for any other chunk."""

    @property
    def games(self) -> int:
        return int(self.figures["games"])


@dataclass(frozen=True)
class Chunk:
    """The file of a chunk. Its games and samples are read when they are needed."""

    path: Path
    facts: ChunkFacts

    @cached_property
    def _archive(self) -> dict[str, bytes]:
        return _read(self.path.read_bytes())

    @property
    def games(self) -> bytes:
        """Records in the form of save_records()."""
        return self._archive[_GAMES]

    @property
    def samples(self) -> PackedSamples:
        return load_packed(self._archive[_SAMPLES])


class ChunkStore:
    """The chunks of a run that training has not begun with. The caller holds the run's lock."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._folder = run.path / CHUNKS
        self._waiting: list[Chunk] = []
        self.next_number = 1
        """The number of the next chunk."""
        self._load()

    @property
    def waiting(self) -> list[Chunk]:
        """Chunks in the order in which they were finished."""
        return list(self._waiting)

    def take_number(self) -> int:
        """Return the number of a new chunk."""
        self.next_number += 1
        return self.next_number - 1

    def add(self, facts: ChunkFacts, games: bytes, samples: bytes) -> None:
        """Store a finished chunk. When the call returns, the games survive a crash of the machine."""
        self._folder.mkdir(exist_ok=True)
        path = self._folder / f"{facts.number:08}{_ENDING}"
        atomic_write(path, _format({_FACTS: json.dumps(asdict(facts)).encode(), _GAMES: games, _SAMPLES: samples}))
        self._waiting.append(Chunk(path, facts))

    def remove(self, chunks: Iterable[Chunk]) -> None:
        """Remove chunks that a step of the run holds."""
        gone = {chunk.facts.number for chunk in chunks}
        for chunk in self._waiting:
            if chunk.facts.number in gone:
                chunk.path.unlink(missing_ok=True)
        self._waiting = [chunk for chunk in self._waiting if chunk.facts.number not in gone]

    def _load(self) -> None:
        """Find the chunks of an earlier process. A chunk is in a step or waits, never both."""
        kept = {number for step in self._run.steps("self-play") for number in step.settings.get(CHUNKS, ())}
        paths = [path for path in list_folder(self._folder) if path.suffix == _ENDING]
        for path in paths:
            try:
                facts = ChunkFacts(**json.loads(_read(path.read_bytes())[_FACTS]))
            except (DecompressError, ValueError, KeyError, TypeError) as error:
                self._run.log({"event": "quarantined", "chunk": path.name, "reason": str(error)})
                keep(path.read_bytes(), self._run.path / QUARANTINE / path.stem)
                path.unlink()
                continue
            if facts.number in kept:
                path.unlink()
            else:
                self._waiting.append(Chunk(path, facts))
        numbers = [*kept, *(int(path.stem) for path in paths if path.stem.isdecimal())]
        self.next_number = 1 + max(numbers, default=0)


def join_samples(chunks: Sequence[tuple[Chunk, float]], seed: int) -> tuple[bytes, int]:
    """Return samples of chunks as one file, and their number. Of each chunk, the given share is drawn with the seed."""
    rng = np.random.default_rng(seed)
    parts = []
    for chunk, share in chunks:
        samples = chunk.samples
        count = round(share * len(samples))
        if share >= 1:
            parts.append(samples)
        elif count:
            parts.append(PackedSamples.of(samples.take(np.sort(rng.permutation(len(samples))[:count]))))
    joined = PackedSamples.join(parts)
    return save_packed(joined), len(joined)


def load_window(paths: Sequence[Path]) -> PackedSamples:
    """Return the samples of several steps."""
    return PackedSamples.join([load_packed(path) for path in paths])


def _format(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data)
    return buffer.getvalue()


def _read(data: bytes) -> dict[str, bytes]:
    """Return the files of an archive, each compared with its checksum. Raises DecompressError for other data."""
    check_archive(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in (_FACTS, _GAMES, _SAMPLES)}
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        raise DecompressError(str(error)) from error
