"""Which network judges, opened for an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.evaluators import choose_evaluator, find_evaluator
from tengen.nets.store import find_imported
from tengen.protocols.usi.options import EngineSettings

if TYPE_CHECKING:
    from tengen.evaluators import CoreEvaluator, Evaluator
    from tengen.games import Game

__all__ = ["eval_coef_of", "open_evaluator"]


def open_evaluator(name: str, game: Game, threads: int) -> Evaluator | CoreEvaluator:
    """By its name, or what judges the game where it is empty."""
    chosen = choose_evaluator(name or None, game).evaluator
    imported = find_imported(chosen, game) if isinstance(chosen, str) else None
    if imported is not None:
        evaluator: Evaluator = imported.open(threads=threads)
        evaluator.check(game)
        return evaluator
    if isinstance(chosen, str) and chosen.endswith(".onnx") and ":" not in chosen:
        from tengen.evaluators import Onnx

        network = Onnx(chosen, threads=threads)
        network.check(game)
        return network
    return find_evaluator(chosen, game)


def eval_coef_of(evaluator: Evaluator | CoreEvaluator, option: int) -> int:
    """The Eval_Coef to show scores with: the option's, unless that is as by default and the network has its own. Boards
    send options that nobody has changed, too."""
    own = getattr(evaluator, "eval_coef", None)
    return option if own is None or option != EngineSettings().eval_coef else round(own)
