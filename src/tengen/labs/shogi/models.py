"""Prophet and enforcer as they are asked: by packed positions, through ONNX Runtime."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tengen.labs.shogi.planes import ENTRIES, LegalEntries, encode, legal_entries
from tengen.nets.runtimes import OnnxRuntime

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.labs.shogi.networks import Kind

__all__ = ["Candidates", "Enforcer", "ModelError", "Prophet"]

_AT_ONCE = 256
"""Positions in one batch: their planes are 12 MB."""


class ModelError(ValueError):
    """A file that is no prophet or enforcer, or the other of the two."""


class _Model:
    """An ONNX graph, from its bytes or a file; a file that is not ONNX is a checkpoint, which needs PyTorch."""

    kind: Kind
    viewer_to_move: bool

    def __init__(self, source: bytes | str | Path) -> None:
        self.where = f"the {self.kind}" if isinstance(source, bytes) else str(source)
        data = source if isinstance(source, bytes) else _read(Path(source), self.kind)
        try:
            self._runtime = OnnxRuntime(data, self.where)
        except ValueError as error:
            raise ModelError(str(error)) from error
        if set(self._runtime.outputs) != {self.kind} or set(self._runtime.inputs) != {"planes"}:
            raise ModelError(f"{self.where} is no {self.kind}: it answers {', '.join(self._runtime.outputs)}")

    def _answer(self, packed: NDArray[np.uint8]) -> NDArray[np.float32]:
        parts = []
        for begin in range(0, len(packed), _AT_ONCE):
            planes = encode(packed[begin : begin + _AT_ONCE], viewer_to_move=self.viewer_to_move)
            parts.append(self._runtime.run({"planes": planes}, [self.kind])[self.kind])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _read(path: Path, kind: Kind) -> bytes:
    if path.suffix == ".onnx":
        try:
            return path.read_bytes()
        except OSError as error:
            raise ModelError(f"no {kind} can be read from {path}: {error.strerror or error}") from error
    from tengen.labs.shogi.checkpoints import load_checkpoint
    from tengen.labs.shogi.networks import export_onnx

    return export_onnx(load_checkpoint(path, kind).network)


class Prophet(_Model):
    kind = "prophet"
    viewer_to_move = False

    def judge(self, packed: NDArray[np.uint8]) -> NDArray[np.float64]:
        """[positions]: how likely those win who have just moved."""
        if not len(packed):
            return np.empty(0)
        logits = self._answer(packed).astype(np.float64)
        return 1 / (1 + np.exp(logits[:, 1] - logits[:, 0]))


class Candidates(NamedTuple):
    """Moves of one position by what the enforcer says of them, the best first."""

    actions: NDArray[np.int32]
    values: NDArray[np.float32]


class Enforcer(_Model):
    kind = "enforcer"
    viewer_to_move = True

    def entries(self, packed: NDArray[np.uint8]) -> NDArray[np.float32]:
        """[positions, 5994] log-odds."""
        return self._answer(packed).reshape(len(packed), ENTRIES) if len(packed) else np.empty((0, ENTRIES), np.float32)

    def candidates(self, packed: NDArray[np.uint8]) -> list[Candidates]:
        """Legal moves above 0, of each position; where none is, all legal ones."""
        return rank(self.entries(packed), legal_entries(packed), len(packed))


def rank(entries: NDArray[np.float32], legal: LegalEntries, count: int) -> list[Candidates]:
    values = entries[legal.rows, legal.entries]
    ends = np.searchsorted(legal.rows, np.arange(count + 1))
    found = []
    for begin, end in pairwise(ends):
        own = values[begin:end]
        order = np.argsort(-own, kind="stable")
        # A drop has an entry for each such piece in hand: the highest counts.
        _, first = np.unique(legal.actions[begin:end][order], return_index=True)
        first.sort()
        best = order[first]
        above = own[best] > 0
        if above.any():
            best = best[above]
        found.append(Candidates(legal.actions[begin:end][best], own[best]))
    return found
