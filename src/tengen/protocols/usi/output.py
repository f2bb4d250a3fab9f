"""What the engine says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.protocols.usi.decision import Decision, Info, MateAnswer

__all__ = ["format_bestmove", "format_checkmate", "format_info", "format_quick_info"]


def format_info(info: Info, *, is_numbered: bool) -> Iterator[str]:
    """A line for every rank; numbered where there may be several."""
    head = f"info depth {info.depth} seldepth {info.seldepth} time {info.elapsed_ms} nodes {info.nodes} nps {info.nps}"
    for rank, line in enumerate(info.lines, 1):
        number = f" multipv {rank}" if is_numbered else ""
        yield f"{head} hashfull {info.hashfull}{number} score {line.score} pv {' '.join(line.pv)}"


def format_quick_info(decision: Decision) -> Iterator[str]:
    """Of a decision without a search: what is known of it, if anything is."""
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
