"""Reviews of whole games: what every move was worth, as values, JSON, commented SGF and a page to look at."""

from tengen.analysis.review.played_game import PlayedGame, ReviewError, Segment, played_of
from tengen.analysis.review.review import PlayerSummary, Review, TurnReview
from tengen.analysis.review.run import review_game
from tengen.analysis.review.store import Store
from tengen.analysis.review.verdicts import VERDICTS, Loss, Verdict

__all__ = [
    "VERDICTS",
    "Loss",
    "PlayedGame",
    "PlayerSummary",
    "Review",
    "ReviewError",
    "Segment",
    "Store",
    "TurnReview",
    "Verdict",
    "played_of",
    "review_game",
]
