"""Networks through OpenVINO: where it pays, int8."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.evaluators.network import MissingPackage, NetworkEvaluator, find_file

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# Kernels for one fixed batch are up to twice as fast as those for any, and each takes half a second to compile. So
# there are a few, and a batch is filled up to the next one with zeros.
BATCHES = (1, 4, 8, 16, 24, 32, 48, 64)


class OpenVino(NetworkEvaluator):
    """A network in an ONNX file, fp32 or quantized to int8 by tengen.nets.quantize()."""

    def __init__(self, path: str | Path, *, threads: int = 1) -> None:
        file = find_file(path)
        stamp = file.stat()
        self._model = _model(str(file.resolve()), stamp.st_mtime_ns, stamp.st_size, threads)
        super().__init__(file, self._model.shape, self._model.outputs)
        self._requests: dict[int, Any] = {}

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        if len(features) <= BATCHES[-1]:
            return self._answer(features)
        parts = [self._answer(features[i : i + BATCHES[-1]]) for i in range(0, len(features), BATCHES[-1])]
        return {name: np.concatenate([part[name] for part in parts]) for name in self._outputs}

    def _answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        rows = len(features)
        batch = next(size for size in BATCHES if size >= rows)
        if batch not in self._requests:
            self._requests[batch] = self._model.compile(batch).create_infer_request()
        request = self._requests[batch]
        if rows < batch:
            features = np.concatenate([features, np.zeros((batch - rows, *features.shape[1:]), np.float32)])
        request.infer({0: np.ascontiguousarray(features)})
        # The request's own memory, which the next batch overwrites: it is copied.
        return {name: np.array(request.get_tensor(name).data[:rows]) for name in self._outputs}


class _Model:
    """A file as OpenVINO read it, with the kernels compiled so far."""

    def __init__(self, path: str, threads: int) -> None:
        try:
            import openvino
        except ModuleNotFoundError as error:
            raise MissingPackage(
                "OpenVINO is not installed: pip install 'tengen[openvino]', or use the network without 'openvino:'"
            ) from error
        self._core = openvino.Core()
        try:
            self._model = self._core.read_model(path)
        except RuntimeError as error:
            raise ValueError(f"{path} is no network that OpenVINO can run: {error}") from error
        inputs = self._model.inputs
        if len(inputs) != 1 or inputs[0].element_type != openvino.Type.f32 or len(inputs[0].partial_shape) != 4:
            raise ValueError(f"{path} must have one float32 input [batch, planes, height, width]")
        self.shape = _sizes(inputs[0])
        self.outputs = {output.any_name: _sizes(output) for output in self._model.outputs if output.names}
        # Where the processor has bfloat16, fp32 networks would be rounded to it.
        self._settings = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        self._compiled: dict[int, Any] = {}

    def compile(self, batch: int) -> Any:
        if batch not in self._compiled:
            model = self._model.clone()
            model.reshape([batch, *(size if isinstance(size, int) else -1 for size in self.shape)])
            self._compiled[batch] = self._core.compile_model(model, "CPU", self._settings)
        return self._compiled[batch]


@lru_cache(maxsize=4)
def _model(path: str, changed_ns: int, size: int, threads: int) -> _Model:  # noqa: ARG001 - they tell versions apart
    """Compiled once in a process: self-play opens its network again for every portion of games."""
    return _Model(path, threads)


def _sizes(port: Any) -> list[Any]:
    """Without the batch."""
    return [size.get_length() if size.is_static else str(size) for size in list(port.partial_shape)[1:]]
