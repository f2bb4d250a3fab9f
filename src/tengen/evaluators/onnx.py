"""Networks in ONNX files: in the compiled core what that computes, else through ONNX Runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.evaluators.network import NetworkEvaluator, find_file, only_input
from tengen.nets.runtimes import OnnxRuntime

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from tengen.nets.native_graph import NativeGraph

_NOT_IN_CORE = (b"Sigmoid", b"Transpose", b"QuantizeLinear")
"""Nodes whose names in a file tell that the core can't run it, so that most files need not be read for that."""


class Onnx(NetworkEvaluator):
    """A network in an ONNX file; NetworkEvaluator says what its inputs and outputs must be."""

    def __init__(self, path: str | Path, *, threads: int = 1) -> None:
        file = find_file(path)
        runtime = OnnxRuntime(file, str(file), threads=threads)
        self._input, port = only_input(file, runtime.inputs)
        super().__init__(file, port.shape, {name: output.shape for name, output in runtime.outputs.items()})
        self._runtime = find_native(file, list(self._outputs), threads) or runtime

    @property
    def is_native(self) -> bool:
        """It runs in the core."""
        return not isinstance(self._runtime, OnnxRuntime)

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        return self._runtime.run({self._input: features}, list(self._outputs))


def find_native(file: Path, outputs: list[str], threads: int) -> NativeGraph | None:
    """The graph in the core, about twice as fast as in runtimes; None: it has something that the core can't compute."""
    data = file.read_bytes()
    if any(name in data for name in _NOT_IN_CORE):
        return None
    from tengen.nets.native_graph import NativeGraph, UnsupportedGraph

    try:
        return NativeGraph(data, outputs, threads=threads)
    except UnsupportedGraph:
        return None
