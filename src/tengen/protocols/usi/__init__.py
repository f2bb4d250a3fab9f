"""USI, the Universal Shogi Interface: an engine, and programs of others."""

from tengen.protocols.usi.client import BestMove, UsiProgram
from tengen.protocols.usi.decision import Decision, Info, Line, MateAnswer, Score
from tengen.protocols.usi.limits import Limits

__all__ = ["BestMove", "Decision", "Info", "Limits", "Line", "MateAnswer", "Score", "UsiProgram"]
