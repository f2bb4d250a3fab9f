"""Training by several processes of one machine, which torchrun starts, one for each card. Each process has every batch
and takes its share of it; gradients are averaged, so that all processes hold the same network."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import torch
from torch import Tensor, distributed, nn

from tengen.learning.breaker import TrainingStopped
from tengen.nets.devices import device_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.learning.replicas import Losses
    from tengen.learning.settings import TrainSettings
    from tengen.learning.training import Progress

__all__ = ["Group", "current_group", "train_in_processes"]

_CALL, _RESULT = "call.pickle", "result.pickle"
T = TypeVar("T")


class Group:
    """The processes that train one network together; by default this one alone."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank = rank
        self.size = size

    def device(self, text: str) -> torch.device:
        """Return the device of this process from a setting that names one or several. Processes that train on "cuda"
        have a card each; several names are distributed over the processes."""
        names = device_names(text)
        if names == ["cuda"] and self.size > 1:
            return torch.device(f"cuda:{self.rank}")
        return torch.device(names[self.rank % len(names)])

    def share(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the rows of a batch that this process trains on."""
        return batch if self.size == 1 else {name: rows[self.rank :: self.size] for name, rows in batch.items()}

    def mean(self, figures: dict[str, float]) -> dict[str, float]:
        """Return the mean of all processes, so that all of them stop if one must."""
        if self.size == 1:
            return figures
        numbers = torch.tensor(list(figures.values()), dtype=torch.float64)
        distributed.all_reduce(numbers)
        return dict(zip(figures, (numbers / self.size).tolist(), strict=True))

    def with_mean_gradients(self, model: nn.Module, losses: Losses) -> Losses:
        """Return losses of the network whose gradients are the mean of all processes when they have been computed.

        Means and variances of batch normalization are those of the first process.
        """
        if self.size == 1:
            return losses
        shared = nn.parallel.DistributedDataParallel(_LossModule(model, losses), static_graph=True)
        return lambda _, batch: shared(batch)


class _LossModule(nn.Module):
    """A network together with its losses: all uses of its weights are within one call, as PyTorch expects."""

    def __init__(self, model: nn.Module, losses: Losses) -> None:
        super().__init__()
        self._model = model
        self._losses = losses

    def forward(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        return self._losses(self._model, batch)


def current_group() -> Group:
    if distributed.is_available() and distributed.is_initialized():
        return Group(distributed.get_rank(), distributed.get_world_size())
    return Group()


def train_in_processes(train: Callable[..., T], settings: TrainSettings, progress: Progress | None) -> T:
    """Call `train(progress=…)` in `settings.processes` processes, which torchrun starts and ends, and return what it
    returned in the first one. Raises a TrainingStopped that happened in them."""
    if settings.processes > settings.batch_size:
        raise ValueError(f"training: {settings.processes} processes cannot share a batch of {settings.batch_size}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with (place / _CALL).open("wb") as file:
            pickle.dump((train, settings.device), file)
        _run_processes(place, settings.processes, settings.threads, progress)
        result: T | TrainingStopped = pickle.loads((place / _RESULT).read_bytes())  # noqa: S301 - our own bytes
    if isinstance(result, TrainingStopped):
        raise result
    return result


def _run_processes(place: Path, count: int, threads: int, progress: Progress | None) -> None:
    words = ["torch.distributed.run", "--standalone", f"--nproc-per-node={count}", "-m", __name__, str(place)]
    environment = {"OMP_NUM_THREADS": str(threads or 1)} | os.environ
    with subprocess.Popen(
        [sys.executable, "-m", *words], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if progress is not None and line.startswith("["):
                    progress(*json.loads(line))
            code = process.wait()
        except BaseException:
            process.terminate()
            raise
    if code or not (place / _RESULT).exists():
        raise RuntimeError(f"training by {count} processes ended with {code}; stderr says why")


def _work(place: Path) -> None:
    """The main function of one of the processes: join the group, train, and leave the result."""
    with (place / _CALL).open("rb") as file:
        train, device = pickle.load(file)  # noqa: S301 - our own bytes
    is_cuda = any(name.startswith("cuda") for name in device_names(device))
    # Figures are averaged on the processor, gradients where the network is.
    distributed.init_process_group("cpu:gloo,cuda:nccl" if is_cuda else "gloo")
    group = current_group()
    if is_cuda:
        torch.cuda.set_device(group.device(device))

    def tell(*news: object) -> None:
        if group.rank == 0:
            print(json.dumps(news), flush=True)

    try:
        result = train(progress=tell)
    except TrainingStopped as error:
        result = error
    if group.rank == 0:
        (place / _RESULT).write_bytes(pickle.dumps(result))
    distributed.barrier()
    distributed.destroy_process_group()


if __name__ == "__main__":
    _work(Path(sys.argv[1]))
