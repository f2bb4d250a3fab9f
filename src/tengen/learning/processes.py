"""Training by several processes of one machine, which torchrun starts, one for each card. Each process has every batch
and takes its share of it; gradients are averaged, so that all processes hold the same network."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, distributed, nn

from tengen.learning.breaker import TrainingStopped
from tengen.learning.packed import PackedSamples, load_packed, save_packed
from tengen.learning.samples import load_samples, save_samples
from tengen.learning.settings import TrainSettings
from tengen.nets.devices import device_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.games import Game
    from tengen.learning.replicas import Losses
    from tengen.learning.training import AnySamples, Progress, Trained
    from tengen.nets import Network

__all__ = ["Group", "current_group", "run_processes", "train_in_processes", "work_in_group"]

_TASK, _NETWORK, _SAMPLES = "task.json", "net.safetensors", "samples.npz"
_STATE, _NEXT_STATE = "state.safetensors", "next_state.safetensors"
_RESULT, _TRAINED = "result.json", "trained.safetensors"


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


def train_in_processes(
    game: Game,
    network: Network,
    samples: AnySamples,
    settings: TrainSettings,
    progress: Progress | None,
    state: bytes | None = None,
    *,
    is_fresh: bool = False,
) -> Trained:
    """Do what train() does in `settings.processes` processes, which torchrun starts and ends."""
    from tengen.learning.training import Trained
    from tengen.nets import Checkpoint, load_checkpoint, save_checkpoint

    if settings.processes > settings.batch_size:
        raise ValueError(f"training: {settings.processes} processes cannot share a batch of {settings.batch_size}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / _NETWORK).write_bytes(save_checkpoint(Checkpoint(network, game.id, dict(game.settings))))
        packed = isinstance(samples, PackedSamples)
        (place / _SAMPLES).write_bytes(save_packed(samples) if packed else save_samples(samples))  # type: ignore[arg-type]
        task = {
            "game": getattr(type(game), "source", game.id),
            "game_settings": dict(game.settings),
            "packed": packed,
            "settings": dataclasses.asdict(settings),
            "is_fresh": is_fresh,
        }
        if state is not None:
            (place / _STATE).write_bytes(state)
        (place / _TASK).write_text(json.dumps(task))
        result = run_processes(__name__, place, settings.processes, settings.threads, progress)
        trained = load_checkpoint(place / _TRAINED).network.eval()
        return Trained(trained, result["metrics"], (place / _NEXT_STATE).read_bytes())


def run_processes(module: str, place: Path, count: int, threads: int, progress: Progress | None) -> dict[str, Any]:
    """Let torchrun start that many processes of a module with the folder `place`, and return what the first one wrote
    with write_result(). Raises a TrainingStopped that happened in them."""
    words = ["torch.distributed.run", "--standalone", f"--nproc-per-node={count}", "-m", module, str(place)]
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
    result: dict[str, Any] = json.loads((place / _RESULT).read_text())
    if "stopped" in result:
        raise TrainingStopped.restore(**result["stopped"])
    return result


def work_in_group(place: Path, device: str, work: Callable[[Group, Progress], dict[str, Any]]) -> None:
    """The main function of a process that run_processes() started: join the group, work, and leave the result."""
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
        result = work(group, tell)
    except TrainingStopped as error:
        result = {"stopped": {"kind": error.kind, "step": error.step, "text": str(error)}}
    if group.rank == 0:
        (place / _RESULT).write_text(json.dumps(result))
    distributed.barrier()
    distributed.destroy_process_group()


def _work(place: Path) -> None:
    """The main function of one of the processes."""
    import tengen
    from tengen.learning.training import train
    from tengen.nets import Checkpoint, load_checkpoint, save_checkpoint

    task: dict[str, Any] = json.loads((place / _TASK).read_text())
    settings = TrainSettings(**task["settings"])

    def work(group: Group, tell: Progress) -> dict[str, Any]:
        game = tengen.game(task["game"], **task["game_settings"])
        read = load_packed if task["packed"] else load_samples
        samples: Any = read((place / _SAMPLES).read_bytes())
        network = load_checkpoint(place / _NETWORK).network
        state = (place / _STATE).read_bytes() if (place / _STATE).exists() else None
        trained = train(game, network, samples, settings, tell, state=state, is_fresh=task["is_fresh"])
        if group.rank == 0:
            made = Checkpoint(trained.network, game.id, dict(game.settings))
            (place / _TRAINED).write_bytes(save_checkpoint(made))
            (place / _NEXT_STATE).write_bytes(trained.state)
        return {"metrics": trained.metrics}

    work_in_group(place, settings.device, work)


if __name__ == "__main__":
    _work(Path(sys.argv[1]))
