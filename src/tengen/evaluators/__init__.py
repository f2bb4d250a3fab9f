"""Evaluators: they judge a batch of positions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tengen.evaluators.base import Evaluation, Evaluator, Leaves, NativeEvaluator
from tengen.evaluators.choice import Choice, choose_evaluator, find_named
from tengen.evaluators.function import Function, Judge
from tengen.evaluators.native import FLAT_VISITS, Flat, Heuristic, Rollout, Uniform
from tengen.evaluators.network import MissingPackage, NetworkEvaluator
from tengen.evaluators.onnx import Onnx
from tengen.evaluators.openvino import OpenVino
from tengen.evaluators.torch import Torch, TorchModule, is_module

if TYPE_CHECKING:
    from tengen.evaluators.katago import KataGo
    from tengen.games import Game

__all__ = [
    "FLAT_VISITS",
    "AnyEvaluator",
    "Choice",
    "Evaluation",
    "Evaluator",
    "Flat",
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
    "TorchModule",
    "Uniform",
    "choose_evaluator",
    "find_evaluator",
    "find_named",
]

AnyEvaluator: TypeAlias = "Evaluator | NativeEvaluator | Judge | str | Path"

_BY_NAME: dict[str, type[Uniform | Rollout | Heuristic | Flat]] = {
    "uniform": Uniform,
    "rollout": Rollout,
    "heuristic": Heuristic,
    "flat": Flat,
}


def find_evaluator(what: AnyEvaluator, game: Game) -> Evaluator | NativeEvaluator:
    """An evaluator for the game: itself, a function judge(state, player), a torch.nn.Module, or by name:

    - `uniform`, `rollout`, `rollout:N`, `heuristic`; `flat`: flat Monte Carlo in the place of a tree
    - `champion`: the network that ships with the game; a run's folder: that of its champion, a step's folder: its own
    - `net.onnx`: a network through ONNX Runtime; `openvino:net.onnx`: through OpenVINO, also quantized to int8
    - `torch:net.safetensors`: a checkpoint through PyTorch, on a GPU if there is one
    - `net.bin.gz`, `net.txt.gz`, a stored network's name, or `katago:` with either: a network of KataGo's for Go;
      `katago-int8:`: the same in int8, through OpenVINO
    - `auto:net.onnx`: whatever is fastest on this machine and accurate enough; fastest() tells which, and why
    """
    found: Evaluator | NativeEvaluator
    if isinstance(what, Evaluator | NativeEvaluator):
        found = what
    elif isinstance(what, str | Path):
        found = _named(str(find_named(what, game)), game)
    elif is_module(what):
        found = TorchModule(what)  # type: ignore[arg-type]
    elif callable(what):
        found = Function(what)
    else:
        raise TypeError(
            f"{what!r} is no evaluator: pass one of {', '.join(_BY_NAME)}, a network's file, a torch.nn.Module or a "
            "function judge(state, player)"
        )
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
    from tengen.nets.store import list_networks

    if any(stored.name == name for stored in list_networks()):
        return _katago(name)
    raise ValueError(
        f"no evaluator is called {name!r}: there are {', '.join(_BY_NAME)}, rollout:N, champion, a run's folder, "
        "NETWORK.onnx, NETWORK.bin.gz, a stored network's name, katago:NETWORK, katago-int8:NETWORK, "
        "openvino:NETWORK.onnx, torch:NETWORK.safetensors and auto:NETWORK.onnx"
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
