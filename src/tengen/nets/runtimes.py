"""Libraries that run ONNX graphs on a batch: ONNX Runtime and OpenVINO."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tengen._install import how_to_install
from tengen.nets.errors import NetworkError, network_errors
from tengen.nets.without_telemetry import import_onnxruntime, import_openvino

if TYPE_CHECKING:
    from numpy.typing import NDArray

Source: TypeAlias = Path | bytes
Arrays: TypeAlias = "Mapping[str, NDArray[np.float32]]"

# Each thread takes a part of the batch through the whole network. If several threads shared every layer, they would
# wait for each other hundreds of times per evaluation; spinning waits double the CPU time on a busy machine.

# Kernels for a fixed batch size are up to twice as fast as those for any size, but each takes half a second to compile,
# so only a few sizes are used. A batch is cut into these sizes and padded with zeros if only a few rows are missing.
BATCHES = (1, 4, 8, 16, 24, 32, 48, 64)
GPUS = ("CUDAExecutionProvider", "ROCMExecutionProvider", "MIGraphXExecutionProvider", "DmlExecutionProvider")
CPU = "CPUExecutionProvider"


class MissingPackage(ImportError, ValueError):  # noqa: N818 - the name states what is wrong
    """An optional package is not installed; the message names the extra that installs it."""


class Port(NamedTuple):
    """An input or an output of a graph."""

    shape: list[Any]
    """Sizes without the batch dimension; an entry that is no int is a free dimension."""
    rank: int
    """Number of dimensions, including the batch."""
    is_float: bool
    """True if the elements are float32."""


class OnnxRuntime:
    """A graph loaded by ONNX Runtime."""

    def __init__(
        self,
        source: Source,
        where: str,
        *,
        threads: int = 1,
        providers: Sequence[str] = (CPU,),
        cpu_rows: int | None = None,
    ) -> None:
        """Load a graph.

        Error messages call it `where`. `providers` are ONNX Runtime's names of devices, in order of preference. On a
        CPU, one call evaluates at most `cpu_rows` rows, by default the whole part of a thread."""
        onnxruntime = import_onnxruntime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are raised, too
        self._where = where
        with network_errors(f"{where} is no network that ONNX Runtime can run"):
            # The fallback to the CPU prints to stdout, which protocols use.
            has_fallback = int(list(providers) != [CPU])
            self._session = onnxruntime.InferenceSession(
                source, options, providers=list(providers), enable_fallback=has_fallback
            )
            self.inputs, self.outputs = (
                {port.name: Port(port.shape[1:], len(port.shape), port.type == "tensor(float)") for port in ports}
                for ports in (self._session.get_inputs(), self._session.get_outputs())
            )
        is_cpu = self._session.get_providers() == [CPU]
        self._threads = threads if is_cpu else 1
        self._rows = cpu_rows if is_cpu else None
        self._others = ThreadPoolExecutor(threads - 1) if self._threads > 1 else None

    def run(self, inputs: Arrays, outputs: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Evaluate a batch and return the named outputs. Several threads may call this at the same time."""
        own, *others = shares(_rows_of(inputs), self._threads)
        with network_errors(f"{self._where} can't be evaluated"):
            waiting = [self._others.submit(self._run, inputs, outputs, part) for part in others] if self._others else []
            parts = [*self._run(inputs, outputs, own), *(found for each in waiting for found in each.result())]
            return checked(self._where, _joined(parts))

    def _run(self, inputs: Arrays, outputs: Sequence[str], part: range) -> list[dict[str, NDArray[np.float32]]]:
        step = self._rows or len(part)
        cuts = [slice(i, min(i + step, part.stop)) for i in part[::step]]
        asked = [{name: array[cut] for name, array in inputs.items()} for cut in cuts]
        return [dict(zip(outputs, self._session.run(list(outputs), each), strict=True)) for each in asked]


def best_providers() -> list[str]:
    """Return the devices that this build of ONNX Runtime can use: GPUs first, then the CPU."""
    available = import_onnxruntime().get_available_providers()
    return [name for name in (*GPUS, CPU) if name in available]


class OpenVinoModel:
    """A graph loaded by OpenVINO, with the kernels compiled so far."""

    def __init__(self, source: Source, where: str, *, threads: int = 1) -> None:
        try:
            openvino = import_openvino()
        except ModuleNotFoundError as error:
            raise MissingPackage(
                f"OpenVINO is not installed: {how_to_install('openvino')}, or use the network without 'openvino:'"
            ) from error
        self._core = openvino.Core()
        self.where = where
        is_float = openvino.Type.f32
        with network_errors(f"{where} is no network that OpenVINO can run"):
            self._model = self._core.read_model(source)
            self.inputs, self.outputs = (
                {port.any_name: _port(port, port.element_type == is_float) for port in ports if port.names}
                for ports in (self._model.inputs, self._model.outputs)
            )
        self.threads = threads
        # Without the hint, OpenVINO rounds float32 networks to bfloat16 on processors that support it.
        self._settings = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
        }
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
    """Inference requests for one model. Requests must not be shared between threads; the model may be."""

    def __init__(self, model: OpenVinoModel) -> None:
        self._model = model
        self._requests: dict[int, list[Any]] = {}

    def run(self, inputs: Arrays, outputs: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        with network_errors(f"{self._model.where} can't be evaluated"):
            return checked(self._model.where, self._run(inputs, outputs))

    def _run(self, inputs: Arrays, outputs: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        parts = [part for share in shares(_rows_of(inputs), self._model.threads) for part in _batches(share)]
        taken: dict[int, int] = {}
        running = []
        for part, batch in parts:
            number = taken.get(batch, 0)
            taken[batch] = number + 1
            request = self._request(batch, number)
            request.start_async({name: _filled(array[part.start : part.stop], batch) for name, array in inputs.items()})
            running.append((request, len(part)))
        for request, _ in running:
            request.wait()
        # Copy the outputs: the next batch overwrites the memory of a request.
        return _joined(
            [{name: np.array(request.get_tensor(name).data[:rows]) for name in outputs} for request, rows in running]
        )

    def _request(self, batch: int, number: int) -> Any:
        made = self._requests.setdefault(batch, [])
        if number == len(made):
            made.append(self._model.compile(batch).create_infer_request())
        return made[number]


def checked(where: str, answer: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
    """Return an answer whose numbers are finite, or minus infinity as log-odds may be; else raise a NetworkError."""
    for name, array in answer.items():
        if not (array < np.inf).all():
            raise NetworkError(f"{where} can't be evaluated: its output {name!r} is not finite, so it is damaged")
    return answer


def shares(rows: int, threads: int) -> list[range]:
    """Split a batch into parts of nearly equal size, one for each thread that gets any rows."""
    count = min(rows, threads)
    edges = [rows * i // count for i in range(count + 1)]
    return [range(*edge) for edge in pairwise(edges)]


def _batches(part: range) -> Iterator[tuple[range, int]]:
    """Yield ranges of rows, each with the fixed batch size that evaluates it."""
    while part:
        batch = next(size for size in reversed(BATCHES) if 4 * len(part) >= 3 * size)
        yield part[:batch], batch
        part = part[batch:]


def _rows_of(inputs: Arrays) -> int:
    return len(next(iter(inputs.values())))


def _joined(parts: Sequence[dict[str, NDArray[np.float32]]]) -> dict[str, NDArray[np.float32]]:
    first, *others = parts
    return {name: np.concatenate([part[name] for part in parts]) for name in first} if others else first


def _filled(array: NDArray[np.float32], rows: int) -> NDArray[np.float32]:
    if len(array) < rows:
        array = np.concatenate([array, np.zeros((rows - len(array), *array.shape[1:]), np.float32)])
    return np.ascontiguousarray(array)


def _port(port: Any, is_float: bool) -> Port:
    sizes = list(port.partial_shape)
    shape = [size.get_length() if size.is_static else str(size) for size in sizes[1:]]
    return Port(shape, len(sizes), is_float)
