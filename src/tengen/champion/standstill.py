"""A check for runs that no longer become stronger, by their newest rating matches and gates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.arena.statistics import Z95
from tengen.champion.ratings import match_steps
from tengen.champion.value_check import ALL, VALUE_CHECK, read_value_check

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tengen.runs import Step

__all__ = ["Standstill", "find_standstill"]

_RATINGS, _GATES = 4, 8
"""Matches that are looked at; with fewer, nothing is concluded."""
_NOISE = 1.0
"""A gain below so many standard errors counts as none."""
_SATURATED = 0.9
_WEAK_CORRELATION = 0.4


@dataclass(frozen=True)
class Standstill:
    """Evidence that a run gains nothing, and settings that may help."""

    evidence: str
    advice: tuple[str, ...]

    def __str__(self) -> str:
        return f"the run stands still: {self.evidence}. {'; '.join(self.advice)}"


@dataclass(frozen=True)
class _Gain:
    """A difference of score rates with its standard error."""

    gain: float
    error: float

    @property
    def is_none(self) -> bool:
        return self.gain < _NOISE * self.error

    def __str__(self) -> str:
        ends = (self.gain - Z95 * self.error, self.gain + Z95 * self.error)
        low, high = (f"{100 * end:+.0f}".replace("-", "−") for end in ends)
        return f"{100 * self.gain:+.0f} % (95 %: {low} … {high})".replace("-", "−")


def find_standstill(
    steps: Iterable[Step], events: Iterable[Mapping[str, Any]], settings: Mapping[str, Any]
) -> Standstill | None:
    """Return the evidence if neither the newest ratings nor the newest gates show a gain; None if one of them does, or
    if there are too few. `settings` is the table of the run's settings."""
    matches = match_steps(steps)
    ratings = [step for step in matches if step.name == "rate"]
    ratings = [step for step in ratings if step.metrics["second"] == ratings[-1].metrics["second"]][-_RATINGS:]
    gates = [step for step in matches if step.name == "arena"][-_GATES:]
    parts, is_none = [], []
    if len(ratings) == _RATINGS:
        gain = _gain_of(ratings)
        scores = ", ".join(f"{100 * _score(step):.0f} %" for step in ratings)
        parts.append(
            f"its last {_RATINGS} ratings against {ratings[-1].metrics['second']} are {scores}, a gain of {gain}"
        )
        is_none.append(gain.is_none)
    if len(gates) == _GATES:
        lead = _lead_of(gates)
        parts.append(f"its last {_GATES} challengers lead their champions by {lead}")
        is_none.append(lead.is_none)
    if not is_none or not all(is_none):
        return None
    return Standstill(" and ".join(parts), _advice(ratings, events, settings))


def _score(step: Step) -> float:
    m = step.metrics
    return float((m["wins"] + m["draws"] / 2) / _games(step))


def _games(step: Step) -> float:
    m = step.metrics
    return max(1.0, float(m["wins"] + m["draws"] + m["losses"]))


def _variance(step: Step) -> float:
    """Return the variance of a step's score rate. One win and one loss are added, so that it is never 0."""
    m, games = step.metrics, _games(step) + 2
    score = (m["wins"] + 1 + m["draws"] / 2) / games
    return float(((m["wins"] + 1 + m["draws"] / 4) / games - score**2) / games)


def _gain_of(ratings: Sequence[Step]) -> _Gain:
    """Return the mean score of the newer half minus that of the older half."""
    half = len(ratings) // 2
    older, newer = ratings[:half], ratings[half:]
    gain = sum(map(_score, newer)) / len(newer) - sum(map(_score, older)) / len(older)
    return _Gain(gain, math.sqrt(sum(map(_variance, ratings))) / half)


def _lead_of(gates: Sequence[Step]) -> _Gain:
    """Return the mean score of challengers above one half."""
    lead = sum(map(_score, gates)) / len(gates) - 0.5
    return _Gain(lead, math.sqrt(sum(map(_variance, gates))) / len(gates))


def _advice(
    ratings: Sequence[Step], events: Iterable[Mapping[str, Any]], settings: Mapping[str, Any]
) -> tuple[str, ...]:
    found = []
    if ratings and sum(map(_score, ratings)) / len(ratings) > _SATURATED:
        found.append("a stronger anchor would show more (--set anchor=…, in a new run)")
    checks = [event for event in events if event.get("event") == VALUE_CHECK]
    fits = {fit.phase: fit for fit in read_value_check(checks[-1])} if checks else {}
    correlation = fits[ALL].network_correlation if ALL in fits else None
    if correlation is not None and correlation < _WEAK_CORRELATION:
        found.append(
            f"the network's value foresees little (correlation {correlation:.2f} with results): more varied games "
            "(selfplay.opening_share, selfplay.late_temperature) and more of them (games_per_iter) teach it more"
        )
    net = settings.get("net", {})
    size = f"{net.get('channels')} × {net.get('blocks')}" if net.get("channels") else "now"
    found.append(f"a larger network (net.channels, net.blocks; {size}) or more visits in self-play may help, too")
    return tuple(found)
