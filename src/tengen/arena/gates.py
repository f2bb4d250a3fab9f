"""Gates: whether a match is good enough for its first player to pass."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tengen.arena.statistics import score_from_elo

if TYPE_CHECKING:
    from tengen.arena.result import MatchResult

__all__ = ["AcceptPayoff", "AcceptRate", "Finding", "Gate", "Sprt", "Verdict", "log_likelihood_ratio"]

# An outcome that was not seen counts as seen this often: the ratio stays finite and hardly changes.
_UNSEEN = 1e-3


@dataclass(frozen=True)
class Finding:
    """What one of several figures says of a match."""

    name: str
    says: Literal["accept", "reject", "nothing"]
    text: str
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    passed: bool
    reason: str
    figures: Mapping[str, float] = field(default_factory=dict)
    is_final: bool = True
    """False: more games may decide otherwise."""
    findings: tuple[Finding, ...] = ()
    """Of gates that look at several figures: what each says, in their order."""
    decided_by: str = ""
    """The name of the one that decided; empty where none did."""

    @property
    def decision(self) -> Literal["accept", "reject", "continue"]:
        if not self.is_final:
            return "continue"
        return "accept" if self.passed else "reject"

    def __str__(self) -> str:
        return f"{self.decision}: {self.reason}"


class Gate(ABC):
    @abstractmethod
    def judge(self, result: MatchResult) -> Verdict: ...


@dataclass(frozen=True)
class AcceptRate(Gate):
    """Passes with a score rate of at least `rate`; draws count half. It speaks of a whole match, not of a part."""

    rate: float = 0.55

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            raise ValueError(f"accept rate: rate is {self.rate} and must be from 0 to 1")

    def judge(self, result: MatchResult) -> Verdict:
        score = result.score
        passed = score.value >= self.rate
        reason = (
            f"{100 * score.value:.1f} % of {len(result.games)} games ({result.tally}, 95 %: {100 * score.low:.1f} … "
            f"{100 * score.high:.1f}) {'is at least' if passed else 'is below'} {100 * self.rate:g} %"
        )
        return Verdict(passed, reason, result.figures() | {"rate": self.rate})


@dataclass(frozen=True)
class AcceptPayoff(Gate):
    """Passes with a mean payoff of at least `least` a game, in the game's unit. It speaks of a whole match."""

    least: float = 0.0

    def judge(self, result: MatchResult) -> Verdict:
        passed = result.payoff.value >= self.least
        words = "is at least" if passed else "is below"
        reason = f"{result.payoff} a game over {len(result.games)} games {words} {self.least:g}"
        return Verdict(passed, reason, result.figures() | {"least_payoff": self.least})


@dataclass(frozen=True)
class Sprt(Gate):
    """Wald's sequential test of a lead of `elo1` against one of `elo0`, over pairs of games.

    It may be asked after any number of pairs, and decides as soon as it can.
    """

    elo0: float = 0.0
    """The lead that must not pass."""
    elo1: float = 35.0
    """The lead that must pass; 35 Elo is a score rate of 55 %."""
    alpha: float = 0.05
    """How often a lead of elo0 may pass."""
    beta: float = 0.05
    """How often a lead of elo1 may fail."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise ValueError(f"SPRT: elo0 is {self.elo0}, elo1 is {self.elo1}, and elo1 must be the larger")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ValueError(f"SPRT: {name} is {value} and must be above 0 and below 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Of the log-likelihood ratio: reject at the lower, accept at the upper."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def judge(self, result: MatchResult) -> Verdict:
        verdict = self.judge_counts(result.pentanomial)
        return Verdict(verdict.passed, verdict.reason, result.figures() | dict(verdict.figures), verdict.is_final)

    def judge_counts(self, counts: Sequence[float]) -> Verdict:
        """From counts of outcomes, worst first, whose scores go from 0 to 1 in equal steps: losses, draws, wins of
        single games, or the five outcomes of pairs."""
        ratio = log_likelihood_ratio(counts, score_from_elo(self.elo0), score_from_elo(self.elo1))
        lower, upper = self.bounds
        figures = {"llr": ratio, "lower": lower, "upper": upper, "elo0": self.elo0, "elo1": self.elo1}
        text = f"log-likelihood ratio {ratio:.2f} of {self.elo1:g} against {self.elo0:g} Elo"
        if ratio >= upper:
            return Verdict(True, f"{text} is at least {upper:.2f}", figures)
        if ratio <= lower:
            return Verdict(False, f"{text} is at most {lower:.2f}", figures)
        return Verdict(False, f"{text} is between {lower:.2f} and {upper:.2f}", figures, is_final=False)


def log_likelihood_ratio(counts: Sequence[float], score0: float, score1: float) -> float:
    """How much likelier an expected score of `score1` makes the counts than `score0` does, in nats.

    Each side may choose the likeliest of all distributions with its expected score.
    """
    if len(counts) < 2 or not all(math.isfinite(count) and count >= 0 for count in counts):
        raise ValueError(f"{list(counts)} are no counts of outcomes")
    if not sum(counts):
        return 0.0
    seen = [count or _UNSEEN for count in counts]
    scores = [i / (len(seen) - 1) for i in range(len(seen))]
    tilt0, tilt1 = _tilt(seen, scores, score0), _tilt(seen, scores, score1)
    return math.fsum(
        count * (math.log1p(tilt0 * (score - score0)) - math.log1p(tilt1 * (score - score1)))
        for count, score in zip(seen, scores, strict=True)
    )


def _tilt(seen: list[float], scores: list[float], mean: float) -> float:
    """The Lagrange multiplier t of the likeliest distribution with this mean: shares ∝ seen / (1 + t (score - mean)).

    The condition falls in t between the two poles, so bisection finds it.
    """
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        excess = 0.0
        for count, score in zip(seen, scores, strict=True):
            excess += count * (score - mean) / (1 + middle * (score - mean))
        low, high = (middle, high) if excess > 0 else (low, middle)
    return (low + high) / 2
