"""Games by other players, as files in a game's formats record them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.games.errors import GameError

if TYPE_CHECKING:
    from tengen.games.base import Game
    from tengen.games.saved import SavedGame

__all__ = ["RecordedGame", "recorded_game"]


@dataclass(frozen=True)
class RecordedGame:
    actions: tuple[int, ...]
    payoffs: tuple[float, ...] | None
    """Payoff of each seat; None if the file does not state it."""
    start: dict[str, Any] = field(default_factory=dict)
    """Options of the game's start."""
    seed: int | None = None
    """The seed of the deal; None if it is unknown or the game deals nothing."""


def recorded_game(game: Game, saved: SavedGame) -> RecordedGame:
    """Return a saved game as a recorded one."""
    actions = [action for action in saved.state.history if isinstance(action, int)]
    start = game.start(0 if saved.seed is None else saved.seed, **saved.options)
    if start.key != saved.states[0].key or len(actions) != len(saved.state.history) or game.chance:
        raise GameError(
            f"a game of {game.id} that begins elsewhere, or in which not every action is one player's choice"
        )
    payoffs = saved.state.payoffs if saved.state.is_over else None
    if payoffs is None and saved.resigned is not None:
        payoffs = tuple(-game.payoff_scale if seat == saved.resigned else game.payoff_scale for seat in range(2))
    return RecordedGame(tuple(actions), payoffs, dict(saved.options), saved.seed)
