"""Memory in which an actor and an evaluation server exchange batches."""

from __future__ import annotations

import mmap
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["BatchLayout", "SharedBatch"]

_MAX_BYTES = 1 << 32
_FLOAT = np.dtype(np.float32)


@dataclass(frozen=True)
class BatchLayout:
    """The arrays of a shared batch, one after the other as float32: features, then the outputs in their order."""

    rows: int
    """Positions that fit into the batch."""
    shape: tuple[int, int, int]
    """Planes, height and width of a position's features."""
    widths: Mapping[str, int]
    """Numbers of each output for one position."""

    def __post_init__(self) -> None:
        if min(self.rows, *self.shape, *self.widths.values()) < 1 or self.size > _MAX_BYTES:
            raise ValueError(
                f"a shared batch of {self.rows} rows of {self.shape} and {dict(self.widths)} is impossible"
            )

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return _FLOAT.itemsize * self.rows * (int(np.prod(self.shape)) + sum(self.widths.values()))

    def arrays(self, memory: mmap.mmap) -> tuple[NDArray[np.float32], dict[str, NDArray[np.float32]]]:
        """Return the features and the outputs as views of the memory."""
        offset = 0

        def view(shape: Sequence[int]) -> NDArray[np.float32]:
            nonlocal offset
            count = int(np.prod(shape))
            found = np.frombuffer(memory, _FLOAT, count, offset).reshape(shape)
            offset += found.nbytes
            return found

        features = view((self.rows, *self.shape))
        return features, {name: view((self.rows, width)) for name, width in self.widths.items()}


class SharedBatch:
    """A batch in memory that has no name: the system frees it when no process uses it, however the processes end."""

    def __init__(self, layout: BatchLayout, file: int) -> None:
        """Map the memory of a file descriptor, which stays the caller's."""
        self.layout = layout
        if os.fstat(file).st_size < layout.size:
            raise ValueError(f"the shared memory has {os.fstat(file).st_size} bytes and needs {layout.size}")
        self.features, self.outputs = layout.arrays(mmap.mmap(file, layout.size))

    @classmethod
    def create(cls, layout: BatchLayout) -> tuple[Self, int]:
        """Return a new batch and the file descriptor of its memory, which the caller must close."""
        file = _anonymous_file()
        try:
            os.ftruncate(file, layout.size)
            return cls(layout, file), file
        except BaseException:
            os.close(file)
            raise


def _anonymous_file() -> int:
    create: Any = getattr(os, "memfd_create", None)
    if create is not None:
        return int(create("tengen-batch"))
    with tempfile.TemporaryFile() as file:  # systems other than Linux: a file that has no name any more
        return os.dup(file.fileno())
