"""Answers about shogi: with scores in centipawns and proven mates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tengen.analysis.answer_builder import AnswerBuilder
from tengen.analysis.shogi.answer_types import ShogiAnswer
from tengen.analysis.shogi.mates import with_mates
from tengen.analysis.shogi.scores import centipawns

if TYPE_CHECKING:
    from tengen.analysis.answers import Answer, RootInfo
    from tengen.analysis.job import Snapshot
    from tengen.search import Move, SearchResult

__all__ = ["ShogiAnswerBuilder"]


class ShogiAnswerBuilder(AnswerBuilder):
    answer_type = ShogiAnswer

    def build(self, snapshot: Snapshot) -> Answer:
        """The last answer tells mates; where moves are left out of the search, so might be the answer to a mate."""
        answer = super().build(snapshot)
        if not snapshot.is_last or self.query.allow or self.query.avoid:
            return answer
        assert isinstance(answer, ShogiAnswer)
        return with_mates(answer, snapshot.result.state, self._sign(snapshot.result))

    def _player_name(self, player: int | None) -> str:
        return "B" if player == 0 else "W"

    def _root(self, snapshot: Snapshot) -> RootInfo:
        root = super()._root(snapshot)
        return replace(root, score_cp=_cp(root.winrate))  # type: ignore[call-arg]

    def _move_numbers(self, move: Move, bound: float, result: SearchResult) -> dict[str, Any]:
        more = super()._move_numbers(move, bound, result)
        return more | {"score_cp": _cp(more.get("winrate"))}


def _cp(winrate: float | None) -> int | None:
    return None if winrate is None else centipawns(winrate)
