"""Layers in the compiled core: convolutions by Winograd's method, which no runtime of ONNX graphs does on a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tengen import _core
from tengen.nets.errors import network_errors
from tengen.nets.katago.description import Activation
from tengen.nets.katago.layers import Doubles, Layers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.nets.katago.description import Floats
    from tengen.nets.runtimes import Arrays

_NONE = np.zeros(0, np.float32)
_KINDS = {Activation.RELU: "relu", Activation.MISH: "mish", Activation.SILU: "silu"}


class NativeLayers(Layers):
    """Runs as soon as it is finish()ed."""

    def __init__(self, width: int, height: int, threads: int = 1, *, int16: bool = False) -> None:
        """With `int16`, 3x3 convolutions round what they multiply to integers of 16 bits."""
        super().__init__(width, height)
        self._net = _core.ConvNet(width, height, threads, int16=int16)
        self._values: dict[str, int] = {}
        self._inputs: list[str] = []
        self._outputs: dict[str, list[int]] = {}
        """The shape of each, without the batch."""

    @property
    def instructions(self) -> str:
        """The processor's instruction set that is used."""
        return self._net.instructions

    def finish(self) -> None:
        self._net.finish()
        self._values.clear()

    def run(self, inputs: Arrays, outputs: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """May be called from several threads, which take turns."""
        given = [np.ascontiguousarray(inputs[name], np.float32) for name in self._inputs]
        with network_errors("the network can't be evaluated"):
            found = dict(zip(self._outputs, self._net.run(given), strict=True))
        return {name: found[name].reshape(-1, *self._outputs[name]) for name in outputs}

    def board_input(self, name: str, channels: int) -> str:
        self._inputs.append(name)
        return self._named(name, self._net.board_input(channels))

    def row_input(self, name: str, channels: int) -> str:
        self._inputs.append(name)
        return self._named(name, self._net.row_input(channels))

    def convolve(self, x: str, weights: Floats, bias: Floats | None, dilation: tuple[int, int], name: str) -> str:
        weights = np.ascontiguousarray(weights)
        terms = _NONE if bias is None else bias
        return self._named(name, self._net.conv(self._values[x], weights, terms, dilation))

    def linear(self, x: str, weights: Doubles, bias: Floats | Doubles | None, name: str) -> str:
        terms = _NONE if bias is None else bias.astype(np.float32)
        given = np.ascontiguousarray(weights, np.float32)
        return self._named(name, self._net.linear(self._values[x], given, terms))

    def add(self, a: str, b: str, name: str) -> str:
        return self._named(name, self._net.add(self._values[a], self._values[b]))

    def add_everywhere(self, board: str, x: str, channels: int, name: str) -> str:  # noqa: ARG002 - the core knows
        return self._named(name, self._net.add_everywhere(self._values[board], self._values[x]))

    def scale(self, board: str, by: Floats, name: str) -> str:
        return self._named(name, self._net.scale(self._values[board], by.astype(np.float32)))

    def shift(self, board: str, by: Floats, name: str) -> str:
        return self._named(name, self._net.shift(self._values[board], by.astype(np.float32)))

    def activate(self, x: str, kind: Activation, name: str) -> str:
        if kind is Activation.IDENTITY:
            return x
        return self._named(f"{name}.act", self._net.activate(self._values[x], _KINDS[kind]))

    def tanh(self, x: str, name: str) -> str:
        return self._named(f"{name}.tanh", self._net.activate(self._values[x], "tanh"))

    def pool(self, board: str, channels: int, name: str) -> str:  # noqa: ARG002 - the core knows
        return self._named(name, self._net.pool(self._values[board]))

    def mean(self, board: str, channels: int, name: str) -> str:  # noqa: ARG002 - the core knows
        return self._named(name, self._net.mean(self._values[board]))

    def board_output(self, board: str, channels: int, name: str, last: str | None = None) -> None:
        self._net.output([self._values[part] for part in (board, last) if part is not None])
        wide = [channels] if channels > 1 or last is not None else []
        self._outputs[name] = [*wide, self.area + (last is not None)]

    def row_output(self, row: str, channels: int, name: str) -> None:
        self._net.output([self._values[row]])
        self._outputs[name] = [channels]

    def _named(self, name: str, value: int) -> str:
        while name in self._values:
            name += "'"
        self._values[name] = value
        return name
