"""Networks through PyTorch: for GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tengen.evaluators.network import MissingPackage, NetworkEvaluator, find_file

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class Torch(NetworkEvaluator):
    """A checkpoint that tengen.nets.save_checkpoint() wrote, in fp32."""

    def __init__(self, path: str | Path, device: str | None = None) -> None:
        """`device` is PyTorch's name of one, such as "cuda:1"; by default a GPU if there is one."""
        file = find_file(path)
        try:
            import torch

            from tengen.nets import load_checkpoint
        except ModuleNotFoundError as error:
            raise MissingPackage(
                f"PyTorch is not complete here ({error}): pip install 'tengen[train]', or use the network's ONNX file"
            ) from error
        self._torch = torch
        checkpoint = load_checkpoint(file)
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        try:
            self._network = checkpoint.network.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        except (RuntimeError, AssertionError) as error:
            raise ValueError(f"{file} can't run on the device {self.device}: {error}") from error
        a = checkpoint.network.architecture
        shapes = {"policy": [a.actions], "value": [a.value_size]} | ({"extras": [a.extras]} if a.extras else {})
        super().__init__(file, [a.planes, a.height, a.width], shapes)

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        with self._torch.inference_mode():
            # A copy: the core's array is read-only, which PyTorch does not know.
            batch = self._torch.from_numpy(np.array(features)).to(self.device)
            out = self._network(batch.contiguous(memory_format=self._torch.channels_last))
            return {name: getattr(out, name).float().cpu().numpy() for name in self._outputs}
