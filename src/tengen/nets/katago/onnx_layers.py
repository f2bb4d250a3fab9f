"""Layers as ONNX nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tengen.nets.katago.description import Activation, RmsNorm
from tengen.nets.katago.graph import Graph
from tengen.nets.katago.layers import Doubles, Layers

if TYPE_CHECKING:
    from tengen.nets.katago.description import Floats


class OnnxLayers(Graph, Layers):
    """Boards are [batch, channels, height, width], rows of points [batch, points, channels], rows [batch, channels]."""

    def __init__(self, width: int, height: int) -> None:
        Graph.__init__(self)
        Layers.__init__(self, width, height)
        self._turned: dict[str, str] = {}

    def board_input(self, name: str, channels: int) -> str:
        return self.input(name, [channels, self.height, self.width])

    def row_input(self, name: str, channels: int) -> str:
        return self.input(name, [channels])

    def convolve(self, x: str, weights: Floats, bias: Floats | None, dilation: tuple[int, int], name: str) -> str:
        inputs = [x, self.weights(weights, f"{name}.weights")]
        if bias is not None:
            inputs.append(self.weights(bias, f"{name}.bias"))
        sides = weights.shape[2:]
        pads = [side // 2 * far for side, far in zip(sides, dilation, strict=True)] * 2
        return self.node("Conv", inputs, name, kernel_shape=sides, pads=pads, dilations=dilation)

    def linear(self, x: str, weights: Doubles, bias: Floats | Doubles | None, name: str) -> str:
        inputs = [x, self.weights(weights.astype(np.float32), f"{name}.weights")]
        if bias is not None and bias.any():
            inputs.append(self.weights(bias.astype(np.float32), f"{name}.bias"))
        return self.node("Gemm", inputs, name)

    def matmul(self, rows: str, weights: Doubles, name: str) -> str:
        return self.node("MatMul", [rows, self.weights(weights.astype(np.float32), f"{name}.weights")], name)

    def add(self, a: str, b: str, name: str) -> str:
        return self.node("Add", [a, b], name)

    def scale(self, board: str, by: Floats, name: str) -> str:
        return self._per_channel("Mul", board, by, name)

    def shift(self, board: str, by: Floats, name: str) -> str:
        return self._per_channel("Add", board, by, name)

    def shift_points(self, rows: str, by: Floats, name: str) -> str:
        """The same of rows of points."""
        return self._per_channel("Add", rows, by, name, rows=True)

    def _per_channel(self, op: str, x: str, by: Floats, name: str, *, rows: bool = False) -> str:
        shaped = by if rows else by.reshape(-1, 1, 1)
        return self.node(op, [x, self.weights(shaped.astype(np.float32), f"{name}.weights")], name)

    def add_everywhere(self, board: str, x: str, channels: int, name: str) -> str:
        """Adds [batch, channels] to every point."""
        return self.node("Add", [board, self.reshape(x, [-1, channels, 1, 1], f"{name}.spread")], name)

    def activate(self, x: str, kind: Activation, name: str) -> str:
        if kind is Activation.IDENTITY:
            return x
        if kind is Activation.RELU:
            return self.node("Relu", [x], f"{name}.relu")
        if kind is Activation.SILU:
            return self.node("Mul", [x, self.node("Sigmoid", [x], f"{name}.sigmoid")], f"{name}.silu")
        # tanh(softplus(x)) is n / (n + 2) with n = e (e + 2) and e = exp(x): an eighth of the time that Softplus takes.
        two = self.number(2, f"{name}.two")
        top = self.node("Min", [x, self.number(20, f"{name}.top")], f"{name}.min")
        e = self.node("Exp", [top], f"{name}.exp")
        n = self.node("Mul", [e, self.node("Add", [e, two], f"{name}.exp_2")], f"{name}.n")
        share = self.node("Div", [n, self.node("Add", [n, two], f"{name}.n_2")], f"{name}.share")
        return self.node("Mul", [x, share], f"{name}.mish")

    def tanh(self, x: str, name: str) -> str:
        return self.node("Tanh", [x], f"{name}.tanh")

    def rms_norm(self, x: str, norm: RmsNorm, *, rows: bool) -> str:
        """In the form that runtimes know and turn into one node."""
        axes = [1, 2] if rows and norm.spatial else [2] if rows else [1, 2, 3]
        assert rows or norm.spatial, "points are normed in rows"
        name = norm.name
        square = self.node("Pow", [x, self.number(2, f"{name}.two")], f"{name}.square")
        mean = self.node("ReduceMean", [square], f"{name}.mean", axes=axes, keepdims=1)
        above = self.node("Add", [mean, self.number(norm.epsilon, f"{name}.epsilon")], f"{name}.above")
        y = self.node("Div", [x, self.node("Sqrt", [above], f"{name}.root")], f"{name}.normed")
        y = self._per_channel("Mul", y, norm.scale, f"{name}.scaled", rows=rows)
        if norm.bias is not None and norm.bias.any():
            y = self._per_channel("Add", y, norm.bias, f"{name}.biased", rows=rows)
        return y

    def pool(self, board: str, channels: int, name: str) -> str:
        mean = self.node("GlobalAveragePool", [board], f"{name}.mean")
        top = self.node("GlobalMaxPool", [board], f"{name}.max")
        return self.reshape(self.node("Concat", [mean, top], f"{name}.both", axis=1), [-1, 2 * channels], name)

    def mean(self, board: str, channels: int, name: str) -> str:
        return self.reshape(self.node("GlobalAveragePool", [board], f"{name}.mean"), [-1, channels], f"{name}.means")

    def board_output(self, board: str, channels: int, name: str, last: str | None = None) -> None:
        wide = [channels] if channels > 1 or last is not None else []
        points = self.reshape(board, [-1, *wide, self.area], f"{name}.points")
        if last is not None:
            column = self.reshape(last, [-1, channels, 1], f"{name}.last")
            points = self.node("Concat", [points, column], f"{name}.all", axis=2)
        self.output(points, name, [*wide, self.area + (last is not None)])

    def row_output(self, row: str, channels: int, name: str) -> None:
        self.output(row, name, [channels])

    def to_rows(self, board: str, channels: int) -> str:
        if board not in self._turned:
            flat = self.reshape(board, [-1, channels, self.area], f"{board}.flat")
            rows = self.node("Transpose", [flat], f"{board}.rows", perm=[0, 2, 1])
            self._turned |= {board: rows, rows: board}
        return self._turned[board]

    def to_board(self, rows: str, channels: int) -> str:
        if rows not in self._turned:
            flat = self.node("Transpose", [rows], f"{rows}.flat", perm=[0, 2, 1])
            board = self.reshape(flat, [-1, channels, self.height, self.width], f"{rows}.board")
            self._turned |= {rows: board, board: rows}
        return self._turned[rows]
