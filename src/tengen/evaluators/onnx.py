"""Networks through ONNX Runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.evaluators.network import NetworkEvaluator, find_file, only_input
from tengen.nets.runtimes import OnnxRuntime

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class Onnx(NetworkEvaluator):
    """A network in an ONNX file; NetworkEvaluator says what its inputs and outputs must be."""

    def __init__(self, path: str | Path, *, threads: int = 1) -> None:
        file = find_file(path)
        self._runtime = OnnxRuntime(file, str(file), threads=threads)
        self._input, port = only_input(file, self._runtime.inputs)
        super().__init__(file, port.shape, {name: output.shape for name, output in self._runtime.outputs.items()})

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        return self._runtime.run({self._input: features}, list(self._outputs))
