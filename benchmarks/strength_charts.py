"""Tables and charts of the curves that time_to_strength.py writes."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.champion.report_charts import Chart, Point, Series, draw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, Any]

COLUMNS = {
    "policy": "network alone",
    "search": "200 visits",
    "value_correlation": "value",
    "score": "score (95 %)",
}
LABELS = {
    "policy": "moves of the network that keep the best result",
    "search": "moves of 200 visits that keep the best result",
    "value_correlation": "correlation of the network's value with the result",
    "score": "score against the fixed player",
}
COLORS = "abcd"
POINTS = 60
STYLE = """
:root{--edge:#ddd6c7;--faint:#7d7667;--a:#2468a8;--b:#cf5a24;--c:#4f8a35;--d:#8558ad}
@media(prefers-color-scheme:dark){:root{--edge:#403c35;--faint:#a39b8b;--a:#74b0ea;--b:#f29360;--c:#98c977;--d:#c3a0e4}}
svg{font:12px system-ui,Helvetica,Arial,sans-serif;fill:var(--faint)}
.grid{stroke:var(--edge);stroke-width:1}.x{text-anchor:middle}.y{text-anchor:end}
.line{fill:none;stroke-width:2.5}.line.dashed{stroke-width:1;opacity:.6}
.line.a{stroke:var(--a)}.line.b{stroke:var(--b)}.line.c{stroke:var(--c)}.line.d{stroke:var(--d)}
.mark.a{fill:var(--a)}.mark.b{fill:var(--b)}.mark.c{fill:var(--c)}.mark.d{fill:var(--d)}
.key.a{fill:var(--a)}.key.b{fill:var(--b)}.key.c{fill:var(--c)}.key.d{fill:var(--d)}
"""
WIDTH, HEIGHT, KEY_HEIGHT = 640, 320, 24


def format_table(rows: Sequence[Row], *, has_head: bool = True) -> str:
    """Return the rows of a curve as text, with a line for each measurement."""
    if not rows:
        return "nothing has been measured yet"
    columns = [name for name in COLUMNS if name in rows[0]]
    lines = ["processor min   wall min  iteration    games" + "".join(f"{COLUMNS[name]:>22}" for name in columns)]
    for row in rows:
        wall = f"{row['wall_s'] / 60:11.1f}" if "wall_s" in row else f"{'':11}"
        head = f"{row['processor_s'] / 60:13.1f}{wall}{row['iteration']:11}{row['games']:9}"
        lines.append(head + "".join(f"{_cell(row, name):>22}" for name in columns))
    return "\n".join(lines if has_head else lines[1:])


def _cell(row: Row, name: str) -> str:
    if name == "value_correlation":
        return f"{row[name]:+.3f}"
    if name == "score":
        return f"{100 * row[name]:.1f} % ({100 * row['score_low']:.0f} … {100 * row['score_high']:.0f})"
    return f"{100 * row[name]:.1f} %"


def read_groups(words: Sequence[str]) -> dict[str, list[str]]:
    """Return the folders by the name before them, as in `now=runs/a now=runs/b before=runs/c`."""
    groups: dict[str, list[str]] = {}
    for word in words:
        name, sign, folder = word.partition("=")
        groups.setdefault(name if sign else "", []).append(folder if sign else word)
    return groups


def draw_chart(curves: Mapping[str, Sequence[Sequence[Row]]], column: str) -> str:
    """Return an SVG picture of one column over processor minutes: each run as a thin line, the mean as a thick one."""
    series: list[Series] = []
    for color, runs in zip(COLORS, curves.values(), strict=False):
        lines = [[(row["processor_s"] / 60, row[column]) for row in rows if column in row] for rows in runs]
        lines = [line for line in lines if line]
        if not lines:
            raise ValueError(f"a curve has no column {column!r}: measure it first, or choose another one")
        if len(lines) > 1:
            series += [Series(_points(line), color, has_marks=False, is_dashed=True) for line in lines]
            series.append(Series(_points(mean_line(lines)), color, has_marks=False))
        else:
            series.append(Series(_points(lines[0]), color))
    last = max(point.x for each in series for point in each.points)
    is_share = column != "value_correlation"
    chart = Chart(series, LABELS[column], "minutes of processor time", WIDTH, HEIGHT, (0.0, last), percent=is_share)
    picture = draw(chart).removesuffix("</svg>")
    first, rest = picture.split(">", 1)
    first = first.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
    first = first.replace(f'viewBox="0 0 {WIDTH} {HEIGHT}"', f'viewBox="0 0 {WIDTH} {HEIGHT + KEY_HEIGHT}"')
    return f"{first}><style>{STYLE}</style>{rest}{_key(list(curves), LABELS[column])}</svg>\n"


def mean_line(lines: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float]]:
    """Return the mean of several lines where all of them have values."""
    first, last = max(line[0][0] for line in lines), min(line[-1][0] for line in lines)
    grid = np.linspace(first, max(first, last), POINTS)
    heights = [np.interp(grid, *zip(*line, strict=True)) for line in lines]
    return list(zip(grid.tolist(), np.mean(heights, axis=0).tolist(), strict=True))


def _points(line: Sequence[tuple[float, float]]) -> list[Point]:
    return [Point(x, y) for x, y in line]


def _key(names: Sequence[str], label: str) -> str:
    texts = [label, *filter(None, names)]
    parts, x = [], 52.0
    for place, text in enumerate(texts):
        kind = f"key {COLORS[place - 1]}" if place else "label"
        parts.append(f'<text class="{kind}" x="{x:.0f}" y="{HEIGHT + KEY_HEIGHT - 8}">{escape(text)}</text>')
        x += 6.6 * len(text) + 18
    return "".join(parts)
