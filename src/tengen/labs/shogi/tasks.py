"""Tasks of the workers: the training of one model, or a part of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tengen.cluster import report
from tengen.labs.shogi.checkpoints import Checkpoint, load_checkpoint, save_checkpoint
from tengen.labs.shogi.measures import measure_candidates, measure_enforcer, measure_prophet
from tengen.labs.shogi.models import Enforcer, Prophet
from tengen.labs.shogi.networks import export_onnx
from tengen.labs.shogi.samples import Samples, random_samples
from tengen.labs.shogi.training import candidates_data, count_steps, moves_data, prophet_data, step_of, train
from tengen.learning.training import Trained

if TYPE_CHECKING:
    from pathlib import Path

    from tengen.games.shogi import Shogi
    from tengen.labs.shogi.networks import Kind, PairNetwork
    from tengen.labs.shogi.train_settings import TrainSettings
    from tengen.labs.shogi.training import PairData

__all__ = [
    "ModelFiles",
    "TrainTask",
    "UnfinishedModel",
    "finish",
    "read_samples",
    "steps_of",
    "train_model",
    "train_on_random",
]

_RANDOM_TESTS = 500
_PART_STEPS = 200
"""Least number of batches in a part of a training: some seconds."""
_MOST_PARTS = 20
"""Every part leaves its state in the run's folder until the step is complete."""


class ModelFiles(NamedTuple):
    """A trained model with the figures of its training and its test."""

    checkpoint: bytes
    onnx: bytes
    metrics: dict[str, Any]
    """`train` by name, `test` by phase."""


@dataclass(frozen=True)
class TrainTask:
    """A training of one model on samples in files."""

    kind: Kind
    base: Path
    """The checkpoint that the training begins with."""
    samples: tuple[Path, ...]
    test: Path
    """Samples of games that are kept from training."""
    settings: TrainSettings
    replay: Path | None = None
    """Samples of other games that are mixed in."""
    replay_share: float = 0.0
    """Number of these samples for each of the own ones."""
    max_test: int = 20_000


class UnfinishedModel(NamedTuple):
    """A model whose training has come to some step, for the next task to continue with."""

    state: bytes


def read_samples(task: TrainTask) -> Samples:
    own = Samples.join([Samples.from_file(path) for path in task.samples])
    if task.replay is None or not task.replay_share:
        return own
    count = round(task.replay_share * len(own))
    return Samples.join([own, Samples.from_file(task.replay).at_most(count, task.settings.seed)])


def steps_of(task: TrainTask) -> int:
    """Return the number of batches of a task; 0 if there is nothing to learn from."""
    count = len(_data_of(task))
    return count_steps(count, task.settings) if count else 0


def _data_of(task: TrainTask) -> PairData:
    samples = read_samples(task)
    return prophet_data(samples) if task.kind == "prophet" else moves_data(samples, task.settings)


def train_model(task: TrainTask, state: bytes | None = None) -> ModelFiles | UnfinishedModel:
    """Train a model, or the next part of its training. Parts are short, so that a run that was stopped repeats
    little."""
    network = load_checkpoint(task.base, task.kind).network
    data = _data_of(task)
    if not len(data):  # a round without a decided game teaches nothing
        trained = Trained(network, {"loss": 0.0, "steps": 0.0, "samples": 0.0}, b"")
    else:
        trained = _next_part(network, data, task.settings, state)
    if not trained.is_complete:
        return UnfinishedModel(trained.state)
    return finish(trained, Samples.from_file(task.test).at_most(task.max_test, 0), _lineage(task))


def train_on_random(
    game: Shogi,
    base: Path,
    num: int,
    test: Path,
    settings: TrainSettings,
    max_test: int,
    state: bytes | None = None,
) -> ModelFiles | UnfinishedModel:
    """Train an enforcer on the legal moves of random positions, or the next part of this training."""
    network = load_checkpoint(base, "enforcer").network
    trained = _next_part(network, candidates_data(random_samples(game, num, settings.seed)), settings, state)
    if not trained.is_complete:
        return UnfinishedModel(trained.state)
    tested = Samples.from_file(test).at_most(max_test, 0)
    made = finish(trained, tested, {"random": num, "seed": settings.seed})
    unseen = random_samples(game, _RANDOM_TESTS, settings.seed + 1)
    made.metrics["random_test"] = measure_candidates(Enforcer(made.onnx), unseen)
    return made


def _next_part(
    network: PairNetwork, data: PairData, settings: TrainSettings, state: bytes | None
) -> Trained[PairNetwork]:
    steps = count_steps(len(data), settings)
    length = max(_PART_STEPS, -(-steps // _MOST_PARTS))
    return train(network, data, settings, _report, state, step_of(state) + length)


def finish(trained: Trained[PairNetwork], test: Samples | None, lineage: dict[str, Any]) -> ModelFiles:
    network = trained.network
    onnx = export_onnx(network)
    metrics: dict[str, Any] = {"train": trained.metrics}
    if test is not None:
        metrics["test"] = (
            measure_prophet(Prophet(onnx), test)
            if network.kind == "prophet"
            else measure_enforcer(Enforcer(onnx), test)
        )
    return ModelFiles(save_checkpoint(Checkpoint(network, lineage)), onnx, metrics)


def _lineage(task: TrainTask) -> dict[str, Any]:
    return {"kind": task.kind, **dataclasses.asdict(task.settings)}


def _report(step: int, steps: int, losses: dict[str, float]) -> None:
    report(step, steps, losses["loss"])
