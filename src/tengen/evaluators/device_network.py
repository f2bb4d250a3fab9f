"""A checkpoint's network on a device of PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from tengen.nets import load_checkpoint
from tengen.nets.devices import empty_pinned, half_precision, upload

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

__all__ = ["DeviceNetwork", "RunningBatch"]


class DeviceNetwork:
    """A network in channels-last order on a device, in half precision if `half` is true."""

    def __init__(self, file: Path, device: torch.device, *, half: bool = False) -> None:
        network = load_checkpoint(file).network
        self.device = device
        self.architecture = a = network.architecture
        self._half = half
        try:
            self._module = network.eval().to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        except (RuntimeError, AssertionError) as error:
            raise ValueError(f"{file} can't run on the device {device}: {error}") from error
        self.shape = [a.planes, a.height, a.width]
        """Shape of a position's features."""
        self.widths = {"policy": a.actions, "value": a.value_size} | ({"extras": a.extras} if a.extras else {})
        """Numbers of each output for one position."""

    def launch(self, parts: Sequence[NDArray[np.float32]]) -> RunningBatch:
        """Start to evaluate features, which are copied into one batch. A GPU may still compute after the return."""
        features = empty_pinned((sum(map(len, parts)), *self.shape), self.device)
        np.concatenate(parts, out=features.numpy())
        with torch.inference_mode(), half_precision(self.device, enabled=self._half):
            batch = upload(features, self.device)
            out = self._module(batch.contiguous(memory_format=torch.channels_last))
            return RunningBatch({name: getattr(out, name).float() for name in self.widths}, self.device)


class RunningBatch:
    """A batch whose outputs a device may still be computing."""

    def __init__(self, outputs: dict[str, Tensor], device: torch.device) -> None:
        if device.type == "cuda":
            # The copies are queued behind the computation; only finish() waits for them.
            self._outputs = {
                name: empty_pinned(tensor.shape, device).copy_(tensor, non_blocking=True)
                for name, tensor in outputs.items()
            }
            self._event: torch.cuda.Event | None = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._event.record(torch.cuda.current_stream(device))
        else:
            self._outputs = outputs
            self._event = None

    def finish(self) -> dict[str, NDArray[np.float32]]:
        """Wait for the outputs and return them."""
        if self._event is not None:
            self._event.synchronize()
        return {name: tensor.cpu().numpy() for name, tensor in self._outputs.items()}
