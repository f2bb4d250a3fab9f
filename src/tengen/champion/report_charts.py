"""Charts as inline SVG. Colors come from the page, so that they fit light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Chart", "Point", "Series", "bars", "draw", "stacks", "ticks"]


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    """The 95 % interval, drawn as a bar."""
    is_hollow: bool = False
    size: float = 3.5
    text: str = ""
    """Text that the page shows under a pointer."""


@dataclass(frozen=True)
class Series:
    points: Sequence[Point]
    color: str = "a"
    """One of the page's colors: a, b, c, d."""
    is_line: bool = True
    has_marks: bool = True
    is_dashed: bool = False


@dataclass(frozen=True)
class Chart:
    series: Sequence[Series]
    title: str
    """For those who can't see it."""
    x_label: str = "iteration"
    width: int = 460
    height: int = 220
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    levels: Sequence[tuple[float, str]] = ()
    """Horizontal lines with their names."""
    percent: bool = False
    whole_x: bool = True


_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 12, 36


def ticks(low: float, high: float, max_ticks: int, whole: bool = False) -> list[float]:
    """Round numbers inside the range."""
    span = max(high - low, 1e-12)
    step = 10.0 ** math.floor(math.log10(span / max_ticks))
    while span / step > max_ticks:
        step *= 2 if round(step / 10 ** math.floor(math.log10(step) + 1e-9)) != 2 else 2.5
    if whole:
        step = max(1.0, math.ceil(step))
    first = math.ceil(low / step - 1e-9)
    return [(first + i) * step for i in range(int((high - first * step) / step + 1e-9) + 1)]


def draw(chart: Chart) -> str:
    """Return the chart, or a line of text if it has no points."""
    points = [point for series in chart.series for point in series.points]
    if not points:
        return '<p class="none">Nothing to draw yet.</p>'
    x0, x1 = chart.x_range or _widened(min(p.x for p in points), max(p.x for p in points), 0.0)
    ys = [y for p in points for y in (p.y, p.low, p.high) if y is not None] + [level for level, _ in chart.levels]
    y0, y1 = chart.y_range or _widened(min(ys), max(ys), 0.06)
    scale = _Scale(chart, x0, x1, y0, y1)
    parts = [
        f'<svg class="chart" viewBox="0 0 {chart.width} {chart.height}" role="img" aria-label="{escape(chart.title)}">',
        *_axes(chart, scale),
    ]
    for level, name in chart.levels:
        y = scale.y(level)
        parts.append(f'<line class="level" x1="{_LEFT}" x2="{chart.width - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="level" x="{chart.width - _RIGHT}" y="{y - 5:.1f}">{escape(name)}</text>')
    for series in chart.series:
        parts += _series(series, scale)
    return "".join([*parts, "</svg>"])


class _Scale:
    def __init__(self, chart: Chart, x0: float, x1: float, y0: float, y1: float) -> None:
        self.x0, self.x1, self.y0, self.y1 = x0, x1, y0, y1
        self._across = (chart.width - _LEFT - _RIGHT) / (x1 - x0)
        self._up = (chart.height - _TOP - _BOTTOM) / (y1 - y0)
        self._height = chart.height

    def x(self, value: float) -> float:
        return _LEFT + (value - self.x0) * self._across

    def y(self, value: float) -> float:
        return self._height - _BOTTOM - (min(max(value, self.y0), self.y1) - self.y0) * self._up


def _widened(low: float, high: float, share: float) -> tuple[float, float]:
    if high - low < 1e-9 * max(1.0, abs(low)):
        return low - max(0.5, abs(low) * 0.1), high + max(0.5, abs(high) * 0.1)
    return low - share * (high - low), high + share * (high - low)


def _axes(chart: Chart, scale: _Scale) -> list[str]:
    bottom = chart.height - _BOTTOM
    parts = []
    for tick in ticks(scale.y0, scale.y1, 5):
        y = scale.y(tick)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{chart.width - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="y" x="{_LEFT - 6}" y="{y + 4:.1f}">{_label(tick, chart.percent)}</text>')
    for tick in ticks(scale.x0, scale.x1, max(3, chart.width // 60), chart.whole_x):
        parts.append(f'<text class="x" x="{scale.x(tick):.1f}" y="{bottom + 16}">{_label(tick, False)}</text>')
    middle = (_LEFT + chart.width - _RIGHT) / 2
    parts.append(f'<text class="x" x="{middle:.0f}" y="{chart.height - 5}">{escape(chart.x_label)}</text>')
    return parts


def _label(value: float, percent: bool) -> str:
    if percent:
        return f"{100 * value:.4g} %"
    return f"{0.0 if abs(value) < 1e-12 else value:.6g}".replace("-", "−")


def _series(series: Series, scale: _Scale) -> list[str]:
    parts = []
    dashed = " dashed" if series.is_dashed else ""
    if series.is_line and len(series.points) > 1:
        path = " ".join(f"{scale.x(p.x):.1f},{scale.y(p.y):.1f}" for p in series.points)
        parts.append(f'<polyline class="line {series.color}{dashed}" points="{path}"/>')
    for p in series.points:
        x, y = scale.x(p.x), scale.y(p.y)
        if p.low is not None and p.high is not None:
            top, low = scale.y(p.high), scale.y(p.low)
            parts.append(
                f'<line class="interval {series.color}" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{low:.1f}"/>'
            )
        if series.has_marks:
            kind = "hollow" if p.is_hollow else "mark"
            told = f"<title>{escape(p.text)}</title>" if p.text else ""
            parts.append(
                f'<circle class="{kind} {series.color}" cx="{x:.1f}" cy="{y:.1f}" r="{p.size:.1f}">{told}</circle>'
            )
    return parts


def bars(
    counts: Sequence[tuple[float, float, int]], title: str, x_label: str, *, width: int = 460, height: int = 130
) -> str:
    """A histogram from (left edge, right edge, count)."""
    if not any(count for _, _, count in counts):
        return '<p class="none">Nothing to draw yet.</p>'
    chart = Chart(
        (),
        title,
        x_label,
        width,
        height,
        (counts[0][0], counts[-1][1]),
        (0, 1.08 * max(count for _, _, count in counts)),
        whole_x=False,
    )
    scale = _Scale(chart, *(chart.x_range or (0, 1)), *(chart.y_range or (0, 1)))
    parts = [f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">']
    parts += _axes(chart, scale)
    for left, right, count in counts:
        x, y = scale.x(left), scale.y(count)
        parts.append(
            f'<rect class="bar" x="{x + 0.5:.1f}" y="{y:.1f}" width="{max(0.5, scale.x(right) - x - 1):.1f}" '
            f'height="{scale.y(0) - y:.1f}"><title>{left:.4g} to {right:.4g}: {count}</title></rect>'
        )
    return "".join([*parts, "</svg>"])


def stacks(
    columns: Sequence[tuple[int, Sequence[tuple[str, float]]]],
    title: str,
    x_label: str,
    *,
    width: int = 460,
    height: int = 180,
) -> str:
    """Return a chart of columns, each of a number and its parts from the bottom up: colors and amounts."""
    heights = [sum(amount for _, amount in parts) for _, parts in columns]
    if not any(heights):
        return '<p class="none">Nothing to draw yet.</p>'
    ends = (columns[0][0] - 0.5, columns[-1][0] + 0.5)
    chart = Chart((), title, x_label, width, height, ends, (0, 1.08 * max(heights)))
    scale = _Scale(chart, *ends, 0, 1.08 * max(heights))
    drawn = [f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">']
    drawn += _axes(chart, scale)
    for number, parts in columns:
        low = 0.0
        left, right = scale.x(number - 0.4), scale.x(number + 0.4)
        for color, amount in parts:
            drawn.append(
                f'<rect class="stack {color}" x="{left:.1f}" y="{scale.y(low + amount):.1f}" '
                f'width="{max(0.5, right - left):.1f}" height="{scale.y(low) - scale.y(low + amount):.1f}">'
                f"<title>{x_label} {number}: {amount:.3g}</title></rect>"
            )
            low += amount
    return "".join([*drawn, "</svg>"])
