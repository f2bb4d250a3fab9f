"""From what a search found to what a query is answered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from tengen.analysis.answers import Answer
from tengen.analysis.confidence import lcb_radius, selection_weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tengen.analysis.answers import MoveInfo, RootInfo
    from tengen.analysis.job import Snapshot
    from tengen.analysis.query import Query
    from tengen.games import Game
    from tengen.search import Move, SearchResult

__all__ = ["AnswerBuilder", "SymmetricAction"]


@dataclass(frozen=True)
class SymmetricAction:
    """An action that a symmetry of the position makes the same as another one."""

    action: int
    actions: NDArray[np.int32]
    """[actions]: where the symmetry takes each."""


class AnswerBuilder:
    """Makes the answers to one turn of a query, for any game; a game with more to tell has its own."""

    answer_type: ClassVar[type[Answer]] = Answer

    def __init__(
        self,
        game: Game,
        query: Query,
        turn: int,
        value_range: float = 1.0,
        symmetric: Mapping[int, Sequence[SymmetricAction]] = MappingProxyType({}),
    ) -> None:
        """`value_range` is the most that a utility can be; `symmetric` are by the action that stands for them."""
        self.game = game
        self.query = query
        self.turn = turn
        self.value_range = value_range
        self.symmetric = symmetric

    def build(self, snapshot: Snapshot) -> Answer:
        result = snapshot.result
        return self.answer_type(
            id=self.query.id,
            turn_number=self.turn,
            is_during_search=not snapshot.is_last,
            move_infos=tuple(self._moves(result)),
            root_info=self._root(snapshot),
            policy=self._policy(snapshot) if self.query.include_policy else None,
            warnings=result.warnings,
            **self._answer_more(snapshot),
        )

    # What a game with more to tell adds.

    def _answer_more(self, snapshot: Snapshot) -> dict[str, Any]:  # noqa: ARG002 - for games with more
        return {}

    def _root_more(self, snapshot: Snapshot) -> dict[str, Any]:  # noqa: ARG002
        return {}

    def _move_more(self, move: Move, bound: float, result: SearchResult) -> dict[str, Any]:  # noqa: ARG002
        return {}

    def _symmetric_more(self, other: SymmetricAction, more: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return more

    # What all games have.

    @property
    def _is_duel(self) -> bool:
        """One wins what the other loses, and nothing else counts: values are win rates."""
        return self.game.zero_sum and self.game.players == 2 and self.game.payoff_scale == 1.0

    def _sign(self, result: SearchResult) -> int:
        """1 where numbers of who is to move are shown as they are, -1 where for the opponent."""
        seat = self.query.params.report_analysis_winrates_as
        return 1 if seat in (None, result.player) else -1

    def _policy(self, snapshot: Snapshot) -> tuple[float, ...]:
        result = snapshot.result
        priors: Mapping[int, float] = result.priors
        if not priors:
            # Nothing has told the actions apart yet, and an evaluator without a policy never will.
            legal = result.state.legal(0 if result.player is None else result.player)
            priors = dict.fromkeys(legal, 1.0 / len(legal))
        return tuple(priors.get(action, -1.0) for action in range(self.game.action_count))

    def _root(self, snapshot: Snapshot) -> RootInfo:
        result = snapshot.result
        sign = self._sign(result)
        more: dict[str, Any] = {"values": result.values, "raw_values": result.raw_values}
        utility = result.values[0] if result.player is None else sign * result.value
        if self._is_duel and result.player is not None:
            utility = sign * _value(result)
            raw = result.raw_values[result.player]
            more = {"winrate": 0.5 * (1 + utility), "raw_winrate": 0.5 * (1 + sign * raw)}
        elif result.player is not None:
            more |= {
                "winrate": self._winrate(result.aux, result),
                "raw_winrate": self._winrate(result.raw_aux, result),
            }
        more |= self._root_more(snapshot)
        return self.answer_type.root_type(
            current_player=self._player_name(result.player),
            visits=result.visits,
            weight=sum(move.weight for move in result.moves if result.player in (None, move.player)) + 1.0,
            utility=utility,
            **more,
        )

    def _winrate(self, aux: NDArray[np.float32] | None, result: SearchResult) -> float | None:
        """Of a game with its own unit, where it tells who wins besides."""
        win = self.game.win_aux
        if win is None or aux is None or result.player is None:
            return None
        side = self._sign(result) * (1 if result.player == 0 else -1)
        return 0.5 * (1 + side * float(aux[win]))

    def _player_name(self, player: int | None) -> str:
        return "all" if player is None else str(player)

    def _moves(self, result: SearchResult) -> list[MoveInfo]:
        """In order, those that stand for others followed by them."""
        params = self.query.params
        moves = [move for move in result.moves if result.player in (None, move.player)]
        radii = [lcb_radius(move, self.value_range, params.lcb_stdevs) for move in moves]
        weights = [move.weight for move in moves]
        if params.use_lcb_for_selection and not (result.is_joint or result.player is None or result.proven):
            weights = selection_weights(moves, radii, params.min_visit_prop_for_lcb)
        # Where all act, player by player.
        order = sorted(
            range(len(moves)),
            key=lambda i: (moves[i].player if result.player is None else 0, -weights[i], -moves[i].visits),
        )
        infos: list[MoveInfo] = []
        for i in order:
            more = self._move_numbers(moves[i], radii[i], result)
            info = self._move(moves[i], radii[i], weights[i], result, len(infos), more)
            infos.append(info)
            for other in self.symmetric.get(moves[i].action, ()):
                infos.append(self._symmetric_move(info, more, other, moves[i], len(infos)))
        return infos

    def _move_numbers(self, move: Move, bound: float, result: SearchResult) -> dict[str, Any]:
        """What depends on the game."""
        sign = self._sign(result)
        more: dict[str, Any] = {"values": move.values, "winrate": self._winrate(move.aux, result)}
        if self._is_duel:
            win = 0.5 * (1 + move.value)
            lcb = win - 0.5 * bound / self.value_range
            more = {"winrate": win if sign > 0 else 1 - win, "lcb": lcb if sign > 0 else 1 - lcb}
        return more | self._move_more(move, bound, result)

    def _move(
        self, move: Move, bound: float, weight: float, result: SearchResult, order: int, more: dict[str, Any]
    ) -> MoveInfo:
        sign = self._sign(result)
        length = self.query.pv_length + 1
        return self.answer_type.move_type(
            move=move.name,
            player=move.player if result.player is None else None,
            order=order,
            visits=move.visits,
            edge_visits=move.visits,
            weight=float(move.visits),
            edge_weight=float(move.visits),
            utility=sign * move.value,
            utility_lcb=sign * (move.value - bound),
            utility_error=None if self._is_duel else move.error,
            prior=move.prior,
            play_selection_value=weight,
            pv=move.pv[:length],
            pv_visits=move.pv_visits[:length] if self.query.include_pv_visits else None,
            pv_edge_visits=move.pv_visits[:length] if self.query.include_pv_visits else None,
            is_included=True if move.included else None,
            **more,
        )

    def _symmetric_move(
        self, info: MoveInfo, more: dict[str, Any], other: SymmetricAction, move: Move, order: int
    ) -> MoveInfo:
        line: Sequence[int] = move.pv_actions[: self.query.pv_length + 1]
        return replace(
            info,
            order=order,
            move=self.game.name(other.action),
            pv=tuple(self.game.name(int(other.actions[action])) for action in line),
            is_symmetry_of=info.move,
            is_included=None,
            **self._symmetric_more(other, more),
        )


def _value(result: SearchResult) -> float:
    """What the position is worth to who is to move: the mean by weight, the position's own evaluation among them."""
    assert result.player is not None
    if result.proven or result.is_joint:
        return result.value
    total, weight = result.raw_values[result.player], 1.0
    for move in result.moves:
        total += move.weight * (move.free or move).value
        weight += move.weight
    return total / weight
