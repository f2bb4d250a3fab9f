"""Shogi in the analysis room: its requests, answers, records and reviews."""

from tengen.analysis.shogi.adapter import ShogiAdapter as Adapter
from tengen.analysis.shogi.answer_types import ShogiAnswer, ShogiMoveInfo, ShogiRootInfo

__all__ = ["Adapter", "ShogiAnswer", "ShogiMoveInfo", "ShogiRootInfo"]
