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
from tengen.games.translation import Translation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tengen.analysis.answers import MoveInfo, RootInfo
    from tengen.analysis.review.review import PlayerSummary, Review, TurnReview

__all__ = ["COLORS", "ReviewPage", "asset", "tenths"]

COLORS: Final = ("Black", "White")
"""By seat."""
_SHARED: Final = "tengen.analysis.review"
_MAX_CANDIDATES: Final = 10
_MIN_SHARE: Final = 0.02
"""Smallest share of the most visits with which a candidate is shown."""
_STEPS_BACK: Final = (("first", "|◀", "To the start"), ("back", "◀", "One move back"))
_STEPS_ON: Final = (("next", "▶", "One move on"), ("end", "▶|", "To the end"))
_HELP: Final = "Dots are mistakes and blunders. Arrow keys, Home and End step through the game too."
_SEEK: Final = (("bad-back", "◀ mistake", "The mistake before"), ("bad-next", "mistake ▶", "The next mistake"))


class ReviewPage(ABC):
    """A review of a game of two as one page that needs nothing but a browser. What differs from game to game is
    written by its own class, and shown by the files board.css, board.js and page.js of its package."""

    package: ClassVar[str]
    labels: ClassVar[tuple[tuple[str, str], ...]]
    """Values and texts of the choices of what is written on candidates."""
    choices: ClassVar[str] = ""
    """Further ones, as HTML."""
    score_title: ClassVar[str]
    """Title of the second graph."""
    has_points: ClassVar[bool]
    """True if moves are judged by points, too."""

    def __init__(
        self, review: Review, words: Translation | None = None, texts: Mapping[str, str] | None = None
    ) -> None:
        """`words` translates the page's texts, and `texts` is its table for the scripts; by default all is English."""
        self.review = review
        self.words = words or Translation()
        self._texts = texts or {}

    @abstractmethod
    def title(self) -> str:
        """Return the title of a record that names no players."""

    @abstractmethod
    def facts(self) -> list[str]:
        """Return the parts of the line below the title; empty ones are left out."""

    def subtitle(self) -> str:
        """Behind the title, such as ranks, as HTML."""
        return ""

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """Return data for the package's scripts, in addition to the data of all pages."""

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
        """Return the comment of people on the position."""

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
        shown = [self.words(name) if name == color else name for name, color in zip(names, COLORS, strict=True)]
        title = " – ".join(shown) if names != COLORS else self.title()
        facts = " · ".join(escape(fact) for fact in self.facts() if fact)
        header = f'<header><h1>{escape(title)}{self.subtitle()}</h1><p class="sub">{facts}</p></header>'
        body = f"{header}\n{self._viewer()}\n{self._cards()}"
        return _document(title, self.package, body, self._all_data(), self.words)

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
            "texts": self._texts,
        }

    def _viewer(self) -> str:
        say = self.words
        labels = "".join(f'<option value="{value}">{say(text)}</option>' for value, text in self.labels)
        heads = (
            f'<th>{say("move")}</th><th class="n" id="whose">{say("wins")}</th><th class="n">{say("score")}</th>'
            f'<th class="n">{say("lost")}</th>'
        )
        return f"""<section id="viewer" aria-label="{say("The game")}">
<div class="card board-card"><div id="board"></div>
<div class="keys">{_buttons(_STEPS_BACK, say)}<input id="slider" type="range" min="0"
max="{len(self.review.played.moves)}" value="0" aria-label="{say("Move")}">{_buttons(_STEPS_ON, say)}
<span id="count"></span></div>
<div class="choices">{_buttons(_SEEK, say)}<label><input id="candidates-on" type="checkbox" checked>
{say("candidates")}</label>
{self.choices}<label>{say("on them")} <select id="labels">{labels}</select></label></div>
<p id="said"></p><noscript><p>{say("The board and the graphs need JavaScript.")}</p></noscript></div>
<div class="side"><div class="card"><div aria-live="polite"><p id="where"></p><p id="value"></p><p id="next-move"></p>
<p id="better"></p><p id="last-move"></p></div><div class="scroll"><table id="candidates" hidden><thead><tr>{heads}
<th class="n">{say("visits")}</th><th>{say("then")}</th></tr></thead><tbody></tbody></table></div>{_legend(say)}</div>
<div class="card" id="comment" hidden><h2>{say("Comment")}</h2><p id="comment-text"></p></div>
<div class="card"><h3>{say("Black's win rate")}</h3><div class="graph" id="win-graph"></div>
<h3>{say(self.score_title)}</h3><div class="graph" id="score-graph"></div>
<p class="note">{say(_HELP)}</p></div></div>
</section>"""

    def _cards(self) -> str:
        review = self.review
        worst = "".join(self._worst_card(summary) for summary in review.players)
        cards = (
            _summary_card(review, self.words),
            worst,
            _warnings_card(review, self.words),
            _about_card(review, self.words, has_points=self.has_points),
        )
        return f'<div class="cards">{"".join(cards)}</div>'

    def _worst_card(self, summary: PlayerSummary) -> str:
        say, color = self.words, COLORS[summary.player]
        name = self.review.played.player_names[summary.player]
        if name == color:
            title = say("{color}'s worst moves", color=say(color))
        else:
            title = say("{name}'s worst moves ({color})", name=name, color=say(color))
        items = "".join(_worst_item(turn, *self.moves(turn), say) for turn in summary.worst)
        nothing = say("No move of this player was judged." if not summary.moves else "None that lost much.")
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
    """Return the text of a file in a package."""
    return (files(package) / name).read_text(encoding="utf-8")


def _document(title: str, package: str, body: str, data: dict[str, Any], say: Translation) -> str:
    style = asset(_SHARED, "page.css") + asset(package, "board.css")
    parts = (_SHARED, "page_parts.js"), (package, "board.js"), (package, "page.js"), (_SHARED, "page.js")
    script = '"use strict";\n(() => {{\n{}}})();\n'.format("\n".join(asset(*part) for part in parts))
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    name = escape(say("{title}: a review", title=title))
    return (
        f'<!DOCTYPE html>\n<html lang="{say.lang}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{name}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        f'<script type="application/json" id="review">{_json(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(data: dict[str, Any]) -> str:
    """JSON that no text in it can end early."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


# Parts of the page.


def _buttons(listed: Iterable[tuple[str, str, str]], say: Translation) -> str:
    """Return buttons with these ids, signs and descriptions."""
    return "".join(
        f'<button id="{i}" type="button" aria-label="{say(text)}">{say(sign)}</button>' for i, sign, text in listed
    )


def _legend(say: Translation) -> str:
    kinds = (*((verdict, verdict) for verdict in VERDICTS), ("unjudged", "too few visits to judge"))
    dots = "".join(f'<span><i class="dot {kind}"></i>{say(text)}</span>' for kind, text in kinds)
    marks = "".join(f"<span>{say(text)}</span>" for text in ("white circle: first choice", "ring: played"))
    return f'<p class="legend">{dots}{marks}</p>'


def _summary_card(review: Review, say: Translation) -> str:
    players = review.players
    rows: list[tuple[str, list[str]]] = [
        (say("moves judged"), [str(s.moves) for s in players]),
        (say("accuracy"), [_percent(s.accuracy) for s in players]),
    ]
    if any(s.points is not None for s in players):
        rows.append((say("points lost a move"), [_number(s.points) for s in players]))
    rows += [
        (say("win rate lost a move"), [_percent(s.winrate) for s in players]),
        (say("the engine's first choice"), [_share(s.first_choices, s.moves) for s in players]),
    ]
    rows += [
        (f'<i class="dot {verdict}"></i>{say(verdict)}', [_share(s.verdicts[verdict], s.moves) for s in players])
        for verdict in VERDICTS
    ]
    heads = "".join(
        f'<th class="n" scope="col">{escape(name)} ({say(color)})</th>'
        if name != color
        else f'<th class="n">{say(name)}</th>'
        for name, color in zip(review.played.player_names, COLORS, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"""<td class="n">{cell}</td>""" for cell in cells)}</tr>'
        for name, cells in rows
    )
    return (
        f'<section class="card"><h2>{say("Summary")}</h2><table class="sums"><thead><tr><td></td>'
        f"{heads}</tr></thead><tbody>{body}</tbody></table></section>"
    )


def _worst_item(turn: TurnReview, played: str, better: str, line: str, say: Translation) -> str:
    assert turn.loss is not None
    win_rate = _percent(turn.loss.winrate)
    if turn.loss.points is None:
        lost = say("lost {percent} win rate", percent=win_rate)
    else:
        lost = say("lost {points} points, {percent} win rate", points=_number(turn.loss.points), percent=win_rate)
    return (
        f'<li><button type="button" data-turn="{turn.turn}">{turn.turn + 1}. <b>{escape(played)}</b> '
        f'<span class="badge {turn.verdict}">{say(turn.verdict or "")}</span> {lost}'
        f"<small>{say('better:')} <b>{escape(better)}</b> ({escape(line)})</small></button></li>"
    )


def _warnings_card(review: Review, say: Translation) -> str:
    if not review.warnings:
        return ""
    items = "".join(f"<li>{escape(text)}</li>" for text in review.warnings)
    return f'<section class="card full warn"><h2>{say("To be noted")}</h2><ul>{items}</ul></section>'


def _about_card(review: Review, say: Translation, *, has_points: bool) -> str:
    limit = "{verdict} from {points:g} points or {percent:g} % win rate"
    limit = limit if has_points else "{verdict} from {percent:g} % win rate"
    limits = say(", ").join(
        say(limit, verdict=say(verdict), points=points, percent=100 * win)
        for verdict, points, win in zip(VERDICTS[1:], POINT_LIMITS, WINRATE_LIMITS, strict=True)
    )
    parts = (
        say(
            "Network {net}, {visits:,} visits a position, at least {least:,} for the move that was played.",
            net=review.net,
            visits=review.visits,
            least=review.include_visits,
        ),
        say(
            "A move's loss is the difference to the engine's first choice in the same position: {limits}.",
            limits=limits,
        ),
        say("A move with fewer than {count} visits is not judged.", count=MIN_VISITS),
        say(
            "Accuracy is the mean over the moves, each halved by every {amount} that it lost.",
            amount=say("2 points" if has_points else "8 % of win rate"),
        ),
    )
    return (
        f'<section class="card full"><h2>{say("How it was reviewed")}</h2>'
        f'<p class="note">{escape(" ".join(parts))}</p></section>'
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _number(number: float | None) -> str:
    return "–" if number is None else f"{number:.1f}"


def _share(count: int, total: int) -> str:
    return f"{count} ({100 * count / total:.0f} %)" if total else "0"
