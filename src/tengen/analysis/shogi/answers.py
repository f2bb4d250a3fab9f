"""What answers about shogi hold beside those of other games: scores in centipawns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tengen.analysis.answer_builder import AnswerBuilder
from tengen.analysis.answers import Answer, MoveInfo, RootInfo
from tengen.analysis.shogi.scores import centipawns

if TYPE_CHECKING:
    from tengen.analysis.job import Snapshot
    from tengen.search import Move, SearchResult

__all__ = ["ShogiAnswer", "ShogiAnswerBuilder", "ShogiMoveInfo", "ShogiRootInfo"]


@dataclass(frozen=True, kw_only=True)
class ShogiMoveInfo(MoveInfo):
    score_cp: int | None = None
    """The win rate in centipawns, for the same side."""


@dataclass(frozen=True, kw_only=True)
class ShogiRootInfo(RootInfo):
    score_cp: int | None = None


@dataclass(frozen=True, kw_only=True)
class ShogiAnswer(Answer):
    move_type = ShogiMoveInfo
    root_type = ShogiRootInfo

    move_infos: tuple[ShogiMoveInfo, ...] = ()
    root_info: ShogiRootInfo | None = None


class ShogiAnswerBuilder(AnswerBuilder):
    answer_type = ShogiAnswer

    def _player_name(self, player: int | None) -> str:
        return "B" if player == 0 else "W"

    def _root(self, snapshot: Snapshot) -> RootInfo:
        root = super()._root(snapshot)
        return replace(root, score_cp=_cp(root.winrate))  # type: ignore[call-arg]

    def _move(self, move: Move, bound: float, weight: float, result: SearchResult) -> tuple[MoveInfo, dict[str, Any]]:
        info, more = super()._move(move, bound, weight, result)
        return info, more | {"score_cp": _cp(more.get("winrate"))}


def _cp(winrate: float | None) -> int | None:
    return None if winrate is None else centipawns(winrate)
