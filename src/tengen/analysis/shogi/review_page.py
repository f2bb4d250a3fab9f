"""A review of a game of shogi as one page that needs nothing but a browser, nor a Japanese font for its board."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

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
from tengen.analysis.review.verdicts import MIN_VISITS, VERDICTS, WINRATE_LIMITS
from tengen.analysis.shogi.lines import write_line
from tengen.analysis.shogi.records import ShogiGame
from tengen.analysis.shogi.review_kif import own_comment
from tengen.analysis.shogi.scores import centipawns
from tengen.games.shogi.board_svg import LOOK, PIECE_GLYPHS, UNITS
from tengen.games.shogi.records.handicaps import EVEN, handicap_name

if TYPE_CHECKING:
    from tengen.analysis.answers import MoveInfo
    from tengen.analysis.review.review import Review, TurnReview

__all__ = ["format_page"]

_NAMES: Final = ("Black", "White")
_MAX_CANDIDATES: Final = 10
_MIN_SHARE: Final = 0.02
"""Of the most visits: what has fewer is not shown."""
_LONGEST_LINE: Final = 12


def format_page(review: Review) -> str:
    """The whole HTML document."""
    game = review.played
    if not isinstance(game, ShogiGame):
        raise ReviewError(f"this page is for games of shogi, not for those of {game.game}")
    black, white = game.player_names
    title = f"{black} – {white}" if (black, white) != _NAMES else game.about.get("event", "A game of shogi")
    body = "\n".join([_header(game, title), _viewer(game), _cards(review, game)])
    return document(title, "tengen.analysis.shogi", body, _data(review, game))


def _data(review: Review, game: ShogiGame) -> dict[str, Any]:
    turns: list[Any] = [None] * (len(game.moves) + 1)
    for turn in review.turns:
        turns[turn.turn] = _turn(game, turn)
    return {
        "moves": [[move, text] for (_, move), text in zip(game.moves, game.texts, strict=True)],
        "sfens": game.sfens,
        "turns": turns,
        "comments": {str(i): text for i, node in enumerate(game.nodes) if (text := own_comment(node))},
        "verdicts": VERDICTS,
        "winrateLimits": WINRATE_LIMITS,
        "leastVisits": MIN_VISITS,
        "glyphs": PIECE_GLYPHS,
        "units": UNITS,
        "look": LOOK,
    }


def _turn(game: ShogiGame, turn: TurnReview) -> list[Any]:
    """Win rate in tenths of percents, score, visits, candidates, what the played move lost."""
    root = turn.answer.root_info
    assert root is not None
    loss = None if turn.loss is None else [_tenths(turn.loss.winrate), VERDICTS.index(turn.loss.verdict)]
    shown = [_candidate(game, turn, info) for info in _shown(turn)]
    return [_tenths(root.winrate), centipawns(root.winrate or 0.0), root.visits, shown, loss]


def _shown(turn: TurnReview) -> list[MoveInfo]:
    """The first few without what was hardly looked at, and the move that was played."""
    infos, played = turn.answer.move_infos, turn.played
    least = _MIN_SHARE * max((info.visits for info in infos), default=0)
    own = [info for rank, info in enumerate(infos[:_MAX_CANDIDATES]) if rank == 0 or info.visits >= least]
    return own if played is None or played in own else [*own, played]


def _candidate(game: ShogiGame, turn: TurnReview, info: MoveInfo) -> list[Any]:
    line = info.pv[:_LONGEST_LINE] or (info.move,)
    texts = write_line(game.sfens[turn.turn], line) or ["入玉宣言"]
    return [" ".join(line), texts, _tenths(info.winrate), centipawns(info.winrate or 0.0), info.visits]


def _tenths(share: float | None) -> int:
    return round(1000 * (share or 0.0))


def _header(game: ShogiGame, title: str) -> str:
    about = game.about
    handicap = handicap_name(str(about["start"]))
    facts = [str(about.get(key, "")) for key in ("event", "site", "started", "time_limit", "opening")]
    facts += ["" if handicap == EVEN else handicap or "its own start", f"{len(game.moves)} moves"]
    if "result" in about:
        facts.append("a draw" if about["result"] == "draw" else f"{str(about['result']).capitalize()} won")
    if "end" in about:
        facts.append(str(about["end"]).replace("_", " "))
    text = " · ".join(escape(fact) for fact in facts if fact)
    return f'<header><h1>{escape(title)}</h1><p class="sub">{text}</p></header>'


def _viewer(game: ShogiGame) -> str:
    keys = [("first", "|◀", "To the start"), ("back", "◀", "One move back")]
    after = [("next", "▶", "One move on"), ("end", "▶|", "To the end")]
    seek = [("bad-back", "◀ mistake", "The mistake before"), ("bad-next", "mistake ▶", "The next mistake")]
    heads = '<th>move</th><th class="n" id="whose">wins</th><th class="n">score</th><th class="n">lost</th>'
    return f"""<section id="viewer" aria-label="The game">
<div class="card board-card"><div id="board"></div>
<div class="keys">{buttons(keys)}<input id="slider" type="range" min="0" max="{len(game.moves)}" value="0"
aria-label="Move">{buttons(after)}<span id="count"></span></div>
<div class="choices">{buttons(seek)}<label><input id="candidates-on" type="checkbox" checked> candidates</label>
<label>on them <select id="labels"><option value="win">win rate</option><option value="rank">rank</option></select>
</label></div>
<p id="said"></p><noscript><p>The board and the graphs need JavaScript.</p></noscript></div>
<div class="side"><div class="card"><div aria-live="polite"><p id="where"></p><p id="value"></p><p id="next-move"></p>
<p id="better"></p><p id="last-move"></p></div><div class="scroll"><table id="candidates" hidden><thead><tr>{heads}
<th class="n">visits</th><th>then</th></tr></thead><tbody></tbody></table></div>{legend()}</div>
<div class="card" id="comment" hidden><h2>Comment</h2><p id="comment-text"></p></div>
<div class="card"><h3>Black's win rate</h3><div class="graph" id="win-graph"></div>
<h3>Black's score in centipawns</h3><div class="graph" id="score-graph"></div>
<p class="note">Dots are mistakes and blunders. Arrow keys, Home and End step through the game too.</p></div></div>
</section>"""


def _cards(review: Review, game: ShogiGame) -> str:
    def moves(turn: TurnReview) -> tuple[str, str, str]:
        assert turn.best is not None
        line = write_line(game.sfens[turn.turn], turn.best.pv[:8]) or [turn.best.move]
        return f"{'▲△'[turn.player]}{game.texts[turn.turn]}", line[0], " ".join(line)

    worst = "".join(worst_card(review, summary, _NAMES, moves) for summary in review.players)
    cards = summary_card(review, _NAMES), worst, warnings_card(review), about_card(review, has_points=False)
    return f'<div class="cards">{"".join(cards)}</div>'
