"""The arena: matches, ratings and gates."""

from tengen.arena.gates import AcceptPayoff, AcceptRate, Gate, Sprt, Verdict, log_likelihood_ratio
from tengen.arena.match import AnyGame, AnyPlayer, chunks, merge, play_chunk, play_match
from tengen.arena.openings import Openings
from tengen.arena.opinions import opinions
from tengen.arena.players import (
    FlatPlayer,
    GamePlayer,
    Player,
    PolicyPlayer,
    RandomPlayer,
    SearchPlayer,
    find_player,
)
from tengen.arena.ratings import Pairing, Rating, Ratings, elo
from tengen.arena.records import PlayedGame
from tengen.arena.result import MatchResult, Tally
from tengen.arena.statistics import Estimate
from tengen.arena.symmetry import SymmetryConsistency, symmetry_consistency

__all__ = [
    "AcceptPayoff",
    "AcceptRate",
    "AnyGame",
    "AnyPlayer",
    "Estimate",
    "FlatPlayer",
    "GamePlayer",
    "Gate",
    "MatchResult",
    "Openings",
    "Pairing",
    "PlayedGame",
    "Player",
    "PolicyPlayer",
    "RandomPlayer",
    "Rating",
    "Ratings",
    "SearchPlayer",
    "Sprt",
    "SymmetryConsistency",
    "Tally",
    "Verdict",
    "chunks",
    "elo",
    "find_player",
    "log_likelihood_ratio",
    "merge",
    "opinions",
    "play_chunk",
    "play_match",
    "symmetry_consistency",
]
