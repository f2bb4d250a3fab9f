"""ONNX files of other programs: what is in them, and whatever runs them best."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from tengen.nets.native_graph import NativeGraph, UnsupportedGraph
from tengen.nets.runtimes import CPU, OnnxRuntime, OpenVinoModel, OpenVinoRequests, best_providers

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

    from tengen.nets.runtimes import Arrays

__all__ = ["Backend", "OnnxFacts", "OnnxFileError", "OnnxNetwork", "copy_model", "read_facts", "read_model"]

Backend: TypeAlias = Literal["native", "onnxruntime", "openvino"]


class OnnxFileError(ValueError):
    """A file that is no ONNX network, or not one of the kind that was expected."""


@dataclass(frozen=True)
class OnnxFacts:
    """What a file says of itself."""

    inputs: Mapping[str, tuple[int | str, ...]]
    """Shapes with the batch, in the file's order; what is no int is free."""
    outputs: Mapping[str, tuple[int | str, ...]]
    parameters: int
    nodes: Mapping[str, int]
    """By kind."""
    sha256: str
    """Of the file."""

    @property
    def batch(self) -> int | None:
        """The only one that the graph takes; None: any."""
        sizes = {shape[0] for shape in self.inputs.values() if shape and isinstance(shape[0], int)}
        return max((size for size in sizes if isinstance(size, int)), default=None)


def read_model(path: Path) -> onnx.ModelProto:
    """With weights that lie in files beside it."""
    import onnx

    try:
        model = onnx.load(path)
    except Exception as error:
        raise OnnxFileError(f"{path} is no ONNX file: {error}") from error
    if not model.graph.node:
        raise OnnxFileError(f"{path} is no ONNX file: it has no graph")
    return model


def copy_model(source: Path, target: Path) -> None:
    """A copy that needs no other files."""
    import onnx
    from onnx.external_data_helper import uses_external_data

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
    model = read_model(path)
    graph = model.graph
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
    """A network in an ONNX file. Not to be asked from two threads at once."""

    def __init__(
        self,
        path: Path,
        outputs: Sequence[str],
        *,
        threads: int = 1,
        backend: Backend | None = None,
        int8: bytes | None = None,
    ) -> None:
        """Of all outputs only these are answered. Without a `backend` the compiled core runs what it can, and ONNX
        Runtime the rest, or everything if it finds a GPU. `int8` is a graph that OpenVINO runs in place of the file's
        own."""
        if threads < 1:
            raise ValueError(f"threads is {threads} and must be at least 1")
        self.path, self.threads = path, threads
        self.facts = read_facts(path)
        self._outputs = tuple(outputs)
        self.backend: Backend
        self._runtime: NativeGraph | OnnxRuntime | OpenVinoRequests
        if int8 is not None or backend == "openvino":
            source = int8 or read_model(path).SerializeToString()
            self.backend = "openvino"
            self._runtime = OpenVinoRequests(OpenVinoModel(source, str(path), threads=threads))
        else:
            self.backend, self._runtime = self._choose(backend)

    def _choose(self, backend: Backend | None) -> tuple[Backend, NativeGraph | OnnxRuntime]:
        providers = best_providers()
        if backend == "native" or (backend is None and providers == [CPU]):
            try:
                return "native", NativeGraph(read_model(self.path), self._outputs, threads=self.threads)
            except UnsupportedGraph:
                if backend is not None:
                    raise
        return "onnxruntime", OnnxRuntime(self.path, str(self.path), threads=self.threads, providers=providers)

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

    def quantized(self, inputs: Arrays) -> bytes:
        """An int8 version for OpenVINO, measured on positions. The first layers and the last stay in full precision."""
        from tengen.nets.int8 import quantize_layers

        if self.facts.batch is not None:
            raise ValueError(f"{self.path} takes batches of {self.facts.batch} alone: int8 needs one that takes any")
        model = read_model(self.path)
        for number, node in enumerate(model.graph.node):
            node.name = node.name or f"node{number}"
        layers = _inner_convolutions(model, set(self.facts.inputs))
        if not layers:
            raise ValueError(f"{self.path} has no convolutions inside: int8 would not pay")
        return quantize_layers(model.SerializeToString(), inputs, layers)


def _inner_convolutions(model: onnx.ModelProto, inputs: set[str]) -> list[str]:
    """Those that read no input and that are followed by others."""
    leads_on: set[str] = set()
    """Values from which a convolution comes."""
    found = []
    for node in reversed(model.graph.node):
        if node.op_type == "Conv" and leads_on.intersection(node.output) and node.input[0] not in inputs:
            found.append(node.name)
        if node.op_type == "Conv" or leads_on.intersection(node.output):
            leads_on.update(node.input)
    return found[::-1]


def _filled(array: NDArray[Any], rows: int) -> NDArray[np.float32]:
    if len(array) < rows:
        array = np.concatenate([array, np.zeros((rows - len(array), *array.shape[1:]), np.float32)])
    return np.ascontiguousarray(array, np.float32)
