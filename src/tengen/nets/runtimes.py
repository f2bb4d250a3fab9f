"""Programs that run ONNX graphs on a batch: ONNX Runtime and OpenVINO."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Source: TypeAlias = Path | bytes
Arrays: TypeAlias = "Mapping[str, NDArray[np.float32]]"

# Kernels for one fixed batch are up to twice as fast as those for any, and each takes half a second to compile. So
# there are a few, and a batch is filled up to the next one with zeros.
BATCHES = (1, 4, 8, 16, 24, 32, 48, 64)
GPUS = ("CUDAExecutionProvider", "ROCMExecutionProvider", "MIGraphXExecutionProvider", "DmlExecutionProvider")
CPU = "CPUExecutionProvider"


class MissingPackage(ImportError, ValueError):  # noqa: N818 - says what is wrong
    """An optional package is not installed; the text names the extra that brings it."""


class Port(NamedTuple):
    """An input or an output."""

    shape: list[Any]
    """Without the batch; what is no int is free."""
    rank: int
    """With the batch."""
    is_float: bool
    """float32."""


class OnnxRuntime:
    """A graph in ONNX Runtime."""

    def __init__(self, source: Source, where: str, *, threads: int = 1, providers: Sequence[str] = (CPU,)) -> None:
        """`where` is what errors call the graph; `providers` are ONNX Runtime's names of devices, the best first."""
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(source, options, providers=list(providers))
        except Exception as error:
            raise ValueError(f"{where} is no network that ONNX Runtime can run: {error}") from error
        self.inputs, self.outputs = (
            {port.name: Port(port.shape[1:], len(port.shape), port.type == "tensor(float)") for port in ports}
            for ports in (self._session.get_inputs(), self._session.get_outputs())
        )
        self.providers: list[str] = self._session.get_providers()

    def run(self, inputs: Arrays, outputs: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        return dict(zip(outputs, self._session.run(list(outputs), dict(inputs)), strict=True))


def best_providers() -> list[str]:
    """GPUs that this build of ONNX Runtime can use, and the CPU."""
    import onnxruntime

    available = onnxruntime.get_available_providers()
    return [name for name in (*GPUS, CPU) if name in available]


class OpenVinoModel:
    """A graph as OpenVINO read it, with the kernels compiled so far."""

    def __init__(self, source: Source, where: str, *, threads: int = 1) -> None:
        try:
            import openvino
        except ModuleNotFoundError as error:
            raise MissingPackage(
                "OpenVINO is not installed: pip install 'tengen[openvino]', or use the network without 'openvino:'"
            ) from error
        self._core = openvino.Core()
        try:
            self._model = self._core.read_model(source)
        except RuntimeError as error:
            raise ValueError(f"{where} is no network that OpenVINO can run: {error}") from error
        is_float = openvino.Type.f32
        self.inputs, self.outputs = (
            {port.any_name: _port(port, port.element_type == is_float) for port in ports if port.names}
            for ports in (self._model.inputs, self._model.outputs)
        )
        # Where the processor has bfloat16, fp32 networks would be rounded to it.
        self._settings = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        self._compiled: dict[int, Any] = {}

    def compile(self, batch: int) -> Any:
        if batch not in self._compiled:
            model = self._model.clone()
            model.reshape(
                {
                    name: [batch, *(size if isinstance(size, int) else -1 for size in port.shape)]
                    for name, port in self.inputs.items()
                }
            )
            self._compiled[batch] = self._core.compile_model(model, "CPU", self._settings)
        return self._compiled[batch]


class OpenVinoRequests:
    """Runs a model. Models can be shared; this can't be used from two threads at once."""

    def __init__(self, model: OpenVinoModel) -> None:
        self._model = model
        self._requests: dict[int, Any] = {}

    def run(self, inputs: Arrays, outputs: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        rows, most = len(next(iter(inputs.values()))), BATCHES[-1]
        if rows <= most:
            return self._run(inputs, outputs, rows)
        parts = [
            self._run({name: array[i : i + most] for name, array in inputs.items()}, outputs, min(most, rows - i))
            for i in range(0, rows, most)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in outputs}

    def _run(self, inputs: Arrays, outputs: Sequence[str], rows: int) -> dict[str, NDArray[np.float32]]:
        batch = next(size for size in BATCHES if size >= rows)
        if batch not in self._requests:
            self._requests[batch] = self._model.compile(batch).create_infer_request()
        request = self._requests[batch]
        request.infer({name: _filled(array, batch) for name, array in inputs.items()})
        # The request's own memory, which the next batch overwrites: it is copied.
        return {name: np.array(request.get_tensor(name).data[:rows]) for name in outputs}


def _filled(array: NDArray[np.float32], rows: int) -> NDArray[np.float32]:
    if len(array) < rows:
        array = np.concatenate([array, np.zeros((rows - len(array), *array.shape[1:]), np.float32)])
    return np.ascontiguousarray(array)


def _port(port: Any, is_float: bool) -> Port:
    sizes = list(port.partial_shape)
    shape = [size.get_length() if size.is_static else str(size) for size in sizes[1:]]
    return Port(shape, len(sizes), is_float)
