"""Answers about battles: what each choice is called, and which answers of the other side it fears."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.analysis.answer_builder import AnswerBuilder
from tengen.analysis.answers import Answer, MoveInfo
from tengen.analysis.jsonlines import round_dynamic
from tengen.games.pokemon import Pokemon

if TYPE_CHECKING:
    from tengen.analysis.answers import Json
    from tengen.search import Move, SearchResult

__all__ = ["PokemonAnswer", "PokemonAnswerBuilder", "PokemonMoveInfo"]

_MAX_FEARED = 5
_MIN_SHARE = 0.05
"""Of a choice's visits: what the other side hardly plays is not feared."""


@dataclass(frozen=True, kw_only=True)
class PokemonMoveInfo(MoveInfo):
    choice: str | None = None
    """What the choice is called in this position, such as a move's name."""
    fears: tuple[Json, ...] | None = None
    """Where both choose: answers of the other side, the worst first, each with its win rate for the side that asks, its
    visits and its share in those of the choice."""

    @property
    def title(self) -> str:
        return self.choice or self.move


@dataclass(frozen=True, kw_only=True)
class PokemonAnswer(Answer):
    move_type = PokemonMoveInfo

    move_infos: tuple[PokemonMoveInfo, ...] = ()


class PokemonAnswerBuilder(AnswerBuilder):
    answer_type = PokemonAnswer

    def _move_more(self, move: Move, bound: float, result: SearchResult) -> dict[str, Any]:
        more = super()._move_more(move, bound, result)
        if move.player != result.player:
            return more
        choice = self.game.describe_action(result.state.position, move.player, move.action)
        return more | {"choice": choice, "fears": self._fears(move, result) if result.is_joint else None}

    def _fears(self, move: Move, result: SearchResult) -> tuple[Json, ...]:
        game = self.game
        assert isinstance(game, Pokemon)
        total = sum(reply.visits for reply in move.replies)
        likely = [reply for reply in move.replies if reply.visits >= _MIN_SHARE * total]
        sign = self._sign(result)
        return tuple(
            {
                "answer": game.describe_reply(result.state.position, move.player, reply.action),
                "winrate": round_dynamic(0.5 * (1 + sign * reply.value)),
                "visits": reply.visits,
                "share": round_dynamic(reply.visits / total),
            }
            for reply in sorted(likely, key=lambda reply: reply.value)[:_MAX_FEARED]
        )
