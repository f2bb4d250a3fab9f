"""USI on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.analysis.stdio import standard_streams
from tengen.protocols.usi.session import UsiSession

if TYPE_CHECKING:
    from tengen.protocols.usi.engine import ShogiEngine

__all__ = ["run_usi"]


def run_usi(engine: ShogiEngine, *, name: str = "Tengen") -> int:
    """Answers until `quit`, the end of the input, or a signal. Returns the exit code."""
    with standard_streams() as (lines, out):
        session = UsiSession(engine, out.write, name=name)
        for line in lines:
            session.handle(line)
            if session.is_over:
                break
        session.close()
    return out.report()
