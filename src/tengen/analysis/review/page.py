"""The page of a review: the document, the viewer of the game, and the cards below."""

from __future__ import annotations

import base64
import hashlib
import json
from abc import ABC, abstractmethod
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tengen.analysis.review.verdicts import MIN_VISITS, POINT_LIMITS, VERDICTS, WINRATE_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tengen.analysis.answers import MoveInfo, RootInfo
    from tengen.analysis.review.review import PlayerSummary, Review, TurnReview

__all__ = ["COLORS", "ReviewPage", "asset", "tenths"]

COLORS: Final = ("Black", "White")
"""By seat."""
_SHARED: Final = "tengen.analysis.review"
_MAX_CANDIDATES: Final = 10
_MIN_SHARE: Final = 0.02
"""Of the most visits: what has fewer is not shown."""
_STEPS_BACK: Final = (("first", "|◀", "To the start"), ("back", "◀", "One move back"))
_STEPS_ON: Final = (("next", "▶", "One move on"), ("end", "▶|", "To the end"))
_SEEK: Final = (("bad-back", "◀ mistake", "The mistake before"), ("bad-next", "mistake ▶", "The next mistake"))


class ReviewPage(ABC):
    """A review of a game of two as one page that needs nothing but a browser. What differs from game to game is
    written by its own class, and shown by the files board.css, board.js and page.js of its package."""

    package: ClassVar[str]
    labels: ClassVar[tuple[tuple[str, str], ...]]
    """What may be written on candidates: the choices' values and texts."""
    choices: ClassVar[str] = ""
    """Further ones, as HTML."""
    score_title: ClassVar[str]
    """Of the second graph."""
    has_points: ClassVar[bool]
    """Whether moves are judged by points too."""

    def __init__(self, review: Review) -> None:
        self.review = review

    @abstractmethod
    def title(self) -> str:
        """Where the record names no players."""

    @abstractmethod
    def facts(self) -> list[str]:
        """What the line below the title says; empty ones are left out."""

    def subtitle(self) -> str:
        """Behind the title, such as ranks, as HTML."""
        return ""

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """For the package's scripts, beside what all pages have."""

    @abstractmethod
    def score(self, info: MoveInfo | RootInfo) -> int:
        """In the unit that the package's scripts expect."""

    @abstractmethod
    def line(self, turn: TurnReview, info: MoveInfo) -> tuple[str, list[Any]]:
        """A candidate's line for the package's scripts, and further numbers and texts of it."""

    @abstractmethod
    def moves(self, turn: TurnReview) -> tuple[str, str, str]:
        """How the move that was played, the better one and the line from it are written."""

    @abstractmethod
    def comment(self, turn: int) -> str:
        """What people said of the position."""

    def turn_data(self, turn: TurnReview) -> list[Any]:
        """Win rate in tenths of percents, score, visits, candidates, what the played move lost."""
        root = turn.answer.root_info
        assert root is not None
        loss = None
        if turn.loss is not None:
            loss = [tenths(turn.loss.points), tenths(turn.loss.winrate, 100), VERDICTS.index(turn.loss.verdict)]
        candidates = []
        for info in _shown(turn):
            line, more = self.line(turn, info)
            candidates.append([line, tenths(info.winrate, 100), self.score(info), info.visits, *more])
        return [tenths(root.winrate, 100), self.score(root), root.visits, candidates, loss]

    def format(self) -> str:
        """The whole HTML document. It fetches nothing, and whatever texts the record holds stay texts."""
        names = self.review.played.player_names
        title = " – ".join(names) if names != COLORS else self.title()
        facts = " · ".join(escape(fact) for fact in self.facts() if fact)
        header = f'<header><h1>{escape(title)}{self.subtitle()}</h1><p class="sub">{facts}</p></header>'
        return _document(title, self.package, f"{header}\n{self._viewer()}\n{self._cards()}", self._all_data())

    def _all_data(self) -> dict[str, Any]:
        count = len(self.review.played.moves)
        turns: list[Any] = [None] * (count + 1)
        for turn in self.review.turns:
            turns[turn.turn] = self.turn_data(turn)
        return self.data() | {
            "turns": turns,
            "comments": {str(turn): text for turn in range(count + 1) if (text := self.comment(turn))},
            "verdicts": VERDICTS,
            "pointLimits": POINT_LIMITS if self.has_points else (),
            "winrateLimits": WINRATE_LIMITS,
            "leastVisits": MIN_VISITS,
        }

    def _viewer(self) -> str:
        labels = "".join(f'<option value="{value}">{text}</option>' for value, text in self.labels)
        heads = '<th>move</th><th class="n" id="whose">wins</th><th class="n">score</th><th class="n">lost</th>'
        return f"""<section id="viewer" aria-label="The game">
<div class="card board-card"><div id="board"></div>
<div class="keys">{_buttons(_STEPS_BACK)}<input id="slider" type="range" min="0"
max="{len(self.review.played.moves)}" value="0" aria-label="Move">{_buttons(_STEPS_ON)}<span id="count"></span></div>
<div class="choices">{_buttons(_SEEK)}<label><input id="candidates-on" type="checkbox" checked> candidates</label>
{self.choices}<label>on them <select id="labels">{labels}</select></label></div>
<p id="said"></p><noscript><p>The board and the graphs need JavaScript.</p></noscript></div>
<div class="side"><div class="card"><div aria-live="polite"><p id="where"></p><p id="value"></p><p id="next-move"></p>
<p id="better"></p><p id="last-move"></p></div><div class="scroll"><table id="candidates" hidden><thead><tr>{heads}
<th class="n">visits</th><th>then</th></tr></thead><tbody></tbody></table></div>{_legend()}</div>
<div class="card" id="comment" hidden><h2>Comment</h2><p id="comment-text"></p></div>
<div class="card"><h3>Black's win rate</h3><div class="graph" id="win-graph"></div>
<h3>{self.score_title}</h3><div class="graph" id="score-graph"></div>
<p class="note">Dots are mistakes and blunders. Arrow keys, Home and End step through the game too.</p></div></div>
</section>"""

    def _cards(self) -> str:
        review = self.review
        worst = "".join(self._worst_card(summary) for summary in review.players)
        cards = _summary_card(review), worst, _warnings_card(review), _about_card(review, has_points=self.has_points)
        return f'<div class="cards">{"".join(cards)}</div>'

    def _worst_card(self, summary: PlayerSummary) -> str:
        color = COLORS[summary.player]
        name = self.review.played.player_names[summary.player]
        title = f"{color}'s worst moves" if name == color else f"{name}'s worst moves ({color})"
        items = "".join(_worst_item(turn, *self.moves(turn)) for turn in summary.worst)
        nothing = "No move of this player was judged." if not summary.moves else "None that lost much."
        body = f'<ol class="worst">{items}</ol>' if items else f'<p class="note">{nothing}</p>'
        return f'<section class="card"><h2>{escape(title)}</h2>{body}</section>'


def tenths(number: float | None, scale: int = 1) -> int:
    return round(10 * scale * (number or 0.0))


def _shown(turn: TurnReview) -> list[MoveInfo]:
    """The first few, without mirror images and without what was hardly looked at, and the move that was played."""
    infos, played = turn.answer.move_infos, turn.played
    least = _MIN_SHARE * max((info.visits for info in infos), default=0)
    own = [info for info in infos if info.is_symmetry_of is None]
    own = [info for rank, info in enumerate(own[:_MAX_CANDIDATES]) if rank == 0 or info.visits >= least]
    return own if played is None or played in own else [*own, played]


@cache
def asset(package: str, name: str) -> str:
    """A file beside a package's modules."""
    return (files(package) / name).read_text(encoding="utf-8")


def _document(title: str, package: str, body: str, data: dict[str, Any]) -> str:
    style = asset(_SHARED, "page.css") + asset(package, "board.css")
    parts = (_SHARED, "page_parts.js"), (package, "board.js"), (package, "page.js"), (_SHARED, "page.js")
    script = '"use strict";\n(() => {{\n{}}})();\n'.format("\n".join(asset(*part) for part in parts))
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


# Parts of the page.


def _buttons(listed: Iterable[tuple[str, str, str]]) -> str:
    """Of ids, signs and what they do."""
    return "".join(f'<button id="{i}" type="button" aria-label="{t}">{sign}</button>' for i, sign, t in listed)


def _legend() -> str:
    kinds = (*((verdict, verdict) for verdict in VERDICTS), ("unjudged", "too few visits to judge"))
    dots = "".join(f'<span><i class="dot {kind}"></i>{text}</span>' for kind, text in kinds)
    return f'<p class="legend">{dots}<span>white circle: first choice</span><span>ring: played</span></p>'


def _summary_card(review: Review) -> str:
    players = review.players
    rows: list[tuple[str, list[str]]] = [
        ("moves judged", [str(s.moves) for s in players]),
        ("accuracy", [_percent(s.accuracy) for s in players]),
    ]
    if any(s.points is not None for s in players):
        rows.append(("points lost a move", [_number(s.points) for s in players]))
    rows += [
        ("win rate lost a move", [_percent(s.winrate) for s in players]),
        ("the engine's first choice", [_share(s.first_choices, s.moves) for s in players]),
    ]
    rows += [
        (f'<i class="dot {verdict}"></i>{verdict}', [_share(s.verdicts[verdict], s.moves) for s in players])
        for verdict in VERDICTS
    ]
    heads = "".join(
        f'<th class="n" scope="col">{escape(name)} ({color})</th>' if name != color else f'<th class="n">{name}</th>'
        for name, color in zip(review.played.player_names, COLORS, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"""<td class="n">{cell}</td>""" for cell in cells)}</tr>'
        for name, cells in rows
    )
    return (
        '<section class="card"><h2>Summary</h2><table class="sums"><thead><tr><td></td>'
        f"{heads}</tr></thead><tbody>{body}</tbody></table></section>"
    )


def _worst_item(turn: TurnReview, played: str, better: str, line: str) -> str:
    assert turn.loss is not None
    points = "" if turn.loss.points is None else f"{_number(turn.loss.points)} points, "
    return (
        f'<li><button type="button" data-turn="{turn.turn}">{turn.turn + 1}. <b>{escape(played)}</b> '
        f'<span class="badge {turn.verdict}">{turn.verdict}</span> lost {points}'
        f"{_percent(turn.loss.winrate)} win rate<small>better: <b>{escape(better)}</b> ({escape(line)})</small>"
        "</button></li>"
    )


def _warnings_card(review: Review) -> str:
    if not review.warnings:
        return ""
    items = "".join(f"<li>{escape(text)}</li>" for text in review.warnings)
    return f'<section class="card full warn"><h2>To be noted</h2><ul>{items}</ul></section>'


def _about_card(review: Review, *, has_points: bool) -> str:
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


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _number(number: float | None) -> str:
    return "–" if number is None else f"{number:.1f}"


def _share(count: int, total: int) -> str:
    return f"{count} ({100 * count / total:.0f} %)" if total else "0"
