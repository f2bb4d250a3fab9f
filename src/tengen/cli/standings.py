"""How strong a run's champions are, from the matches among its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.arena import elo

if TYPE_CHECKING:
    from tengen.arena import Rating, Ratings
    from tengen.series import Run

__all__ = ["elo_text", "rate_champion", "rate_run"]

_PARTS = {"first", "second", "wins", "draws", "losses"}


def rate_run(run: Run) -> Ratings | None:
    """Of every network that played, by its step, and of fixed players, by name. The first network is 0."""
    matches = [
        (str(m["first"]), str(m["second"]), float(m["wins"]), float(m["draws"]), float(m["losses"]))
        for m in (step.metrics for step in run.steps())
        if m.keys() >= _PARTS and m["first"] != m["second"]
    ]
    first = run.find("initial")
    if first is None or not any(first.id in match[:2] for match in matches):
        return None
    return elo(matches, {first.id: 0.0})


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
