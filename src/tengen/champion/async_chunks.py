"""Finished chunks of self-play that no step of the run holds yet, each a file that is whole or absent."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from tengen._decompress import DecompressError, check_archive
from tengen.champion.packed_games import PackedGames
from tengen.learning import PackedSamples, load_packed, save_packed
from tengen.runs.disk import QUARANTINE, atomic_write, keep, list_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tengen.runs import Run

__all__ = ["CHUNKS", "Chunk", "ChunkFacts", "ChunkStore", "thinned"]

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
    digests: tuple[int, ...] = ()
    """A number for each game, equal for equal games."""
    part: int = 0
    """Number of the chunk among those of the teacher that the first iteration needs; 0 for any other chunk."""

    @property
    def games(self) -> int:
        return int(self.figures["games"])


@dataclass(frozen=True)
class Chunk:
    """The file of a chunk. Its games are read when they are needed."""

    path: Path
    facts: ChunkFacts

    def read(self) -> PackedGames:
        files = _read(self.path.read_bytes())
        return PackedGames(files[_GAMES], files[_SAMPLES], dict(self.facts.figures), tuple(self.facts.digests))


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

    def add(self, facts: ChunkFacts, games: PackedGames) -> None:
        """Store a finished chunk. When the call returns, the games survive a crash of the machine."""
        self._folder.mkdir(exist_ok=True)
        facts = dataclasses.replace(facts, figures=dict(games.figures), digests=tuple(games.digests))
        path = self._folder / f"{facts.number:08}{_ENDING}"
        files = {_FACTS: json.dumps(asdict(facts)).encode(), _GAMES: games.records, _SAMPLES: games.samples}
        atomic_write(path, _format(files))
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


def thinned(games: PackedGames, share: float, rng: np.random.Generator) -> PackedGames:
    """Return the games with a random share of their samples."""
    if share >= 1 or not games.samples:
        return games
    packed = load_packed(games.samples)
    count = round(share * len(packed))
    rows = np.sort(rng.permutation(len(packed))[:count])
    samples = save_packed(PackedSamples.of(packed.take(rows))) if count else b""
    return dataclasses.replace(games, samples=samples, figures=games.figures | {"samples": float(count)})


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
