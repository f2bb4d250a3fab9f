"""Evaluators: they judge a batch of positions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tengen.evaluators.base import CorePool, Evaluation, Evaluator, Leaves, NativeEvaluator
from tengen.evaluators.function import Function, Judge
from tengen.evaluators.native import Heuristic, Rollout, Uniform
from tengen.evaluators.network import MissingPackage, NetworkEvaluator
from tengen.evaluators.onnx import Onnx
from tengen.evaluators.openvino import OpenVino
from tengen.evaluators.torch import Torch

if TYPE_CHECKING:
    from tengen.evaluators.katago import KataGo
    from tengen.games import Game

__all__ = [
    "AnyEvaluator",
    "CorePool",
    "Evaluation",
    "Evaluator",
    "Function",
    "Heuristic",
    "Judge",
    "KataGo",
    "Leaves",
    "MissingPackage",
    "NativeEvaluator",
    "NetworkEvaluator",
    "Onnx",
    "OpenVino",
    "Rollout",
    "Torch",
    "Uniform",
    "find_evaluator",
]

AnyEvaluator: TypeAlias = "Evaluator | NativeEvaluator | Judge | str | Path"

_BY_NAME: dict[str, type[Uniform | Rollout | Heuristic]] = {
    "uniform": Uniform,
    "rollout": Rollout,
    "heuristic": Heuristic,
}


def find_evaluator(what: AnyEvaluator, game: Game) -> Evaluator | NativeEvaluator:
    """An evaluator for the game: itself, a function judge(state, player), or by name:

    - `uniform`, `rollout`, `rollout:N`, `heuristic`
    - `net.onnx`: a network through ONNX Runtime; `openvino:net.onnx`: through OpenVINO, also quantized to int8
    - `torch:net.safetensors`: a checkpoint through PyTorch, on a GPU if there is one
    - `net.bin.gz`, `net.txt.gz`, or `katago:` with a file or a stored network's name: a network of KataGo's for Go;
      `katago-int8:`: the same in int8, through OpenVINO
    - `auto:net.onnx`: whatever is fastest on this machine and accurate enough; fastest() tells which, and why
    """
    found: Evaluator | NativeEvaluator
    if isinstance(what, Evaluator | NativeEvaluator):
        found = what
    elif isinstance(what, str | Path):
        found = _named(str(what), game)
    elif callable(what):
        found = Function(what)
    else:
        raise TypeError(f"{what!r} is no evaluator: pass one of {', '.join(_BY_NAME)}, an ONNX file or a function")
    found.check(game)
    return found


def _named(name: str, game: Game) -> Evaluator | NativeEvaluator:
    kind, colon, rest = name.partition(":")
    if kind == "openvino" and rest:
        return OpenVino(rest)
    if kind == "torch" and rest:
        return Torch(rest)
    if kind == "auto" and rest:
        from tengen.evaluators.fastest import fastest

        return fastest(rest, game).evaluator
    if kind in ("katago", "katago-int8") and rest:
        return _katago(rest, int8=kind == "katago-int8")
    if name.endswith((".bin.gz", ".txt.gz")):
        return _katago(name)
    if name.endswith(".onnx"):
        return Onnx(name)
    if kind in _BY_NAME and not colon:
        return _BY_NAME[kind]()
    if kind == "rollout" and rest.isdecimal():
        return Rollout(int(rest))
    raise ValueError(
        f"no evaluator is called {name!r}: there are {', '.join(_BY_NAME)}, rollout:N, NETWORK.onnx, NETWORK.bin.gz, "
        "katago:NETWORK, katago-int8:NETWORK, openvino:NETWORK.onnx, torch:NETWORK.safetensors and auto:NETWORK.onnx"
    )


def _katago(what: str, *, int8: bool = False) -> Evaluator:
    from tengen.evaluators.katago import KataGo

    return KataGo(what, int8=int8)


def __getattr__(name: str) -> Any:
    """Go and its networks are imported when they are first asked for."""
    if name == "KataGo":
        from tengen.evaluators.katago import KataGo

        return KataGo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
