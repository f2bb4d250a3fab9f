"""Training in a process of its own, while workers play."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from tengen.cluster import LocalWorkers, report
from tengen.learning import PackedSamples, load_packed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from tengen.games import Game
    from tengen.learning import TrainSettings
    from tengen.runs import Step

__all__ = ["Trainer", "TrainingJob", "TrainingResult"]


@dataclass(frozen=True)
class TrainingJob:
    """A training of one iteration."""

    iteration: int
    base: Step
    """The step whose network is trained."""
    inputs: tuple[Step, ...]
    """Steps of self-play."""
    settings: TrainSettings

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

    def start(
        self,
        game: Game,
        job: TrainingJob,
        files: tuple[str, str, str],
        samples: Sequence[Path],
        lineage: dict[str, Any],
    ) -> None:
        """Train on the samples in these files. `files` names the checkpoint, the network and the trainer's state."""
        checkpoint, _, state = files
        before = job.base.file(state) if state in job.base.files else None
        is_fresh = job.base.name == "initial"
        self._job, self._began, self.done, self.figures = job, time.monotonic(), 0, {}
        self._workers.submit(
            _train, game, job.base.file(checkpoint), before, list(samples), job.settings, files, lineage, is_fresh
        )

    def poll(self, timeout_s: float) -> TrainingResult | None:
        """Return the result of the training if it is finished, and wait for it at most so long."""
        if self._job is None:
            return None
        for _, (files, metrics, stopped) in self._workers.poll(timeout_s, self._listen):
            job, self._job = self._job, None
            return TrainingResult(job, time.monotonic() - self._began, files, metrics, stopped)
        return None

    def _listen(self, _task: int, news: tuple[int, dict[str, float]]) -> None:
        self.done, self.figures = news


def _train(
    game: Game,
    checkpoint: Path,
    state: Path | None,
    samples: Sequence[Path],
    settings: TrainSettings,
    files: tuple[str, str, str],
    lineage: dict[str, Any],
    is_fresh: bool,
) -> tuple[dict[str, bytes], dict[str, Any], str]:
    """Train in the trainer's process and return the files of a step, its metrics, and the reason if it was stopped."""
    from tengen.learning import TrainingStopped, train
    from tengen.nets import Checkpoint, export_onnx, load_checkpoint, save_checkpoint

    window = PackedSamples.join([load_packed(path) for path in samples])
    before = None if state is None else state.read_bytes()
    network = load_checkpoint(checkpoint).network
    try:
        trained = train(
            game, network, window, settings, lambda n, _, figures: report(n, figures), state=before, is_fresh=is_fresh
        )
    except TrainingStopped as error:
        return {}, {"kind": error.kind, "step": error.step, "reason": str(error)}, str(error)
    made = Checkpoint(trained.network, game.id, dict(game.settings), lineage | {"samples": len(window)})
    made_files = (save_checkpoint(made), export_onnx(trained.network), trained.state)
    return dict(zip(files, made_files, strict=True)), dict(trained.metrics), ""
