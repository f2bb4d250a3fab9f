"""What a move lost against the best one, and what that is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tengen.analysis.answers import Answer, MoveInfo, RootInfo

__all__ = [
    "HALVING_POINTS",
    "HALVING_WINRATE",
    "MIN_VISITS",
    "POINT_LIMITS",
    "VERDICTS",
    "WINRATE_LIMITS",
    "Loss",
    "Verdict",
    "find_loss",
]

Verdict: TypeAlias = Literal["excellent", "good", "inaccuracy", "mistake", "blunder"]

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
POINT_LIMITS: Final = (0.5, 1.5, 3.0, 6.0)
"""Points at which each verdict after the first begins."""
WINRATE_LIMITS: Final = (0.03, 0.06, 0.12, 0.25)
"""The same in win rate. Of the two verdicts the worse one holds."""
MIN_VISITS: Final = 10
"""Of a move: by fewer it is not judged, nor are others by it. One visit is a glance of the network, not a search."""
HALVING_POINTS: Final = 2.0
"""The loss at which a move is half accurate; twice that, a quarter."""
HALVING_WINRATE: Final = 0.08
"""The same for games without points."""


@dataclass(frozen=True)
class Loss:
    """What a move gave away, in its player's view; never less than nothing."""

    winrate: float
    """From 0 to 1."""
    points: float | None
    """In games with a score."""

    @property
    def verdict(self) -> Verdict:
        level = sum(self.winrate >= limit for limit in WINRATE_LIMITS)
        if self.points is not None:
            level = max(level, sum(self.points >= limit for limit in POINT_LIMITS))
        return VERDICTS[level]

    @property
    def severity(self) -> float:
        """1 where a blunder begins; what moves are compared by."""
        return max(self.winrate / WINRATE_LIMITS[-1], (self.points or 0.0) / POINT_LIMITS[-1])

    @property
    def accuracy(self) -> float:
        """1 for the best move."""
        if self.points is None:
            return float(0.5 ** (self.winrate / HALVING_WINRATE))
        return float(0.5 ** (self.points / HALVING_POINTS))


def find_loss(answer: Answer, played: MoveInfo, after: Answer | None, sign: int) -> Loss | None:
    """What `played` lost against the first choice of the search before it; None in games without win rates, and where
    either has too few visits to tell, and is not proven.

    The first choice loses nothing. Any other move is judged by its visits in that search and by those of the search
    `after` it together, where there is one. Numbers are in the view of seat 0; `sign` is 1 where that seat moves.
    """
    best = answer.best
    if best is None or best.winrate is None or played.winrate is None:
        return None
    has_points = best.lead is not None and played.lead is not None
    if played.move == best.move:
        return Loss(0.0, 0.0 if has_points else None)
    views: list[tuple[MoveInfo | RootInfo, int]] = [(played, played.visits)]
    if after is not None and after.root_info is not None:
        views.append((after.root_info, after.root_info.visits))
    proven = [(view, 1) for view, _ in views if view.is_proven]
    is_seen = proven or sum(visits for _, visits in views) >= MIN_VISITS
    if not is_seen or not (best.is_proven or best.visits >= MIN_VISITS):
        return None
    winrate = _mean((view.winrate, weight) for view, weight in proven or views)
    points = None
    if has_points:
        points = max(0.0, sign * ((best.lead or 0.0) - _mean((view.lead, weight) for view, weight in views)))
    return Loss(max(0.0, sign * (best.winrate - winrate)), points)


def _mean(numbers: Iterable[tuple[float | None, int]]) -> float:
    known = [(number, weight) for number, weight in numbers if number is not None]
    return sum(number * weight for number, weight in known) / max(1, sum(weight for _, weight in known))
