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
from tengen.nets.runtimes import CPU, OnnxRuntime, best_providers

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

    from tengen.nets.runtimes import Arrays

__all__ = ["Backend", "OnnxFacts", "OnnxFileError", "OnnxNetwork", "copy_model", "read_facts", "read_model"]

Backend: TypeAlias = Literal["native", "onnxruntime"]


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
        int16: bool = False,
    ) -> None:
        """Of all outputs only these are answered. Without a `backend` the compiled core runs what it can, and ONNX
        Runtime the rest, or everything if it finds a GPU. With `int16` the core's 3x3 convolutions multiply integers of
        16 bits, where the processor does that faster; what the core can't run is refused."""
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
                self._runtime = NativeGraph(read_model(path), self._outputs, threads=threads, int16=int16)
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
