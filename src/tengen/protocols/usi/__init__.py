"""USI, the Universal Shogi Interface: an engine, and programs of others."""

from tengen.protocols.usi.client import BestMove, UsiProgram
from tengen.protocols.usi.decision import RESIGN, WIN, Decision, Info, Line, MateAnswer, Score
from tengen.protocols.usi.engine import ShogiEngine
from tengen.protocols.usi.limits import Limits
from tengen.protocols.usi.options import EngineSettings, OptionError
from tengen.protocols.usi.serve import run_usi
from tengen.protocols.usi.session import UsiSession

__all__ = [
    "RESIGN",
    "WIN",
    "BestMove",
    "Decision",
    "EngineSettings",
    "Info",
    "Limits",
    "Line",
    "MateAnswer",
    "OptionError",
    "Score",
    "ShogiEngine",
    "UsiProgram",
    "UsiSession",
    "run_usi",
]
