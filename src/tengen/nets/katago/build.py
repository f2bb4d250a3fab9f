"""A network of KataGo's for one board size: as an ONNX graph, or in the core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tengen.nets.katago.blocks import Entry, Stream, as_board, as_rows, enter, first_entry, run_blocks
from tengen.nets.katago.description import GLOBALS, PLANES, Activation, RmsNorm
from tengen.nets.katago.native import NativeLayers

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

    from tengen.nets.katago.description import Description, Floats, MetadataEncoder, PolicyHead, ValueHead
    from tengen.nets.katago.layers import Layers

SMALLEST, LARGEST = 2, 37
"""Sides of boards."""


def build_onnx(description: Description, width: int, height: int) -> onnx.ModelProto:
    """The graph for boards of exactly this size and any batch.

    Inputs are `planes` [batch, 22, height, width] and `globals` [batch, 19]. Outputs, for the player to move, are
    `policy` [batch, channels, height · width + 1], log-odds with the pass last; `value` [batch, 3], log-odds of win,
    loss and no result; `score` [batch, 4 or 6], unscaled; `ownership` [batch, height · width] from -1 to 1.
    """
    from tengen.nets.katago.onnx_layers import OnnxLayers  # It imports onnx, which takes a while.

    _check_size(width, height)
    g = OnnxLayers(width, height)
    _build(g, description)
    return g.model(description.name)


def build_native(
    description: Description, width: int, height: int, threads: int = 1, *, int16: bool = False
) -> NativeLayers:
    """The same in the core, of a network that is_convolutional()."""
    _check_size(width, height)
    g = NativeLayers(width, height, threads, int16=int16)
    _build(g, description)
    g.finish()
    return g


def _check_size(width: int, height: int) -> None:
    for side in (width, height):
        if not SMALLEST <= side <= LARGEST:
            raise ValueError(f"a board of {width}x{height} is none: sides are from {SMALLEST} to {LARGEST}")


def _build(g: Layers, description: Description) -> None:
    trunk = description.trunk
    planes, told = g.board_input("planes", PLANES), g.row_input("globals", GLOBALS)
    last = Entry.of(trunk.norm, trunk.activation)
    shift = first_entry(trunk.blocks, last).shift
    bias = shift if trunk.metadata is None else shift + _of_nobody(trunk.metadata)
    added = g.linear(told, trunk.linear.weights.astype(np.float64), bias, trunk.linear.name)
    x = Stream(g.add_everywhere(g.conv(planes, trunk.conv), added, trunk.channels, f"{trunk.name}.in"), shift)
    x = run_blocks(g, trunk.blocks, x, last)
    if not isinstance(trunk.norm, RmsNorm):
        x = as_board(g, x)
    elif not trunk.norm.spatial:
        x = as_rows(g, x)
    tip = as_board(g, Stream(enter(g, x, last), x.shift, x.rows)).value
    _policy(g, description.policy, tip, last.after)
    _value(g, description.value, tip, last.after)


def _of_nobody(encoder: MetadataEncoder) -> Floats:
    """What the encoder adds if nothing is told about the players: all its inputs are 0."""
    x = _activated(encoder.bias1.weights.astype(np.float64), encoder.activation1)
    x = _activated(x @ encoder.linear2.weights + encoder.bias2.weights, encoder.activation2)
    return (x @ encoder.linear3.weights).astype(np.float32)


def _activated(x: NDArray[np.float64], kind: Activation) -> NDArray[np.float64]:
    factor: dict[Activation, NDArray[np.float64]] = {
        Activation.IDENTITY: np.ones_like(x),
        Activation.RELU: np.heaviside(x, 0),
        Activation.SILU: np.exp(-np.logaddexp(0, -x)),
        Activation.MISH: np.tanh(np.logaddexp(0, x)),
    }
    return x * factor[kind]


def _policy(g: Layers, head: PolicyHead, tip: str, before: Floats | None) -> None:
    pooled = g.conv(tip, head.pooled_conv, before=before, norm=head.pooled_norm)
    pooled = g.activate(pooled, head.pooled_activation, head.pooled_norm.name)
    pooled = g.pool(pooled, head.pooled_conv.outputs, f"{head.name}.pooled")
    gain, sum_bias = head.norm.merged()
    added = g.linear(pooled, g.pooled_weights(head.pooled_to_bias) * gain, sum_bias, head.pooled_to_bias.name)
    x = g.conv(tip, head.conv, before=before, after=gain)
    x = g.add_everywhere(x, added, head.conv.outputs, f"{head.name}.sum")
    x = g.conv(g.activate(x, head.activation, head.norm.name), head.out)
    bias = None if head.pass_bias is None else head.pass_bias.weights
    passes = g.linear(pooled, g.pooled_weights(head.pass_linear), bias, head.pass_linear.name)
    if head.pass_out is not None and head.pass_activation is not None:
        passes = g.activate(passes, head.pass_activation, f"{head.name}.pass")
        passes = g.linear(passes, head.pass_out.weights.astype(np.float64), None, head.pass_out.name)
    g.board_output(x, head.channels, "policy", last=passes)


def _value(g: Layers, head: ValueHead, tip: str, before: Floats | None) -> None:
    board = g.conv(tip, head.conv, before=before, norm=head.norm)
    board = g.activate(board, head.activation, head.norm.name)
    x = g.mean(board, head.conv.outputs, head.name)
    x = g.linear(x, g.value_weights(head.linear), head.bias.weights, head.linear.name)
    x = g.activate(x, head.linear_activation, head.linear.name)
    value = g.linear(x, head.value.weights.astype(np.float64), head.value_bias.weights, head.value.name)
    score = g.linear(x, head.score.weights.astype(np.float64), head.score_bias.weights, head.score.name)
    g.row_output(value, 3, "value")
    g.row_output(score, head.score.outputs, "score")
    g.board_output(g.tanh(g.conv(board, head.ownership), f"{head.name}.owner"), 1, "ownership")
