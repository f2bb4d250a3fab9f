"""Networks in ONNX files: in the compiled core what that computes, else through ONNX Runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.evaluators.network import NetworkEvaluator, find_file, only_input
from tengen.nets.onnx_files import read_model
from tengen.nets.runtimes import OnnxRuntime

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import onnx
    from numpy.typing import NDArray

    from tengen.nets.native_graph import NativeGraph

_NOT_IN_CORE = {"Transpose", "QuantizeLinear"}
"""Kinds of nodes that the core does not run."""


class Onnx(NetworkEvaluator):
    """A network in an ONNX file. NetworkEvaluator describes its inputs and outputs."""

    def __init__(self, path: str | Path, *, threads: int = 1) -> None:
        file = find_file(path)
        model = read_model(file)
        runtime = OnnxRuntime(file, str(file), threads=threads)
        self._input, port = only_input(file, runtime.inputs)
        super().__init__(file, port.shape, {name: output.shape for name, output in runtime.outputs.items()})
        self._runtime = find_native(model, str(file), list(self._outputs), threads) or runtime

    @property
    def is_native(self) -> bool:
        """It runs in the core."""
        return not isinstance(self._runtime, OnnxRuntime)

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        return self._runtime.run({self._input: features}, list(self._outputs))


def find_native(model: onnx.ModelProto, where: str, outputs: list[str], threads: int) -> NativeGraph | None:
    """Return the graph in the core, which is about twice as fast as runtimes, or None if the core can't compute it."""
    if any(node.op_type in _NOT_IN_CORE for node in model.graph.node):
        return None
    from tengen.nets.native_graph import NativeGraph, UnsupportedGraph

    try:
        return NativeGraph(model, outputs, threads=threads, where=where)
    except UnsupportedGraph:
        return None
