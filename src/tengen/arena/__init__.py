"""The arena: matches, ratings and gates."""

from tengen.arena.champions import PLAYER, ChampionSpec, find_champion, kept_player, shipped_champion
from tengen.arena.criteria import (
    Criterion,
    FewerCounts,
    Ladder,
    LeastScore,
    PayoffLead,
    RateGuard,
    ScoreEdge,
    SmallerWorstLoss,
    promotion_gate,
)
from tengen.arena.deliberation import DeliberatingPlayer, Thought, Variation
from tengen.arena.evaluate_positions import evaluate_positions
from tengen.arena.fallback import Chooser, FallbackPlayer
from tengen.arena.game_player import GamePlayer
from tengen.arena.gates import AcceptPayoff, AcceptRate, Finding, Gate, Sprt, Verdict, log_likelihood_ratio
from tengen.arena.make_players import find_player
from tengen.arena.match import AnyGame, AnyPlayer, chunks, merge, play_chunk, play_elsewhere, play_match
from tengen.arena.match_games import MatchDecider, MatchTable, play_pairs
from tengen.arena.match_report import MatchReport, RateReport, ValueMetric, find_metric
from tengen.arena.openings import Openings, default_openings
from tengen.arena.player_kinds import is_program
from tengen.arena.player_spec import (
    GROWN_PLAYER,
    PLACEHOLDER,
    FlatOptions,
    PlayerSpec,
    format_player,
    parse_player,
)
from tengen.arena.players import (
    RESIGN,
    Choice,
    FlatPlayer,
    Player,
    PolicyPlayer,
    RandomPlayer,
    SearchPlayer,
)
from tengen.arena.ratings import Pairing, Rating, Ratings, elo
from tengen.arena.records import PlayedGame
from tengen.arena.result import MatchResult, Tally
from tengen.arena.statistics import Estimate
from tengen.arena.symmetry import SymmetryConsistency, symmetry_consistency

__all__ = [
    "GROWN_PLAYER",
    "PLACEHOLDER",
    "PLAYER",
    "RESIGN",
    "AcceptPayoff",
    "AcceptRate",
    "AnyGame",
    "AnyPlayer",
    "ChampionSpec",
    "Choice",
    "Chooser",
    "Criterion",
    "DeliberatingPlayer",
    "Estimate",
    "FallbackPlayer",
    "FewerCounts",
    "Finding",
    "FlatOptions",
    "FlatPlayer",
    "GamePlayer",
    "Gate",
    "Ladder",
    "LeastScore",
    "MatchDecider",
    "MatchReport",
    "MatchResult",
    "MatchTable",
    "Openings",
    "Pairing",
    "PayoffLead",
    "PlayedGame",
    "Player",
    "PlayerSpec",
    "PolicyPlayer",
    "RandomPlayer",
    "RateGuard",
    "RateReport",
    "Rating",
    "Ratings",
    "ScoreEdge",
    "SearchPlayer",
    "SmallerWorstLoss",
    "Sprt",
    "SymmetryConsistency",
    "Tally",
    "Thought",
    "ValueMetric",
    "Variation",
    "Verdict",
    "chunks",
    "default_openings",
    "elo",
    "evaluate_positions",
    "find_champion",
    "find_metric",
    "find_player",
    "format_player",
    "is_program",
    "kept_player",
    "log_likelihood_ratio",
    "merge",
    "parse_player",
    "play_chunk",
    "play_elsewhere",
    "play_match",
    "play_pairs",
    "promotion_gate",
    "shipped_champion",
    "symmetry_consistency",
]
