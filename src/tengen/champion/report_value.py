"""The report's card of how well values foresee results, by phase of the game and over iterations."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tengen.champion.report_charts import Chart, Point, Series, draw
from tengen.champion.report_page import card, table
from tengen.champion.value_check import ALL, PROVEN, VALUE_CHECK, read_value_check

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from tengen.champion.value_check import ValueFit

__all__ = ["value_card"]

_NAMES = {ALL: "all", PROVEN: "solved"}


def value_card(events: Iterable[Mapping[str, Any]]) -> str:
    """Return the figures of the newest games, and the correlations over iterations."""
    checks = {}
    for event in events:
        iteration = event.get("iteration")
        if event.get("event") == VALUE_CHECK and isinstance(iteration, int):
            checks[iteration] = read_value_check(event)
    title = "Value: network and search by phase of the game"
    checks = {iteration: fits for iteration, fits in sorted(checks.items()) if fits}
    if not checks:
        return card(title, '<p class="none">No network has been compared with results yet.</p>', "full")
    newest = max(checks)
    listed = table(
        ["plies to the end", "positions", "network", "error", "search", "error"],
        [_row(fit) for fit in checks[newest]],
        {1, 2, 3, 4, 5},
    )
    note = (
        f'<p class="note">The correlation of the values of network and search with results, and the mean squared error '
        f"as shares of a full win, in games of iteration {newest}, on which the network had not been trained. "
        "Positions near the end that a search solves are compared with the results of perfect play.</p>"
    )
    return card(title, f'<div class="pair"><div>{_chart(checks)}</div><div>{listed}</div></div>{note}', "full")


def _row(fit: ValueFit) -> list[str]:
    return [
        escape(_NAMES.get(fit.phase, fit.phase)),
        f"{fit.positions:,}",
        _correlation(fit.network_correlation),
        f"{fit.network_error:.3f}",
        _correlation(fit.search_correlation),
        f"{fit.search_error:.3f}",
    ]


def _correlation(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}".replace("-", "−")


def _chart(checks: Mapping[int, list[ValueFit]]) -> str:
    lines = {
        "a": ("network", ALL, "network_correlation"),
        "b": ("search", ALL, "search_correlation"),
        "c": ("network in solved positions", PROVEN, "network_correlation"),
    }
    series, keys = [], []
    for color, (name, phase, figure) in lines.items():
        points = [
            Point(iteration, value, size=2.5, text=f"iteration {iteration}: {name} {value:+.2f}")
            for iteration, fits in checks.items()
            for fit in fits
            if fit.phase == phase and (value := getattr(fit, figure)) is not None
        ]
        if points:
            series.append(Series(points, color))
            keys.append(f'<i class="{color}"></i>{name}')
    chart = Chart(series, "Correlation of values with results over iterations", levels=[(0.0, "")])
    return f'{draw(chart)}<p class="key">{"".join(keys)}</p>'
