"""Networks through OpenVINO: where it pays, int8."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.evaluators.network import NetworkEvaluator, find_file, only_input
from tengen.nets.onnx_files import read_model
from tengen.nets.runtimes import BATCHES, OpenVinoModel, OpenVinoRequests

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BATCHES", "OpenVino"]


class OpenVino(NetworkEvaluator):
    """A network in an ONNX file, fp32 or quantized to int8 by tengen.nets.quantize()."""

    def __init__(self, path: str | Path, *, threads: int = 1) -> None:
        file = find_file(path)
        stamp = file.stat()
        model = _model(str(file.resolve()), stamp.st_mtime_ns, stamp.st_size, threads)
        self._input, port = only_input(file, model.inputs)
        super().__init__(file, port.shape, {name: output.shape for name, output in model.outputs.items()})
        self._requests = OpenVinoRequests(model)

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        return self._requests.run({self._input: features}, list(self._outputs))


@lru_cache(maxsize=4)
def _model(path: str, changed_ns: int, size: int, threads: int) -> OpenVinoModel:  # noqa: ARG001 - tell versions apart
    """Compiled once in a process: self-play opens its network again for every portion of games."""
    read_model(Path(path))  # refuses damaged weights
    return OpenVinoModel(Path(path), path, threads=threads)
