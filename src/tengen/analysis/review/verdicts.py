"""Losses of moves against the best one, and the verdicts on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tengen.analysis.answers import Answer, MoveInfo, RootInfo

__all__ = [
    "HALVING_POINTS",
    "HALVING_WINRATE",
    "LEAST_ERRORS",
    "MIN_VISITS",
    "POINT_LIMITS",
    "VERDICTS",
    "WINRATE_LIMITS",
    "WORST_FROM",
    "Estimate",
    "Loss",
    "Verdict",
    "find_loss",
    "judge_move",
    "winrate_of",
]

Verdict: TypeAlias = Literal["excellent", "good", "inaccuracy", "mistake", "blunder"]

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
"""Mildest first."""
WORST_FROM: Final[Verdict] = "inaccuracy"
"""The mildest verdict on moves that lists of the worst moves show."""
POINT_LIMITS: Final = (0.5, 1.5, 3.0, 6.0)
"""Points at which each verdict after the first begins."""
WINRATE_LIMITS: Final = (0.03, 0.06, 0.12, 0.25)
"""Win rates at which each verdict after the first begins. The worse of the two verdicts holds."""
MIN_VISITS: Final = 10
"""Fewest visits with which a move is judged, or others by it. One visit is a single evaluation, not a search."""
LEAST_ERRORS: Final = 2.0
"""A difference of fewer standard errors may be chance, and is no loss."""
HALVING_POINTS: Final = 2.0
"""The loss at which a move is half accurate; twice that, a quarter."""
HALVING_WINRATE: Final = 0.08
"""The loss of win rate at which a move is half accurate, in games without points."""


@dataclass(frozen=True)
class Loss:
    """The loss of a move, in its player's view. It is never negative."""

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

    def is_at_least(self, verdict: Verdict) -> bool:
        return VERDICTS.index(self.verdict) >= VERDICTS.index(verdict)

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


@dataclass(frozen=True)
class Estimate:
    """The result of a search for a move, or for the position after it, in the view of the player who moved."""

    winrate: float | None
    """From 0 to 1. In games that are judged by payoffs: the payoff between a full loss (0) and a full win (1)."""
    points: float | None = None
    """In games with a score."""
    visits: int | None = None
    """None if the search does not count visits for each move."""
    is_proven: bool = False
    error: float | None = None
    """The standard error of `winrate`, if the search knows it."""

    @property
    def is_sound(self) -> bool:
        return self.is_proven or self.visits is None or self.visits >= MIN_VISITS


def winrate_of(payoff: float, full_win: float) -> float:
    """Return a payoff as a share of the way from a full loss to a full win."""
    return 0.5 * (1.0 + payoff / full_win)


def judge_move(best: Estimate, played: Estimate, after: Estimate | None = None, *, is_best: bool) -> Loss | None:
    """Return what a move lost against the first choice of the search before it.

    `after` is the search of the position after the move, if there was one; it is weighed by its visits. The first
    choice (`is_best`) loses nothing. The result is None if there are no win rates, or if either move has too few visits
    and is not proven.
    """
    if best.winrate is None or played.winrate is None:
        return None
    has_points = best.points is not None and played.points is not None
    if is_best:
        return Loss(0.0, 0.0 if has_points else None)
    views = [played] if after is None else [played, after]
    visits = None if played.visits is None else sum(view.visits or 0 for view in views)
    proven = [view for view in views if view.is_proven]
    if not best.is_sound or not Estimate(None, visits=visits, is_proven=bool(proven)).is_sound:
        return None
    winrate = _mean((view.winrate, 1) for view in proven) if proven else _mean_by_visits(views, "winrate")
    lost = max(0.0, best.winrate - winrate)
    if best.error is not None and played.error is not None:
        lost = lost if lost > LEAST_ERRORS * math.hypot(best.error, played.error) else 0.0
    if best.points is None or played.points is None:
        return Loss(lost, None)
    return Loss(lost, max(0.0, best.points - _mean_by_visits(views, "points")))


def find_loss(
    answer: Answer, played: MoveInfo, after: Answer | None, sign: int, *, seat: int = 0, full_win: float | None = None
) -> Loss | None:
    """Return what `played` lost, by judge_move(). Numbers are in the view of seat 0; `sign` is 1 if that seat moves.

    With `full_win`, the payoff of a full win, games in which other payoffs count than wins and losses are judged by the
    payoff of the `seat` that moves; otherwise the result is None there.
    """
    best = answer.best
    if best is None:
        return None

    def read(info: MoveInfo | RootInfo) -> Estimate:
        winrate, error = info.winrate, None
        if winrate is not None and sign < 0:
            winrate = 1.0 - winrate
        if full_win is not None and info.values is not None:
            winrate = winrate_of(info.values[seat], full_win)
            known = getattr(info, "utility_error", None)
            error = None if known is None else known / (2 * full_win)
        points = None if info.lead is None else sign * info.lead
        return Estimate(winrate, points, info.visits, info.is_proven, error)

    then = None if after is None or after.root_info is None else read(after.root_info)
    return judge_move(read(best), read(played), then, is_best=played.move == best.move)


def _mean_by_visits(views: Iterable[Estimate], name: str) -> float:
    # A search that counts no visits has one view, which counts by itself.
    return _mean((getattr(view, name), 1 if view.visits is None else view.visits) for view in views)


def _mean(numbers: Iterable[tuple[float | None, int]]) -> float:
    known = [(number, weight) for number, weight in numbers if number is not None]
    return sum(number * weight for number, weight in known) / max(1, sum(weight for _, weight in known))
