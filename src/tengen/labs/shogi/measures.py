"""Tests of prophet and enforcer on games that they were not trained on, by the phase of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tengen.labs.shogi.planes import entries_of, legal_targets
from tengen.labs.shogi.samples import PHASES, phase_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tengen.labs.shogi.models import Enforcer, Prophet
    from tengen.labs.shogi.samples import Samples

__all__ = [
    "MAIN_FIGURES",
    "TOP1_MOVE",
    "WIN_PREDICTION",
    "Figures",
    "main_figure",
    "measure_candidates",
    "measure_enforcer",
    "measure_prophet",
]

Figures = dict[str, dict[str, float]]
"""Figures by phase, and for all phases together as "all"."""

WIN_PREDICTION, TOP1_MOVE = "win_prediction", "top1_move"
MAIN_FIGURES: Final = {WIN_PREDICTION: "win prediction", TOP1_MOVE: "top-1 move"}
"""How often a network is right, by the figure's key: a prophet about the winner, an enforcer about the move."""
_OLD_KEY = "accuracy"
"""Key of both in runs of earlier versions."""

_AT_ONCE = 512
_BEST = 5


def main_figure(figures: Mapping[str, float]) -> float | None:
    """Return how often a network was right; None if it was not tested."""
    return next((figures[key] for key in (*MAIN_FIGURES, _OLD_KEY) if key in figures), None)


def measure_prophet(prophet: Prophet, samples: Samples) -> Figures:
    """Measure on decided games how often the side won that the prophet thought ahead (`win_prediction`), and the
    cross-entropy (`loss`)."""
    decided = samples.take(samples.result != 0.5)
    chance = prophet.judge(decided.after)
    won = decided.result == 1
    right = (chance > 0.5) == won
    loss = -np.log(np.clip(np.where(won, chance, 1 - chance), 1e-12, 1))
    return _by_phase(decided.progress, {WIN_PREDICTION: right, "loss": loss})


def measure_enforcer(enforcer: Enforcer, samples: Samples) -> Figures:
    """Measure on winners' moves how often the highest of all entries is the move that was played (`top1_move`), how
    often one of the five highest is (`top5`), and how often the highest is a legal move (`legal`); `precision` and
    `recall` are of the entries above 0 as the set of legal moves."""
    winners = samples.of_winners()
    found: dict[str, list[NDArray[Any]]] = {}
    for begin in range(0, len(winners), _AT_ONCE):
        part = winners.take(np.arange(begin, min(begin + _AT_ONCE, len(winners))))
        entries = enforcer.entries(part.before)
        played = entries_of(part.before, part.actions)
        rank = (entries > entries[np.arange(len(part)), played][:, None]).sum(axis=1)
        figures = {TOP1_MOVE: rank == 0, "top5": rank < _BEST} | _candidate_figures(entries, part.before)
        for name, values in figures.items():
            found.setdefault(name, []).append(values)
    return _by_phase(winners.progress, {name: np.concatenate(parts) for name, parts in found.items()})


def measure_candidates(enforcer: Enforcer, packed: NDArray[np.uint8]) -> dict[str, float]:
    """Measure `legal`, `precision` and `recall` on random positions."""
    parts = [packed[begin : begin + _AT_ONCE] for begin in range(0, len(packed), _AT_ONCE)]
    found = [_candidate_figures(enforcer.entries(part), part) for part in parts]
    return {name: float(np.concatenate([each[name] for each in found]).mean()) for name in found[0]} if found else {}


def _candidate_figures(entries: NDArray[np.float32], packed: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    legal = legal_targets(packed) > 0
    above = entries > 0
    both = (legal & above).sum(axis=1)
    return {
        "legal": legal[np.arange(len(packed)), entries.argmax(axis=1)],
        "precision": both / np.maximum(1, above.sum(axis=1)),
        "recall": both / np.maximum(1, legal.sum(axis=1)),
    }


def _by_phase(progress: NDArray[np.float32], figures: dict[str, NDArray[Any]]) -> Figures:
    phases = phase_of(progress)
    parts = {name: phases == number for number, name in enumerate(PHASES)} | {"all": np.ones(len(progress), bool)}
    return {
        phase: {"positions": float(rows.sum())} | {name: float(values[rows].mean()) for name, values in figures.items()}
        for phase, rows in parts.items()
        if rows.any()
    }
