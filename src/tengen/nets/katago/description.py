"""What a network of KataGo's is made of, as plain values. Arrays are float32."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float32]"

OLDEST, NEWEST = 8, 17
"""Versions that can be read. Version 8 is the first with today's inputs."""
PLANES = 22
GLOBALS = 19
METADATA = 192
"""Inputs of the encoder that networks trained on people's games have."""


class Activation(Enum):
    IDENTITY = "ACTIVATION_IDENTITY"
    RELU = "ACTIVATION_RELU"
    MISH = "ACTIVATION_MISH"
    SILU = "ACTIVATION_SILU"


@dataclass(frozen=True, eq=False)
class Conv:
    name: str
    weights: Floats
    """[out, in, height, width]; the board is padded with zeros."""
    dilation: tuple[int, int] = (1, 1)
    """Down, across."""

    @property
    def inputs(self) -> int:
        return int(self.weights.shape[1])

    @property
    def outputs(self) -> int:
        return int(self.weights.shape[0])


@dataclass(frozen=True, eq=False)
class MatMul:
    name: str
    weights: Floats
    """[in, out]."""

    @property
    def inputs(self) -> int:
        return int(self.weights.shape[0])

    @property
    def outputs(self) -> int:
        return int(self.weights.shape[1])


@dataclass(frozen=True, eq=False)
class Bias:
    name: str
    weights: Floats
    """[channels]."""


@dataclass(frozen=True, eq=False)
class BatchNorm:
    """All arrays [channels]."""

    name: str
    mean: Floats
    variance: Floats
    scale: Floats | None
    bias: Floats | None
    epsilon: float

    def merged(self) -> tuple[Floats, Floats]:
        """(g, b) of g · x + b."""
        scale = np.ones_like(self.mean) if self.scale is None else self.scale
        bias = np.zeros_like(self.mean) if self.bias is None else self.bias
        gain = scale.astype(np.float64) / np.sqrt(self.variance.astype(np.float64) + self.epsilon)
        return gain.astype(np.float32), (bias - gain * self.mean).astype(np.float32)


@dataclass(frozen=True, eq=False)
class RmsNorm:
    """Divides by the root of the mean square over the channels of each point, or over the whole board."""

    name: str
    scale: Floats
    bias: Floats | None
    """None inside transformer blocks."""
    epsilon: float
    spatial: bool = False
    """Over channels and board together."""


@dataclass(frozen=True, eq=False)
class OrdinaryBlock:
    name: str
    pre_norm: BatchNorm
    pre_activation: Activation
    conv: Conv
    mid_norm: BatchNorm
    mid_activation: Activation
    final_conv: Conv


@dataclass(frozen=True, eq=False)
class PoolingBlock:
    """An ordinary block in which some channels are pooled over the board and added to the others."""

    name: str
    pre_norm: BatchNorm
    pre_activation: Activation
    conv: Conv
    pooled_conv: Conv
    pooled_norm: BatchNorm
    pooled_activation: Activation
    pooled_to_bias: MatMul
    mid_norm: BatchNorm
    mid_activation: Activation
    final_conv: Conv


@dataclass(frozen=True, eq=False)
class NestedBlock:
    """Blocks of fewer channels between two convolutions."""

    name: str
    pre_norm: BatchNorm
    pre_activation: Activation
    pre_conv: Conv
    blocks: tuple[Block, ...]
    post_norm: BatchNorm
    post_activation: Activation
    post_conv: Conv


@dataclass(frozen=True, eq=False)
class AttentionBlock:
    """Every point looks at every other. Queries and keys are turned by angles that say where a point is."""

    name: str
    heads: int
    kv_heads: int
    """Keys and values are shared by heads / kv_heads neighbors."""
    query_size: int
    value_size: int
    norm: RmsNorm
    query: MatMul
    key: MatMul
    value: MatMul
    out: MatMul
    rope_frequencies: Floats | None
    """[kv_heads, query_size / 2, 2]: across and down; None if they are fixed, or if nothing is turned."""
    rope_theta: float | None
    """Of fixed angles."""


@dataclass(frozen=True, eq=False)
class FeedForwardBlock:
    name: str
    norm: RmsNorm
    linear: MatMul
    gate: MatMul
    """The block is SwiGLU: silu(linear(x)) · gate(x)."""
    out: MatMul


Block: TypeAlias = OrdinaryBlock | PoolingBlock | NestedBlock | AttentionBlock | FeedForwardBlock


@dataclass(frozen=True, eq=False)
class MetadataEncoder:
    """Of networks that were trained on people's games and told whose: [192] to what is added to the trunk."""

    name: str
    linear1: MatMul
    bias1: Bias
    activation1: Activation
    linear2: MatMul
    bias2: Bias
    activation2: Activation
    linear3: MatMul


@dataclass(frozen=True, eq=False)
class Trunk:
    name: str
    channels: int
    mid_channels: int
    regular_channels: int
    pooled_channels: int
    conv: Conv
    linear: MatMul
    """Of the global inputs."""
    metadata: MetadataEncoder | None
    blocks: tuple[Block, ...]
    norm: BatchNorm | RmsNorm
    activation: Activation


@dataclass(frozen=True, eq=False)
class PolicyHead:
    name: str
    conv: Conv
    pooled_conv: Conv
    pooled_norm: BatchNorm
    pooled_activation: Activation
    pooled_to_bias: MatMul
    norm: BatchNorm
    activation: Activation
    out: Conv
    """To one channel (versions up to 11), two (and optimistic) or four (and values of moves)."""
    pass_linear: MatMul
    pass_bias: Bias | None
    """With an activation and a second layer from version 15 on."""
    pass_activation: Activation | None
    pass_out: MatMul | None

    @property
    def channels(self) -> int:
        return self.out.outputs


@dataclass(frozen=True, eq=False)
class ValueHead:
    name: str
    conv: Conv
    norm: BatchNorm
    activation: Activation
    linear: MatMul
    bias: Bias
    linear_activation: Activation
    value: MatMul
    """To win, loss, no result: log-odds for the player to move."""
    value_bias: Bias
    score: MatMul
    """To 4 numbers (version 8) or 6."""
    score_bias: Bias
    ownership: Conv


@dataclass(frozen=True)
class Multipliers:
    """What outputs are multiplied by. Up to version 12 they are these; from then on the file tells them."""

    td_score: float = 20.0
    score_mean: float = 20.0
    score_stdev: float = 20.0
    lead: float = 20.0
    variance_time: float = 40.0
    shortterm_value_error: float = 0.25
    shortterm_score_error: float = 30.0


@dataclass(frozen=True, eq=False)
class Description:
    name: str
    version: int
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead
    multipliers: Multipliers = field(default_factory=Multipliers)
    pass_alive_with_suicide: bool = False
    """Its inputs count as pass-alive what would be so if suicide were legal."""

    @property
    def has_metadata(self) -> bool:
        return self.trunk.metadata is not None

    def count_parameters(self) -> int:
        """What was learned: statistics of batch norms are not counted."""
        return sum(
            array.size
            for layer in layers_of(self)
            for name, array in vars(layer).items()
            if isinstance(array, np.ndarray) and not (isinstance(layer, BatchNorm) and name in ("mean", "variance"))
        )


def layers_of(part: Any) -> Iterator[Any]:
    """Every layer, head and block below a part."""
    for item in fields(part):
        value = getattr(part, item.name)
        for each in value if isinstance(value, tuple) else (value,):
            if hasattr(each, "__dataclass_fields__"):
                yield each
                yield from layers_of(each)


def is_convolutional(description: Description) -> bool:
    """Without attention and norms of points, which need points as rows."""
    kinds = (AttentionBlock, FeedForwardBlock, RmsNorm)
    return not any(isinstance(part, kinds) for part in layers_of(description))


def count_blocks(blocks: tuple[Block, ...]) -> dict[str, int]:
    """How many of each kind, those inside nested blocks included."""
    names: dict[type, str] = {
        OrdinaryBlock: "ordinary",
        PoolingBlock: "pooling",
        NestedBlock: "nested bottleneck",
        AttentionBlock: "attention",
        FeedForwardBlock: "feed-forward",
    }
    counts: dict[str, int] = {}
    for block in blocks:
        inner = count_blocks(block.blocks) if isinstance(block, NestedBlock) else {}
        for name, count in [(names[type(block)], 1), *inner.items()]:
            counts[name] = counts.get(name, 0) + count
    return counts
