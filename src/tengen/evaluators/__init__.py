"""Evaluators: they judge a batch of positions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tengen.evaluators.base import CorePool, Evaluation, Evaluator, Leaves, NativeEvaluator
from tengen.evaluators.function import Function, Judge
from tengen.evaluators.native import Heuristic, Rollout, Uniform
from tengen.evaluators.onnx import Onnx

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = [
    "AnyEvaluator",
    "CorePool",
    "Evaluation",
    "Evaluator",
    "Function",
    "Heuristic",
    "Judge",
    "Leaves",
    "NativeEvaluator",
    "Onnx",
    "Rollout",
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
    """An evaluator for the game: itself, "uniform", "rollout", "rollout:N", "heuristic", a path to an ONNX file, or a
    function judge(state, player)."""
    found: Evaluator | NativeEvaluator
    if isinstance(what, Evaluator | NativeEvaluator):
        found = what
    elif isinstance(what, str | Path):
        found = _named(str(what))
    elif callable(what):
        found = Function(what)
    else:
        raise TypeError(f"{what!r} is no evaluator: pass one of {', '.join(_BY_NAME)}, an ONNX file or a function")
    found.check(game)
    return found


def _named(name: str) -> Evaluator | NativeEvaluator:
    if name.endswith(".onnx"):
        return Onnx(name)
    kind, colon, count = name.partition(":")
    if kind in _BY_NAME and not colon:
        return _BY_NAME[kind]()
    if kind == "rollout" and count.isdecimal():
        return Rollout(int(count))
    raise ValueError(f"no evaluator is called {name!r}: there are {', '.join(_BY_NAME)}, rollout:N and ONNX files")
