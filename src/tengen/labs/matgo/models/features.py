"""What the linear value sees of a decision: words and numbers of its log record, each under a hashed index."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SCALES", "VALUE_ENCODER", "Decision", "entries"]

VALUE_ENCODER = "matgo-value-1"
"""Changes whenever the entries of a decision do: caches and models of another encoder are not used."""

SCALES: dict[str, float] = {
    "deckCount": 22.0,
    "handCountSelf": 10.0,
    "handCountOpp": 10.0,
    "goCountSelf": 4.0,
    "goCountOpp": 4.0,
    "scoreDiff": 10.0,
    "bakRisks": 3.0,
    "jokboProgressOppSum": 12.0,
    "jokboOneAwaySelfCount": 4.0,
    "jokboOneAwayOppCount": 4.0,
    "oppJokboThreatProb": 1.0,
    "oppJokboOneAwayProb": 1.0,
    "oppGwangThreatProb": 1.0,
    "goStopDeltaProxy": 3.0,
    "candidates": 10.0,
    "immediateReward": 0.3,
}
"""What a number is divided by: about the largest that comes up."""

_FURTHEST = 15
"""Differences of points beyond this are one word."""


class Decision(NamedTuple):
    """A decision as a log has it."""

    kind: str
    """play, match or option."""
    phase: str
    is_first: bool
    """Whether the player began the round."""
    choice: str
    candidates: int
    context: Mapping[str, float]
    """The log's `dc`."""
    reward: float
    """The log's `ir`: what the choice brought at once."""


def entries(decision: Decision, dim: int) -> tuple[list[int], list[float]]:
    """Indices and values of all that is not 0. A word counts 1."""
    numbers = {name: value / SCALES[name] for name, value in _numbers(decision).items() if value}
    indices = [_index(word, dim) for word in _words(decision)]
    values = [1.0] * len(indices) + [round(value, 6) for value in numbers.values()]
    return indices + [_index(f"#{name}", dim) for name in numbers], values


def _words(decision: Decision) -> list[str]:
    seen = decision.context
    return [
        f"phase={decision.phase}",
        f"order={'first' if decision.is_first else 'second'}",
        f"type={decision.kind}",
        f"action={decision.choice}",
        f"deck={seen['deckCount'] // 3:g}",
        f"hand={seen['handCountSelf']:g}",
        f"other hand={_other_hand(seen):g}",
        f"gos={seen['goCountSelf']:g}",
        f"other gos={seen['goCountOpp']:g}",
        f"difference={max(-_FURTHEST, min(_FURTHEST, seen['scoreDiff'])):g}",
        f"risk={_risks(seen):g}",
        f"other progress={seen['jokboProgressOppSum']:g}",
        f"one away={seen['jokboOneAwaySelfCount']:g}",
        f"other one away={seen['jokboOneAwayOppCount']:g}",
        f"proxy={round(2 * seen['goStopDeltaProxy'])}",
    ]


def _numbers(decision: Decision) -> dict[str, float]:
    seen = decision.context
    own = {
        "handCountOpp": _other_hand(seen),
        "bakRisks": _risks(seen),
        "candidates": decision.candidates,
        "immediateReward": decision.reward,
    }
    return {name: own[name] if name in own else seen[name] for name in SCALES}


def _other_hand(seen: Mapping[str, float]) -> float:
    return seen["handCountSelf"] - seen["handCountDiff"]


def _risks(seen: Mapping[str, float]) -> float:
    return seen["piBakRisk"] + seen["gwangBakRisk"] + seen["mongBakRisk"]


@lru_cache(maxsize=1 << 14)
def _index(word: str, dim: int) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big") % dim
