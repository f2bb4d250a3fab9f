"""A network of KataGo's computed slowly and plainly, in float64: norms, shifts and pools as the format defines them."""

import numpy as np

from tengen.nets.katago.description import (
    Activation,
    AttentionBlock,
    FeedForwardBlock,
    NestedBlock,
    PoolingBlock,
    RmsNorm,
)


def act(x, kind):
    if kind is Activation.RELU:
        return np.maximum(x, 0)
    if kind is Activation.SILU:
        return x / (1 + np.exp(-x))
    if kind is Activation.MISH:
        return x * np.tanh(np.log1p(np.exp(x)))
    return x


def conv(x, layer):
    rows, _, height, width = x.shape
    (tall, wide), (down, across) = layer.weights.shape[2:], layer.dilation
    up, left = tall // 2 * down, wide // 2 * across
    padded = np.pad(x, ((0, 0), (0, 0), (up, up), (left, left)))
    out = np.zeros((rows, layer.outputs, height, width))
    for i in range(tall):
        for j in range(wide):
            window = padded[:, :, i * down : i * down + height, j * across : j * across + width]
            out += np.einsum("bihw,oi->bohw", window, layer.weights[:, :, i, j].astype(np.float64))
    return out


def batch_norm(x, norm):
    scale = 1.0 if norm.scale is None else norm.scale.astype(np.float64)[:, None, None]
    bias = 0.0 if norm.bias is None else norm.bias.astype(np.float64)[:, None, None]
    mean, variance = (part.astype(np.float64)[:, None, None] for part in (norm.mean, norm.variance))
    return (x - mean) / np.sqrt(variance + norm.epsilon) * scale + bias


def rms_norm(x, norm):
    axes = (1, 2, 3) if norm.spatial else (1,)
    x = x / np.sqrt((x**2).mean(axis=axes, keepdims=True) + norm.epsilon)
    return x * norm.scale[:, None, None] + (0 if norm.bias is None else norm.bias[:, None, None])


def size_of(x):
    return (np.sqrt(x.shape[2] * x.shape[3]) - 14) / 10


def pool(x):
    mean = x.mean(axis=(2, 3))
    return np.concatenate([mean, mean * size_of(x), x.max(axis=(2, 3))], axis=1)


def value_pool(x):
    mean, size = x.mean(axis=(2, 3)), size_of(x)
    return np.concatenate([mean, mean * size, mean * (size**2 - 0.1)], axis=1)


def angle(block, head, pair, x, y):
    if block.rope_frequencies is not None:
        across, down = block.rope_frequencies[head, pair].astype(np.float64)
        return x * across + y * down
    if block.rope_theta is None:
        return 0.0
    half = block.query_size // 4
    number, place = (pair, y) if pair < half else (pair - half, x)
    return place * block.rope_theta ** (-2 * number / (block.query_size / 2))


def turned(vectors, block, kv_head, width):
    """[points, size]: each pair turned by the angle of its point."""
    out = np.empty_like(vectors)
    for point in range(len(vectors)):
        for pair in range(block.query_size // 2):
            turn = angle(block, kv_head, pair, point % width, point // width)
            a, b = vectors[point, 2 * pair], vectors[point, 2 * pair + 1]
            out[point, 2 * pair] = a * np.cos(turn) - b * np.sin(turn)
            out[point, 2 * pair + 1] = a * np.sin(turn) + b * np.cos(turn)
    return out


def attention(x, block):
    out = np.empty_like(x)
    for row, board in enumerate(rms_norm(x, block.norm)):
        tokens = board.reshape(len(board), -1).T
        q, k, v = (tokens @ part.weights.astype(np.float64) for part in (block.query, block.key, block.value))
        found = []
        for head in range(block.heads):
            shared = head // (block.heads // block.kv_heads)
            one = slice(head * block.query_size, (head + 1) * block.query_size)
            other = slice(shared * block.query_size, (shared + 1) * block.query_size)
            query, key = (turned(part, block, shared, x.shape[3]) for part in (q[:, one], k[:, other]))
            weights = np.exp(query @ key.T / np.sqrt(block.query_size))
            weights /= weights.sum(axis=1, keepdims=True)
            found.append(weights @ v[:, shared * block.value_size : (shared + 1) * block.value_size])
        out[row] = (np.concatenate(found, axis=1) @ block.out.weights).T.reshape(board.shape)
    return x + out


def feed_forward(x, block):
    tokens = rms_norm(x, block.norm).transpose(0, 2, 3, 1)
    inner = act(tokens @ block.linear.weights.astype(np.float64), Activation.SILU)
    return x + ((inner * (tokens @ block.gate.weights)) @ block.out.weights).transpose(0, 3, 1, 2)


def run_block(x, block):
    if isinstance(block, AttentionBlock):
        return attention(x, block)
    if isinstance(block, FeedForwardBlock):
        return feed_forward(x, block)
    y = act(batch_norm(x, block.pre_norm), block.pre_activation)
    if isinstance(block, NestedBlock):
        y = conv(y, block.pre_conv)
        for inner in block.blocks:
            y = run_block(y, inner)
        return x + conv(act(batch_norm(y, block.post_norm), block.post_activation), block.post_conv)
    z = conv(y, block.conv)
    if isinstance(block, PoolingBlock):
        pooled = pool(act(batch_norm(conv(y, block.pooled_conv), block.pooled_norm), block.pooled_activation))
        z = z + (pooled @ block.pooled_to_bias.weights)[:, :, None, None]
    return x + conv(act(batch_norm(z, block.mid_norm), block.mid_activation), block.final_conv)


def answer(net, planes, globals_):
    trunk, p, v = net.trunk, net.policy, net.value
    x = conv(planes.astype(np.float64), trunk.conv) + (globals_ @ trunk.linear.weights)[:, :, None, None]
    if trunk.metadata is not None:
        m = trunk.metadata
        y = act(m.bias1.weights.astype(np.float64), m.activation1)
        y = act(y @ m.linear2.weights + m.bias2.weights, m.activation2) @ m.linear3.weights
        x = x + y[:, None, None]
    for block in trunk.blocks:
        x = run_block(x, block)
    x = act((rms_norm if isinstance(trunk.norm, RmsNorm) else batch_norm)(x, trunk.norm), trunk.activation)
    rows, area = len(x), x.shape[2] * x.shape[3]

    pooled = pool(act(batch_norm(conv(x, p.pooled_conv), p.pooled_norm), p.pooled_activation))
    y = conv(x, p.conv) + (pooled @ p.pooled_to_bias.weights)[:, :, None, None]
    points = conv(act(batch_norm(y, p.norm), p.activation), p.out).reshape(rows, -1, area)
    passes = pooled @ p.pass_linear.weights
    if p.pass_out is not None:
        passes = act(passes + p.pass_bias.weights, p.pass_activation) @ p.pass_out.weights

    board = act(batch_norm(conv(x, v.conv), v.norm), v.activation)
    hidden = act(value_pool(board) @ v.linear.weights + v.bias.weights, v.linear_activation)
    return {
        "policy": np.concatenate([points, passes[:, :, None]], axis=2),
        "value": hidden @ v.value.weights + v.value_bias.weights,
        "score": hidden @ v.score.weights + v.score_bias.weights,
        "ownership": np.tanh(conv(board, v.ownership).reshape(rows, area)),
    }
