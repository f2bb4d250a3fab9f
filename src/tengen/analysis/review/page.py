"""What the pages of all games' reviews share: the document, and the cards below the game."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from tengen.analysis.review.verdicts import MIN_VISITS, POINT_LIMITS, VERDICTS, WINRATE_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.analysis.review.review import PlayerSummary, Review, TurnReview

__all__ = [
    "about_card",
    "asset",
    "buttons",
    "document",
    "legend",
    "percent",
    "summary_card",
    "warnings_card",
    "worst_card",
]

_SHARED: Final = "tengen.analysis.review"


@cache
def asset(package: str, name: str) -> str:
    """A file beside a package's modules."""
    return (files(package) / name).read_text(encoding="utf-8")


def document(title: str, package: str, body: str, data: dict[str, Any]) -> str:
    """A whole HTML document with the package's board.css, board.js and page.js. It fetches nothing, and whatever texts
    the record holds stay texts."""
    style = asset(_SHARED, "page.css") + asset(package, "board.css")
    parts = asset(_SHARED, "page_parts.js"), asset(package, "board.js"), asset(package, "page.js")
    script = '"use strict";\n(() => {{\n{}\n{}\n{}}})();\n'.format(*parts)
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}: a review</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        f'<script type="application/json" id="review">{_json(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(data: dict[str, Any]) -> str:
    """JSON that no text in it can end early."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


# Parts of the page. Names of colors are by seat.


def buttons(listed: list[tuple[str, str, str]]) -> str:
    """Of ids, signs and what they do."""
    return "".join(f'<button id="{i}" type="button" aria-label="{t}">{sign}</button>' for i, sign, t in listed)


def legend() -> str:
    kinds = (*((verdict, verdict) for verdict in VERDICTS), ("unjudged", "too few visits to judge"))
    dots = "".join(f'<span><i class="dot {kind}"></i>{text}</span>' for kind, text in kinds)
    return f'<p class="legend">{dots}<span>white circle: first choice</span><span>ring: played</span></p>'


def summary_card(review: Review, colors: tuple[str, str]) -> str:
    players = review.players
    rows: list[tuple[str, list[str]]] = [
        ("moves judged", [str(s.moves) for s in players]),
        ("accuracy", [percent(s.accuracy) for s in players]),
    ]
    if any(s.points is not None for s in players):
        rows.append(("points lost a move", [_number(s.points) for s in players]))
    rows += [
        ("win rate lost a move", [percent(s.winrate) for s in players]),
        ("the engine's first choice", [_share(s.first_choices, s.moves) for s in players]),
    ]
    rows += [
        (f'<i class="dot {verdict}"></i>{verdict}', [_share(s.verdicts[verdict], s.moves) for s in players])
        for verdict in VERDICTS
    ]
    heads = "".join(
        f'<th class="n" scope="col">{escape(name)} ({color})</th>' if name != color else f'<th class="n">{name}</th>'
        for name, color in zip(review.played.player_names, colors, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"""<td class="n">{cell}</td>""" for cell in cells)}</tr>'
        for name, cells in rows
    )
    return (
        '<section class="card"><h2>Summary</h2><table class="sums"><thead><tr><td></td>'
        f"{heads}</tr></thead><tbody>{body}</tbody></table></section>"
    )


def worst_card(
    review: Review, summary: PlayerSummary, colors: tuple[str, str], moves: Callable[[TurnReview], tuple[str, str, str]]
) -> str:
    """`moves` tells how the move that was played, the better one and the line from it are written."""
    color = colors[summary.player]
    name = review.played.player_names[summary.player]
    title = f"{color}'s worst moves" if name == color else f"{name}'s worst moves ({color})"
    items = "".join(_worst_item(turn, *moves(turn)) for turn in summary.worst)
    nothing = "No move of this player was judged." if not summary.moves else "None that lost much."
    body = f'<ol class="worst">{items}</ol>' if items else f'<p class="note">{nothing}</p>'
    return f'<section class="card"><h2>{escape(title)}</h2>{body}</section>'


def _worst_item(turn: TurnReview, played: str, better: str, line: str) -> str:
    assert turn.loss is not None
    points = "" if turn.loss.points is None else f"{_number(turn.loss.points)} points, "
    return (
        f'<li><button type="button" data-turn="{turn.turn}">{turn.turn + 1}. <b>{escape(played)}</b> '
        f'<span class="badge {turn.verdict}">{turn.verdict}</span> lost {points}'
        f"{percent(turn.loss.winrate)} win rate<small>better: <b>{escape(better)}</b> ({escape(line)})</small>"
        "</button></li>"
    )


def warnings_card(review: Review) -> str:
    if not review.warnings:
        return ""
    items = "".join(f"<li>{escape(text)}</li>" for text in review.warnings)
    return f'<section class="card full warn"><h2>To be noted</h2><ul>{items}</ul></section>'


def about_card(review: Review, *, has_points: bool) -> str:
    limits = ", ".join(
        f"{verdict} from {f'{points:g} points or ' if has_points else ''}{100 * win:g} % win rate"
        for verdict, points, win in zip(VERDICTS[1:], POINT_LIMITS, WINRATE_LIMITS, strict=True)
    )
    halved = "2 points" if has_points else "8 % of win rate"
    return (
        '<section class="card full"><h2>How it was reviewed</h2><p class="note">'
        f"Network {escape(review.net)}, {review.visits:,} visits a position, at least {review.include_visits:,} for "
        "the move that was played. A move's loss is the difference to the engine's first choice in the same position: "
        f"{limits}. A move with fewer than {MIN_VISITS} visits is not judged. "
        f"Accuracy is the mean over the moves, each halved by every {halved} that it lost.</p></section>"
    )


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _number(number: float | None) -> str:
    return "–" if number is None else f"{number:.1f}"


def _share(count: int, total: int) -> str:
    return f"{count} ({100 * count / total:.0f} %)" if total else "0"
