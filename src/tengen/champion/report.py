"""A learning run as one page that needs nothing but a browser."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.champion.ratings import elo_text
from tengen.champion.report_charts import Chart, Point, Series, bars, draw
from tengen.champion.report_data import CALIBRATION_STEPS, Bin, Reading, calibrate, number
from tengen.champion.report_games import fill_album
from tengen.champion.report_machines import machines_card
from tengen.champion.report_page import card, data_script, facts, page, table
from tengen.champion.report_strength import strength_card
from tengen.champion.report_times import duration_text, times_card
from tengen.champion.report_value import value_card
from tengen.runs import atomic_write, format_toml

if TYPE_CHECKING:
    from tengen.arena import Rating
    from tengen.champion.report_data import GameMaker, Player
    from tengen.runs import Run, Step

__all__ = ["elo_chart", "loss_charts", "write_report"]

_NOT_LOSSES = {"steps", "samples"}


def write_report(run: Run, path: Path, make_game: GameMaker | None = None) -> Path:
    """Write the page to `path`. The run may be growing meanwhile; what is damaged in it is named on the page.

    `make_game` makes the run's game from its name and settings. By default a game in a file that the user has never
    named is not loaded, and the page shows no boards.
    """
    reading = Reading.of(run, make_game=make_game)
    sections = [
        _header(reading),
        _tiles(reading),
        '<div class="cards">',
        _elo(reading),
        _final_matches(reading),
        _losses(reading),
        strength_card(reading),
        _balance(reading),
        _lengths(reading),
        _calibration(reading),
        value_card(run.events()),
        _gates(reading),
        f'<div class="stack">{times_card(reading)}{_resignation(reading)}</div>',
        machines_card(run.events()),
        _games(reading),
        _settings(reading),
        _problems(reading),
        "</div>",
    ]
    path = Path(path)
    atomic_write(path.absolute(), page(f"{reading.title}: a learning run", "\n".join(sections)).encode())
    return path


def _header(reading: Reading) -> str:
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    dated = [step.created for step in reading.steps]
    span = ""
    if dated:
        span = f", from {min(dated):%Y-%m-%d %H:%M} to {max(dated):%Y-%m-%d %H:%M} UTC"
    return (
        f"<h1>{escape(reading.title)}: a learning run</h1>"
        f'<p class="sub">{escape(reading.run.path.name)}{span}; this page is of {now}</p>'
    )


def _tiles(reading: Reading) -> str:
    tiles: list[tuple[str, str]] = []
    champion = reading.champion
    name = "none yet" if champion is None else reading.iteration_of(champion.id)
    tiles.append((name, "champion"))
    rating, _, interval = elo_text(reading.champion_rating).replace("-", "−").partition(" ")
    if rating:
        tiles.append((rating, f"its Elo {interval}; {reading.zero} is 0".replace(" ;", ";")))
    tiles.append((str(reading.iterations), "iterations"))
    tiles.append((f"{reading.total('self-play', 'games'):,.0f}", "games of self-play"))
    tiles.append((f"{reading.total('self-play', 'samples'):,.0f}", "positions to learn from"))
    tiles.append((duration_text(sum(step.duration_s for step in reading.steps)), "of work"))
    cells = "".join(
        f'<div class="tile"><b>{escape(value)}</b><span>{escape(what)}</span></div>' for value, what in tiles
    )
    return f'<div class="tiles">{cells}</div>'


def elo_chart(reading: Reading) -> Chart:
    champions = [p for p in reading.players if p.was_champion]
    refused = [p for p in reading.players if not p.was_champion]
    return Chart(
        [
            Series([_elo_point(p, hollow=True) for p in refused], "a", is_line=False),
            Series([_elo_point(p, hollow=False) for p in champions], "a"),
        ],
        "Elo over iterations",
        levels=[(0.0, f"{reading.zero} = 0")],
    )


def _elo(reading: Reading) -> str:
    players, chart = reading.players, elo_chart(reading)
    if not players:
        return card("Elo", '<p class="none">No match has been played yet.</p>', "full")
    key = '<p class="key"><i class="a"></i>became champion<i class="ring"></i>refused by the gate</p>'
    note = (
        '<p class="note">By Bradley and Terry over all matches of the run; bars are 95 % intervals. A network counts '
        "as one player, though matches between networks and against fixed players may give it different numbers of "
        "visits.</p>"
    )
    champion = '<span class="good">champion</span>'
    rows = [[str(p.iteration), *_rating_cells(p), champion if p.was_champion else "refused"] for p in reversed(players)]
    rows += [[escape(r.name), *_rating_cells(r), "fixed player"] for r in reading.fixed_players]
    listed = table(["iteration", "Elo", "95 %", "games", "score", ""], rows, {0, 1, 2, 3, 4})
    more = f"<details><summary>All ratings</summary>{listed}</details>"
    # Scaled to a phone's width, the letters of the large one could not be read.
    large = draw(dataclasses.replace(chart, width=880, height=300))
    charts = f'<div class="large">{large}</div><div class="compact">{draw(chart)}</div>'
    return card("Elo", f"{charts}{key}{note}{more}", "full")


def _rating_cells(rated: Player | Rating) -> list[str]:
    interval = f"{_elo_text(rated.low)} … {_elo_text(rated.high)}"
    return [_elo_text(rated.elo), interval, f"{rated.games:g}", _percent(rated.score)]


def _elo_point(player: Player, hollow: bool) -> Point:
    text = f"iteration {player.iteration}: {_elo_text(player.elo)} ({_elo_text(player.low)} … {_elo_text(player.high)})"
    return Point(player.iteration, player.elo, player.low, player.high, hollow, text=text)


def loss_charts(reading: Reading) -> dict[str, Chart]:
    """By what they are of, the total first."""
    names = dict.fromkeys(
        name
        for step in reading.named("train")
        for name, value in step.metrics.items()
        if name not in _NOT_LOSSES and number(value) is not None
    )
    charts = {}
    for name in sorted(names, key=lambda name: name != "loss"):
        points = _points(reading.column("train", name), name)
        series = Series(points, "a" if name == "loss" else "b")
        charts[name] = Chart([series], f"{name} over iterations", width=240, height=160)
    return charts


def _losses(reading: Reading) -> str:
    parts = []
    for name, chart in loss_charts(reading).items():
        title = "total" if name == "loss" else name.replace("_", " ")
        parts.append(f"<div><h3>{escape(title)}</h3>{draw(chart)}</div>")
    body = f'<div class="small">{"".join(parts)}</div>' if parts else '<p class="none">Nothing is trained yet.</p>'
    return card("Losses of training, averaged over each iteration", body, "full")


def _final_matches(reading: Reading) -> str:
    """Return the card of the final matches, as the terminal showed them when the run ended."""
    parts = []
    for step, result in reading.final_matches:
        rows = [[name, escape(text)] for name, text in result.rows()]
        parts.append(f"<div><h3>{escape(result.title)}, after iteration {step.iteration}</h3>{facts(rows)}</div>")
    return card("Final matches", f'<div class="pair">{"".join(parts)}</div>', "full") if parts else ""


def _lengths(reading: Reading) -> str:
    chart = Chart([Series(_points(reading.column("self-play", "plies"), "plies"))], "Plies of a game over iterations")
    body = draw(chart)
    for step in reading.named("self-play")[-1:]:
        lengths = [len(record.actions) for record in reading.records(step)]
        if lengths:
            body += f'<p class="note">All games of iteration {step.iteration}:</p>' + _histogram(lengths)
    return card("Plies of a game of self-play, on average", body)


def _histogram(lengths: list[int]) -> str:
    low, high = min(lengths), max(lengths) + 1
    width = max(1, math.ceil((high - low) / 40))
    counts = Counter((length - low) // width for length in lengths)
    edges = range(low, high, width)
    return bars([(e - 0.5, e + width - 0.5, counts[i]) for i, e in enumerate(edges)], "Games by length", "plies")


def _balance(reading: Reading) -> str:
    first = [(i, value / reading.scale) for i, value in reading.column("self-play", "first_player")]
    chart = Chart(
        [
            Series(_points(first, "payoff"), "a"),
            Series(_points(reading.column("self-play", "draws"), "draws"), "b"),
        ],
        "Payoff of the first seat and share of draws over iterations",
        levels=[(0.0, "")],
    )
    key = (
        '<p class="key"><i class="a"></i>what the first seat gets on average, as a share of a full win'
        '<i class="b"></i>share of draws</p>'
    )
    return card("Balance of self-play", draw(chart) + key)


def _calibration(reading: Reading) -> str:
    steps = reading.named("self-play")[-CALIBRATION_STEPS:]
    records = [record for step in steps for record in reading.records(step)]
    bins = calibrate(records, reading.scale)
    title = "Value: promise and result"
    if not bins:
        return card(title, '<p class="none">No finished games yet.</p>')
    total = sum(b.count for b in bins)
    off = sum(b.count * abs(b.promised - b.result) for b in bins) / total
    largest = max(b.count for b in bins)
    points = [
        Point(
            b.promised,
            b.result,
            *b.interval(reading.bound),
            size=3 + 6 * math.sqrt(b.count / largest),
            text=f"promised {b.promised:+.2f}, came {b.result:+.2f}, {b.count} decisions",
        )
        for b in bins
    ]
    even = Series([Point(-1, -1), Point(1, 1)], "b", has_marks=False, is_dashed=True)
    chart = Chart(
        [even, Series(points, "a", is_line=False)],
        "Results against what the search promised",
        "what the search promised the player to move",
        x_range=(-1.08, 1.08),
        y_range=(-1.08, 1.08),
        height=300,
        whole_x=False,
    )
    resigned = sum(record.resigned is not None for record in records)
    left_out = f" {resigned} games that were given up are left out." if resigned else ""
    note = (
        f'<p class="note">{total:,} decisions of iterations {steps[0].iteration} to {steps[-1].iteration}; on average '
        f"{off:.3f} of a full win beside the dashed line.{left_out}</p>"
    )
    return card(title, draw(chart) + note + _bin_table(bins, reading.bound))


def _bin_table(bins: list[Bin], bound: float) -> str:
    rows = [
        [
            f"{b.low:+.1f} … {b.high:+.1f}".replace("-", "−"),
            f"{b.count:,}",
            f"{b.promised:+.3f}".replace("-", "−"),
            f"{b.result:+.3f}".replace("-", "−"),
            " … ".join(f"{end:+.3f}".replace("-", "−") for end in b.interval(bound)),
        ]
        for b in bins
    ]
    listed = table(["promise", "decisions", "on average", "result", "95 %"], rows, {0, 1, 2, 3, 4})
    return f"<details><summary>Counts</summary>{listed}</details>"


def _gates(reading: Reading) -> str:
    rows: list[tuple[int, list[str]]] = []
    for step in reading.named("arena"):
        rows.append((step.iteration or 0, _gate_row(reading, step)))
    for step in reading.named("train-stopped"):
        reason = escape(str(step.metrics.get("reason", "")))
        rows.append(
            (step.iteration or 0, [str(step.iteration), "", "", "", f'<span class="bad">stopped</span> {reason}'])
        )
    if not rows:
        return card("Gates", '<p class="none">No challenger yet.</p>')
    rows.sort(key=lambda row: -row[0])
    passed = sum(step.metrics.get("passed") is True for step in reading.named("arena"))
    note = f'<p class="note">{passed} of {len(reading.named("arena"))} challengers became champion.</p>'
    head = ["iteration", "against", "score", "+ = −", "verdict"]
    return card("Gates", note + table(head, [row for _, row in rows], {0, 2, 3}))


def _gate_row(reading: Reading, step: Step) -> list[str]:
    metrics = step.metrics
    score = number(metrics.get("score"))
    tally = " ".join(f"{number(metrics.get(name)) or 0:g}" for name in ("wins", "draws", "losses"))
    passed = metrics.get("passed") is True
    verdict = '<span class="good">accepted</span>' if passed else '<span class="bad">refused</span>'
    reason = escape(str(metrics.get("reason", "")))
    return [
        str(step.iteration),
        escape(reading.iteration_of(metrics.get("second"))),
        "?" if score is None else _percent(score),
        tally,
        f'<span title="{reason}">{verdict}</span>',
    ]


def _resignation(reading: Reading) -> str:
    value = number(_deep(reading.table("learn"), "selfplay", "resign_value"))
    checked = reading.total("self-play", "resign_checked")
    wrong = reading.total("self-play", "resign_wrong")
    shares = reading.column("self-play", "resigned")
    if value is not None and value >= 1 and not any(share for _, share in shares):
        return card("Giving up", '<p class="none">Games are played to the end: nobody gives up in this run.</p>')
    chart = Chart(
        [Series(_points(shares, "given up"))], "Share of games given up", percent=True, y_range=(0, 1), height=180
    )
    if checked:
        verdict = f"In {checked:,.0f} games that were played on to check, giving up was wrong {wrong:,.0f} times "
        verdict += f"({_percent(wrong / checked)})."
    else:
        verdict = "No game that was played on to check has come to that point yet."
    threshold = "" if value is None else f" A player gives up below −{value:g} of a full win."
    return card("Giving up", f'{draw(chart)}<p class="note">{verdict}{threshold}</p>')


def _games(reading: Reading) -> str:
    album = fill_album(reading)
    data = data_script(album.plain())
    if not album.games:
        return card("Games", f'<p class="none">There are no games to show.</p>{data}', "full")
    viewer = (
        '<select id="pick" aria-label="Game"></select>'
        '<div id="viewer"><div><img id="board" alt="">'
        '<div class="bar-row"><button id="first" type="button" aria-label="To the start">|◀</button>'
        '<button id="back" type="button" aria-label="One ply back">◀</button>'
        '<input id="ply" type="range" min="0" value="0" aria-label="Ply">'
        '<button id="next" type="button" aria-label="One ply on">▶</button>'
        '<button id="last" type="button" aria-label="To the end">▶|</button><span id="count"></span></div>'
        '<div id="curve-part"><p class="note">What the search promised, as a share of a full win. '
        '<span id="said"></span></p><svg id="curve" class="chart" viewBox="0 0 620 120" role="img" '
        'aria-label="Value over the game"></svg></div>'
        '<p class="note" id="no-curve" hidden>Matches keep moves and results, no values.</p></div>'
        '<div><p id="who"></p><p><b id="result"></b></p><ol id="moves"></ol></div></div>'
        "<noscript>Clicking through games needs JavaScript.</noscript>"
    )
    return f'<section class="card full" id="games"><h2>Games</h2>{viewer}{data}</section>'


def _settings(reading: Reading) -> str:
    text = escape(format_toml(dict(reading.run.settings)))
    return card(
        "Settings", f"<details><summary>Everything this run is made with</summary><pre>{text}</pre></details>", "full"
    )


def _problems(reading: Reading) -> str:
    if not reading.problems:
        return ""
    items = "".join(f"<li>{escape(problem)}</li>" for problem in dict.fromkeys(reading.problems))
    return card("Damaged or missing", f"<ul>{items}</ul>", "full trouble")


def _points(column: list[tuple[int, float]], name: str) -> list[Point]:
    return [Point(i, value, size=2.5, text=f"iteration {i}: {name} {value:.4g}") for i, value in column]


def _deep(tables: Any, *names: str) -> Any:
    for name in names:
        tables = tables.get(name) if hasattr(tables, "get") else None
    return tables


def _elo_text(value: float) -> str:
    return f"{value:+.0f}".replace("-", "−") if math.isfinite(value) else "unknown"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if math.isfinite(share) else ""
