"""Gates on several figures, one after another: the first that speaks decides."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tengen.arena.gates import Finding, Gate, Verdict
from tengen.arena.statistics import paired_error

if TYPE_CHECKING:
    from tengen.arena.result import MatchResult
    from tengen.games import Game, Rate

__all__ = [
    "Criterion",
    "FewerCounts",
    "Ladder",
    "LeastScore",
    "PayoffLead",
    "RateGuard",
    "ScoreEdge",
    "SmallerWorstLoss",
    "promotion_gate",
]

Word = Literal["accept", "reject", "nothing"]


class Criterion(ABC):
    """One figure of a match. It says accept, reject, or nothing."""

    @abstractmethod
    def assess(self, result: MatchResult) -> Finding: ...


@dataclass(frozen=True)
class FewerCounts(Criterion):
    """How much more often the second player had something bad happen than the first. Speaks where the difference in a
    game is beyond z standard errors of it, which come from pairs."""

    count: str
    z: float = 1.96

    def __post_init__(self) -> None:
        _at_least_zero("fewer counts", z=self.z)

    def assess(self, result: MatchResult) -> Finding:
        own = [game.counts_of(first=True).get(self.count, 0.0) for game in result.games]
        other = [game.counts_of(first=False).get(self.count, 0.0) for game in result.games]
        mean, error = paired_error([b - a for a, b in zip(own, other, strict=True)])
        difference = math.fsum(other) - math.fsum(own)
        bar = self.z * error
        text = f"{self.count} {difference:+g} for the first in {len(result.games)} games"
        says: Word = "nothing"
        if difference != 0 and abs(mean) > bar:
            says = "accept" if mean > 0 else "reject"
        text += f", {mean:+.4g} a game against ±{bar:.4g}" if difference else ""
        figures = {f"{self.count}_difference": difference, f"{self.count}_needed": bar * len(result.games)}
        return Finding(f"fewer {self.count}", says, text, figures)


@dataclass(frozen=True)
class PayoffLead(Criterion):
    """The mean payoff of a game. Speaks where it is beyond epsilon + z standard errors, either way."""

    epsilon: float
    """In the game's unit: a lead that is too small to matter."""
    z: float = 1.96
    unit: str = "payoff"

    def __post_init__(self) -> None:
        _at_least_zero("payoff lead", epsilon=self.epsilon, z=self.z)

    def assess(self, result: MatchResult) -> Finding:
        mean, error = paired_error([game.payoff for game in result.games])
        bar = self.epsilon + self.z * error
        says: Word = "nothing" if abs(mean) <= bar else "accept" if mean > 0 else "reject"
        figures = {"payoff_error": error, "payoff_needed": bar}
        return Finding(f"mean {self.unit}", says, f"mean {self.unit} {mean:+.4g} against ±{bar:.4g}", figures)


@dataclass(frozen=True)
class ScoreEdge(Criterion):
    """The share of games won minus the share of games lost. Speaks where it is beyond `edge`, either way."""

    edge: float = 0.005

    def __post_init__(self) -> None:
        _at_least_zero("score edge", edge=self.edge)

    def assess(self, result: MatchResult) -> Finding:
        lead = (result.wins - result.losses) / len(result.games)
        says: Word = "nothing" if abs(lead) <= self.edge else "accept" if lead > 0 else "reject"
        text = f"wins minus losses {100 * lead:+.2f} % against ±{100 * self.edge:g} %"
        return Finding("win-rate edge", says, text, {"win_rate_edge": lead})


@dataclass(frozen=True)
class SmallerWorstLoss(Criterion):
    """The largest loss in a single game: whose is smaller is ahead. Says nothing where they are equal."""

    def assess(self, result: MatchResult) -> Finding:
        own = max(0.0, *(-game.payoffs[game.first_seat] for game in result.games))
        other = max(0.0, *(-game.payoffs[1 - game.first_seat] for game in result.games))
        says: Word = "nothing" if own == other else "accept" if own < other else "reject"
        text = f"worst single loss {own:g} against {other:g}"
        return Finding("worst single loss", says, text, {"worst_loss": own, "worst_loss_other": other})


@dataclass(frozen=True)
class LeastScore(Criterion):
    """The score rate, draws counting half: accepts from `rate` on, and rejects below. It always speaks."""

    rate: float = 0.52

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            raise ValueError(f"least score: rate is {self.rate} and must be from 0 to 1")

    def assess(self, result: MatchResult) -> Finding:
        says: Word = "accept" if result.score.value >= self.rate else "reject"
        text = f"score {100 * result.score.value:.2f} % against {100 * self.rate:g} %"
        return Finding("score rate", says, text, {"score_needed": self.rate})


@dataclass(frozen=True)
class RateGuard(Criterion):
    """Rejects where the first player's rate of counts exceeds the second's by more than `tolerance` and z standard
    errors. Says nothing otherwise, and nothing as long as either player's rate is of fewer than `least`."""

    name: str
    rate: Rate
    tolerance: float = 0.01
    least: int = 50
    z: float = 0.0
    """0 blocks on suspicion: of 50, one more is a difference of 2 %."""

    def __post_init__(self) -> None:
        _at_least_zero("rate guard", tolerance=self.tolerance, least=self.least, z=self.z)

    def assess(self, result: MatchResult) -> Finding:
        own, other = _Share.of(result, self.rate, first=True), _Share.of(result, self.rate, first=False)
        error = math.hypot(own.error, other.error)
        enough = min(own.whole, other.whole) >= self.least
        is_worse = own.value > other.value + self.tolerance + self.z * error
        text = f"{self.name} {own} against {other}" + ("" if enough else f", too few to judge below {self.least}")
        figures = {f"{self.name}_first": own.value, f"{self.name}_second": other.value, f"{self.name}_error": error}
        for who, share in (("first", own), ("second", other)):
            figures |= {f"{self.rate.part}_{who}": share.part, f"{self.rate.whole}_{who}": share.whole}
        return Finding(self.name, "reject" if enough and is_worse else "nothing", text, figures)


@dataclass(frozen=True)
class _Share:
    """A player's rate in a match."""

    part: float
    whole: float
    error: float
    """Standard error, from pairs: what happens in one deal hangs together."""

    @classmethod
    def of(cls, result: MatchResult, rate: Rate, *, first: bool) -> _Share:
        counts = [game.counts_of(first=first) for game in result.games]
        parts, wholes = ([own.get(name, 0.0) for own in counts] for name in (rate.part, rate.whole))
        part, whole = math.fsum(parts), math.fsum(wholes)
        if not whole:
            return cls(part, whole, 0.0)
        left = [own - part / whole * of for own, of in zip(parts, wholes, strict=True)]
        squares = math.fsum((one + other) ** 2 for one, other in zip(left[0::2], left[1::2], strict=True))
        return cls(part, whole, math.sqrt(squares) / whole)

    @property
    def value(self) -> float:
        return self.part / self.whole if self.whole else 0.0

    def __str__(self) -> str:
        return f"{100 * self.value:.2f} % of {self.whole:g}"


@dataclass(frozen=True)
class Ladder(Gate):
    """The criteria in order: the first that says accept or reject decides, whatever those below it say. Before that, a
    guard that says reject blocks the way. Where nobody speaks, the first player does not pass. It speaks of a whole
    match, not of a part."""

    criteria: tuple[Criterion, ...]
    guards: tuple[Criterion, ...] = field(default=())

    def judge(self, result: MatchResult) -> Verdict:
        blocks = [guard.assess(result) for guard in self.guards]
        steps = [criterion.assess(result) for criterion in self.criteria]
        figures: dict[str, float] = result.figures()
        for finding in (*blocks, *steps):
            figures |= finding.figures
        blocking = next((finding for finding in blocks if finding.says == "reject"), None)
        deciding = blocking or next((finding for finding in steps if finding.says != "nothing"), None)
        if deciding is None:
            reason, passed = "no figure decides", False
        else:
            reason, passed = deciding.text, deciding.says == "accept"
        if blocking is not None:
            reason = f"blocked by {blocking.name}: {reason}"
        decided_by = deciding.name if deciding else ""
        return Verdict(passed, reason, figures, findings=(*blocks, *steps), decided_by=decided_by)


def promotion_gate(
    game: Game,
    *,
    z: float = 1.96,
    epsilon: float | None = None,
    edge: float = 0.005,
    least_score: float = 0.52,
    tolerance: float = 0.01,
    least_count: int = 50,
    guard_z: float = 0.0,
) -> Ladder:
    """The gate of champion cycles: the game's decisive count, then mean payoff, then win-rate edge, then worst single
    loss, then the score rate; the game's rates are guards. `epsilon` is in the game's unit, by default a hundredth
    of a full win.
    """
    if epsilon is None:
        epsilon = 0.01 * game.payoff_scale
    decisive = [FewerCounts(game.decisive_count, z)] if game.decisive_count else []
    lead = PayoffLead(epsilon, z, game.payoff_unit or "payoff")
    guards = tuple(RateGuard(name, rate, tolerance, least_count, guard_z) for name, rate in game.rates.items())
    return Ladder((*decisive, lead, ScoreEdge(edge), SmallerWorstLoss(), LeastScore(least_score)), guards)


def _at_least_zero(owner: str, **values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{owner}: {name} is {value} and must be 0 or more")
