"""Training of prophet and enforcer by several processes of one machine, one for each device."""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.labs.shogi.checkpoints import Checkpoint, load_checkpoint, save_checkpoint
from tengen.labs.shogi.train_settings import TrainSettings
from tengen.labs.shogi.training import Trained, TrainedPart, train_part
from tengen.labs.shogi.training_data import load_data
from tengen.learning.processes import run_processes, work_in_group

if TYPE_CHECKING:
    from tengen.labs.shogi.networks import PairNetwork
    from tengen.labs.shogi.training import Progress
    from tengen.labs.shogi.training_data import TrainingData
    from tengen.learning.processes import Group

__all__ = ["train_in_processes"]

_TASK, _NETWORK, _DATA, _STATE = "task.json", "net.ckpt", "data.bin", "state.safetensors"
_TRAINED, _NEXT_STATE = "trained.ckpt", "next.safetensors"


def train_in_processes(
    network: PairNetwork,
    data: TrainingData,
    settings: TrainSettings,
    progress: Progress | None,
    state: bytes | None,
    until: int | None,
) -> TrainedPart:
    """Do what train_part() does in `settings.processes` processes, which torchrun starts and ends."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / _NETWORK).write_bytes(save_checkpoint(Checkpoint(network)))
        (place / _DATA).write_bytes(data.to_bytes())
        if state is not None:
            (place / _STATE).write_bytes(state)
        task = {"settings": dataclasses.asdict(settings), "data": data.name, "until": until}
        (place / _TASK).write_text(json.dumps(task))
        result = run_processes(__name__, place, settings.processes, settings.threads, progress)
        if result["metrics"] is None:
            return TrainedPart(result["step"], result["steps"], (place / _NEXT_STATE).read_bytes())
        trained = Trained(load_checkpoint(place / _TRAINED).network.eval(), result["metrics"])
        return TrainedPart(result["step"], result["steps"], b"", trained)


def _work(place: Path) -> None:
    task: dict[str, Any] = json.loads((place / _TASK).read_text())
    settings = TrainSettings(**task["settings"])

    def work(group: Group, tell: Progress) -> dict[str, Any]:
        network = load_checkpoint(place / _NETWORK).network
        data = load_data(task["data"], place / _DATA, settings)
        state = (place / _STATE).read_bytes() if (place / _STATE).exists() else None
        part = train_part(network, data, settings, tell, state, task["until"])
        if group.rank == 0 and part.trained is not None:
            (place / _TRAINED).write_bytes(save_checkpoint(Checkpoint(part.trained.network)))
        elif group.rank == 0:
            (place / _NEXT_STATE).write_bytes(part.state)
        metrics = None if part.trained is None else part.trained.metrics
        return {"step": part.step, "steps": part.steps, "metrics": metrics}

    work_in_group(place, settings.device, work)


if __name__ == "__main__":
    _work(Path(sys.argv[1]))
