"""Samples by the hundred thousand: planes are nearly all zeros and policies name few moves, so both are kept small."""

from __future__ import annotations

import io
import math
import zlib
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tengen._decompress import check_archive, inflate
from tengen._files import read_source
from tengen.learning.samples import NO_SEATS, NOT_OURS, Samples, SamplesError, fill_seats, samples_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tengen.games import Game
    from tengen.selfplay import GameRecord

__all__ = ["PackedSamples", "load_packed", "pack", "save_packed"]

_PER_SAMPLE = ("result", "search_value", "moves_left", "aux", "hidden_labels", "seat_results", "seat_values")
"""The arrays that are kept as Samples has them."""
_MAX_FEATURES = 1 << 24
"""Numbers of one sample."""


@dataclass(frozen=True)
class PackedSamples:
    """Samples in a form that is many times smaller. `take` unpacks some of them."""

    shape: NDArray[np.int64]
    """The shape of a sample's features: planes, height, width."""
    labels: NDArray[np.int64]
    """[1]: how many a policy has."""
    planes: NDArray[np.uint8]
    """The features of all samples, each compressed by zlib."""
    planes_ends: NDArray[np.int64]
    moves: NDArray[np.uint16]
    """The labels that policies name, one policy after the other."""
    shares: NDArray[np.float32]
    moves_ends: NDArray[np.int64]
    result: NDArray[np.float32]
    search_value: NDArray[np.float32]
    moves_left: NDArray[np.float32]
    aux: NDArray[np.float32]
    hidden_labels: NDArray[np.float32]
    seat_results: NDArray[np.float32] = field(default_factory=lambda: NO_SEATS)
    seat_values: NDArray[np.float32] = field(default_factory=lambda: NO_SEATS)

    def __post_init__(self) -> None:
        fill_seats(self, len(self.result))

    def __len__(self) -> int:
        return len(self.result)

    @property
    def plane_count(self) -> int:
        return int(self.shape[0])

    def take(self, rows: NDArray[np.integer]) -> Samples:
        features = np.empty((len(rows), *self.shape.tolist()), np.float32)
        policy = np.zeros((len(rows), int(self.labels[0])), np.float32)
        for i, row in enumerate(rows.tolist()):
            begin, end = _slice(self.planes_ends, row)
            data = inflate(self.planes[begin:end].tobytes(), features[i].nbytes)
            features[i] = np.frombuffer(data, np.float32).reshape(self.shape)
            begin, end = _slice(self.moves_ends, row)
            policy[i, self.moves[begin:end]] = self.shares[begin:end]
        return Samples(features, policy, **{name: getattr(self, name)[rows] for name in _PER_SAMPLE})

    def check(self, game: Game) -> None:
        """Raises a SamplesError if the samples are not of this game, or none."""
        if not len(self):
            raise SamplesError("there are no samples")
        self.take(np.arange(1)).check(game)

    @classmethod
    def join(cls, parts: Sequence[Self]) -> PackedSamples:
        if not parts:
            raise SamplesError("there are no samples")
        if len({(*part.shape.tolist(), int(part.labels[0])) for part in parts}) > 1:
            raise SamplesError("samples of different games can't be joined")
        joined: dict[str, NDArray[Any]] = {"shape": parts[0].shape, "labels": parts[0].labels}
        for name in ("planes", "moves", "shares", *_PER_SAMPLE):
            joined[name] = np.concatenate([getattr(part, name) for part in parts])
        for name, what in (("planes_ends", "planes"), ("moves_ends", "moves")):
            begins = np.cumsum([0, *(len(getattr(part, what)) for part in parts[:-1])])
            joined[name] = np.concatenate(
                [getattr(part, name) + begin for part, begin in zip(parts, begins, strict=True)]
            )
        return PackedSamples(**joined)

    @classmethod
    def of(cls, samples: Samples) -> PackedSamples:
        # Level 1: most of what there is to gain, at a tenth of the time.
        planes = [zlib.compress(each.tobytes(), 1) for each in np.ascontiguousarray(samples.features, np.float32)]
        named = [np.flatnonzero(each) for each in samples.policy]
        if samples.policy.shape[1] > 2**16:
            raise SamplesError(f"policies of {samples.policy.shape[1]} labels are too large to be packed")
        shares = [policy[labels] for policy, labels in zip(samples.policy, named, strict=True)]
        return PackedSamples(
            shape=np.array(samples.features.shape[1:]),
            labels=np.array([samples.policy.shape[1]]),
            planes=np.frombuffer(b"".join(planes), np.uint8),
            planes_ends=np.cumsum([len(each) for each in planes]),
            moves=np.concatenate(named).astype(np.uint16),
            shares=np.concatenate(shares).astype(np.float32),
            moves_ends=np.cumsum([len(each) for each in named]),
            **{name: getattr(samples, name) for name in _PER_SAMPLE},
        )


def _slice(ends: NDArray[np.int64], row: int) -> tuple[int, int]:
    return (int(ends[row - 1]) if row else 0), int(ends[row])


def pack(game: Game, records: Iterable[GameRecord]) -> PackedSamples:
    """A sample for every decision, as samples_of() has them; one game after the other, so that little is in memory."""
    return PackedSamples.join([PackedSamples.of(samples_of(game, [each])) for each in records if each.decisions])


def save_packed(samples: PackedSamples) -> bytes:
    """An NPZ file. The same samples give the same bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, **{each.name: getattr(samples, each.name) for each in fields(samples)})
    return buffer.getvalue()


def load_packed(source: bytes | str | Path) -> PackedSamples:
    """Load the output of save_packed(), by its path or its content. Raises SamplesError for other data."""
    data = read_source(source)
    try:
        check_archive(data)
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            found = PackedSamples(**{each.name: file[each.name] for each in fields(PackedSamples) if each.name in file})
    except NOT_OURS as error:
        raise SamplesError(f"not a file of packed samples: {error}") from error
    sizes_ok = found.shape.shape == (3,) and found.labels.shape == (1,)
    if not sizes_ok or not 0 < math.prod(found.shape.tolist()) <= _MAX_FEATURES or not 0 < found.labels[0] <= 2**16:
        raise SamplesError("a file of packed samples whose shapes are impossible")
    counts = {len(getattr(found, name)) for name in ("planes_ends", "moves_ends", *_PER_SAMPLE)}
    sizes = (len(found.planes), len(found.moves), len(found.shares))
    ends = (found.planes_ends, found.moves_ends, found.moves_ends)
    if len(counts) != 1 or any(len(end) and int(end[-1]) != size for end, size in zip(ends, sizes, strict=True)):
        raise SamplesError("a file of packed samples whose arrays do not fit together")
    return found
