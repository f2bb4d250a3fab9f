"""Layers as ONNX nodes, with the norms around them folded into their weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tengen.nets.katago.description import Activation, BatchNorm, Conv, Floats, MatMul, RmsNorm
from tengen.nets.katago.graph import Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]


class Layers(Graph):
    """For one board size. Boards are [batch, channels, height, width], rows [batch, points, channels]."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self.width, self.height, self.area = width, height, width * height
        self._turned: dict[str, str] = {}

    def conv(
        self,
        x: str,
        layer: Conv,
        *,
        before: Floats | None = None,
        norm: BatchNorm | None = None,
        after: Floats | None = None,
        bias: Floats | None = None,
    ) -> str:
        """`before` multiplies its inputs; `norm`, or `after` and `bias`, apply to its outputs."""
        if norm is not None:
            after, bias = norm.merged()
        weights = layer.weights.astype(np.float64)
        if before is not None:
            weights = weights * before[None, :, None, None]
        if after is not None:
            weights = weights * after[:, None, None, None]
        inputs = [x, self.weights(weights.astype(np.float32), f"{layer.name}.weights")]
        if bias is not None and bias.any():
            inputs.append(self.weights(bias.astype(np.float32), f"{layer.name}.bias"))
        sides, dilation = layer.weights.shape[2:], layer.dilation
        pads = [side // 2 * far for side, far in zip(sides, dilation, strict=True)] * 2
        return self.node("Conv", inputs, layer.name, kernel_shape=sides, pads=pads, dilations=dilation)

    def linear(self, x: str, weights: Doubles, bias: Floats | Doubles | None, name: str) -> str:
        """Of [batch, in]."""
        inputs = [x, self.weights(weights.astype(np.float32), f"{name}.weights")]
        if bias is not None and bias.any():
            inputs.append(self.weights(bias.astype(np.float32), f"{name}.bias"))
        return self.node("Gemm", inputs, name)

    def matmul(self, rows: str, weights: Doubles, name: str) -> str:
        return self.node("MatMul", [rows, self.weights(weights.astype(np.float32), f"{name}.weights")], name)

    def per_channel(self, op: str, x: str, by: Floats, name: str, *, rows: bool = False) -> str:
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

    def rms_norm(self, x: str, norm: RmsNorm, *, rows: bool) -> str:
        """In the form that runtimes know and turn into one node."""
        axes = [1, 2] if rows and norm.spatial else [2] if rows else [1, 2, 3]
        assert rows or norm.spatial, "points are normed in rows"
        name = norm.name
        square = self.node("Pow", [x, self.number(2, f"{name}.two")], f"{name}.square")
        mean = self.node("ReduceMean", [square], f"{name}.mean", axes=axes, keepdims=1)
        above = self.node("Add", [mean, self.number(norm.epsilon, f"{name}.epsilon")], f"{name}.above")
        y = self.node("Div", [x, self.node("Sqrt", [above], f"{name}.root")], f"{name}.normed")
        y = self.per_channel("Mul", y, norm.scale, f"{name}.scaled", rows=rows)
        if norm.bias is not None and norm.bias.any():
            y = self.per_channel("Add", y, norm.bias, f"{name}.biased", rows=rows)
        return y

    def pool(self, board: str, channels: int, name: str) -> str:
        """[batch, 2 · channels]: means and maxima."""
        mean = self.node("GlobalAveragePool", [board], f"{name}.mean")
        top = self.node("GlobalMaxPool", [board], f"{name}.max")
        return self.reshape(self.node("Concat", [mean, top], f"{name}.both", axis=1), [-1, 2 * channels], name)

    def pooled_weights(self, layer: MatMul) -> Doubles:
        """For pool(): a file's weights are for mean, mean scaled by the board's size, and maximum."""
        mean, scaled, top = np.split(layer.weights.astype(np.float64), 3)
        return np.concatenate([mean + scaled * self._size(), top])

    def value_weights(self, layer: MatMul) -> Doubles:
        """For means alone: a file's weights are for three scalings of them."""
        mean, scaled, squared = np.split(layer.weights.astype(np.float64), 3)
        return mean + scaled * self._size() + squared * (self._size() ** 2 - 0.1)

    def _size(self) -> float:
        return (math.sqrt(self.area) - 14) / 10

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
