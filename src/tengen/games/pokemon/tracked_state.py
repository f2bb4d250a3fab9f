"""States of the game from what a tracker knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.pokemon.position import position
from tengen.games.state import State

if TYPE_CHECKING:
    from tengen.games.pokemon.game import Pokemon
    from tengen.games.pokemon.tracker import Tracker

__all__ = ["state_of"]


def state_of(game: Pokemon, tracker: Tracker, seed: int) -> State:
    """A battle that fits all that the tracker's side knows; a search deals what is hidden anew."""
    plain, known = position(tracker, seed)
    side = tracker.side or 0
    # Dealt once more: that also works out what each side may choose, which a position does not hold.
    return State(game, game.from_position(plain, known, side=side, luck=seed)).redeal(side, seed)
