"""ONNX graphs of convolutional networks in the compiled core, whose convolutions take fewer multiplications than
those of runtimes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tengen import _core
from tengen.nets.errors import network_errors
from tengen.nets.runtimes import Port

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

    from tengen.nets.runtimes import Arrays, Source

    Floats = NDArray[np.float32]

__all__ = ["NativeGraph", "UnsupportedGraph"]

_NONE = np.zeros(0, np.float32)
_ACTIVATIONS = {"Relu": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid"}
_POOLS = {"ReduceMax": "MaxPool", "ReduceMean": "AveragePool"}


class UnsupportedGraph(ValueError):  # noqa: N818 - says what is wrong
    """A graph with something in it that the core does not compute."""


@dataclass(frozen=True)
class _Board:
    """A number for each channel and point."""

    value: int
    channels: int


@dataclass(frozen=True, eq=False)
class _Row:
    """A number for each channel."""

    value: int
    channels: int
    order: NDArray[np.intp] | None = None
    """Index of each number in the core's row, if the order differs."""
    terms: Floats | None = None
    """Terms that are not added yet."""


@dataclass(frozen=True)
class _Flat:
    """A board that counts as a row."""

    board: _Board


@dataclass(frozen=True)
class _Pooled:
    board: _Board
    kind: str
    """MaxPool or AveragePool, over all points."""


@dataclass(frozen=True)
class _Joined:
    """Rows one after the other, for a layer that reads them all."""

    rows: tuple[_Row, ...]


_Value: TypeAlias = "_Board | _Row | _Flat | _Pooled | _Joined | NDArray[Any]"


class NativeGraph:
    """A graph that the core runs, as other runtimes do. Its inputs are boards of one size."""

    def __init__(
        self,
        source: Source | onnx.ModelProto,
        outputs: Sequence[str],
        *,
        threads: int = 1,
        int16: bool = False,
        where: str = "the network",
    ) -> None:
        """Build the part of a graph that the `outputs` need.

        With `int16`, 3x3 convolutions multiply integers of 16 bits. Errors call the graph `where`. An UnsupportedGraph
        is raised if the core can't compute it.
        """
        import onnx

        self._where = where
        try:
            if isinstance(source, Path):
                source = onnx.load(source)
            elif isinstance(source, bytes):
                source = onnx.load_from_string(source)
            build = _Build(source, outputs, threads, int16)
        except UnsupportedGraph:
            raise
        except Exception as error:  # a graph that contradicts itself: names, shapes and types may be anything
            raise UnsupportedGraph(f"it can't be read: {type(error).__name__}: {error}") from error
        self._net, self._finishes = build.net, build.finishes
        self.inputs: Mapping[str, Port] = build.inputs

    @property
    def instructions(self) -> str:
        """The processor's instruction set that is used."""
        return self._net.instructions

    def run(self, inputs: Arrays, outputs: Sequence[str]) -> dict[str, Floats]:
        """May be called from several threads, which take turns."""
        with network_errors(f"{self._where} can't be evaluated"):
            given = [np.ascontiguousarray(inputs[name], np.float32) for name in self.inputs]
            found = dict(zip(self._finishes, self._net.run(given), strict=True))
            return {name: self._finishes[name](found[name]) for name in outputs}


class _Build:
    def __init__(self, model: onnx.ModelProto, outputs: Sequence[str], threads: int, int16: bool) -> None:
        from onnx import numpy_helper

        graph = model.graph
        self._made: dict[str, _Value] = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
        self._makers = {name: node for node in graph.node for name in node.output}
        self.inputs = {each.name: _port(each) for each in graph.input if each.name not in self._made}
        sizes = {tuple(port.shape[1:]) for port in self.inputs.values()}
        if len(sizes) != 1 or any(port.rank != 4 for port in self.inputs.values()):
            raise UnsupportedGraph("its inputs are no boards of one size")
        self._height, self._width = sizes.pop()
        self.net = _core.ConvNet(self._width, self._height, threads, int16=int16)
        for name, port in self.inputs.items():
            self._made[name] = _Board(self.net.board_input(port.shape[0]), port.shape[0])
        needed = self._needed(outputs)
        for node in graph.node:
            if needed.intersection(node.output):
                self._made[node.output[0]] = self._make(node)
        self.finishes: dict[str, Callable[[Floats], Floats]] = {name: self._output(name) for name in outputs}
        self.net.finish()

    def _needed(self, outputs: Sequence[str]) -> set[str]:
        found: set[str] = set()
        asked = list(outputs)
        while asked:
            name = asked.pop()
            if name not in found and name in self._makers:
                found.add(name)
                asked += self._reads(self._makers[name])
        return found

    def _reads(self, node: onnx.NodeProto) -> list[str]:
        gated = self._gated(node)
        return list(node.input) if gated is None else [gated]

    def _gated(self, node: onnx.NodeProto) -> str | None:
        """Return the name of the value that a node multiplies by its own sigmoid."""
        if node.op_type == "Mul":
            for x, gate in (node.input, reversed(node.input)):
                maker = self._makers.get(gate)
                if maker is not None and maker.op_type == "Sigmoid" and maker.input[0] == x:
                    return str(x)
        return None

    def _make(self, node: onnx.NodeProto) -> _Value:
        makers: dict[str, Callable[[onnx.NodeProto], _Value]] = {
            "Add": self._add,
            "AveragePool": self._pool,
            "BatchNormalization": self._normalize,
            "Concat": self._concat,
            "Constant": self._constant,
            "Conv": self._conv,
            "Flatten": self._flatten,
            "Gemm": self._gemm,
            "GlobalAveragePool": self._pool,
            "GlobalMaxPool": self._pool,
            "Identity": lambda node: self._made[node.input[0]],
            "MatMul": self._gemm,
            "MaxPool": self._pool,
            "Mul": self._gate,
            "ReduceMax": self._reduce,
            "ReduceMean": self._reduce,
            "Relu": self._activate,
            "Reshape": self._flatten,
            "Shape": self._shape,
            "Sigmoid": self._activate,
            "Squeeze": self._flatten,
            "Tanh": self._activate,
            "Unsqueeze": self._flatten,
        }
        if node.op_type not in makers:
            raise UnsupportedGraph(f"it has a node {node.op_type}")
        return makers[node.op_type](node)

    def _constant(self, node: onnx.NodeProto) -> NDArray[Any]:
        from onnx import numpy_helper

        return np.asarray(numpy_helper.to_array(_attributes(node)["value"]))

    def _conv(self, node: onnx.NodeProto) -> _Board:
        board, facts = self._board(node.input[0]), _attributes(node)
        weights = self._weights(node.input[1])
        bias = self._weights(node.input[2]) if len(node.input) > 2 else _NONE
        height, width = weights.shape[2:]
        pads = facts.get("pads", [0, 0, 0, 0])
        if facts.get("group", 1) != 1 or {*facts.get("strides", [1]), *facts.get("dilations", [1])} != {1}:
            raise UnsupportedGraph(f"{node.name} is a convolution in groups or in steps")
        if (height, width) == (self._height, 1) and not any(pads):
            value = self.net.conv_columns(board.value, np.ascontiguousarray(weights[:, :, :, 0]), bias)
        elif list(pads) == [height // 2, width // 2] * 2 and height % 2 and width % 2:
            value = self.net.conv(board.value, weights, bias)
        else:
            raise UnsupportedGraph(f"{node.name} is a convolution of {height}x{width} with borders of {list(pads)}")
        return _Board(value, len(weights))

    def _normalize(self, node: onnx.NodeProto) -> _Board:
        board = self._board(node.input[0])
        scale, bias, mean, variance = (self._weights(name).astype(np.float64) for name in node.input[1:5])
        factors = scale / np.sqrt(variance + _attributes(node).get("epsilon", 1e-5))
        value = self.net.scale(board.value, factors.astype(np.float32))
        return replace(board, value=self.net.shift(value, (bias - mean * factors).astype(np.float32)))

    def _activate(self, node: onnx.NodeProto) -> _Value:
        return self._activated(self._made[node.input[0]], _ACTIVATIONS[node.op_type])

    def _gate(self, node: onnx.NodeProto) -> _Value:
        gated = self._gated(node)
        if gated is not None:
            return self._activated(self._made[gated], "silu")
        a, b = (self._made[name] for name in node.input)
        board, row = (b, a) if isinstance(a, _Row) else (a, b)
        if isinstance(board, _Board) and isinstance(row, _Row) and row.order is None and row.terms is None:
            return replace(board, value=self.net.scale_everywhere(board.value, row.value))
        raise UnsupportedGraph(f"{node.name} multiplies two values")

    def _activated(self, x: _Value, kind: str) -> _Value:
        if isinstance(x, _Flat):
            return _Flat(replace(x.board, value=self.net.activate(x.board.value, kind)))
        if isinstance(x, _Board) or (isinstance(x, _Row) and x.terms is None):
            return replace(x, value=self.net.activate(x.value, kind))
        raise UnsupportedGraph(f"a {kind} of what is neither a board nor a row")

    def _add(self, node: onnx.NodeProto) -> _Value:
        a, b = (self._made[name] for name in node.input)
        if isinstance(a, np.ndarray) or (isinstance(a, _Row) and isinstance(b, _Board)):
            a, b = b, a
        if isinstance(a, _Board) and isinstance(b, _Board) and a.channels == b.channels:
            # The later one first: the core makes the sum a part of its convolution.
            first, second = (a, b) if a.value > b.value else (b, a)
            return replace(a, value=self.net.add(first.value, second.value))
        if isinstance(a, _Board) and isinstance(b, _Row) and b.order is None and b.terms is None:
            return replace(a, value=self.net.add_everywhere(a.value, b.value))
        if (
            isinstance(a, _Board)
            and isinstance(b, np.ndarray)
            and b.size == a.channels == max(b.shape[-3:-2], default=0)
        ):
            return replace(a, value=self.net.shift(a.value, np.ascontiguousarray(b.reshape(-1), np.float32)))
        if isinstance(a, _Flat | _Row) and isinstance(b, np.ndarray):
            row = self._row(a)
            if b.size == row.channels and row.terms is None:
                return replace(row, terms=b.reshape(-1).astype(np.float32))
        raise UnsupportedGraph(f"{node.name} adds what the core can't")

    def _pool(self, node: onnx.NodeProto) -> _Pooled:
        facts = _attributes(node)
        kernel = facts.get("kernel_shape", [self._height, self._width])
        if list(kernel) != [self._height, self._width] or any(facts.get("pads", [])):
            raise UnsupportedGraph(f"{node.name} pools parts of the board")
        return _Pooled(self._board(node.input[0]), node.op_type.removeprefix("Global"))

    def _reduce(self, node: onnx.NodeProto) -> _Pooled:
        facts = _attributes(node)
        axes = facts.get("axes", self._weights(node.input[1]).tolist() if len(node.input) > 1 else [])
        if [axis % 4 for axis in axes] != [2, 3]:
            raise UnsupportedGraph(f"{node.name} is over axes {list(axes)}")
        return _Pooled(self._board(node.input[0]), _POOLS[node.op_type])

    def _shape(self, node: onnx.NodeProto) -> NDArray[Any]:
        """The batch, as far as reshapes ask for it."""
        if _attributes(node).get("end") != 1:
            raise UnsupportedGraph(f"{node.name} asks for more than the size of the batch")
        return np.array([-1])

    def _concat(self, node: onnx.NodeProto) -> _Row | _Joined | NDArray[Any]:
        parts = [self._made[name] for name in node.input]
        arrays = [part for part in parts if isinstance(part, np.ndarray)]
        if len(arrays) == len(parts):
            return np.concatenate(arrays)
        rows: list[_Row] = []
        while parts:
            match parts:
                case [_Pooled() as first, _Pooled() as second, *rest]:
                    rows.append(self._pooled(node, first, second))
                case [first, *rest]:
                    rows.append(self._row(first))
            parts = rest
        return rows[0] if len(rows) == 1 else _Joined(tuple(rows))

    def _pooled(self, node: onnx.NodeProto, *parts: _Pooled) -> _Row:
        match parts:
            case [_Pooled(a, kind), _Pooled(b, other)] if a == b and {kind, other} == {"MaxPool", "AveragePool"}:
                order = np.arange(2 * a.channels)
                return _Row(
                    self.net.pool(a.value),
                    2 * a.channels,
                    np.roll(order, a.channels) if kind == "MaxPool" else None,
                )
        raise UnsupportedGraph(f"{node.name} joins what is not the maxima and the means of one board")

    def _flatten(self, node: onnx.NodeProto) -> _Value:
        """Return a flattened value; values that differ only in dimensions of size 1 are the same in the core."""
        x = self._made[node.input[0]]
        if isinstance(x, _Board):
            shape = self._weights(node.input[1]) if node.op_type == "Reshape" else None
            is_row = node.op_type == "Flatten" and _attributes(node).get("axis", 1) == 1
            if is_row or (shape is not None and len(shape) == 2 and shape[-1] in (-1, self._area(x))):
                return _Flat(x)
            raise UnsupportedGraph(f"{node.name} gives a board another shape")
        return self._row(x) if isinstance(x, _Pooled) else x

    def _gemm(self, node: onnx.NodeProto) -> _Row:
        facts = _attributes(node)
        x, weights = self._made[node.input[0]], self._weights(node.input[1]).astype(np.float64)
        rows = x.rows if isinstance(x, _Joined) else (self._row(x),)
        weights = (weights.T if facts.get("transB", 0) else weights) * facts.get("alpha", 1.0)
        if facts.get("transA", 0) or weights.ndim != 2 or len(weights) != sum(row.channels for row in rows):
            raise UnsupportedGraph(f"{node.name} multiplies other shapes")
        bias = np.zeros(weights.shape[1])
        if len(node.input) > 2:
            bias = bias + facts.get("beta", 1.0) * self._weights(node.input[2]).reshape(-1)
        first, *others = rows
        found = self._linear(first, weights[: first.channels], bias)
        begin = first.channels
        for row in others:
            part = self._linear(row, weights[begin : begin + row.channels], np.zeros_like(bias))
            found, begin = replace(found, value=self.net.add(found.value, part.value)), begin + row.channels
        return found

    def _linear(self, row: _Row, weights: NDArray[np.float64], bias: NDArray[np.float64]) -> _Row:
        if row.terms is not None:
            bias = bias + row.terms @ weights
        if row.order is not None:
            turned = np.empty_like(weights)
            turned[row.order] = weights
            weights = turned
        given = np.ascontiguousarray(weights, np.float32)
        return _Row(self.net.linear(row.value, given, bias.astype(np.float32)), given.shape[1])

    def _output(self, name: str) -> Callable[[Floats], Floats]:
        x = self._made[name]
        if isinstance(x, _Flat | _Board):
            board = x.board if isinstance(x, _Flat) else x
            self.net.output([board.value])
            shape = [-1, self._area(board)] if isinstance(x, _Flat) else [-1, board.channels, self._height, self._width]
            return lambda found: found.reshape(shape)
        row = self._row(x)
        self.net.output([row.value])
        order, terms = row.order, row.terms
        if order is None and terms is None:
            return lambda found: found
        return lambda found: (found if order is None else found[:, order]) + (0 if terms is None else terms)

    def _board(self, name: str) -> _Board:
        x = self._made[name]
        if not isinstance(x, _Board):
            raise UnsupportedGraph(f"{name} is no board")
        return x

    def _row(self, x: _Value) -> _Row:
        if isinstance(x, _Row):
            return x
        if isinstance(x, _Flat):
            return _Row(self.net.flatten(x.board.value), self._area(x.board))
        if isinstance(x, _Pooled) and x.kind == "AveragePool":
            return _Row(self.net.mean(x.board.value), x.board.channels)
        raise UnsupportedGraph("a board or maxima alone where the core needs a row")

    def _weights(self, name: str) -> NDArray[Any]:
        x = self._made[name]
        if not isinstance(x, np.ndarray):
            raise UnsupportedGraph(f"{name} is computed, where the core needs a constant")
        return np.ascontiguousarray(x)

    def _area(self, board: _Board) -> int:
        return int(board.channels * self._height * self._width)


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    from onnx import helper

    return {each.name: helper.get_attribute_value(each) for each in node.attribute}


def _port(info: onnx.ValueInfoProto) -> Port:
    from onnx import TensorProto

    kind = info.type.tensor_type
    sizes = [size.dim_value or size.dim_param for size in kind.shape.dim]
    return Port(sizes[1:], len(sizes), kind.elem_type == TensorProto.FLOAT)
