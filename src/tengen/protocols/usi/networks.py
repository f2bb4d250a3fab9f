"""Which network judges, opened for an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.evaluators import choose_evaluator, find_evaluator
from tengen.nets.store import find_imported

if TYPE_CHECKING:
    from tengen.evaluators import CoreEvaluator, Evaluator
    from tengen.games import Game

__all__ = ["open_evaluator"]

WEAK = "no network: positions are judged by random games, which play weakly; `tengen net add` keeps one"


def open_evaluator(name: str, game: Game, threads: int) -> tuple[Evaluator | CoreEvaluator, str]:
    """By its name, or what judges the game where it is empty; with a note for the user, if there is one."""
    chosen = choose_evaluator(name or None, game).evaluator
    imported = find_imported(chosen, game) if isinstance(chosen, str) else None
    if imported is not None:
        evaluator: Evaluator = imported.open(threads=threads)
        evaluator.check(game)
        return evaluator, ""
    if isinstance(chosen, str) and chosen.endswith(".onnx") and ":" not in chosen:
        from tengen.evaluators import Onnx

        network = Onnx(chosen, threads=threads)
        network.check(game)
        return network, ""
    return find_evaluator(chosen, game), WEAK if chosen == "rollout" and not name else ""
