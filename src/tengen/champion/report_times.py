"""The report's card of where the time of a run went."""

from __future__ import annotations

from collections import Counter, defaultdict
from html import escape
from typing import TYPE_CHECKING

from tengen.champion.ratings import FINAL_ANCHOR, FINAL_INITIAL
from tengen.champion.report_charts import stacks
from tengen.champion.report_page import card, table
from tengen.champion.report_strength import minutes_by_step
from tengen.runs.used_time import read_used_s

if TYPE_CHECKING:
    from tengen.champion.report_data import Reading

__all__ = ["duration_text", "times_card"]

_PARTS = {
    "self-play": "self-play",
    "teacher-games": "self-play",
    "reanalyze": "self-play",
    "train": "training",
    "train-stopped": "training",
    "arena": "gates",
    "rate": "ratings",
    FINAL_INITIAL: "final matches",
    FINAL_ANCHOR: "final matches",
}
_OTHER = "other"
_COLORS = {"self-play": "a", "training": "b", "gates": "c", "ratings": "d"}


def times_card(reading: Reading) -> str:
    """Return a table of the time by what it was spent on, and a chart of it by iteration."""
    spent: Counter[str] = Counter()
    by_iteration: dict[int, Counter[str]] = defaultdict(Counter)
    for step in reading.steps:
        part, seconds = _PARTS.get(step.name, _OTHER), max(0.0, step.duration_s)
        spent[part] += seconds  # type: ignore[assignment]
        if step.iteration is not None and part in _COLORS:
            by_iteration[step.iteration][part] += seconds / 60  # type: ignore[assignment]
    # Planning, loading and what was begun in vain belong to no step.
    covered = 60 * max(minutes_by_step(reading.steps).values(), default=0.0)
    spent[_OTHER] += max(0.0, read_used_s(reading.run) - covered)  # type: ignore[assignment]
    total = sum(spent.values())
    if total <= 0:
        return card("Time", '<p class="none">Nothing is done yet.</p>')
    shares, rows = [], []
    for name, seconds in spent.most_common():
        color = f"var(--{_COLORS.get(name, 'faint')})"
        shares.append(f'<i style="width:{100 * seconds / total:.2f}%;background:{color}"></i>')
        mark = f'<span style="color:{color}">●</span> {escape(name)}'
        rows.append([mark, duration_text(seconds), f"{100 * seconds / total:.1f} %"])
    columns = [
        (iteration, [(_COLORS[part], minutes[part]) for part in _COLORS if minutes[part] > 0])
        for iteration, minutes in sorted(by_iteration.items())
    ]
    chart = stacks(columns, "Minutes of each iteration", "iteration") + '<p class="note">Minutes of each iteration.</p>'
    listed = table(["spent on", "time", ""], rows, {1, 2})
    return card("Time", f'<div class="share">{"".join(shares)}</div>{listed}{chart}')


def duration_text(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
