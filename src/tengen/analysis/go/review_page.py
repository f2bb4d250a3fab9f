"""A review of a game of Go as one page that needs nothing but a browser."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

from tengen.analysis.go.answers import GoAnswer
from tengen.analysis.go.records import GoGame
from tengen.analysis.go.review_sgf import own_comment
from tengen.analysis.review.page import (
    about_card,
    buttons,
    document,
    legend,
    summary_card,
    warnings_card,
    worst_card,
)
from tengen.analysis.review.played_game import ReviewError
from tengen.analysis.review.verdicts import MIN_VISITS, POINT_LIMITS, VERDICTS, WINRATE_LIMITS

if TYPE_CHECKING:
    from tengen.analysis.answers import Answer, MoveInfo
    from tengen.analysis.review.review import Review, TurnReview

__all__ = ["format_page"]

_NAMES: Final = ("Black", "White")
_MAX_CANDIDATES: Final = 10
_MIN_SHARE: Final = 0.02
"""Of the most visits: what has fewer is not shown."""
_LONGEST_LINE: Final = 12
_DIGITS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def format_page(review: Review) -> str:
    """The whole HTML document. It fetches nothing, and whatever texts the record holds stay texts."""
    game = review.played
    if not isinstance(game, GoGame):
        raise ReviewError(f"only games of Go have a page to look at, not those of {game.game}")
    title = _title(game)
    body = "\n".join([_header(game, title), _viewer(game), _cards(review)])
    return document(title, "tengen.analysis.go", body, _data(review, game))


# What the script reads.


def _data(review: Review, game: GoGame) -> dict[str, Any]:
    turns: list[Any] = [None] * (len(game.moves) + 1)
    for turn in review.turns:
        turns[turn.turn] = _turn(game, turn)
    boards = [
        [segment.first, board.replace("/", "")] for segment, board in zip(game.segments, game.boards, strict=True)
    ]
    comments = {str(i): text for i, node in enumerate(game.nodes) if (text := own_comment(node))}
    return {
        "width": game.width,
        "height": game.height,
        "moves": ["BW"[seat] + _point(game, vertex) for seat, vertex in game.moves],
        "end": review.turns[-1].player if review.turns and review.turns[-1].move is None else _next_seat(game),
        "boards": boards,
        "turns": turns,
        "comments": comments,
        "verdicts": VERDICTS,
        "pointLimits": POINT_LIMITS,
        "winrateLimits": WINRATE_LIMITS,
        "leastVisits": MIN_VISITS,
    }


def _next_seat(game: GoGame) -> int:
    return 1 - game.moves[-1][0] if game.moves else 0


def _turn(game: GoGame, turn: TurnReview) -> list[Any]:
    """Win rate and lead in tenths, visits, candidates, what the played move lost, who owns what."""
    root = turn.answer.root_info
    assert root is not None
    loss = None
    if turn.loss is not None:
        verdict = VERDICTS.index(turn.loss.verdict)
        loss = [_tenths(turn.loss.points), _tenths(100 * turn.loss.winrate), verdict]
    return [
        _tenths(100 * (root.winrate or 0.0)),
        _tenths(root.lead),
        root.visits,
        [_candidate(game, info) for info in _shown(turn.answer, turn.played)],
        loss,
        _owners(turn.answer),
    ]


def _shown(answer: Answer, played: MoveInfo | None) -> list[MoveInfo]:
    """The first few, without mirror images and without what was hardly looked at, and the move that was played."""
    least = _MIN_SHARE * max((info.visits for info in answer.move_infos), default=0)
    own = [info for info in answer.move_infos if info.is_symmetry_of is None]
    own = [info for rank, info in enumerate(own[:_MAX_CANDIDATES]) if rank == 0 or info.visits >= least]
    return own if played is None or played in own else [*own, played]


def _candidate(game: GoGame, info: MoveInfo) -> list[Any]:
    line = "".join(_point(game, vertex) or "tt" for vertex in info.pv[:_LONGEST_LINE])
    return [line, _tenths(100 * (info.winrate or 0.0)), _tenths(info.lead), info.visits]


def _tenths(number: float | None) -> int:
    return round(10 * (number or 0.0))


def _point(game: GoGame, vertex: str) -> str:
    assert game.record is not None
    return game.record.point(vertex)


def _owners(answer: Answer) -> str | None:
    """A sign a point: A is White's, 31 signs later nobody's, 31 more Black's."""
    assert isinstance(answer, GoAnswer)
    if answer.ownership is None:
        return None
    return "".join(_DIGITS[min(62, max(0, round(31 * (1 + owner))))] for owner in answer.ownership)


# What stands on the page without it.


def _title(game: GoGame) -> str:
    black, white = game.player_names
    return f"{black} – {white}" if (black, white) != _NAMES else game.info.name or "A game of Go"


def _header(game: GoGame, title: str) -> str:
    info = game.info
    about = game.about
    size = f"{game.width}×{game.height}"
    handicap = f"handicap {info.handicap}" if info.handicap not in ("", "0") else ""
    facts = [info.event, info.round, info.place, info.date, size, f"{about['rules']} rules", f"komi {game.komi:g}"]
    facts += [handicap, f"{len(game.moves)} moves", f"result {info.result}" if info.result else ""]
    ranks = " – ".join(rank or "?" for rank in (info.black_rank, info.white_rank))
    shown = f' <span class="rank">{escape(ranks)}</span>' if info.black_rank or info.white_rank else ""
    text = " · ".join(escape(fact) for fact in facts if fact)
    return f'<header><h1>{escape(title)}{shown}</h1><p class="sub">{text}</p></header>'


def _viewer(game: GoGame) -> str:
    keys = [("first", "|◀", "To the start"), ("back", "◀", "One move back")]
    after = [("next", "▶", "One move on"), ("end", "▶|", "To the end")]
    seek = [("bad-back", "◀ mistake", "The mistake before"), ("bad-next", "mistake ▶", "The next mistake")]

    labels = "".join(
        f'<option value="{value}">{text}</option>'
        for value, text in (
            ("auto", "as fits"),
            ("all", "all numbers"),
            ("win", "win rate"),
            ("points", "points"),
            ("visits", "visits"),
            ("rank", "rank"),
            ("none", "nothing"),
        )
    )
    heads = '<th>move</th><th class="n" id="whose">wins</th><th class="n">score</th><th class="n">lost</th>'
    return f"""<section id="viewer" aria-label="The game">
<div class="card board-card"><div id="board"></div>
<div class="keys">{buttons(keys)}<input id="slider" type="range" min="0" max="{len(game.moves)}" value="0"
aria-label="Move">{buttons(after)}<span id="count"></span></div>
<div class="choices">{buttons(seek)}<label><input id="candidates-on" type="checkbox" checked> candidates</label>
<label><input id="owners-on" type="checkbox"> territory</label>
<label>on them <select id="labels">{labels}</select></label></div>
<p id="said"></p><noscript><p>The board and the graphs need JavaScript.</p></noscript></div>
<div class="side"><div class="card"><div aria-live="polite"><p id="where"></p><p id="value"></p><p id="next-move"></p>
<p id="better"></p><p id="last-move"></p></div><div class="scroll"><table id="candidates" hidden><thead><tr>{heads}
<th class="n">visits</th><th>then</th></tr></thead><tbody></tbody></table></div>{legend()}</div>
<div class="card" id="comment" hidden><h2>Comment</h2><p id="comment-text"></p></div>
<div class="card"><h3>Black's win rate</h3><div class="graph" id="win-graph"></div>
<h3>Lead in points</h3><div class="graph" id="lead-graph"></div>
<p class="note">Dots are mistakes and blunders. Arrow keys, Home and End step through the game too.</p></div></div>
</section>"""


def _cards(review: Review) -> str:
    worst = "".join(worst_card(review, summary, _NAMES, _moves) for summary in review.players)
    cards = summary_card(review, _NAMES), worst, warnings_card(review), about_card(review, has_points=True)
    return f'<div class="cards">{"".join(cards)}</div>'


def _moves(turn: TurnReview) -> tuple[str, str, str]:
    assert turn.best is not None
    return turn.move or "", turn.best.move, " ".join(turn.best.pv[:8])
