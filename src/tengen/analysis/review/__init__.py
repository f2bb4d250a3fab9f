"""Reviews of whole games: what every move was worth, as values, JSON, commented SGF and a page to look at."""

from tengen.analysis.review.played import Played, ReviewError, Stretch, played_of
from tengen.analysis.review.review import PlayerSummary, Review, TurnReview
from tengen.analysis.review.store import Store
from tengen.analysis.review.verdicts import VERDICTS, Loss, Verdict
from tengen.analysis.review.work import review_game

__all__ = [
    "VERDICTS",
    "Loss",
    "Played",
    "PlayerSummary",
    "Review",
    "ReviewError",
    "Store",
    "Stretch",
    "TurnReview",
    "Verdict",
    "played_of",
    "review_game",
]
