"""ONNX files of other programs: what is in them, and whatever runs them best."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from tengen.nets.errors import NetworkError, network_errors
from tengen.nets.native_graph import NativeGraph, UnsupportedGraph
from tengen.nets.runtimes import CPU, OnnxRuntime, best_providers

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

    from tengen.nets.runtimes import Arrays

__all__ = [
    "Backend",
    "OnnxFacts",
    "OnnxFileError",
    "OnnxNetwork",
    "check_model",
    "copy_model",
    "read_facts",
    "read_model",
]

Backend: TypeAlias = Literal["native", "onnxruntime"]


class OnnxFileError(NetworkError):
    """A file that is no ONNX network, or not one of the kind that was expected."""


@dataclass(frozen=True)
class OnnxFacts:
    """Facts about a file: its inputs, outputs and size."""

    inputs: Mapping[str, tuple[int | str, ...]]
    """Shapes with the batch, in the file's order; a size that is no int is free."""
    outputs: Mapping[str, tuple[int | str, ...]]
    parameters: int
    nodes: Mapping[str, int]
    """Number of nodes by kind."""
    sha256: str
    """Hash of the file."""

    @property
    def batch(self) -> int | None:
        """The only batch size that the graph takes, or None if it takes any."""
        sizes = {shape[0] for shape in self.inputs.values() if shape and isinstance(shape[0], int)}
        return max((size for size in sizes if isinstance(size, int)), default=None)


def read_model(path: Path) -> onnx.ModelProto:
    """Return the model in a file, with weights from other files in its folder. They must be finite."""
    import onnx

    try:
        with network_errors(f"{path} is no ONNX file"):
            model = onnx.load(path)
    except NetworkError as error:
        raise OnnxFileError(str(error)) from error
    check_model(model, str(path))
    return model


def check_model(model: onnx.ModelProto | bytes, where: str) -> None:
    """Raise an OnnxFileError if a model has no graph, or a weight that is damaged or not finite.

    Runtimes may turn NaN into plausible numbers.
    """
    import onnx

    try:
        with network_errors(f"{where} is no ONNX file"):
            graph = (onnx.load_from_string(model) if isinstance(model, bytes) else model).graph
            _check_nodes(graph, where)
            for name, tensor in _tensors(graph):
                _check_weights(name, tensor, where)
    except NetworkError as error:
        raise OnnxFileError(str(error)) from error


def _check_nodes(graph: onnx.GraphProto, where: str) -> None:
    if not graph.node:
        raise NetworkError(f"{where} is no ONNX file: it has no graph")


def _tensors(graph: onnx.GraphProto) -> Iterator[tuple[str, onnx.TensorProto]]:
    """Yield all constants of a graph with their names."""
    for each in graph.initializer:
        yield each.name, each
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield node.name or node.op_type, attribute.t


def _check_weights(name: str, tensor: onnx.TensorProto, where: str) -> None:
    from onnx import numpy_helper
    from onnx.external_data_helper import uses_external_data

    if uses_external_data(tensor):  # of bytes, whose other files can't be found
        return
    array = numpy_helper.to_array(tensor)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise NetworkError(f"{where} is damaged: a weight in {name!r} is not finite")


def copy_model(source: Path, target: Path) -> None:
    """Write a copy that needs no other files."""
    import onnx
    from onnx.external_data_helper import uses_external_data

    with network_errors(f"{source} is no ONNX file"):
        model = onnx.load(source, load_external_data=False)
    if any(uses_external_data(each) for each in model.graph.initializer):
        target.write_bytes(read_model(source).SerializeToString())
    else:
        target.write_bytes(source.read_bytes())


def read_facts(path: Path) -> OnnxFacts:
    try:
        stamp = path.stat()
    except OSError as error:
        raise OnnxFileError(f"{path} can't be read: {error.strerror}") from error
    return _read_facts(path, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=16)
def _read_facts(path: Path, changed_ns: int, size: int) -> OnnxFacts:  # noqa: ARG001 - tell versions apart
    graph = read_model(path).graph
    weights = {each.name: each for each in graph.initializer}
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return OnnxFacts(
        inputs={each.name: _shape(each) for each in graph.input if each.name not in weights},
        outputs={each.name: _shape(each) for each in graph.output},
        parameters=sum(int(np.prod(each.dims)) for each in weights.values()),
        nodes=dict(Counter(node.op_type for node in graph.node).most_common()),
        sha256=digest,
    )


def _shape(info: onnx.ValueInfoProto) -> tuple[int | str, ...]:
    return tuple(
        size.dim_value if size.HasField("dim_value") else size.dim_param for size in info.type.tensor_type.shape.dim
    )


class OnnxNetwork:
    """A network in an ONNX file. Only one thread may use it at a time."""

    def __init__(
        self,
        path: Path,
        outputs: Sequence[str],
        *,
        threads: int = 1,
        backend: Backend | None = None,
        int16: bool = False,
    ) -> None:
        """Load a network of which only the named outputs are computed.

        Without a `backend`, the compiled core runs the graphs that it can, and ONNX Runtime all others, or all graphs
        if it finds a GPU. With `int16` the core's 3x3 convolutions multiply integers of 16 bits if the processor does
        that faster; graphs that the core can't run are refused.
        """
        if threads < 1:
            raise ValueError(f"threads is {threads} and must be at least 1")
        self.path, self.threads = path, threads
        self.facts = read_facts(path)
        self._outputs = tuple(outputs)
        self.backend: Backend
        self._runtime: NativeGraph | OnnxRuntime
        providers = best_providers()
        if backend == "native" or int16 or (backend is None and providers == [CPU]):
            try:
                self._runtime = NativeGraph(
                    read_model(path), self._outputs, threads=threads, int16=int16, where=str(path)
                )
                self.backend = "native"
            except UnsupportedGraph as error:
                if backend is not None or int16:
                    raise UnsupportedGraph(f"{path} can't run in the core: {error}") from error
                backend = "onnxruntime"
        if backend == "onnxruntime" or not hasattr(self, "backend"):
            self._runtime = OnnxRuntime(path, str(path), threads=threads, providers=providers)
            self.backend = "onnxruntime"

    def run(self, inputs: Arrays) -> dict[str, NDArray[np.float32]]:
        batch = self.facts.batch
        if batch is None or self.backend != "onnxruntime":
            return self._runtime.run(inputs, self._outputs)
        # The graph takes this batch and no other.
        rows = len(next(iter(inputs.values())))
        parts = []
        for first in range(0, rows, batch):
            filled = {name: _filled(array[first : first + batch], batch) for name, array in inputs.items()}
            parts.append(self._runtime.run(filled, self._outputs))
        return {name: np.concatenate([part[name] for part in parts])[:rows] for name in self._outputs}


def _filled(array: NDArray[Any], rows: int) -> NDArray[np.float32]:
    if len(array) < rows:
        array = np.concatenate([array, np.zeros((rows - len(array), *array.shape[1:]), np.float32)])
    return np.ascontiguousarray(array, np.float32)
