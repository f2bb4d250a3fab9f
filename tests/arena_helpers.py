"""What the tests of the arena share: an evaluator, a network, and results made by hand."""

import random

import numpy as np
import onnx

from tengen.arena import MatchResult, Openings, PlayedGame


def judge(state, player):
    """An opinion on what a player sees, always the same one: uneven priors, and values that add up to 0."""
    rng = random.Random(state.view_key(player))
    policy = [rng.random() + 0.05 for _ in range(state.game.action_count)]
    worth = rng.uniform(-0.3, 0.3) * state.game.payoff_scale
    others = state.game.players - 1
    return policy, [worth if seat == player else -worth / others for seat in range(others + 1)]


def make_network(path, game, seed=0):
    """One random layer from features to log-odds and value."""
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    rng = np.random.default_rng(seed)
    size = int(np.prod(game.shape))
    weights = {
        "policy_weights": rng.normal(size=(size, game.action_count)),
        "value_weights": rng.normal(size=(size, 1)) / 10,
    }
    nodes = [
        helper.make_node("Flatten", ["features"], ["flat"]),
        helper.make_node("MatMul", ["flat", "policy_weights"], ["policy"]),
        helper.make_node("MatMul", ["flat", "value_weights"], ["raw"]),
        helper.make_node("Tanh", ["raw"], ["value"]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("features", kind, ["batch", *game.shape])],
        [
            helper.make_tensor_value_info("policy", kind, ["batch", game.action_count]),
            helper.make_tensor_value_info("value", kind, ["batch", 1]),
        ],
        [onnx.numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path)
    return weights


def made(scores, payoffs=None):
    """A result of games with these scores of the first player, pair by pair."""
    games = []
    for i, score in enumerate(scores):
        own = payoffs[i] if payoffs else 2 * score - 1
        both = (own, -own) if i % 2 == 0 else (-own, own)
        games.append(PlayedGame(i // 2, i % 2, i // 2, "00", 0, (i,), both))
    return MatchResult("toy", {}, "a", "b", 0, Openings(), tuple(games))
