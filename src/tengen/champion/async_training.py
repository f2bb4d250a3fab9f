"""Training in a process of its own, while workers play."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from tengen.arena.seeds import derive
from tengen.champion.loop import CHECKPOINT, RECORDS, TRAINER
from tengen.champion.teacher_games import PACKED_SAMPLES
from tengen.champion.value_check import VALUE_CHECK, check_value
from tengen.cluster import LocalWorkers, report
from tengen.learning import PackedSamples, load_packed
from tengen.nets.run_network import NETWORK
from tengen.selfplay import load_records

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from tengen.games import Game
    from tengen.learning import TrainSettings
    from tengen.runs import Step

__all__ = ["Trainer", "TrainingJob", "TrainingResult"]


@dataclass(frozen=True)
class TrainingJob:
    """The training of one iteration."""

    iteration: int
    base: Step
    """The step whose network is trained."""
    inputs: tuple[Step, ...]
    """Steps of self-play, the newest one last."""
    settings: TrainSettings
    seed: int
    """The seed of the run."""

    @property
    def made_from(self) -> list[Step]:
        return [self.base, *self.inputs]


@dataclass(frozen=True)
class TrainingResult:
    """The files and figures of a finished training, or the reason why it stopped."""

    job: TrainingJob
    seconds: float
    files: Mapping[str, bytes]
    metrics: Mapping[str, Any]
    stopped: str = ""
    value_check: tuple[dict[str, Any], ...] = ()
    """How well the network foresaw the newest games before it was trained on them, by phase of the game."""


class Trainer:
    """A process that trains one network at a time; `inline` trains in this process when the result is polled."""

    def __init__(self, *, inline: bool = False) -> None:
        self._workers = LocalWorkers(0 if inline else 1)
        self._job: TrainingJob | None = None
        self._began = 0.0
        self.done = 0
        """Number of finished batches of the current training."""
        self.figures: Mapping[str, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._workers.close()

    @property
    def job(self) -> TrainingJob | None:
        """The training in progress."""
        return self._job

    def start(self, game: Game, job: TrainingJob) -> None:
        """Begin a training. The caller has checked the files of its steps."""
        self._job, self._began, self.done, self.figures = job, time.monotonic(), 0, {}
        self._workers.submit(_train, game, job)

    def poll(self, timeout_s: float) -> TrainingResult | None:
        """Return the result of the training if it is finished, and wait for it at most so long."""
        if self._job is None:
            return None
        results: list[TrainingResult] = [value for _, value in self._workers.poll(timeout_s, self._listen)]
        if not results:
            return None
        self._job = None
        return dataclasses.replace(results[0], seconds=time.monotonic() - self._began)

    def _listen(self, _task: int, news: tuple[int, dict[str, float]]) -> None:
        self.done, self.figures = news


def _train(game: Game, job: TrainingJob) -> TrainingResult:
    """Train in the trainer's process."""
    from tengen.learning import TrainingStopped, train
    from tengen.nets import Checkpoint, export_onnx, load_checkpoint, save_checkpoint

    records = load_records(job.inputs[-1].file(RECORDS).read_bytes())
    fits = check_value(game, records, job.base.file(NETWORK), derive(job.seed, VALUE_CHECK, job.iteration))
    value_check = tuple(dataclasses.asdict(fit) for fit in fits)
    window = PackedSamples.join([load_packed(step.file(PACKED_SAMPLES)) for step in job.inputs])
    try:
        trained = train(
            game,
            load_checkpoint(job.base.file(CHECKPOINT)).network,
            window,
            job.settings,
            lambda n, _, figures: report(n, figures),
            state=job.base.file(TRAINER).read_bytes() if TRAINER in job.base.files else None,
            is_fresh=job.base.name == "initial",
        )
    except TrainingStopped as error:
        metrics = {"kind": error.kind, "step": error.step, "reason": str(error)}
        return TrainingResult(job, 0.0, {}, metrics, str(error), value_check)
    lineage = {"iteration": job.iteration, "parent": job.base.sha256, "samples": len(window)}
    made = Checkpoint(trained.network, game.id, dict(game.settings), lineage)
    files = {CHECKPOINT: save_checkpoint(made), NETWORK: export_onnx(trained.network), TRAINER: trained.state}
    return TrainingResult(job, 0.0, files, dict(trained.metrics), "", value_check)
