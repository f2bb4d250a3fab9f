"""Mates in answers: what a solver proves counts for more than what a search believes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tengen.analysis.shogi.answer_types import ShogiMoveInfo
from tengen.analysis.shogi.scores import centipawns
from tengen.games.shogi.mate import MateSolver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.analysis.shogi.answer_types import ShogiAnswer, ShogiRootInfo
    from tengen.games import State

__all__ = ["with_mates"]

_ROOT_NODES: Final = 10_000
_ANSWER_NODES: Final = 2_000
"""For the opponent's mate after a move."""
_MOST_MOVES: Final = 8
"""That are looked at for that, besides those that the query names; where there are few legal ones, all are."""
_MEGABYTES: Final = 2


def with_mates(answer: ShogiAnswer, state: State, sign: int) -> ShogiAnswer:
    """The same with every mate that is proven: one of the side to move first, moves into one of the opponent's last.
    `sign` is 1 where numbers are those of the side to move, -1 where they are the opponent's."""
    finder = _Finder()
    own = finder.line(state, _ROOT_NODES)
    return _mating(answer, own, sign) if own else _defending(answer, finder, state, sign)


class _Finder:
    def __init__(self) -> None:
        self._solver = MateSolver(_MEGABYTES)

    def line(self, state: State, nodes: int) -> tuple[str, ...]:
        """The mate of the side to move; empty: none is known."""
        if state.is_over:
            return ()
        return tuple(map(state.game.name, self._solver.solve(state, nodes).line))


def _mating(answer: ShogiAnswer, line: Sequence[str], sign: int) -> ShogiAnswer:
    assert answer.root_info is not None
    infos = list(answer.move_infos)
    first = next((info for info in infos if info.move == line[0]), None)
    others = [info for info in infos if info is not first]
    made = _decided(first or _unvisited(line[0]), line, sign, is_won=True)
    root = _decided_root(answer.root_info, len(line), sign)
    return replace(answer, move_infos=_in_order([made, *others]), root_info=root)


def _defending(answer: ShogiAnswer, finder: _Finder, state: State, sign: int) -> ShogiAnswer:
    assert answer.root_info is not None
    names = [state.game.name(action) for action in state.legal()]
    has_few = len(names) <= _MOST_MOVES
    looked = {info.move for rank, info in enumerate(answer.move_infos) if rank < _MOST_MOVES or info.is_included}
    lost: dict[str, tuple[str, ...]] = {}
    for name in names:
        if (has_few or name in looked) and name != "win" and (line := finder.line(state.play(name), _ANSWER_NODES)):
            lost[name] = (name, *line)
    if not lost:
        return answer
    good = [info for info in answer.move_infos if info.move not in lost]
    bad = [_decided(info, lost[info.move], sign, is_won=False) for info in answer.move_infos if info.move in lost]
    # Who is lost holds out as long as possible.
    bad.sort(key=lambda info: -len(lost[info.move]))
    root = answer.root_info
    if len(lost) == len(names):
        root = _decided_root(root, -max(map(len, lost.values())), sign)
    return replace(answer, move_infos=_in_order([*good, *bad]), root_info=root)


def _decided_root(info: ShogiRootInfo, plies: int, sign: int) -> ShogiRootInfo:
    """`plies` are below 0 where the side to move is mated."""
    utility, winrate = _worth(plies, sign)
    return replace(info, utility=utility, winrate=winrate, score_cp=centipawns(winrate), mate=sign * plies)


def _decided(info: ShogiMoveInfo, line: Sequence[str], sign: int, *, is_won: bool) -> ShogiMoveInfo:
    """By a line that begins with the move."""
    plies = len(line) if is_won else -len(line)
    utility, winrate = _worth(plies, sign)
    visits = None if info.pv_visits is None else (info.visits, *[0] * (len(line) - 1))
    return replace(
        info,
        utility=utility,
        utility_lcb=utility,
        winrate=winrate,
        lcb=winrate,
        score_cp=centipawns(winrate),
        mate=sign * plies,
        pv=tuple(line),
        pv_visits=visits,
        pv_edge_visits=visits,
    )


def _worth(plies: int, sign: int) -> tuple[float, float]:
    utility = float(sign if plies > 0 else -sign)
    return utility, 0.5 * (1 + utility)


def _unvisited(name: str) -> ShogiMoveInfo:
    return ShogiMoveInfo(
        move=name,
        order=0,
        visits=0,
        edge_visits=0,
        weight=0.0,
        edge_weight=0.0,
        utility=0.0,
        utility_lcb=0.0,
        prior=0.0,
        play_selection_value=0.0,
        pv=(name,),
    )


def _in_order(infos: Sequence[ShogiMoveInfo]) -> tuple[ShogiMoveInfo, ...]:
    return tuple(replace(info, order=order) for order, info in enumerate(infos))
