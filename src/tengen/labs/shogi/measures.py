"""What prophet and enforcer are worth on games that they were not trained on, by the phase of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.labs.shogi.planes import entries_of, legal_targets
from tengen.labs.shogi.samples import PHASES, phase_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.labs.shogi.models import Enforcer, Prophet
    from tengen.labs.shogi.samples import Samples

__all__ = ["Figures", "measure_candidates", "measure_enforcer", "measure_prophet"]

Figures = dict[str, dict[str, float]]
"""By phase, and for all of them together as "all"."""

_AT_ONCE = 512
_BEST = 5


def measure_prophet(prophet: Prophet, samples: Samples) -> Figures:
    """Of decided games: `accuracy` is how often the one whom it thought ahead won, `loss` the cross-entropy."""
    decided = samples.take(samples.result != 0.5)
    chance = prophet.judge(decided.after)
    won = decided.result == 1
    right = (chance > 0.5) == won
    loss = -np.log(np.clip(np.where(won, chance, 1 - chance), 1e-12, 1))
    return _by_phase(decided.progress, {"accuracy": right, "loss": loss})


def measure_enforcer(enforcer: Enforcer, samples: Samples) -> Figures:
    """Of winners' moves: `accuracy` is how often the highest of all entries is the move that was played, `top5` how
    often one of the five highest is, `legal` how often the highest is a legal move; `precision` and `recall` are of the
    entries above 0 as the set of legal moves."""
    winners = samples.of_winners()
    found: dict[str, list[NDArray[Any]]] = {}
    for begin in range(0, len(winners), _AT_ONCE):
        part = winners.take(np.arange(begin, min(begin + _AT_ONCE, len(winners))))
        entries = enforcer.entries(part.before)
        played = entries_of(part.before, part.actions)
        rank = (entries > entries[np.arange(len(part)), played][:, None]).sum(axis=1)
        figures = {"accuracy": rank == 0, "top5": rank < _BEST} | _candidate_figures(entries, part.before)
        for name, values in figures.items():
            found.setdefault(name, []).append(values)
    return _by_phase(winners.progress, {name: np.concatenate(parts) for name, parts in found.items()})


def measure_candidates(enforcer: Enforcer, packed: NDArray[np.uint8]) -> dict[str, float]:
    """Of random positions: the same `legal`, `precision` and `recall`."""
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
