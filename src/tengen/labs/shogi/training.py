"""The training of prophets and enforcers, whole or in parts: their data, targets and losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from tengen.labs.shogi.planes import encode, entries_of, legal_targets, mirrored, mirrored_actions
from tengen.learning import training as trainer
from tengen.learning.targets import Target
from tengen.nets.tensor_files import parse_file

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray
    from torch import Tensor

    from tengen.labs.shogi.networks import PairNetwork
    from tengen.labs.shogi.samples import Samples
    from tengen.labs.shogi.train_settings import TrainSettings
    from tengen.learning.targets import TrainingBatch
    from tengen.learning.training import Progress, Trained

__all__ = ["PairData", "candidates_data", "count_steps", "moves_data", "prophet_data", "step_of", "train"]


def _result_loss(batch: TrainingBatch) -> Tensor:
    """Return the cross-entropy of the result. Late plies weigh more: ply over all plies."""
    result, weights = batch.arrays["result"], batch.arrays["progress"]
    won = torch.stack([result, 1 - result], dim=1)
    each = -(won * functional.log_softmax(batch.out, dim=1)).sum(dim=1)
    return (each * weights).sum() / weights.sum()


def _move_loss(batch: TrainingBatch) -> Tensor:
    """Return the cross-entropy of the move over all entries."""
    return functional.cross_entropy(batch.out.flatten(1), batch.arrays["move"])


def _candidates_loss(batch: TrainingBatch) -> Tensor:
    """Return the cross-entropy of each entry's sign. Few of the entries are legal, so it is divided by their number."""
    legal = batch.arrays["legal"]
    entries = batch.out.flatten(1)
    return functional.binary_cross_entropy_with_logits(entries, legal, reduction="sum") / legal.sum().clamp(min=1.0)


_RESULT = Target("result", 1.0, _result_loss)
_MOVE = Target("move", 1.0, _move_loss)
_CANDIDATES = Target("candidates", 1.0, _candidates_loss)


@dataclass(frozen=True)
class PairData:
    """Packed positions and what is known of them. Planes and legal moves are computed for each batch, and half of the
    positions have left and right exchanged."""

    targets: tuple[Target, ...]
    positions: NDArray[np.uint8]
    viewer_to_move: bool = True
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """Further arrays by name, one row for each position: `actions` are turned into the entries called `move`."""

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def weights(self) -> None:
        return None

    def batch(self, rows: NDArray[np.int64], rng: np.random.Generator) -> dict[str, NDArray[Any]]:
        is_mirrored = rng.random(len(rows)) < 0.5
        positions = self.positions[rows]
        positions[is_mirrored] = mirrored(positions[is_mirrored])
        arrays = {name: column[rows] for name, column in self.columns.items()}
        arrays["features"] = encode(positions, viewer_to_move=self.viewer_to_move)
        if self.viewer_to_move:
            arrays["legal"] = legal_targets(positions)
        if "actions" in arrays:
            actions = arrays.pop("actions")
            actions[is_mirrored] = mirrored_actions()[actions[is_mirrored]]
            arrays["move"] = entries_of(positions, actions).astype(np.int64)
        return arrays


def prophet_data(samples: Samples) -> PairData:
    """Return positions after each move with the result from the mover's view."""
    columns = {"result": samples.result, "progress": samples.progress}
    return PairData((_RESULT,), samples.after, viewer_to_move=False, columns=columns)


def candidates_data(positions: NDArray[np.uint8]) -> PairData:
    """Return positions whose legal moves are to have entries above 0, all others below."""
    return PairData((_CANDIDATES,), positions)


def moves_data(samples: Samples, settings: TrainSettings) -> PairData:
    """Return winners' moves, which are to have the highest of all entries; the entries of legal moves stay above 0."""
    winners = samples.of_winners()
    if settings.target == "candidates":
        return candidates_data(winners.before)
    beside = Target(_CANDIDATES.name, settings.candidates_weight, _candidates_loss)
    return PairData((_MOVE, beside), winners.before, columns={"actions": winners.actions})


def train(
    network: PairNetwork,
    data: PairData,
    settings: TrainSettings,
    progress: Progress | None = None,
    state: bytes | None = None,
    until: int | None = None,
) -> Trained[PairNetwork]:
    """Train a copy of the network up to the step `until`, or to the end; from the beginning, or from the state of an
    earlier part."""
    if not len(data):
        raise ValueError(f"there is nothing to train the {network.kind} on: no game was decided")
    given = settings.of_trainer(len(data))
    return trainer.train_network(network, data, data.targets, given, progress, state=state, until=until)


def count_steps(count: int, settings: TrainSettings) -> int:
    """Return the number of batches that so many positions are trained in."""
    return trainer.count_steps(count, settings.of_trainer(count))


def step_of(state: bytes | None) -> int:
    """Return the number of steps that are done in the state of a training; None is the beginning."""
    return 0 if state is None else int(parse_file(state)[0]["header"]["step"])
