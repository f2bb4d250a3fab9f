"""Which network judges, opened for an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.evaluators import choose_evaluator, find_evaluator
from tengen.nets.store import find_imported

if TYPE_CHECKING:
    from tengen.evaluators import CoreEvaluator, Evaluator
    from tengen.games import Game

__all__ = ["open_evaluator"]


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
