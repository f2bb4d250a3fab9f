"""A game with people at it: where it stands, who plays against them, what each move is worth. The terminal and the page
are its faces."""

from tengen.play.advice import Advice, Adviser, SearchAdviser
from tengen.play.computers import make_champion
from tengen.play.human_game import Decision, HumanGame
from tengen.play.mistakes import Mistake, find_mistakes, judge_decision
from tengen.play.opponents import ArenaOpponent, Choice, Follower, Opponent, SearchOpponent
from tengen.play.problem_game import ProblemGame
from tengen.play.search_run import run_search, settings_for
from tengen.play.session import Session
from tengen.play.translation import TABLES, translate

__all__ = [
    "TABLES",
    "Advice",
    "Adviser",
    "ArenaOpponent",
    "Choice",
    "Decision",
    "Follower",
    "HumanGame",
    "Mistake",
    "Opponent",
    "ProblemGame",
    "SearchAdviser",
    "SearchOpponent",
    "Session",
    "find_mistakes",
    "judge_decision",
    "make_champion",
    "run_search",
    "settings_for",
    "translate",
]
