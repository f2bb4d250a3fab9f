"""A review of a game of Go as a page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

from tengen.analysis.go.answers import GoAnswer
from tengen.analysis.go.records import GoGame
from tengen.analysis.go.review_sgf import own_comment
from tengen.analysis.review.page import ReviewPage, tenths
from tengen.analysis.review.played_game import ReviewError

if TYPE_CHECKING:
    from tengen.analysis.answers import Answer, MoveInfo, RootInfo
    from tengen.analysis.review.review import Review, TurnReview

__all__ = ["format_page"]

_LONGEST_LINE: Final = 12
_DIGITS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def format_page(review: Review) -> str:
    game = review.played
    if not isinstance(game, GoGame):
        raise ReviewError(f"only games of Go have a page to look at, not those of {game.game}")
    return _GoPage(review, game).format()


class _GoPage(ReviewPage):
    package = "tengen.analysis.go"
    labels = (
        ("auto", "as fits"),
        ("all", "all numbers"),
        ("win", "win rate"),
        ("points", "points"),
        ("visits", "visits"),
        ("rank", "rank"),
        ("none", "nothing"),
    )
    choices = '<label><input id="owners-on" type="checkbox"> territory</label>\n'
    score_title = "Lead in points"
    has_points = True

    def __init__(self, review: Review, game: GoGame) -> None:
        super().__init__(review)
        self._game = game

    def title(self) -> str:
        return self._game.info.name or "A game of Go"

    def subtitle(self) -> str:
        info = self._game.info
        ranks = " – ".join(rank or "?" for rank in (info.black_rank, info.white_rank))
        return f' <span class="rank">{escape(ranks)}</span>' if info.black_rank or info.white_rank else ""

    def facts(self) -> list[str]:
        game, info = self._game, self._game.info
        rules = f"{game.about['rules']} rules"
        return [
            *(info.event, info.round, info.place, info.date),
            *(f"{game.width}×{game.height}", rules, f"komi {game.komi:g}"),
            f"handicap {info.handicap}" if info.handicap not in ("", "0") else "",
            f"{len(game.moves)} moves",
            f"result {info.result}" if info.result else "",
        ]

    def data(self) -> dict[str, Any]:
        game, turns = self._game, self.review.turns
        next_seat = 1 - game.moves[-1][0] if game.moves else 0
        starts = zip(game.segments, game.boards, strict=True)
        return {
            "width": game.width,
            "height": game.height,
            "moves": ["BW"[seat] + self._point(vertex) for seat, vertex in game.moves],
            "end": turns[-1].player if turns and turns[-1].move is None else next_seat,
            "boards": [[segment.first, board.replace("/", "")] for segment, board in starts],
        }

    def turn_data(self, turn: TurnReview) -> list[Any]:
        return [*super().turn_data(turn), _owners(turn.answer)]

    def score(self, info: MoveInfo | RootInfo) -> int:
        return tenths(info.lead)

    def line(self, turn: TurnReview, info: MoveInfo) -> tuple[str, list[Any]]:  # noqa: ARG002 - others need the turn
        return "".join(self._point(vertex) or "tt" for vertex in info.pv[:_LONGEST_LINE]), []

    def moves(self, turn: TurnReview) -> tuple[str, str, str]:
        assert turn.best is not None
        return turn.move or "", turn.best.move, " ".join(turn.best.pv[:8])

    def comment(self, turn: int) -> str:
        return own_comment(self._game.nodes[turn])

    def _point(self, vertex: str) -> str:
        assert self._game.record is not None
        return self._game.record.point(vertex)


def _owners(answer: Answer) -> str | None:
    """A sign a point: A is White's, 31 signs later nobody's, 31 more Black's."""
    assert isinstance(answer, GoAnswer)
    if answer.ownership is None:
        return None
    return "".join(_DIGITS[min(62, max(0, round(31 * (1 + owner))))] for owner in answer.ownership)
