"""The gates of learning runs and champion cycles, from their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.arena import AcceptPayoff, AcceptRate, Sprt, promotion_gate

if TYPE_CHECKING:
    from tengen.arena import Gate, Ladder
    from tengen.champion.settings import LearnSettings
    from tengen.games import Game

__all__ = ["GATES", "NO_GATE", "GateSettings", "make_gate"]

NO_GATE = "none"
GATES = ("rate", "payoff", "sprt", "criteria", NO_GATE)
"""Values of the setting `gate` of learning runs."""


@dataclass(frozen=True)
class GateSettings:
    """Settings of a gate on several figures; the first figure with a verdict decides."""

    z: float = 1.96
    """How many standard errors a difference must be beyond."""
    epsilon: float = 0.01
    """A lead of the mean payoff that is too small to matter, as a share of a full win."""
    edge: float = 0.005
    """Lead in the share of games won minus the share lost that decides."""
    least_score: float = 0.52
    """The score rate that decides where nothing before it did."""
    tolerance: float = 0.01
    """How much worse than the champion's the challenger's rates of counts may be."""
    least_count: int = 50
    """Least number of events of each player before its rate counts."""
    guard_z: float = 0.0
    """How many standard errors beyond the tolerance a rate must be to block; 0 blocks on suspicion."""

    def make(self, game: Game) -> Ladder:
        return promotion_gate(
            game,
            z=self.z,
            epsilon=self.epsilon * game.payoff_scale,
            edge=self.edge,
            least_score=self.least_score,
            tolerance=self.tolerance,
            least_count=self.least_count,
            guard_z=self.guard_z,
        )


def make_gate(settings: LearnSettings, game: Game) -> Gate:
    """Return the gate of a learning run; the gate "none" is no match and has no object."""
    if settings.gate == "payoff":
        return AcceptPayoff()
    if settings.gate == "sprt":
        return Sprt(elo0=0.0, elo1=settings.sprt_elo)
    if settings.gate == "criteria":
        return settings.criteria.make(game)
    return AcceptRate(settings.accept_rate)
