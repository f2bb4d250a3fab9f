"""The report's card of the strength over the minutes of a run, and whether the run stands still."""

from __future__ import annotations

from datetime import timedelta
from html import escape
from typing import TYPE_CHECKING

from tengen.champion.ratings import FINAL_ANCHOR
from tengen.champion.report_charts import Chart, Point, Series, draw
from tengen.champion.report_data import number
from tengen.champion.report_page import card
from tengen.champion.standstill import find_standstill

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tengen.champion.report_data import Reading
    from tengen.runs import Step

__all__ = ["minutes_by_step", "strength_card"]

_COLORS = "abcd"


def minutes_by_step(steps: Iterable[Step]) -> dict[str, float]:
    """Return the minutes of work that were done when each step was complete. Pauses do not count, and steps that were
    made at the same time count once."""
    found: dict[str, float] = {}
    worked = timedelta()
    end = None
    for step in sorted(steps, key=lambda step: step.created):
        began = step.created - timedelta(seconds=max(0.0, step.duration_s))
        began = began if end is None else max(began, end)
        worked += max(timedelta(), step.created - began)
        end = step.created
        found[step.id] = worked.total_seconds() / 60
    return found


def strength_card(reading: Reading) -> str:
    """Return the scores of champions against fixed players, by the minutes that it took to grow them."""
    minutes = minutes_by_step(reading.steps)
    series: list[Series] = []
    keys = []
    steps = [*reading.named("rate"), *reading.named(FINAL_ANCHOR)]
    names = list(dict.fromkeys(str(step.metrics.get("second")) for step in steps))
    for name, color in zip(names, _COLORS, strict=False):
        own = [step for step in steps if str(step.metrics.get("second")) == name]
        points = [point for step in own if (point := _point(step, minutes)) is not None]
        rated = sorted((point for point in points if not point.is_hollow), key=lambda point: point.x)
        series += [Series(rated, color), Series([point for point in points if point.is_hollow], color, is_line=False)]
        keys.append(f'<i class="{color}"></i>{escape(name)}')
    if not names:
        body = '<p class="none">No match against a fixed player has been played yet.</p>'
        return card("Strength over minutes", body + _standstill(reading))
    chart = Chart(
        series,
        "Score against fixed players over the minutes of the run",
        "minutes of work",
        y_range=(0, 1),
        levels=[(0.5, "")],
        percent=True,
        whole_x=False,
    )
    has_final = any(point.is_hollow for one in series for point in one.points)
    key = f'<p class="key">{"".join(keys)}{"<i class=ring></i>final match" if has_final else ""}</p>'
    note = (
        '<p class="note">The champion\'s score against fixed players, by the time when its training was complete. Bars '
        "are 95 % intervals.</p>"
    )
    title = f"The champion's score against {names[0] if len(names) == 1 else 'fixed players'}"
    return card(title, draw(chart) + key + note + _standstill(reading))


def _standstill(reading: Reading) -> str:
    found = find_standstill(reading.steps, reading.run.events(), reading.table("learn"))
    if found is None:
        return ""
    advice = "".join(f"<li>{escape(text)}</li>" for text in found.advice)
    return (
        f'<p><span class="bad">The run stands still.</span> No gain is shown: {escape(found.evidence)}.</p>'
        f"<ul>{advice}</ul>"
    )


def _point(step: Step, minutes: dict[str, float]) -> Point | None:
    score, low, high = (number(step.metrics.get(name)) for name in ("score", "score_low", "score_high"))
    network = str(step.metrics.get("first"))
    if score is None:
        return None
    at = minutes.get(network, minutes.get(step.id, 0.0))
    text = f"iteration {step.iteration}, {at:.1f} min: {100 * score:.1f} % of {step.metrics.get('games')} games"
    return Point(at, score, low, high, step.name == FINAL_ANCHOR, text=text)
