"""The features of many samples in little memory: most planes hold only zeros and ones, others one number each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["PLANE_ARRAYS", "PackedPlanes"]

PLANE_ARRAYS: Final = ("layout", "bits", "numbers", "halves", "singles")
_BITS, _EVEN, _HALVES = 1, 2, 4
"""Facts about a plane in all samples: its numbers are 0 and 1; those of a sample are all equal; 16 bits hold them."""
_FEW_CELLS = 32
"""Up to so many cells, a plane of bits is no larger than a number."""
_ROWS = 1024
"""Samples that are unpacked at a time."""


@dataclass(frozen=True)
class PackedPlanes:
    """The features [n, planes, height, width] of n samples. Each plane is in one of the four arrays."""

    layout: NDArray[np.uint8]
    """[planes]: the facts about each plane, which say where it is."""
    bits: NDArray[np.uint8]
    """[n, bytes]: planes of zeros and ones, a bit for each cell."""
    numbers: NDArray[np.float32]
    """[n, planes of this kind]: planes of one number."""
    halves: NDArray[np.float16]
    """[n, planes of this kind, cells]."""
    singles: NDArray[np.float32]
    """[n, planes of this kind, cells]."""

    @classmethod
    def of(cls, features: NDArray[np.float32]) -> PackedPlanes:
        flat = _flat(features)
        return cls._packed(flat, _facts(flat))

    @classmethod
    def _packed(cls, flat: NDArray[np.float32], layout: NDArray[np.uint8]) -> PackedPlanes:
        count, _, cells = flat.shape
        bits, numbers, halves, singles = _places(layout, cells)
        return cls(
            layout,
            np.packbits(flat[:, bits].reshape(count, -1) != 0, axis=1),
            np.ascontiguousarray(flat[:, numbers, 0]) if cells else np.zeros((count, 0), np.float32),
            flat[:, halves].astype(np.float16),
            np.ascontiguousarray(flat[:, singles]),
        )

    @classmethod
    def join(cls, parts: Sequence[PackedPlanes], cells: int) -> PackedPlanes:
        layout = np.bitwise_and.reduce([part.layout for part in parts])
        alike = [part.with_layout(layout, cells) for part in parts]
        arrays = [np.concatenate([getattr(part, name) for part in alike]) for name in PLANE_ARRAYS[1:]]
        return cls(layout, *arrays)

    def with_layout(self, layout: NDArray[np.uint8], cells: int) -> PackedPlanes:
        """Return the same planes in the arrays that another layout has for them."""
        if all(map(np.array_equal, _places(self.layout, cells), _places(layout, cells))):
            return self
        shape = (len(self.layout), cells, 1)
        blocks = [np.arange(i, min(i + _ROWS, len(self.bits))) for i in range(0, len(self.bits), _ROWS)]
        parts = [self._packed(_flat(self.take(block, shape)), layout) for block in blocks]
        return PackedPlanes(layout, *(np.concatenate([getattr(p, name) for p in parts]) for name in PLANE_ARRAYS[1:]))

    def take(self, rows: NDArray[np.integer], shape: tuple[int, ...]) -> NDArray[np.float32]:
        """Return the features of some samples in the given shape without the first axis."""
        cells = int(np.prod(shape[1:]))
        bits, numbers, halves, singles = _places(self.layout, cells)
        flat = np.empty((len(rows), shape[0], cells), np.float32)
        if bits.size:
            unpacked = np.unpackbits(self.bits[rows], axis=1, count=bits.size * cells)
            flat[:, bits] = unpacked.reshape(len(rows), bits.size, cells)
        if numbers.size:
            flat[:, numbers] = self.numbers[rows][:, :, None]
        if halves.size:
            flat[:, halves] = self.halves[rows]
        if singles.size:
            flat[:, singles] = self.singles[rows]
        return flat.reshape(len(rows), *shape)

    def fits(self, count: int, shape: tuple[int, ...]) -> bool:
        """Return whether the arrays are those of so many samples."""
        cells = int(np.prod(shape[1:]))
        if self.layout.shape != (shape[0],):
            return False
        sizes = [each.size for each in _places(self.layout, cells)]
        wanted = {
            "bits": (count, (sizes[0] * cells + 7) // 8),
            "numbers": (count, sizes[1]),
            "halves": (count, sizes[2], cells),
            "singles": (count, sizes[3], cells),
        }
        kinds = {"bits": np.uint8, "numbers": np.float32, "halves": np.float16, "singles": np.float32}
        arrays = {name: getattr(self, name) for name in wanted}
        return all(a.shape == wanted[name] and a.dtype == kinds[name] for name, a in arrays.items())


def _flat(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """[n, planes, cells]."""
    count, planes, *board = features.shape
    return np.asarray(features, np.float32).reshape(count, planes, int(np.prod(board)))


def _facts(flat: NDArray[np.float32]) -> NDArray[np.uint8]:
    with np.errstate(over="ignore"):
        halves = flat.astype(np.float16).astype(np.float32)
    facts = (
        _BITS * ((flat == 0) | (flat == 1)).all(axis=(0, 2))
        + _EVEN * (flat == flat[:, :, :1]).all(axis=(0, 2))
        + _HALVES * (halves == flat).all(axis=(0, 2))
    )
    found: NDArray[np.uint8] = facts.astype(np.uint8)
    return found


def _places(layout: NDArray[np.uint8], cells: int) -> tuple[NDArray[np.intp], ...]:
    """Return the planes that are bits, numbers, halves and singles."""
    is_bits = (layout & _BITS) != 0
    is_number = ((layout & _EVEN) != 0) & (~is_bits if cells <= _FEW_CELLS else True)
    is_half = (layout & _HALVES) != 0
    kinds = (is_bits & ~is_number, is_number, is_half & ~is_bits & ~is_number, ~(is_half | is_bits | is_number))
    return tuple(np.flatnonzero(kind) for kind in kinds)
