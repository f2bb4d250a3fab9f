"""Network files of every format that is read, and ways to load and evaluate them."""

import gzip
import math

import numpy as np
from katago_samples import sample, write
from learning_helpers import tiny
from prophet_helpers import TINY
from shogi_nets import write_dlshogi, write_miniosl

import tengen
from tengen.labs.shogi.checkpoints import Checkpoint as PairCheckpoint
from tengen.labs.shogi.checkpoints import load_checkpoint as load_pair
from tengen.labs.shogi.checkpoints import save_checkpoint as save_pair
from tengen.labs.shogi.models import Enforcer, Prophet
from tengen.labs.shogi.networks import build as build_pair
from tengen.labs.shogi.networks import export_onnx as export_pair
from tengen.labs.shogi.planes import pack
from tengen.nets import Checkpoint, export_onnx, save_checkpoint

VISITS = 3


def search_with(game, prefix=""):
    """Return a function that searches the first position of a game with the network in a file."""
    state = tengen.game(game, **({"size": 7} if game == "go" else {})).start(1)

    def run(path):
        result = tengen.search(state, evaluator=f"{prefix}{path}", visits=VISITS, seed=1)
        return [*result.values, *(move.policy for move in result.moves)]

    return run


def judge_pair(path):
    """Evaluate the prophet or enforcer in an ONNX file."""
    game = tengen.game("shogi")
    packed = pack(game, [game.start(1).position])
    if "prophet" in path.name:
        return Prophet(path).judge(packed)
    return np.concatenate([found.values for found in Enforcer(path).candidates(packed)])


def load_pair_checkpoint(path):
    return [float(tensor.sum()) for tensor in load_pair(path).network.state_dict().values()]


def write_originals(folder):
    """Write a small file of each kind; return the kinds with the file and the function that loads and evaluates it."""
    pyrga = tengen.game("pyrga")
    plain, gated = tiny(pyrga, squeeze=False), tiny(pyrga)
    files = {
        "core.onnx": export_onnx(plain),
        "runtime.onnx": export_onnx(gated),
        "openvino.onnx": export_onnx(plain),
        "own.safetensors": save_checkpoint(Checkpoint(plain, "pyrga")),
        "katago.bin.gz": gzip.compress(write(sample(8, seed=2)), 1),
        "katago.bin": write(sample(8, seed=2)),
        "prophet.onnx": export_pair(build_pair("prophet", TINY, 1)),
        "enforcer.onnx": export_pair(build_pair("enforcer", TINY, 1)),
        "pair.safetensors": save_pair(PairCheckpoint(build_pair("prophet", TINY, 1))),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    write_dlshogi(folder / "dlshogi.onnx")
    write_dlshogi(folder / "odd.onnx", odd=True)
    write_miniosl(folder / "miniosl.onnx")
    ways = {
        "core.onnx": search_with("pyrga"),
        "runtime.onnx": search_with("pyrga"),
        "openvino.onnx": search_with("pyrga", "openvino:"),
        "own.safetensors": search_with("pyrga", "torch:"),
        "katago.bin.gz": search_with("go"),
        "katago.bin": search_with("go", "katago:"),
        "prophet.onnx": judge_pair,
        "enforcer.onnx": judge_pair,
        "pair.safetensors": load_pair_checkpoint,
        "dlshogi.onnx": search_with("shogi", "dlshogi:"),
        "odd.onnx": search_with("shogi", "dlshogi:"),
        "miniosl.onnx": search_with("shogi", "miniosl:"),
    }
    return {name: (folder / name, way) for name, way in ways.items()}


def outcome(path, way):
    """Return "read" or the text of the error. What is neither a ValueError nor a finite answer raises."""
    try:
        found = way(path)
    except ValueError as error:
        text = str(error)
        assert text, "an error without a text"
        assert "\n" not in text, f"an error of several lines: {text!r}"
        return text
    assert all(math.isfinite(number) for number in found), f"{found} are not finite"
    return "read"
