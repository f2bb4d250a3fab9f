"""Prophet and enforcer for play: packed positions in, numbers out, through ONNX Runtime."""

from __future__ import annotations

import functools
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tengen.labs.shogi.planes import ENTRIES, LegalEntries, encode, legal_entries
from tengen.nets.errors import NetworkError
from tengen.nets.onnx_files import check_model
from tengen.nets.runtimes import OnnxRuntime

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.labs.shogi.networks import Kind

__all__ = ["Candidates", "Enforcer", "ModelError", "Prophet", "open_enforcer", "open_prophet"]

_AT_ONCE = 256
"""Positions in one batch, whose planes take 12 MB."""


class ModelError(NetworkError):
    """An error in a file that should be a prophet or an enforcer."""


class _Model:
    """An ONNX graph, from its bytes or a file; a file that is not ONNX is a checkpoint, which needs PyTorch."""

    kind: Kind
    viewer_to_move: bool
    numbers: int
    """Numbers in the output for one position."""

    def __init__(self, source: bytes | str | Path) -> None:
        self.where = f"the {self.kind}" if isinstance(source, bytes) else str(source)
        data = source if isinstance(source, bytes) else _read(Path(source), self.kind)
        try:
            check_model(data, self.where)
            self._runtime = OnnxRuntime(data, self.where)
        except ValueError as error:
            raise ModelError(str(error)) from error
        if set(self._runtime.outputs) != {self.kind} or set(self._runtime.inputs) != {"planes"}:
            raise ModelError(f"{self.where} is no {self.kind}: it answers {', '.join(self._runtime.outputs)}")

    def _answer(self, packed: NDArray[np.uint8]) -> NDArray[np.float32]:
        parts = []
        for begin in range(0, len(packed), _AT_ONCE):
            planes = encode(packed[begin : begin + _AT_ONCE], viewer_to_move=self.viewer_to_move)
            found = self._runtime.run({"planes": planes}, [self.kind])[self.kind]
            if found.size != len(planes) * self.numbers:
                raise ModelError(
                    f"{self.where} is no {self.kind}: it answers {list(found.shape)} for {len(planes)} positions, not "
                    f"{self.numbers} numbers for each"
                )
            parts.append(found.reshape(len(planes), self.numbers))
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
    numbers = 2

    def judge(self, packed: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return [positions]: the winning chance of the side that has just moved."""
        if not len(packed):
            return np.empty(0)
        logits = self._answer(packed).astype(np.float64)
        return 1 / (1 + np.exp(logits[:, 1] - logits[:, 0]))


class Candidates(NamedTuple):
    """Moves of one position with the enforcer's log-odds, best first."""

    actions: NDArray[np.int32]
    values: NDArray[np.float32]


class Enforcer(_Model):
    kind = "enforcer"
    viewer_to_move = True
    numbers = ENTRIES

    def entries(self, packed: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return [positions, 5994]: log-odds."""
        return self._answer(packed) if len(packed) else np.empty((0, ENTRIES), np.float32)

    def candidates(self, packed: NDArray[np.uint8]) -> list[Candidates]:
        """Return the legal moves above 0 of each position; if there are none, all legal moves."""
        return rank(self.entries(packed), legal_entries(packed), len(packed))


def open_prophet(path: str) -> Prophet:
    """Return the prophet in a file; the same one as long as the file stays the same."""
    return _open_prophet(path, _stamp(path))


def open_enforcer(path: str) -> Enforcer:
    """Return the enforcer in a file; the same one as long as the file stays the same."""
    return _open_enforcer(path, _stamp(path))


# A game with other rules, such as a server's limit of moves, makes a player anew; its networks stay loaded.
@functools.lru_cache(maxsize=8)
def _open_prophet(path: str, _: tuple[int, int]) -> Prophet:
    return Prophet(path)


@functools.lru_cache(maxsize=8)
def _open_enforcer(path: str, _: tuple[int, int]) -> Enforcer:
    return Enforcer(path)


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = Path(path).stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


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
