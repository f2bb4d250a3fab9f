"""Network files of KataGo's: `.bin.gz`, `.txt.gz`, or either one uncompressed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tengen.nets.katago.description import (
    GLOBALS,
    METADATA,
    NEWEST,
    OLDEST,
    PLANES,
    Activation,
    AttentionBlock,
    BatchNorm,
    Bias,
    Block,
    Conv,
    Description,
    FeedForwardBlock,
    MatMul,
    MetadataEncoder,
    Multipliers,
    NestedBlock,
    OrdinaryBlock,
    PolicyHead,
    PoolingBlock,
    RmsNorm,
    Trunk,
    ValueHead,
)
from tengen.nets.katago.tokens import KataGoFileError, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_CHANNELS = 1 << 14
_MAX_BLOCKS = 512
_DEEPEST = 4
"""Blocks inside blocks; known networks nest them once."""


def read_network(source: str | Path | bytes) -> Description:
    """Raises a KataGoFileError that names the file, the layer and what is wrong with it."""
    path = source if isinstance(source, bytes) else Path(source)
    tokens = Tokens(path, "the network" if isinstance(path, bytes) else str(path))
    try:
        description = _Reader(tokens).description()
        tokens.end()
    finally:
        tokens.close()
    return description


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self._in = tokens
        self._version = 0

    def description(self) -> Description:
        name = self._in.word("the network's name")
        if not re.fullmatch(r"[A-Za-z0-9_.+-]{1,200}", name):
            self._in.fail(f"a network's name is due, but there is {name[:40]!r}: this is no network of KataGo's")
        version = self._in.integer("the version", 0, 1000)
        if not OLDEST <= version <= NEWEST:
            self._in.fail(f"the network has version {version}; versions {OLDEST} to {NEWEST} can be read")
        self._version = version
        self._in.integer("the number of input planes", PLANES, PLANES)
        self._in.integer("the number of global inputs", GLOBALS, GLOBALS)
        multipliers = Multipliers()
        if version >= 13:
            names = Multipliers.__dataclass_fields__
            multipliers = Multipliers(**{each: self._in.number(f"the multiplier of {each}") for each in names})
        metadata, with_suicide = 0, 0
        if version >= 15:
            metadata = self._in.integer("the version of the metadata encoder", 0, 1)
            with_suicide = self._in.integer("whether pass-alive means with suicide", 0, 1)
            self._reserved(6)
        trunk = self._trunk(has_metadata=metadata > 0)
        policy = self._policy(trunk.channels)
        value = self._value(trunk.channels)
        return Description(name, version, trunk, policy, value, multipliers, with_suicide > 0)

    def _reserved(self, count: int) -> None:
        for _ in range(count):
            self._in.integer("a number that is reserved for later versions", 0, 0)

    def _trunk(self, *, has_metadata: bool) -> Trunk:
        self._in.enter("the trunk")
        name = self._in.word("the trunk's name")
        count = self._in.integer("the number of blocks", 1, _MAX_BLOCKS)
        channels, mid, regular = (
            self._channels(f"the number of {kind} channels") for kind in ("trunk", "mid", "regular")
        )
        self._in.integer("the number of dilated channels", 0, _MAX_CHANNELS)
        pooled = self._channels("the number of pooled channels")
        is_rms = False
        if self._version >= 15:
            is_rms = self._in.integer("the kind of the trunk's norm", 0, 1) == 1
            self._reserved(5)
        conv = self._conv(PLANES, channels)
        linear = self._matmul(GLOBALS, channels)
        metadata = self._metadata(channels) if has_metadata else None
        blocks = self._blocks(count, channels, 1)
        norm = self._tip_norm(channels) if is_rms else self._norm(channels)
        return Trunk(name, channels, mid, regular, pooled, conv, linear, metadata, blocks, norm, self._activation())

    def _metadata(self, channels: int) -> MetadataEncoder:
        name = self._name("metadata encoder")
        self._in.integer("the number of metadata inputs", METADATA, METADATA)
        linear1 = self._matmul(METADATA, None)
        bias1, activation1 = self._bias(linear1.outputs), self._activation()
        linear2 = self._matmul(linear1.outputs, None)
        bias2, activation2 = self._bias(linear2.outputs), self._activation()
        linear3 = self._matmul(linear2.outputs, channels)
        return MetadataEncoder(name, linear1, bias1, activation1, linear2, bias2, activation2, linear3)

    def _blocks(self, count: int, channels: int, depth: int) -> tuple[Block, ...]:
        if depth > _DEEPEST:
            self._in.fail(f"blocks are nested more than {_DEEPEST} deep")
        kinds: dict[str, Callable[[str, int, int], Block]] = {
            "ordinary_block": self._ordinary,
            "gpool_block": self._pooling,
            "nested_bottleneck_block": self._nested,
            "transformer_attention_block": self._attention,
            "transformer_ffn_block": self._feed_forward,
        }
        blocks = []
        for number in range(count):
            kind = self._in.word(f"the kind of block {number + 1} of {count}")
            if kind not in kinds:
                self._in.fail(f"no kind of block is called {kind[:60]!r}; there are {', '.join(kinds)}")
            blocks.append(kinds[kind](self._name(kind), channels, depth))
        return tuple(blocks)

    def _ordinary(self, name: str, channels: int, _depth: int) -> OrdinaryBlock:
        norm, activation, conv = self._norm(channels), self._activation(), self._conv(channels, None)
        mid_norm, mid_activation = self._norm(conv.outputs), self._activation()
        return OrdinaryBlock(name, norm, activation, conv, mid_norm, mid_activation, self._conv(conv.outputs, channels))

    def _pooling(self, name: str, channels: int, _depth: int) -> PoolingBlock:
        norm, activation = self._norm(channels), self._activation()
        conv, pooled_conv = self._conv(channels, None), self._conv(channels, None)
        pooled_norm, pooled_activation = self._norm(pooled_conv.outputs), self._activation()
        to_bias = self._matmul(3 * pooled_conv.outputs, conv.outputs)
        mid_norm, mid_activation = self._norm(conv.outputs), self._activation()
        final = self._conv(conv.outputs, channels)
        return PoolingBlock(
            name,
            norm,
            activation,
            conv,
            pooled_conv,
            pooled_norm,
            pooled_activation,
            to_bias,
            mid_norm,
            mid_activation,
            final,
        )

    def _nested(self, name: str, channels: int, depth: int) -> NestedBlock:
        count = self._in.integer("the number of inner blocks", 1, _MAX_BLOCKS)
        norm, activation, conv = self._norm(channels), self._activation(), self._conv(channels, None)
        blocks = self._blocks(count, conv.outputs, depth + 1)
        post_norm, post_activation = self._norm(conv.outputs), self._activation()
        post = self._conv(conv.outputs, channels)
        return NestedBlock(name, norm, activation, conv, blocks, post_norm, post_activation, post)

    def _attention(self, name: str, channels: int, _depth: int) -> AttentionBlock:
        heads = self._in.integer("the number of heads", 1, 1024)
        kv_heads = self._in.integer("the number of key and value heads", 1, heads)
        if heads % kv_heads:
            self._in.fail(f"{heads} heads can't share {kv_heads} heads of keys and values")
        query_size = self._channels("the size of a query")
        value_size = self._channels("the size of a value")
        has_rope, is_learned = (self._in.integer(f"whether angles are {w}", 0, 1) == 1 for w in ("used", "learned"))
        if has_rope and query_size % 2:
            self._in.fail(f"queries of size {query_size} can't be turned in pairs")
        norm = self._rms_norm(channels)
        query, key = self._matmul(channels, heads * query_size), self._matmul(channels, kv_heads * query_size)
        value, out = self._matmul(channels, kv_heads * value_size), self._matmul(heads * value_size, channels)
        frequencies, theta = None, None
        if has_rope:
            self._name("the angles")
            if is_learned:
                shape = (kv_heads, query_size // 2, 2)
                for size in shape:
                    self._in.integer("a size of the learned angles", size, size)
                frequencies = self._in.floats(*shape)
            else:
                theta = self._in.number("theta")
        return AttentionBlock(
            name, heads, kv_heads, query_size, value_size, norm, query, key, value, out, frequencies, theta
        )

    def _feed_forward(self, name: str, channels: int, _depth: int) -> FeedForwardBlock:
        self._in.integer("the number of channels", channels, channels)
        inner = self._channels("the number of inner channels")
        if not self._in.integer("whether the block is SwiGLU", 0, 1):
            self._in.fail("the feed-forward block is not SwiGLU; KataGo runs no other kind, and neither does Tengen")
        norm = self._rms_norm(channels)
        linear, gate = self._matmul(channels, inner), self._matmul(channels, inner)
        return FeedForwardBlock(name, norm, linear, gate, self._matmul(inner, channels))

    def _policy(self, channels: int) -> PolicyHead:
        self._in.enter("the policy head")
        name = self._in.word("the policy head's name")
        outputs = 4 if self._version == 16 else 2 if self._version >= 12 else 1
        if self._version >= 17:
            outputs = self._in.integer("the number of policy channels", 2, 4)
            if outputs == 3:
                self._in.fail("the number of policy channels is 3 and must be 2 or 4")
            self._reserved(3)
        conv, pooled_conv = self._conv(channels, None), self._conv(channels, None)
        pooled_norm, pooled_activation = self._norm(pooled_conv.outputs), self._activation()
        to_bias = self._matmul(3 * pooled_conv.outputs, conv.outputs)
        norm, activation = self._norm(conv.outputs), self._activation()
        out = self._conv(conv.outputs, outputs)
        bias, bias_activation, second = None, None, None
        linear = self._matmul(3 * pooled_conv.outputs, None if self._version >= 15 else outputs)
        if self._version >= 15:
            bias, bias_activation = self._bias(linear.outputs), self._activation()
            second = self._matmul(linear.outputs, outputs)
        return PolicyHead(
            name,
            conv,
            pooled_conv,
            pooled_norm,
            pooled_activation,
            to_bias,
            norm,
            activation,
            out,
            linear,
            bias,
            bias_activation,
            second,
        )

    def _value(self, channels: int) -> ValueHead:
        self._in.enter("the value head")
        name = self._in.word("the value head's name")
        if self._version >= 17:
            self._reserved(3)
        conv = self._conv(channels, None)
        norm, activation = self._norm(conv.outputs), self._activation()
        linear = self._matmul(3 * conv.outputs, None)
        bias, linear_activation = self._bias(linear.outputs), self._activation()
        value, value_bias = self._matmul(linear.outputs, 3), self._bias(3)
        scores = 6 if self._version >= 9 else 4
        score, score_bias = self._matmul(linear.outputs, scores), self._bias(scores)
        return ValueHead(
            name,
            conv,
            norm,
            activation,
            linear,
            bias,
            linear_activation,
            value,
            value_bias,
            score,
            score_bias,
            self._conv(conv.outputs, 1),
        )

    # Layers.

    def _name(self, kind: str) -> str:
        name = self._in.word(f"the name of {kind}")
        self._in.enter(name)
        return name

    def _channels(self, what: str, wanted: int | None = None) -> int:
        count = self._in.integer(what, 1, _MAX_CHANNELS * _MAX_CHANNELS)
        if wanted is not None and count != wanted:
            self._in.fail(f"{what} is {count} and must be {wanted}")
        if count > _MAX_CHANNELS and wanted is None:
            self._in.fail(f"{what} is {count:,}; at most {_MAX_CHANNELS:,} are read")
        return count

    def _conv(self, inputs: int, outputs: int | None) -> Conv:
        name = self._name("a convolution")
        height, width = (self._in.integer(f"the {side} of the filter", 1, 25) for side in ("height", "width"))
        if not height % 2 or not width % 2:
            self._in.fail(f"the filter is {height}x{width}; its sides must be odd")
        inputs = self._channels("the number of input channels", inputs)
        count = self._channels("the number of output channels", outputs)
        dilation = (self._in.integer("the dilation down", 1, 16), self._in.integer("the dilation across", 1, 16))
        weights = self._in.floats(height, width, inputs, count)
        return Conv(name, np.ascontiguousarray(weights.transpose(3, 2, 0, 1)), dilation)

    def _matmul(self, inputs: int, outputs: int | None) -> MatMul:
        name = self._name("a matrix")
        inputs = self._channels("the number of inputs", inputs)
        return MatMul(name, self._in.floats(inputs, self._channels("the number of outputs", outputs)))

    def _bias(self, channels: int) -> Bias:
        name = self._name("a bias")
        return Bias(name, self._in.floats(self._channels("the number of channels", channels)))

    def _norm(self, channels: int) -> BatchNorm:
        name = self._name("a norm")
        self._channels("the number of channels", channels)
        epsilon = self._in.number("epsilon", 0.0, 1.0)
        has_scale, has_bias = (self._in.integer(f"whether the norm has a {w}", 0, 1) for w in ("scale", "bias"))
        mean, variance = self._in.floats(channels), self._in.floats(channels)
        if not (variance.astype(np.float64) + epsilon > 0).all():
            self._in.fail("a variance is negative")
        scale = self._in.floats(channels) if has_scale else None
        norm = BatchNorm(name, mean, variance, scale, self._in.floats(channels) if has_bias else None, epsilon)
        with np.errstate(all="ignore"):
            if not all(np.isfinite(part).all() for part in norm.merged()):
                self._in.fail("the norm's weights are not finite together")
        return norm

    def _rms_norm(self, channels: int) -> RmsNorm:
        name = self._name("a norm")
        self._channels("the number of channels", channels)
        epsilon = self._in.number("epsilon", 0.0, 1.0)
        return RmsNorm(name, self._in.floats(channels), None, epsilon)

    def _tip_norm(self, channels: int) -> RmsNorm:
        name = self._name("a norm")
        self._channels("the number of channels", channels)
        epsilon = self._in.number("epsilon", 0.0, 1.0)
        spatial = self._in.integer("whether the norm is spatial", 0, 1)
        self._in.integer("the size of the norm's groups", 0, 0)
        return RmsNorm(name, self._in.floats(channels), self._in.floats(channels), epsilon, spatial > 0)

    def _activation(self) -> Activation:
        self._in.word("the name of an activation")
        if self._version < 11:
            return Activation.RELU
        word = self._in.word("an activation")
        if word not in (kind.value for kind in Activation):
            self._in.fail(f"no activation is called {word[:60]!r}; there are {', '.join(k.value for k in Activation)}")
        return Activation(word)


__all__ = ["KataGoFileError", "read_network"]
