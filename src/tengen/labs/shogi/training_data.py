"""Data of the three kinds of training: batches and losses."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tengen.labs.shogi.planes import ENTRIES, encode, entries_of, legal_targets, mirrored
from tengen.labs.shogi.samples import Samples

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tengen.labs.shogi.networks import PairNetwork
    from tengen.labs.shogi.train_settings import TrainSettings

__all__ = ["CandidatesData", "MovesData", "ProphetData", "TrainingData", "load_data"]


class TrainingData(Protocol):
    """Rows to be trained on, and the losses of a batch of them."""

    name: ClassVar[str]

    @property
    def count(self) -> int: ...

    def batch(self, rows: NDArray[np.int64], flipped: NDArray[np.bool_]) -> dict[str, Tensor]:
        """Return these rows, some of them with left and right exchanged."""

    def losses(self, model: PairNetwork, given: dict[str, Tensor]) -> dict[str, Tensor]: ...

    def to_bytes(self) -> bytes:
        """Return a file that load_data() reads."""


class ProphetData:
    """Positions after each move, with the result from the mover's view. Late plies weigh more: ply over all plies."""

    name: ClassVar[str] = "prophet"

    def __init__(self, samples: Samples) -> None:
        self._samples = samples

    @property
    def count(self) -> int:
        return len(self._samples)

    def batch(self, rows: NDArray[np.int64], flipped: NDArray[np.bool_]) -> dict[str, Tensor]:
        part = self._samples.take(rows).with_mirrored(flipped)
        return {
            "planes": torch.from_numpy(encode(part.after, viewer_to_move=False)),
            "won": torch.from_numpy(np.stack([part.result, 1 - part.result], axis=1)),
            "weight": torch.from_numpy(part.progress),
        }

    def losses(self, model: PairNetwork, given: dict[str, Tensor]) -> dict[str, Tensor]:
        each = -(given["won"] * functional.log_softmax(model(given["planes"]), dim=1)).sum(dim=1)
        return {"loss": (each * given["weight"]).sum() / given["weight"].sum()}

    def to_bytes(self) -> bytes:
        return self._samples.to_bytes()


class CandidatesData:
    """The set of legal moves of packed positions."""

    name: ClassVar[str] = "candidates"

    def __init__(self, positions: NDArray[np.uint8]) -> None:
        self._positions = positions

    @property
    def count(self) -> int:
        return len(self._positions)

    def batch(self, rows: NDArray[np.int64], flipped: NDArray[np.bool_]) -> dict[str, Tensor]:
        part = self._positions[rows]
        part[flipped] = mirrored(part[flipped])
        return {
            "planes": torch.from_numpy(encode(part, viewer_to_move=True)),
            "legal": torch.from_numpy(legal_targets(part)),
        }

    def losses(self, model: PairNetwork, given: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"loss": _candidates_loss(model(given["planes"]).flatten(1), given["legal"])}

    def to_bytes(self) -> bytes:
        buffer = io.BytesIO()
        np.save(buffer, self._positions)
        return buffer.getvalue()


class MovesData:
    """Winners' moves, which are to have the highest of all entries; the entries of legal moves stay above 0."""

    name: ClassVar[str] = "moves"

    def __init__(self, samples: Samples, settings: TrainSettings) -> None:
        self._winners = samples.of_winners()
        self._settings = settings

    @property
    def count(self) -> int:
        return len(self._winners)

    def batch(self, rows: NDArray[np.int64], flipped: NDArray[np.bool_]) -> dict[str, Tensor]:
        part = self._winners.take(rows).with_mirrored(flipped)
        return {
            "planes": torch.from_numpy(encode(part.before, viewer_to_move=True)),
            "legal": torch.from_numpy(legal_targets(part.before)),
            "move": torch.from_numpy(entries_of(part.before, part.actions).astype(np.int64)),
        }

    def losses(self, model: PairNetwork, given: dict[str, Tensor]) -> dict[str, Tensor]:
        entries = model(given["planes"]).flatten(1)
        move = functional.cross_entropy(entries, given["move"])
        candidates = _candidates_loss(entries, given["legal"])
        is_set = self._settings.target == "candidates"
        loss = candidates if is_set else move + self._settings.candidates_weight * candidates
        return {"loss": loss, "move": move, "candidates": candidates}

    def to_bytes(self) -> bytes:
        return self._winners.to_bytes()


def load_data(name: str, path: Path, settings: TrainSettings) -> TrainingData:
    """Return the data of this name that to_bytes() wrote into a file."""
    if name == CandidatesData.name:
        return CandidatesData(np.load(path, allow_pickle=False))
    samples = Samples.from_file(path)
    return ProphetData(samples) if name == ProphetData.name else MovesData(samples, settings)


def _candidates_loss(entries: Tensor, legal: Tensor) -> Tensor:
    """Return the cross-entropy of each entry's sign. Few of the entries are legal, so it is divided by their number."""
    assert entries.shape[1] == ENTRIES
    return functional.binary_cross_entropy_with_logits(entries, legal, reduction="sum") / legal.sum().clamp(min=1.0)
