"""How well a network's own value, and the search's, foresee the results of games it was not trained on."""

from __future__ import annotations

import dataclasses
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.arena.evaluate_positions import evaluate_positions, find_policy_evaluator
from tengen.games import GameError, NativeGame
from tengen.search import Pool, SearchSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tengen.games import Game, State
    from tengen.selfplay import GameRecord

__all__ = ["ALL", "PROVEN", "VALUE_CHECK", "ValueFit", "check_value", "read_value_check"]

VALUE_CHECK = "value-check"
"""The event in metrics.jsonl that has the figures of an iteration."""
ALL, PROVEN = "all", "proven"
_LAST = (4, 8, 16, 32)
"""Phases of a game end this many plies before its end."""
_GAMES, _POSITIONS = 250, 1000
_PROOF_PLIES, _PROOFS, _PROOF_VISITS = 10, 100, 200
"""Plies to the end, the most positions and the visits of each when positions near the end are solved."""


@dataclass(frozen=True)
class ValueFit:
    """Correlation and mean squared error of values against results, both as shares of a full win."""

    phase: str
    """Plies to the end of the game, such as "5–8"; "all"; or "proven" for values against solved positions."""
    positions: int
    network_correlation: float | None
    """None if all values or all results are equal."""
    network_error: float
    search_correlation: float | None
    search_error: float


@dataclass(frozen=True)
class _Sample:
    state: State
    seat: int
    left: int
    """Plies to the end of the game."""
    search: float
    result: float


def check_value(game: Game, records: Sequence[GameRecord], network: Path | str, seed: int) -> list[ValueFit]:
    """Compare the values of a network and of the search that played with the results of games, by phase of the game.

    Games that were resigned are left out: nobody knows their results. Positions near the end are also compared with
    the results of perfect play, if a search proves them.
    """
    samples = _sample(game, records, seed)
    if not samples:
        return []
    states, seats = [sample.state for sample in samples], [sample.seat for sample in samples]
    values = evaluate_positions(game, find_policy_evaluator(str(network), game), states, seats, range(len(samples)))[1]
    own = np.array([values[i, seat] for i, seat in enumerate(seats)]) / game.payoff_scale
    results = np.array([sample.result for sample in samples])
    search = np.array([sample.search for sample in samples])
    left = np.array([sample.left for sample in samples])
    found = [_fit(ALL, own, search, results, left > 0)]
    low = 1
    for high in _LAST:
        found.append(_fit(f"{low}–{high}", own, search, results, (low <= left) & (left <= high)))
        low = high + 1
    found.append(_fit(f"{low} and more", own, search, results, left >= low))
    exact = _solve(game, samples)
    if exact is not None:
        found.append(_fit(PROVEN, own, search, exact, np.isfinite(exact)))
    return [fit for fit in found if fit.positions]


def read_value_check(event: Mapping[str, Any]) -> list[ValueFit]:
    """Return the figures of a logged event; entries that are damaged are left out."""
    names = {entry.name for entry in dataclasses.fields(ValueFit)}
    phases = event.get("phases")
    entries = [entry for entry in phases if isinstance(entry, dict)] if isinstance(phases, list) else []
    return [ValueFit(**entry) for entry in entries if set(entry) == names and _is_whole(entry)]


def _is_whole(entry: Mapping[str, Any]) -> bool:
    numbers = (value for name, value in entry.items() if name != "phase" and value is not None)
    of_none = {name for name, value in entry.items() if value is None}
    return (
        isinstance(entry["phase"], str)
        and all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
        and of_none <= {"network_correlation", "search_correlation"}
    )


def _sample(game: Game, records: Sequence[GameRecord], seed: int) -> list[_Sample]:
    rng = random.Random(seed)
    whole = [record for record in records if record.resigned is None and record.decisions]
    chosen = rng.sample(whole, min(_GAMES, len(whole)))
    decisions = sum(len(record.decisions) for record in chosen)
    share = min(1.0, _POSITIONS / max(1, decisions))
    scale = game.payoff_scale
    found = []
    for record in chosen:
        wanted = {decision.ply: decision for decision in record.decisions if rng.random() < share}
        for ply, state in enumerate(record.replay(game)):
            decision = wanted.get(ply)
            if decision is not None:
                seat = decision.player
                search, result = decision.values[seat] / scale, record.payoffs[seat] / scale
                found.append(_Sample(state, seat, len(record.actions) - ply, search, result))
    return found


def _fit(
    phase: str,
    own: NDArray[np.float64],
    search: NDArray[np.float64],
    truth: NDArray[np.float64],
    chosen: NDArray[np.bool_],
) -> ValueFit:
    own, search, truth = own[chosen], search[chosen], truth[chosen]
    return ValueFit(
        phase,
        len(truth),
        _correlation(own, truth),
        _error(own, truth),
        _correlation(search, truth),
        _error(search, truth),
    )


def _correlation(values: NDArray[np.float64], truth: NDArray[np.float64]) -> float | None:
    if len(values) < 3 or values.std() < 1e-9 or truth.std() < 1e-9:
        return None
    return round(float(np.corrcoef(values, truth)[0, 1]), 4)


def _error(values: NDArray[np.float64], truth: NDArray[np.float64]) -> float:
    return round(float(np.mean((values - truth) ** 2)), 4) if len(values) else math.nan


def _solve(game: Game, samples: Sequence[_Sample]) -> NDArray[np.float64] | None:
    """Return the result of perfect play for the seat of each sample, NaN if it is unknown; None if the game is not one
    that a search can solve quickly."""
    if not isinstance(game, NativeGame):
        return None
    try:
        pool = Pool(game, SearchSettings(visits=_PROOF_VISITS, solve=True), "uniform")
    except (ValueError, GameError):
        return None
    near = [i for i, sample in enumerate(samples) if sample.left <= _PROOF_PLIES][:_PROOFS]
    roots = {pool.add(samples[i].state, seed=i): i for i in near}
    if not roots:
        return None
    pool.run()
    exact = np.full(len(samples), math.nan)
    for root, i in roots.items():
        result = pool.result(root)
        if result.proven:
            exact[i] = result.values[samples[i].seat] / game.payoff_scale
    return exact
