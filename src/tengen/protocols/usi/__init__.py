"""USI, the Universal Shogi Interface: an engine, and programs of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

if TYPE_CHECKING:
    from tengen.protocols.usi.client import BestMove, UsiProgram
    from tengen.protocols.usi.decision import RESIGN, WIN, Decision, Info, Line, MateAnswer, Score
    from tengen.protocols.usi.engine import ShogiEngine
    from tengen.protocols.usi.limits import Limits
    from tengen.protocols.usi.options import EngineSettings, OptionError
    from tengen.protocols.usi.serve import run_usi
    from tengen.protocols.usi.session import UsiSession
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "client": ["BestMove", "UsiProgram"],
            "decision": ["RESIGN", "WIN", "Decision", "Info", "Line", "MateAnswer", "Score"],
            "engine": ["ShogiEngine"],
            "limits": ["Limits"],
            "options": ["EngineSettings", "OptionError"],
            "serve": ["run_usi"],
            "session": ["UsiSession"],
        },
    )

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
