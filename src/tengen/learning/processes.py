"""Training by several processes of one machine, which torchrun starts, one for each card. Each process has every batch
and takes its share of it; gradients are averaged, so that all processes hold the same network."""

from __future__ import annotations

import os
import pickle
import secrets
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from multiprocessing.connection import Client, Connection, Listener, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

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

_KEY = "TENGEN_GROUP_KEY"
_NEWS, _RESULT = "news", "result"
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
    key = secrets.token_bytes(32)
    with (
        tempfile.TemporaryDirectory() as folder,
        Listener(str(Path(folder) / "group"), "AF_UNIX", backlog=settings.processes, authkey=key) as listener,
    ):
        words = ["torch.distributed.run", "--standalone", f"--nproc-per-node={settings.processes}", "-m", __name__]
        environment = {"OMP_NUM_THREADS": str(settings.threads or 1)} | os.environ | {_KEY: key.hex()}
        with subprocess.Popen(
            [sys.executable, "-m", *words, str(listener.address)], stdout=subprocess.DEVNULL, env=environment
        ) as process:
            threading.Thread(target=_wake, args=(process, str(listener.address), key), daemon=True).start()
            try:
                result = _hear(listener, process, pickle.dumps((train, settings.device)), settings.processes, progress)
                code = process.wait()
            except BaseException:
                process.terminate()
                raise
    if result is None or code:
        raise RuntimeError(f"training by {settings.processes} processes ended with {code}; stderr says why")
    if isinstance(result[0], TrainingStopped):
        raise result[0]
    return cast("T", result[0])


def _hear(
    listener: Listener, process: subprocess.Popen[bytes], call: bytes, count: int, progress: Progress | None
) -> tuple[Any] | None:
    """Send the call to each process, and return the result of the first one in a tuple; None if they end without."""
    waiting: list[Connection] = []
    while len(waiting) < count:
        waiting.append(listener.accept())
        if process.poll() is not None:
            return None
        waiting[-1].send_bytes(call)
    result: tuple[Any] | None = None
    while waiting:
        for connection in wait(waiting):
            assert isinstance(connection, Connection)
            try:
                kind, content = connection.recv()
            except (EOFError, OSError):
                waiting.remove(connection)
                continue
            if kind == _RESULT:
                result = (content,)
            elif progress is not None:
                progress(*content)
    return result


def _wake(process: subprocess.Popen[bytes], address: str, key: bytes) -> None:
    """Connect when the processes have ended, in case that they are still waited for."""
    process.wait()
    with suppress(OSError, EOFError):
        Client(address, "AF_UNIX", authkey=key).close()


def _work(address: str) -> None:
    """The main function of one of the processes: join the group, train, and send the result.

    Calls and results are pickles by a socket in a private folder, and both ends know the key."""
    with Client(address, "AF_UNIX", authkey=bytes.fromhex(os.environ[_KEY])) as parent:
        train, device = parent.recv()
        is_cuda = any(name.startswith("cuda") for name in device_names(device))
        # Figures are averaged on the processor, gradients where the network is.
        distributed.init_process_group("cpu:gloo,cuda:nccl" if is_cuda else "gloo")
        group = current_group()
        if is_cuda:
            torch.cuda.set_device(group.device(device))

        def tell(*news: object) -> None:
            if group.rank == 0:
                parent.send((_NEWS, news))

        try:
            result = train(progress=tell)
        except TrainingStopped as error:
            result = error
        if group.rank == 0:
            # Tensors are sent with their numbers instead of as shared memory, which would end with this process.
            parent.send_bytes(pickle.dumps((_RESULT, result)))
        distributed.barrier()
        distributed.destroy_process_group()


if __name__ == "__main__":
    _work(sys.argv[1])
