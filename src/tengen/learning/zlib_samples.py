"""Packed samples of earlier versions: the features of each sample are compressed by zlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tengen._decompress import inflate
from tengen.learning.planes import PLANE_ARRAYS, PackedPlanes
from tengen.learning.samples import SamplesError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["shard_arrays"]

_DENSE = ("result", "search_value", "moves_left", "aux", "hidden_labels", "seat_results", "seat_values")
_ROWS = 1024
"""Samples that are decompressed at a time."""
_MAX_FEATURES = 1 << 24


def shard_arrays(old: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file of this version."""
    count = len(old["result"])
    dense = {name: old.get(name, np.zeros((count, 0), np.float32)) for name in _DENSE}
    found = {"shape": old["shape"], "labels": old["labels"]} | {f"dense.{name}": dense[name] for name in _DENSE}
    parts = {"labels": old["moves"], "shares": old["shares"], "ends": old["moves_ends"]}
    found |= {f"sparse.policy.{name}": array for name, array in parts.items()}
    shape = tuple(int(size) for size in old["shape"])
    if len(shape) != 3 or min(shape) < 1 or shape[0] * shape[1] * shape[2] > _MAX_FEATURES:
        raise SamplesError("a file of packed samples whose shapes are impossible")
    ends = old["planes_ends"]
    if len(ends) != count or (count and int(ends[-1]) != len(old["planes"])):
        raise SamplesError("a file of packed samples whose arrays do not fit together")
    blocks = [PackedPlanes.of(_features(old, range(i, min(i + _ROWS, count)), shape)) for i in range(0, count, _ROWS)]
    blocks = blocks or [PackedPlanes.of(np.zeros((0, *shape), np.float32))]
    planes = PackedPlanes.join(blocks, shape[1] * shape[2])
    return found | {name: getattr(planes, name) for name in PLANE_ARRAYS}


def _features(old: Mapping[str, NDArray[Any]], rows: range, shape: tuple[int, ...]) -> NDArray[np.float32]:
    features = np.empty((len(rows), *shape), np.float32)
    for i, row in enumerate(rows):
        begin = int(old["planes_ends"][row - 1]) if row else 0
        data = inflate(old["planes"][begin : int(old["planes_ends"][row])].tobytes(), features[i].nbytes)
        features[i] = np.frombuffer(data, np.float32).reshape(shape)
    return features
