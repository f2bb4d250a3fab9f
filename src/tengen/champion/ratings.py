"""How strong a run's networks are, from the matches among its steps: what the terminal and the report say alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tengen.arena import elo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tengen.arena import Rating, Ratings
    from tengen.runs import Run, Step

__all__ = ["FINAL_ANCHOR", "FINAL_INITIAL", "elo_text", "match_steps", "rate_champion", "rate_run", "rate_steps"]

FINAL_INITIAL, FINAL_ANCHOR = "match-initial", "match-anchor"
"""Steps at the end of a run: its champion against the network it began with, and against a fixed player."""


def match_steps(steps: Iterable[Step]) -> list[Step]:
    """The steps that are matches. Of those that played the same one again, with more games say, the last."""
    latest = {}
    for step in steps:
        first, second = step.metrics.get("first"), step.metrics.get("second")
        are_named = isinstance(first, str) and isinstance(second, str) and first != second
        if are_named and all(_is_count(step.metrics.get(name)) for name in ("wins", "draws", "losses")):
            latest[step.name, step.iteration, first, second] = step
    return list(latest.values())


def rate_steps(steps: Iterable[Step]) -> Ratings | None:
    """Of every network that played, by its step, and of fixed players, by name. The first network is 0; without it
    there is no scale, and the mean is."""
    steps = list(steps)
    matches = [
        (str(m["first"]), str(m["second"]), float(m["wins"]), float(m["draws"]), float(m["losses"]))
        for m in (step.metrics for step in match_steps(steps))
    ]
    if not matches:
        return None
    played = {name for match in matches for name in match[:2]}
    zero = next((step.id for step in steps if step.name == "initial" and step.id in played), None)
    return elo(matches, None if zero is None else {zero: 0.0})


def rate_run(run: Run) -> Ratings | None:
    return rate_steps(run.steps())


def rate_champion(run: Run) -> Rating | None:
    ratings, champion = rate_run(run), run.champion
    if ratings is None or champion is None:
        return None
    return next((rating for rating in ratings.players if rating.name == champion.id), None)


def elo_text(rating: Rating | None) -> str:
    if rating is None:
        return ""
    if rating.is_anchor:
        return f"{rating.elo:+.0f}"
    return f"{rating.elo:+.0f} ({rating.low:+.0f} … {rating.high:+.0f})"


def _is_count(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
