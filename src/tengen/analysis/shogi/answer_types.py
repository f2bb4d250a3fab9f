"""What answers about shogi hold beside those of other games."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.analysis.answers import Answer, MoveInfo, RootInfo

__all__ = ["ShogiAnswer", "ShogiMoveInfo", "ShogiRootInfo"]


@dataclass(frozen=True, kw_only=True)
class ShogiMoveInfo(MoveInfo):
    score_cp: int | None = None
    """The win rate in centipawns, for the same side."""
    mate: int | None = None
    """Plies to a mate that is proven, this move included: above 0 that side mates, below 0 it is mated."""

    @property
    def is_proven(self) -> bool:
        return self.mate is not None


@dataclass(frozen=True, kw_only=True)
class ShogiRootInfo(RootInfo):
    score_cp: int | None = None
    mate: int | None = None

    @property
    def is_proven(self) -> bool:
        return self.mate is not None


@dataclass(frozen=True, kw_only=True)
class ShogiAnswer(Answer):
    move_type = ShogiMoveInfo
    root_type = ShogiRootInfo

    move_infos: tuple[ShogiMoveInfo, ...] = ()
    root_info: ShogiRootInfo | None = None
