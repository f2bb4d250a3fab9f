"""Tiny random networks of KataGo's formats, and their files."""

import gzip

import numpy as np

from tengen.nets.katago.description import (
    GLOBALS,
    METADATA,
    PLANES,
    Activation,
    AttentionBlock,
    BatchNorm,
    Bias,
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

KINDS = ("ordinary", "pooling", "nested", "attention", "shared attention", "plain attention", "feed-forward")


class Maker:
    """Draws layers of a few channels."""

    def __init__(self, seed, version, activation=None):
        self.rng = np.random.default_rng(seed)
        self.version = version
        self.kinds = list(Activation) if activation is None else [activation]
        self.count = 0

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def floats(self, *shape, scale=1.0):
        return (self.rng.normal(size=shape) * scale).astype(np.float32)

    def activation(self):
        return self.kinds[self.rng.integers(len(self.kinds))] if self.version >= 11 else Activation.RELU

    def conv(self, inputs, outputs, side=1, dilation=(1, 1)):
        scale = (inputs * side * side) ** -0.5
        return Conv(self.name("conv"), self.floats(outputs, inputs, side, side, scale=scale), dilation)

    def matmul(self, inputs, outputs):
        return MatMul(self.name("matmul"), self.floats(inputs, outputs, scale=inputs**-0.5))

    def bias(self, channels):
        return Bias(self.name("bias"), self.floats(channels))

    def norm(self, channels, *, plain=None):
        """Of every sort: with scales of both signs, with none, with tiny ones that must not be divided by."""
        plain = self.rng.integers(4) if plain is None else plain
        scale = [None, np.abs(self.floats(channels)) + np.float32(0.5), self.floats(channels), self.floats(channels)][
            plain
        ]
        if plain == 3:
            scale[0] = 1e-7
        variance = np.ones(channels, np.float32) if plain == 0 else np.abs(self.floats(channels)) + np.float32(0.2)
        bias = None if self.rng.random() < 0.2 else self.floats(channels, scale=0.5)
        return BatchNorm(self.name("norm"), self.floats(channels, scale=0.3), variance, scale, bias, 1e-4)

    def rms(self, channels, **more):
        return RmsNorm(self.name("rms"), self.floats(channels) + np.float32(1), more.pop("bias", None), 1e-6, **more)

    def block(self, kind, channels):
        if kind == "ordinary":
            return OrdinaryBlock(
                self.name("block"),
                self.norm(channels),
                self.activation(),
                self.conv(channels, 5, 3),
                self.norm(5),
                self.activation(),
                self.conv(5, channels, 3, (2, 1)),
            )
        if kind == "pooling":
            return PoolingBlock(
                self.name("block"),
                self.norm(channels),
                self.activation(),
                self.conv(channels, 4, 3),
                self.conv(channels, 3, 3),
                self.norm(3),
                self.activation(),
                self.matmul(9, 4),
                self.norm(4),
                self.activation(),
                self.conv(4, channels, 3),
            )
        if kind in ("nested", "nested convolutions"):
            kinds = (
                ("ordinary", "pooling") if kind != "nested" else ("attention", "ordinary", "pooling", "feed-forward")
            )
            inner = tuple(self.block(each, 4) for each in kinds)
            return NestedBlock(
                self.name("block"),
                self.norm(channels),
                self.activation(),
                self.conv(channels, 4),
                inner,
                self.norm(4),
                self.activation(),
                self.conv(4, channels),
            )
        if kind == "feed-forward":
            return FeedForwardBlock(
                self.name("block"),
                self.rms(channels),
                self.matmul(channels, 7),
                self.matmul(channels, 7),
                self.matmul(7, channels),
            )
        return self.attention(kind, channels)

    def attention(self, kind, channels):
        heads, shared = (4, 2) if kind == "shared attention" else (2, 1)
        size, value_size, kv_heads = 8, 3, heads // shared
        return AttentionBlock(
            self.name("block"),
            heads,
            kv_heads,
            size,
            value_size,
            self.rms(channels),
            self.matmul(channels, heads * size),
            self.matmul(channels, kv_heads * size),
            self.matmul(channels, kv_heads * value_size),
            self.matmul(heads * value_size, channels),
            self.floats(kv_heads, size // 2, 2, scale=0.4) if kind == "shared attention" else None,
            50.0 if kind == "attention" else None,
        )

    def metadata(self, channels):
        return MetadataEncoder(
            self.name("meta"),
            self.matmul(METADATA, 5),
            self.bias(5),
            self.activation(),
            self.matmul(5, 4),
            self.bias(4),
            self.activation(),
            self.matmul(4, channels),
        )

    def policy(self, channels, outputs):
        is_new = self.version >= 15
        return PolicyHead(
            self.name("policy"),
            self.conv(channels, 4),
            self.conv(channels, 3),
            self.norm(3),
            self.activation(),
            self.matmul(9, 4),
            self.norm(4),
            self.activation(),
            self.conv(4, outputs),
            self.matmul(9, 4 if is_new else outputs),
            self.bias(4) if is_new else None,
            self.activation() if is_new else None,
            self.matmul(4, outputs) if is_new else None,
        )

    def value(self, channels):
        scores = 6 if self.version >= 9 else 4
        return ValueHead(
            self.name("value"),
            self.conv(channels, 3),
            self.norm(3),
            self.activation(),
            self.matmul(9, 5),
            self.bias(5),
            self.activation(),
            self.matmul(5, 3),
            self.bias(3),
            self.matmul(5, scores),
            self.bias(scores),
            self.conv(3, 1),
        )


def sample(
    version=8, kinds=("ordinary", "pooling"), *, seed=0, tip="batch", metadata=False, outputs=None, activation=None
):
    """`tip` is the trunk's last norm: batch, rms, or spatial (rms over the board)."""
    make, channels = Maker(seed, version, activation), 6
    outputs = outputs or (1 if version < 12 else 4 if version == 16 else 2)
    norm = (
        make.norm(channels)
        if tip == "batch"
        else make.rms(channels, bias=make.floats(channels), spatial=tip == "spatial")
    )
    trunk = Trunk(
        "trunk",
        channels,
        5,
        4,
        3,
        make.conv(PLANES, channels, 5),
        make.matmul(GLOBALS, channels),
        make.metadata(channels) if metadata else None,
        tuple(make.block(kind, channels) for kind in kinds),
        norm,
        make.activation(),
    )
    multipliers = Multipliers(*(float(n) for n in range(15, 22))) if version >= 13 else Multipliers()
    return Description(
        f"sample-{seed}",
        version,
        trunk,
        make.policy(channels, outputs),
        make.value(channels),
        multipliers,
        version >= 15,
    )


class Writer:
    def __init__(self, version, binary):
        self.version, self.binary = version, binary
        self.out = bytearray()

    def line(self, *words):
        for word in words:
            self.out += f"{word}\n".encode()

    def floats(self, array):
        if self.binary:
            self.out += b"@BIN@" + np.ascontiguousarray(array, "<f4").tobytes() + b"\n"
        else:
            self.out += " ".join(map(repr, np.ravel(array).tolist())).encode() + b"\n"

    def part(self, part):
        getattr(self, f"_{type(part).__name__.lower()}")(part)

    def parts(self, *parts):
        for part in parts:
            if isinstance(part, Activation):
                self.line("act", *([part.value] if self.version >= 11 else []))
            elif part is not None:
                self.part(part)

    def fields(self, part, *leave):
        """All that a part holds, in its order, but for its name."""
        self.parts(*(value for name, value in vars(part).items() if name not in ("name", *leave)))

    def _conv(self, conv):
        self.line(conv.name, *conv.weights.shape[2:], conv.inputs, conv.outputs, *conv.dilation)
        self.floats(conv.weights.transpose(2, 3, 1, 0))

    def _matmul(self, matmul):
        self.line(matmul.name, matmul.inputs, matmul.outputs)
        self.floats(matmul.weights)

    def _bias(self, bias):
        self.line(bias.name, len(bias.weights))
        self.floats(bias.weights)

    def _batchnorm(self, norm):
        self.line(norm.name, len(norm.mean), norm.epsilon, int(norm.scale is not None), int(norm.bias is not None))
        for array in (norm.mean, norm.variance, norm.scale, norm.bias):
            if array is not None:
                self.floats(array)

    def _rmsnorm(self, norm):
        self.line(norm.name, len(norm.scale), norm.epsilon)
        if norm.bias is not None:
            self.line(int(norm.spatial), 0)
        self.floats(norm.scale)
        if norm.bias is not None:
            self.floats(norm.bias)

    def _ordinaryblock(self, block):
        self.line("ordinary_block", block.name)
        self.fields(block)

    def _poolingblock(self, block):
        self.line("gpool_block", block.name)
        self.fields(block)

    def _nestedblock(self, block):
        self.line("nested_bottleneck_block", block.name, len(block.blocks))
        self.parts(block.pre_norm, block.pre_activation, block.pre_conv, *block.blocks)
        self.parts(block.post_norm, block.post_activation, block.post_conv)

    def _attentionblock(self, block):
        is_learned = block.rope_frequencies is not None
        self.line("transformer_attention_block", block.name, block.heads, block.kv_heads, block.query_size)
        self.line(block.value_size, int(is_learned or block.rope_theta is not None), int(is_learned))
        self.parts(block.norm, block.query, block.key, block.value, block.out)
        if is_learned:
            self.line("freqs", *block.rope_frequencies.shape)
            self.floats(block.rope_frequencies)
        elif block.rope_theta is not None:
            self.line("theta", block.rope_theta)

    def _feedforwardblock(self, block):
        self.line("transformer_ffn_block", block.name, block.linear.inputs, block.linear.outputs, 1)
        self.fields(block)

    def _metadataencoder(self, encoder):
        self.line(encoder.name, METADATA)
        self.fields(encoder)

    def _trunk(self, trunk):
        self.line(trunk.name, len(trunk.blocks), trunk.channels, trunk.mid_channels, trunk.regular_channels, 3)
        self.line(trunk.pooled_channels)
        if self.version >= 15:
            self.line(int(isinstance(trunk.norm, RmsNorm)), *[0] * 5)
        self.parts(trunk.conv, trunk.linear, trunk.metadata, *trunk.blocks, trunk.norm, trunk.activation)

    def _policyhead(self, head):
        self.line(head.name)
        if self.version >= 17:
            self.line(head.channels, 0, 0, 0)
        self.fields(head)

    def _valuehead(self, head):
        self.line(head.name)
        if self.version >= 17:
            self.line(0, 0, 0)
        self.fields(head)


def write(description, *, binary=True):
    """The bytes of a network file, uncompressed."""
    writer = Writer(description.version, binary)
    writer.line(description.name, description.version, PLANES, GLOBALS)
    if description.version >= 13:
        writer.line(*vars(description.multipliers).values())
    if description.version >= 15:
        writer.line(int(description.trunk.metadata is not None), int(description.pass_alive_with_suicide), *[0] * 6)
    writer.parts(description.trunk, description.policy, description.value)
    return bytes(writer.out)


def write_file(path, description):
    """Of the kind that the file's name says."""
    data = write(description, binary=".bin" in path.name)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
