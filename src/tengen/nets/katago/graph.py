"""Nodes and weights of an ONNX graph, collected in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

OPSET = 17
_IR = 8
"""The oldest that goes with the opset: also older runtimes read it."""


class Graph:
    """Values are known by their names."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._names: set[str] = set()

    def input(self, name: str, shape: Sequence[int]) -> str:
        """A float32 input; `shape` is without the batch."""
        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape]))
        return self._name(name)

    def output(self, value: str, name: str, shape: Sequence[int]) -> None:
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape]))
        self._nodes.append(helper.make_node("Identity", [value], [name], self._name(f"{name}.output")))

    def weights(self, array: NDArray[Any], name: str) -> str:
        name = self._name(name)
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def number(self, value: float, name: str) -> str:
        return self.weights(np.array(value, np.float32), name)

    def node(self, op: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
        """Adds a node with one output and answers the output's name."""
        name = self._name(name)
        self._nodes.append(helper.make_node(op, list(inputs), [name], name, **attributes))
        return name

    def split(self, value: str, sizes: Sequence[int], axis: int, name: str) -> list[str]:
        names = [self._name(f"{name}.{i}") for i in range(len(sizes))]
        given = self.weights(np.array(sizes, np.int64), f"{name}.sizes")
        self._nodes.append(helper.make_node("Split", [value, given], names, self._name(name), axis=axis))
        return names

    def reshape(self, value: str, shape: Sequence[int], name: str) -> str:
        """-1 is the batch."""
        return self.node("Reshape", [value, self.weights(np.array(shape, np.int64), f"{name}.shape")], name)

    def model(self, name: str) -> onnx.ModelProto:
        graph = helper.make_graph(self._nodes, name, self._inputs, self._outputs, self._weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="tengen")
        model.ir_version = _IR
        onnx.checker.check_model(model)
        return model

    def _name(self, name: str) -> str:
        """Names of layers may repeat in a file; those of values must not."""
        unique, number = name, 1
        while unique in self._names:
            number += 1
            unique = f"{name}.{number}"
        self._names.add(unique)
        return unique
