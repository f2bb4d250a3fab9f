"""Samples in little memory, as files that are mapped: bits for boards, and policies by the labels that they name."""

from __future__ import annotations

import io
import math
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tengen._decompress import check_archive
from tengen.learning.planes import PLANE_ARRAYS, PackedPlanes
from tengen.learning.samples import NOT_OURS, Samples, SamplesError, samples_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tengen.games import Game
    from tengen.selfplay import GameRecord

__all__ = ["PackedSamples", "load_packed", "pack", "save_packed"]

_MAX_FEATURES: Final = 1 << 24
"""Largest number of features of one sample."""
_DENSE, _SPARSE = "dense.", "sparse."
_SPARSE_PARTS: Final = ("labels", "shares", "ends")
_LOCAL_HEADER: Final = 30
"""Bytes of a ZIP entry before its name."""


@dataclass(frozen=True)
class _Policies:
    """Rows that are mostly 0: the labels that each row names, one row after the other, and their numbers."""

    labels: NDArray[np.integer]
    shares: NDArray[np.float32]
    ends: NDArray[np.int64]
    """[n]: where each row ends."""

    @classmethod
    def of(cls, rows: NDArray[np.float32]) -> _Policies:
        places, labels = np.nonzero(rows)
        kind = np.uint16 if rows.shape[1] <= 1 << 16 else np.uint32
        ends = np.cumsum(np.bincount(places, minlength=len(rows)), dtype=np.int64)
        return cls(labels.astype(kind), rows[places, labels].astype(np.float32), ends)

    @classmethod
    def join(cls, parts: Sequence[_Policies]) -> _Policies:
        begins = np.cumsum([0, *(len(part.labels) for part in parts[:-1])])
        return cls(
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.shares for part in parts]),
            np.concatenate([part.ends + begin for part, begin in zip(parts, begins, strict=True)]),
        )

    def take(self, rows: NDArray[np.integer], width: int) -> NDArray[np.float32]:
        found = np.zeros((len(rows), width), np.float32)
        begins = np.where(rows > 0, self.ends[rows - 1], 0)
        counts = self.ends[rows] - begins
        places = np.repeat(np.arange(len(rows)), counts)
        named = np.arange(len(places)) + np.repeat(begins - (np.cumsum(counts) - counts), counts)
        found[places, self.labels[named]] = self.shares[named]
        return found

    def fits(self, count: int, width: int) -> bool:
        sizes = {len(self.labels), len(self.shares), int(self.ends[-1]) if count else 0}
        is_sorted = bool((np.diff(self.ends, prepend=0) >= 0).all())
        return self.ends.shape == (count,) and len(sizes) == 1 and is_sorted and bool((self.labels < width).all())


@dataclass(frozen=True)
class _Shard:
    """Packed samples of one file."""

    shape: tuple[int, int, int]
    labels: int
    """Number of labels of a policy."""
    planes: PackedPlanes
    dense: Mapping[str, NDArray[np.float32]]
    sparse: Mapping[str, _Policies]

    def __len__(self) -> int:
        return len(self.dense["result"])

    @property
    def names(self) -> frozenset[str]:
        return frozenset((*self.dense, *self.sparse))

    @classmethod
    def of(cls, samples: Samples) -> _Shard:
        arrays = samples.arrays
        features, labels = arrays.pop("features"), samples.policy.shape[1]
        sparse = {name: _Policies.of(array) for name, array in arrays.items() if _is_policy(name, array, labels)}
        dense = {name: array for name, array in arrays.items() if name not in sparse}
        planes, height, width = features.shape[1:]
        return cls((planes, height, width), labels, PackedPlanes.of(features), dense, sparse)

    @classmethod
    def join(cls, parts: Sequence[_Shard]) -> _Shard:
        if len(parts) == 1:
            return parts[0]
        shape = parts[0].shape
        dense = [n for n in parts[0].dense if all(n in p.dense for p in parts)]
        sparse = [n for n in parts[0].sparse if all(n in p.sparse for p in parts)]
        return cls(
            shape,
            parts[0].labels,
            PackedPlanes.join([part.planes for part in parts], math.prod(shape[1:])),
            {name: np.concatenate([part.dense[name] for part in parts]) for name in dense},
            {name: _Policies.join([part.sparse[name] for part in parts]) for name in sparse},
        )

    def take(self, rows: NDArray[np.integer], names: frozenset[str]) -> dict[str, NDArray[np.float32]]:
        found = {"features": self.planes.take(rows, self.shape)}
        found |= {name: np.asarray(array[rows]) for name, array in self.dense.items() if name in names}
        return found | {name: rest.take(rows, self.labels) for name, rest in self.sparse.items() if name in names}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file."""
        found: dict[str, NDArray[Any]] = {"shape": np.array(self.shape), "labels": np.array([self.labels])}
        found |= {name: getattr(self.planes, name) for name in PLANE_ARRAYS}
        found |= {_DENSE + name: array for name, array in self.dense.items()}
        for name, rest in self.sparse.items():
            found |= {f"{_SPARSE}{name}.{part}": getattr(rest, part) for part in _SPARSE_PARTS}
        return {name: np.ascontiguousarray(array) for name, array in found.items()}

    @classmethod
    def of_file(cls, arrays: Mapping[str, NDArray[Any]]) -> _Shard:
        """Return the shard of a file's arrays. Raise a SamplesError if they do not fit together."""
        if arrays["shape"].shape != (3,) or arrays["labels"].shape != (1,):
            raise SamplesError("a file of packed samples whose shapes are impossible")
        planes, height, width = (int(size) for size in arrays["shape"])
        labels = int(arrays["labels"][0])
        if min(planes, height, width, labels) < 1 or planes * height * width > _MAX_FEATURES or labels > _MAX_FEATURES:
            raise SamplesError("a file of packed samples whose shapes are impossible")
        dense = {name.removeprefix(_DENSE): array for name, array in arrays.items() if name.startswith(_DENSE)}
        named = [name.removeprefix(_SPARSE).rpartition(".")[0] for name in arrays if name.startswith(_SPARSE)]
        sparse = {
            name: _Policies(*(arrays[f"{_SPARSE}{name}.{part}"] for part in _SPARSE_PARTS))
            for name in dict.fromkeys(named)
        }
        found = cls((planes, height, width), labels, PackedPlanes(*(arrays[n] for n in PLANE_ARRAYS)), dense, sparse)
        count = len(found)
        is_complete = set(_ALWAYS_DENSE) <= set(dense) and "policy" in sparse
        if (
            not is_complete
            or not found.planes.fits(count, found.shape)
            or any(array.shape[:1] != (count,) or array.ndim > 2 for array in dense.values())
            or not all(rest.fits(count, labels) for rest in sparse.values())
        ):
            raise SamplesError("a file of packed samples whose arrays do not fit together")
        return found


def _is_policy(name: str, array: NDArray[np.float32], labels: int) -> bool:
    """Return whether an array is stored by the labels that it names. Labels of a further target may be a policy."""
    return name == "policy" or (name not in _ALWAYS_DENSE and array.ndim == 2 and array.shape[1] == labels)


_ALWAYS_DENSE = ("result", "search_value", "moves_left", "aux", "hidden_labels", "seat_results", "seat_values")


class PackedSamples:
    """Samples in a form that is many times smaller, in one or several parts. `take` unpacks some of them.

    The parts may be files of load_packed(): joined samples are not copied.
    """

    def __init__(self, shards: Sequence[_Shard]) -> None:
        self._shards = tuple(shards)
        self._ends = np.cumsum([len(shard) for shard in self._shards])
        # Labels that only a part of the samples has, as after an upgrade, teach nothing.
        self._names = frozenset.intersection(*(shard.names for shard in self._shards))

    def __len__(self) -> int:
        return int(self._ends[-1])

    @property
    def plane_count(self) -> int:
        return self._shards[0].shape[0]

    @property
    def nbytes(self) -> int:
        """Size of all arrays in bytes."""
        return sum(array.nbytes for shard in self._shards for array in shard.arrays().values())

    def take(self, rows: NDArray[np.integer]) -> Samples:
        """Return some samples, unpacked."""
        if len(self._shards) == 1:
            return Samples.of_arrays(self._shards[0].take(rows, self._names))
        places = np.searchsorted(self._ends, rows, side="right")
        order = np.argsort(places, kind="stable")
        found: list[dict[str, NDArray[np.float32]]] = []
        for place in np.unique(places):
            begin = self._ends[place - 1] if place else 0
            found.append(self._shards[place].take(rows[places == place] - begin, self._names))
        back = np.empty_like(order)
        back[order] = np.arange(len(rows))
        return Samples.of_arrays({name: np.concatenate([each[name] for each in found])[back] for name in found[0]})

    def column(self, name: str) -> NDArray[np.float32]:
        """Return one of the arrays that are stored as they are; NaN for each sample if it is missing."""
        if name not in self._names:
            return np.full(len(self), np.nan, np.float32)
        return np.concatenate([shard.dense[name] for shard in self._shards])

    def check(self, game: Game) -> None:
        """Raises a SamplesError if the samples are not of this game, or none."""
        if not len(self):
            raise SamplesError("there are no samples")
        self.take(np.arange(1)).check(game)

    @classmethod
    def join(cls, parts: Sequence[PackedSamples]) -> PackedSamples:
        """Return the samples of all parts, in their order."""
        if not parts:
            raise SamplesError("there are no samples")
        shards = [shard for part in parts for shard in part._shards]  # noqa: SLF001 - its own class
        widths = {
            (*shard.shape, shard.labels, *(shard.dense[name].shape[1:] for name in _ALWAYS_DENSE)) for shard in shards
        }
        if len(widths) > 1:
            raise SamplesError("samples of different games can't be joined")
        return PackedSamples(shards)

    @classmethod
    def of(cls, samples: Samples) -> PackedSamples:
        return PackedSamples([_Shard.of(samples)])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file that has all samples."""
        return _Shard.join(self._shards).arrays()


def pack(game: Game, records: Iterable[GameRecord]) -> PackedSamples:
    """Return a sample for every decision, as samples_of() does.

    Games are packed one after the other, so that little is in memory.
    """
    parts = [_Shard.of(samples_of(game, [each])) for each in records if each.decisions]
    if not parts:
        raise SamplesError("the records hold no decision")
    return PackedSamples([_Shard.join(parts)])


def save_packed(samples: PackedSamples) -> bytes:
    """Return an NPZ file. Equal samples give equal bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, **samples.arrays())  # type: ignore[arg-type]
    return buffer.getvalue()


def load_packed(source: bytes | str | Path) -> PackedSamples:
    """Load the output of save_packed(), by its path or its content. Raise SamplesError for other data.

    A file that is given by its path is mapped: the system reads what is used, and its memory can be taken back.
    """
    is_content = isinstance(source, bytes | bytearray | memoryview)
    try:
        data: bytes | Path = bytes(source) if is_content else Path(source)  # type: ignore[arg-type]
        check_archive(data)
        arrays = _load_arrays(data) if isinstance(data, bytes) else _map_arrays(data)
        if "planes_ends" in arrays:
            from tengen.learning.zlib_samples import shard_arrays

            arrays = shard_arrays(arrays)
        return PackedSamples([_Shard.of_file(arrays)])
    except SamplesError:
        raise
    except NOT_OURS as error:
        if not is_content and isinstance(error, FileNotFoundError):
            raise
        raise SamplesError(f"not a file of packed samples: {error}") from error


def _load_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _map_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an NPZ file that is not compressed, as views of the file."""
    if path.stat().st_size == 0:
        raise SamplesError("not a file of packed samples: it is empty")
    with zipfile.ZipFile(path) as archive:
        damaged = archive.testzip()
        if damaged is not None:
            raise SamplesError(f"a damaged file of packed samples: the checksum of {damaged} does not fit")
        entries = archive.infolist()
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        return _load_arrays(path.read_bytes())
    content = np.memmap(path, np.uint8, "r")
    return {entry.filename.removesuffix(".npy"): _view(content, entry) for entry in entries}


def _view(content: NDArray[np.uint8], entry: zipfile.ZipInfo) -> NDArray[Any]:
    name_size, extra_size = struct.unpack("<HH", content[entry.header_offset + 26 :][:4].tobytes())
    begin = entry.header_offset + _LOCAL_HEADER + name_size + extra_size
    body = content[begin : begin + entry.file_size]
    head = io.BytesIO(body[: 1 << 12].tobytes())
    version = np.lib.format.read_magic(head)
    if version != (1, 0):
        raise SamplesError(f"a file of packed samples with an array of version {version}")
    shape, is_fortran, kind = np.lib.format.read_array_header_1_0(head)
    size = math.prod(shape) * kind.itemsize
    if is_fortran or kind.hasobject or head.tell() + size != len(body):
        raise SamplesError(f"a file of packed samples whose array {entry.filename} is damaged")
    return np.asarray(body[head.tell() :]).view(kind).reshape(shape)
