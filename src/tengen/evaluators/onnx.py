"""Networks through ONNX Runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.evaluators.network import NetworkEvaluator, find_file

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class Onnx(NetworkEvaluator):
    """A network in an ONNX file; NetworkEvaluator says what its inputs and outputs must be."""

    def __init__(self, path: str | Path, *, threads: int = 1) -> None:
        import onnxruntime  # type: ignore[import-untyped]

        file = find_file(path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ValueError(f"{file} is no network that ONNX Runtime can run: {error}") from error
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or inputs[0].type != "tensor(float)" or len(inputs[0].shape) != 4:
            raise ValueError(f"{file} must have one float32 input [batch, planes, height, width]")
        shapes = {output.name: output.shape[1:] for output in self._session.get_outputs()}
        super().__init__(file, inputs[0].shape[1:], shapes)
        self._input = inputs[0].name
        self._names = list(self._outputs)

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        return dict(zip(self._names, self._session.run(self._names, {self._input: features}), strict=True))
