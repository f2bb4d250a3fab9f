"""A review of a game of shogi as a page, which needs no Japanese font for its board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tengen.analysis.review.page import ReviewPage
from tengen.analysis.review.played_game import ReviewError
from tengen.analysis.shogi.records import ShogiGame
from tengen.analysis.shogi.review_kif import own_comment
from tengen.analysis.shogi.scores import centipawns
from tengen.analysis.shogi.texts import TABLES, words_in
from tengen.games.shogi.board_svg import LOOK, PIECE_GLYPHS, UNITS
from tengen.games.shogi.drawing import RANKS
from tengen.games.shogi.records.handicaps import EVEN, handicap_name
from tengen.games.translation import ENGLISH

if TYPE_CHECKING:
    from tengen.analysis.answers import MoveInfo, RootInfo
    from tengen.analysis.review.review import Review, TurnReview

__all__ = ["format_page"]

_LONGEST_LINE: Final = 12


def format_page(review: Review, lang: str = ENGLISH) -> str:
    """Return the review as one HTML document in a language."""
    game = review.played
    if not isinstance(game, ShogiGame):
        raise ReviewError(f"this page is for games of shogi, not for those of {game.game}")
    return _ShogiPage(review, game, lang).format()


class _ShogiPage(ReviewPage):
    package = "tengen.analysis.shogi"
    labels = (("win", "win rate"), ("rank", "rank"))
    score_title = "Black's score in centipawns"
    has_points = False

    def __init__(self, review: Review, game: ShogiGame, lang: str) -> None:
        super().__init__(review, words_in(lang), TABLES.get(lang))
        self._game = game

    def title(self) -> str:
        return str(self._game.about.get("event", self.words("A game of shogi")))

    def facts(self) -> list[str]:
        about = self._game.about
        handicap = handicap_name(str(about["start"]))
        facts = [str(about.get(key, "")) for key in ("event", "site", "started", "time_limit", "opening")]
        say = self.words
        facts += ["" if handicap == EVEN else handicap or say("its own start")]
        facts += [say("{count} moves", count=len(self._game.moves))]
        if "result" in about:
            side = say(str(about["result"]).capitalize())
            facts.append(say("a draw") if about["result"] == "draw" else say("{side} won", side=side))
        return [*facts, say(str(about.get("end", "")).replace("_", " "))]

    def data(self) -> dict[str, Any]:
        game = self._game
        return {
            "moves": [[move, text] for (_, move), text in zip(game.moves, game.texts, strict=True)],
            "sfens": game.sfens,
            "glyphs": PIECE_GLYPHS,
            "units": UNITS,
            "look": LOOK,
            "ranks": RANKS if self.words.lang == "ja" else "",
        }

    def score(self, info: MoveInfo | RootInfo) -> int:
        return centipawns(info.winrate or 0.0)

    def line(self, turn: TurnReview, info: MoveInfo) -> tuple[str, list[Any]]:
        line = info.pv[:_LONGEST_LINE] or (info.move,)
        return " ".join(line), [self._game.write_line(turn.turn, line) or [self.words("declaration of a win")]]

    def moves(self, turn: TurnReview) -> tuple[str, str, str]:
        assert turn.best is not None
        line = self._game.write_line(turn.turn, turn.best.pv[:8]) or [self.words("declaration of a win")]
        return f"{'▲△'[turn.player]}{self._game.texts[turn.turn]}", line[0], " ".join(line)

    def comment(self, turn: int) -> str:
        return own_comment(self._game.nodes[turn])
