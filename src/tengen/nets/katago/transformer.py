"""Transformer blocks as ONNX nodes on rows [batch, points, channels]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tengen.nets.katago.description import Activation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.nets.katago.description import AttentionBlock, FeedForwardBlock
    from tengen.nets.katago.onnx_layers import OnnxLayers


def attend(g: OnnxLayers, block: AttentionBlock, rows: str) -> str:
    """`rows` are normed already."""
    heads, kv_heads, size, value_size = block.heads, block.kv_heads, block.query_size, block.value_size
    name = block.name
    qk, v = _project(g, block, rows)
    qk = g.reshape(qk, [-1, g.area, heads + kv_heads, size], f"{name}.qk_heads")
    q, k = g.split(g.node("Transpose", [qk], f"{name}.qk", perm=[0, 2, 1, 3]), [heads, kv_heads], 1, f"{name}.q_and_k")
    # Heads that share keys and values are one tall matrix of queries.
    q = g.reshape(q, [-1, kv_heads, heads // kv_heads * g.area, size], f"{name}.q")
    k = g.node("Transpose", [k], f"{name}.k", perm=[0, 1, 3, 2])
    weights = g.node("Softmax", [g.node("MatMul", [q, k], f"{name}.scores")], f"{name}.weights", axis=-1)
    v = g.reshape(v, [-1, g.area, kv_heads, value_size], f"{name}.v_heads")
    v = g.node("Transpose", [v], f"{name}.v", perm=[0, 2, 1, 3])
    seen = g.reshape(
        g.node("MatMul", [weights, v], f"{name}.seen"), [-1, heads, g.area, value_size], f"{name}.seen_heads"
    )
    seen = g.node("Transpose", [seen], f"{name}.seen_rows", perm=[0, 2, 1, 3])
    seen = g.reshape(seen, [-1, g.area, heads * value_size], f"{name}.joined")
    return g.matmul(seen, block.out.weights.astype(np.float64), block.out.name)


def _project(g: OnnxLayers, block: AttentionBlock, rows: str) -> tuple[str, str]:
    """Queries and keys side by side, turned; values."""
    name = block.name
    # The scale of the attention goes into the queries.
    query = block.query.weights.astype(np.float64) / np.sqrt(block.query_size)
    qk = np.concatenate([query, block.key.weights.astype(np.float64)], axis=1)
    value = block.value.weights.astype(np.float64)
    angles = _angles(g, block)
    if angles is None:
        both = g.matmul(rows, np.concatenate([qk, value], axis=1), f"{name}.qkv")
        plain, v = g.split(both, [qk.shape[1], value.shape[1]], 2, f"{name}.parts")
        return plain, v
    # A turned pair is a · cos + b · sin, where b is the pair after a quarter turn: a matrix can make b, too.
    quarter = np.empty_like(qk)
    quarter[:, 0::2], quarter[:, 1::2] = -qk[:, 1::2], qk[:, 0::2]
    all_three = g.matmul(rows, np.concatenate([qk, quarter, value], axis=1), f"{name}.qkv")
    a, b, v = g.split(all_three, [qk.shape[1], qk.shape[1], value.shape[1]], 2, f"{name}.parts")
    angles = np.concatenate([np.repeat(angles, block.heads // block.kv_heads, axis=1), angles], axis=1)
    angles = np.repeat(angles, 2, axis=2).reshape(g.area, -1)
    a = g.node("Mul", [a, g.weights(np.cos(angles).astype(np.float32), f"{name}.cos")], f"{name}.a")
    b = g.node("Mul", [b, g.weights(np.sin(angles).astype(np.float32), f"{name}.sin")], f"{name}.b")
    return g.node("Add", [a, b], f"{name}.turned"), v


def _angles(g: OnnxLayers, block: AttentionBlock) -> NDArray[np.float64] | None:
    """[points, kv_heads, pairs], by which pairs are turned; None: by nothing."""
    y, x = (side.reshape(-1, 1, 1).astype(np.float64) for side in np.indices((g.height, g.width)))
    if block.rope_frequencies is not None:
        across, down = np.moveaxis(block.rope_frequencies.astype(np.float64), 2, 0)
        learned: NDArray[np.float64] = x * across + y * down
        return learned
    if block.rope_theta is None:
        return None
    # The first half of the pairs turns with the row, the rest with the column.
    pairs = block.query_size // 2
    number = np.arange(pairs)
    is_row = number < pairs // 2
    frequency = block.rope_theta ** (-2.0 * np.where(is_row, number, number - pairs // 2) / pairs)
    return np.repeat(np.where(is_row, y, x) * frequency, block.kv_heads, axis=1)


def feed_forward(g: OnnxLayers, block: FeedForwardBlock, rows: str) -> str:
    name, size = block.name, block.linear.outputs
    both = np.concatenate([block.linear.weights, block.gate.weights], axis=1).astype(np.float64)
    inner, gate = g.split(g.matmul(rows, both, f"{name}.inner"), [size, size], 2, f"{name}.parts")
    product = g.node("Mul", [g.activate(inner, Activation.SILU, name), gate], f"{name}.gated")
    return g.matmul(product, block.out.weights.astype(np.float64), block.out.name)
