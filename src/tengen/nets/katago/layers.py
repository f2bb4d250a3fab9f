"""Layers of a network, whatever computes them, with the norms around them folded into their weights."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tengen.nets.katago.description import Activation, BatchNorm, Conv, Floats, MatMul

Doubles = NDArray[np.float64]


class Layers(ABC):
    """For one board size.

    Values are known by their names. Boards have a number for each point and channel, rows one for each channel.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height, self.area = width, height, width * height

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
        shift = bias.astype(np.float32) if bias is not None and bias.any() else None
        return self.convolve(x, weights.astype(np.float32), shift, layer.dilation, layer.name)

    def pooled_weights(self, layer: MatMul) -> Doubles:
        """For pool(): a file's weights are for mean, mean scaled by the board's size, and maximum."""
        mean, scaled, top = np.split(layer.weights.astype(np.float64), 3)
        return np.concatenate([mean + scaled * self._size(), top])

    def value_weights(self, layer: MatMul) -> Doubles:
        """For mean(): a file's weights are for three scalings of means."""
        mean, scaled, squared = np.split(layer.weights.astype(np.float64), 3)
        return mean + scaled * self._size() + squared * (self._size() ** 2 - 0.1)

    def _size(self) -> float:
        return (math.sqrt(self.area) - 14) / 10

    @abstractmethod
    def board_input(self, name: str, channels: int) -> str: ...

    @abstractmethod
    def row_input(self, name: str, channels: int) -> str: ...

    @abstractmethod
    def convolve(self, x: str, weights: Floats, bias: Floats | None, dilation: tuple[int, int], name: str) -> str:
        """Of a board, by weights [out, in, height, width]."""

    @abstractmethod
    def linear(self, x: str, weights: Doubles, bias: Floats | Doubles | None, name: str) -> str:
        """Of a row, by weights [in, out]."""

    @abstractmethod
    def add(self, a: str, b: str, name: str) -> str: ...

    @abstractmethod
    def add_everywhere(self, board: str, x: str, channels: int, name: str) -> str:
        """Adds a row to every point."""

    @abstractmethod
    def scale(self, board: str, by: Floats, name: str) -> str: ...

    @abstractmethod
    def shift(self, board: str, by: Floats, name: str) -> str: ...

    @abstractmethod
    def activate(self, x: str, kind: Activation, name: str) -> str: ...

    @abstractmethod
    def tanh(self, x: str, name: str) -> str: ...

    @abstractmethod
    def pool(self, board: str, channels: int, name: str) -> str:
        """Means and maxima in a row of twice the channels."""

    @abstractmethod
    def mean(self, board: str, channels: int, name: str) -> str: ...

    @abstractmethod
    def board_output(self, board: str, channels: int, name: str, last: str | None = None) -> None:
        """[batch, channels, points] or, of a single channel, [batch, points]; with a row as the `last` column,
        [batch, channels, points + 1]."""

    @abstractmethod
    def row_output(self, row: str, channels: int, name: str) -> None: ...
