"""The residual trunk, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from tengen.nets.katago.description import (
    Activation,
    AttentionBlock,
    BatchNorm,
    Block,
    FeedForwardBlock,
    Floats,
    NestedBlock,
    OrdinaryBlock,
    PoolingBlock,
    RmsNorm,
)
from tengen.nets.katago.transformer import attend, feed_forward

if TYPE_CHECKING:
    from tengen.nets.katago.layers import Layers
    from tengen.nets.katago.onnx_layers import OnnxLayers

_FARTHEST_SHIFT = 30.0
"""Values in a trunk are of the size of 1: a shift far beyond that would cost digits."""


@dataclass(frozen=True)
class Entry:
    """How a block begins: act(g · x + b). It hardly costs anything if x comes with the right shift already in it.

    The shift is added for free by whatever makes x: it is a part of the last convolution's bias.
    """

    norm: BatchNorm | RmsNorm
    activation: Activation
    shift: Floats
    """What x is to be above its true value."""
    scale: Floats | None = None
    bias: Floats | None = None
    """What remains to be done before the activation."""
    after: Floats | None = None
    """What the activation's result must be multiplied by; the next layer's weights do."""

    @classmethod
    def of(cls, norm: BatchNorm | RmsNorm, activation: Activation) -> Entry:
        if isinstance(norm, RmsNorm):
            return cls(norm, activation, np.zeros_like(norm.scale))
        gain, bias = norm.merged()
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            shift = bias / gain
        if not (np.abs(shift) <= _FARTHEST_SHIFT).all():
            return cls(norm, activation, np.zeros_like(gain), gain, bias)
        if activation is Activation.RELU and (gain > 0).all():
            return cls(norm, activation, shift, after=gain)
        return cls(norm, activation, shift, scale=None if (gain == 1).all() else gain)


@dataclass(frozen=True)
class Stream:
    """What flows from block to block."""

    value: str
    shift: Floats
    rows: bool = False
    """[batch, points, channels] instead of [batch, channels, height, width]."""

    @property
    def channels(self) -> int:
        return len(self.shift)


def first_entry(blocks: tuple[Block, ...], last: Entry) -> Entry:
    """Of the first block, or `last` after all of them."""
    if not blocks:
        return last
    block = blocks[0]
    if isinstance(block, AttentionBlock | FeedForwardBlock):
        return Entry.of(block.norm, Activation.IDENTITY)
    return Entry.of(block.pre_norm, block.pre_activation)


def run_blocks(g: Layers, blocks: tuple[Block, ...], x: Stream, last: Entry) -> Stream:
    """`last` is what follows the blocks."""
    for i, block in enumerate(blocks):
        entry, after = first_entry(blocks[i:], last), first_entry(blocks[i + 1 :], last)
        if isinstance(block, AttentionBlock | FeedForwardBlock):
            x = _rows_block(g, block, x, after.shift)
            continue
        x = as_board(g, x)
        y = enter(g, x, entry)
        bias = after.shift - x.shift
        if isinstance(block, OrdinaryBlock):
            change = _ordinary(g, block, y, entry.after, bias)
        elif isinstance(block, PoolingBlock):
            change = _pooling(g, block, y, entry.after, bias)
        else:
            change = _nested(g, block, y, entry.after, bias)
        x = Stream(g.add(change, x.value, f"{block.name}.sum"), after.shift)
    return x


def enter(g: Layers, x: Stream, entry: Entry) -> str:
    """The norm and the activation, in the layout of x."""
    value, name = x.value, entry.norm.name
    if isinstance(entry.norm, RmsNorm):
        return g.activate(_graph(g).rms_norm(value, entry.norm, rows=x.rows), entry.activation, name)
    assert not x.rows, "norms of boards are norms of channels"
    if entry.scale is not None:
        value = g.scale(value, entry.scale, f"{name}.scaled")
    if entry.bias is not None:
        value = g.shift(value, entry.bias, f"{name}.biased")
    return g.activate(value, entry.activation, name)


def as_board(g: Layers, x: Stream) -> Stream:
    return Stream(_graph(g).to_board(x.value, x.channels), x.shift) if x.rows else x


def as_rows(g: Layers, x: Stream) -> Stream:
    return x if x.rows else Stream(_graph(g).to_rows(x.value, x.channels), x.shift, rows=True)


def _graph(g: Layers) -> OnnxLayers:
    """Points as rows are for ONNX graphs: is_convolutional() says which networks have none."""
    return cast("OnnxLayers", g)


def _ordinary(g: Layers, block: OrdinaryBlock, y: str, before: Floats | None, bias: Floats) -> str:
    y = g.conv(y, block.conv, before=before, norm=block.mid_norm)
    return g.conv(g.activate(y, block.mid_activation, block.mid_norm.name), block.final_conv, bias=bias)


def _pooling(g: Layers, block: PoolingBlock, y: str, before: Floats | None, bias: Floats) -> str:
    pooled = g.conv(y, block.pooled_conv, before=before, norm=block.pooled_norm)
    pooled = g.activate(pooled, block.pooled_activation, block.pooled_norm.name)
    pooled = g.pool(pooled, block.pooled_conv.outputs, f"{block.name}.pooled")
    gain, mid_bias = block.mid_norm.merged()
    added = g.linear(pooled, g.pooled_weights(block.pooled_to_bias) * gain, mid_bias, block.pooled_to_bias.name)
    z = g.conv(y, block.conv, before=before, after=gain)
    z = g.add_everywhere(z, added, block.conv.outputs, f"{block.name}.mid")
    return g.conv(g.activate(z, block.mid_activation, block.mid_norm.name), block.final_conv, bias=bias)


def _nested(g: Layers, block: NestedBlock, y: str, before: Floats | None, bias: Floats) -> str:
    last = Entry.of(block.post_norm, block.post_activation)
    shift = first_entry(block.blocks, last).shift
    z = Stream(g.conv(y, block.pre_conv, before=before, bias=shift), shift)
    z = as_board(g, run_blocks(g, block.blocks, z, last))
    return g.conv(enter(g, z, last), block.post_conv, before=last.after, bias=bias)


def _rows_block(g: Layers, block: AttentionBlock | FeedForwardBlock, x: Stream, shift: Floats) -> Stream:
    x, graph = as_rows(g, x), _graph(g)
    y = graph.rms_norm(x.value, block.norm, rows=True)
    change = attend(graph, block, y) if isinstance(block, AttentionBlock) else feed_forward(graph, block, y)
    value = g.add(change, x.value, f"{block.name}.sum")
    if shift.any():
        value = graph.shift_points(value, shift, f"{block.name}.shifted")
    return Stream(value, shift, rows=True)
