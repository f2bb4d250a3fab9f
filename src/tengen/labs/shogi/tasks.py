"""The work of a step, done by one model or one match at a time: what workers are given."""

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
from tengen.labs.shogi.training import Trained, train_candidates, train_moves, train_prophet

if TYPE_CHECKING:
    from pathlib import Path

    from tengen.games.shogi import Shogi
    from tengen.labs.shogi.networks import Kind
    from tengen.labs.shogi.train_settings import TrainSettings

__all__ = ["ModelFiles", "TrainTask", "finish", "read_samples", "train_model", "train_on_random"]

_RANDOM_TESTS = 500


class ModelFiles(NamedTuple):
    """A trained model, and what came of its training and its test."""

    checkpoint: bytes
    onnx: bytes
    metrics: dict[str, Any]
    """`train` by name, `test` by phase."""


@dataclass(frozen=True)
class TrainTask:
    """A model to be trained on samples in files."""

    kind: Kind
    base: Path
    """The checkpoint to begin with."""
    samples: tuple[Path, ...]
    test: Path
    """Samples of games that are kept from training."""
    settings: TrainSettings
    replay: Path | None = None
    """Samples of other games that are mixed in."""
    replay_share: float = 0.0
    """As many of those for each of the samples."""
    max_test: int = 20_000


def read_samples(task: TrainTask) -> Samples:
    own = Samples.join([Samples.from_file(path) for path in task.samples])
    if task.replay is None or not task.replay_share:
        return own
    count = round(task.replay_share * len(own))
    return Samples.join([own, Samples.from_file(task.replay).at_most(count, task.settings.seed)])


def train_model(task: TrainTask) -> ModelFiles:
    network = load_checkpoint(task.base, task.kind).network
    train = train_prophet if task.kind == "prophet" else train_moves
    samples = read_samples(task)
    if len(samples) and (task.kind == "prophet" or len(samples.of_winners())):
        trained = train(network, samples, task.settings, _report)
    else:  # a round without a decided game teaches nothing
        trained = Trained(network, {"loss": 0.0, "steps": 0.0, "positions": 0.0})
    return finish(trained, Samples.from_file(task.test).at_most(task.max_test, 0), _lineage(task))


def train_on_random(
    game: Shogi, base: Path, num: int, test: Path, settings: TrainSettings, max_test: int
) -> ModelFiles:
    """An enforcer that learns the legal moves of random positions."""
    network = load_checkpoint(base, "enforcer").network
    positions = random_samples(game, num, settings.seed)
    trained = train_candidates(network, positions, settings, _report)
    made = finish(trained, Samples.from_file(test).at_most(max_test, 0), {"random": num, "seed": settings.seed})
    unseen = random_samples(game, _RANDOM_TESTS, settings.seed + 1)
    made.metrics["random_test"] = measure_candidates(Enforcer(made.onnx), unseen)
    return made


def finish(trained: Trained, test: Samples | None, lineage: dict[str, Any]) -> ModelFiles:
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
