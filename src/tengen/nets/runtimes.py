"""Programs that run ONNX graphs on a batch: ONNX Runtime and OpenVINO."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tengen._install import how_to_install

if TYPE_CHECKING:
    from numpy.typing import NDArray

Source: TypeAlias = Path | bytes
Arrays: TypeAlias = "Mapping[str, NDArray[np.float32]]"

# Threads take parts of a batch, each through the whole network. Several threads on every layer would wait for each
# other hundreds of times in an evaluation: where they spin, that takes twice the processor's time on a busy machine.

# Kernels for one fixed batch are up to twice as fast as those for any, and each takes half a second to compile. So
# there are a few. A batch is cut into these sizes, and filled up with zeros where hardly any are missing.
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

    def __init__(
        self,
        source: Source,
        where: str,
        *,
        threads: int = 1,
        providers: Sequence[str] = (CPU,),
        cpu_rows: int | None = None,
    ) -> None:
        """`where` is what errors call the graph; `providers` are ONNX Runtime's names of devices, the best first. A CPU
        sees `cpu_rows` of a batch at once, by default a thread's whole part."""
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
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
        is_cpu = self._session.get_providers() == [CPU]
        self._threads = threads if is_cpu else 1
        self._rows = cpu_rows if is_cpu else None
        self._others = ThreadPoolExecutor(threads - 1) if self._threads > 1 else None

    def run(self, inputs: Arrays, outputs: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """May be called from several threads."""
        own, *others = shares(_rows_of(inputs), self._threads)
        waiting = [self._others.submit(self._run, inputs, outputs, part) for part in others] if self._others else []
        return _joined([*self._run(inputs, outputs, own), *(found for each in waiting for found in each.result())])

    def _run(self, inputs: Arrays, outputs: Sequence[str], part: range) -> list[dict[str, NDArray[np.float32]]]:
        step = self._rows or len(part)
        cuts = [slice(i, min(i + step, part.stop)) for i in part[::step]]
        asked = [{name: array[cut] for name, array in inputs.items()} for cut in cuts]
        return [dict(zip(outputs, self._session.run(list(outputs), each), strict=True)) for each in asked]


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
                f"OpenVINO is not installed: {how_to_install('openvino')}, or use the network without 'openvino:'"
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
        self.threads = threads
        # Where the processor has bfloat16, fp32 networks would be rounded to it.
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
    """Runs a model. Models can be shared; this can't be used from two threads at once."""

    def __init__(self, model: OpenVinoModel) -> None:
        self._model = model
        self._requests: dict[int, list[Any]] = {}

    def run(self, inputs: Arrays, outputs: Sequence[str]) -> dict[str, NDArray[np.float32]]:
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
        # The request's own memory, which the next batch overwrites: it is copied.
        return _joined(
            [{name: np.array(request.get_tensor(name).data[:rows]) for name in outputs} for request, rows in running]
        )

    def _request(self, batch: int, number: int) -> Any:
        made = self._requests.setdefault(batch, [])
        if number == len(made):
            made.append(self._model.compile(batch).create_infer_request())
        return made[number]


def shares(rows: int, threads: int) -> list[range]:
    """Parts of a batch, one for each thread that gets any: as even as can be."""
    count = min(rows, threads)
    edges = [rows * i // count for i in range(count + 1)]
    return [range(*edge) for edge in pairwise(edges)]


def _batches(part: range) -> Iterator[tuple[range, int]]:
    """Rows, and the fixed batch that takes them."""
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
