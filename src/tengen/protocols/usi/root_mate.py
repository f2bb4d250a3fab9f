"""The mate search beside the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.shogi import Shogi
from tengen.protocols.usi.decision import MateAnswer
from tengen.protocols.usi.lines import MATE

if TYPE_CHECKING:
    from tengen.games import State

__all__ = ["mate_in_one"]


def mate_in_one(state: State) -> MateAnswer:
    """Proves a mate of one move, and disproves nothing."""
    game = state.game
    assert isinstance(game, Shogi)
    for action in state.legal():
        after = state.play(action)
        if after.is_over and game.end(after) == MATE and game.is_check(after):
            return MateAnswer((game.name(action),))
    return MateAnswer()
