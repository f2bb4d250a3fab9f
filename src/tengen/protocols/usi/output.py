"""Output lines of a USI engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen import __version__
from tengen.protocols.usi.options import declare_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.protocols.usi.decision import Decision, Info, MateAnswer
    from tengen.protocols.usi.options import EngineSettings

__all__ = ["format_bestmove", "format_checkmate", "format_info", "format_introduction", "format_quick_info"]


def format_introduction(name: str, settings: EngineSettings) -> Iterator[str]:
    """Yield the response to `usi`."""
    yield f"id name {name} {__version__}"
    yield "id author the authors of Tengen"
    yield from declare_options(settings)
    yield "usiok"


def format_info(info: Info, *, is_numbered: bool) -> Iterator[str]:
    """Yield a line for every rank, numbered if there may be several; a note comes before them."""
    if info.note:
        yield f"info string {info.note}"
    head = f"info depth {info.depth} seldepth {info.seldepth} time {info.elapsed_ms} nodes {info.nodes} nps {info.nps}"
    for rank, line in enumerate(info.lines, 1):
        number = f" multipv {rank}" if is_numbered else ""
        yield f"{head} hashfull {info.hashfull}{number} score {line.score} pv {' '.join(line.pv)}"


def format_quick_info(decision: Decision) -> Iterator[str]:
    """Yield the information about a decision without a search, if there is any."""
    if decision.score is None:
        return
    line = f" pv {' '.join(decision.pv)}" if decision.pv else ""
    yield f"info depth 1 score {decision.score}{line}"


def format_bestmove(decision: Decision, *, with_ponder: bool) -> str:
    ponder = f" ponder {decision.ponder}" if with_ponder and decision.ponder else ""
    return f"bestmove {decision.move}{ponder}"


def format_checkmate(answer: MateAnswer) -> str:
    if answer.moves:
        return f"checkmate {' '.join(answer.moves)}"
    return "checkmate nomate" if answer.is_disproved else "checkmate timeout"
