"""poke-env's players in the arena: their games are played on a server of our own, for they know nothing else."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Final

from tengen.arena import Player
from tengen.protocols.showdown.game_decider import GAME, GameDecider
from tengen.protocols.showdown.opponents import check_poke_env, read_opponent
from tengen.protocols.showdown.server import ShowdownServer
from tengen.protocols.showdown.server_match import opponent_name, play_server_match
from tengen.protocols.showdown.settings import ShowdownSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.games import Game, State
    from tengen.protocols.showdown.recording import BattleResult

__all__ = ["ShowdownPlayer"]

_AT_ONCE: Final = 4
_PAYOFFS: Final = {"win": -1.0, "loss": 1.0, "tie": 0.0}
"""The opponent's payoff by the outcome for us."""


@functools.cache
def _server() -> ShowdownServer:
    """One for as long as this process lives."""
    return ShowdownServer()


class ShowdownPlayer(Player):
    """Without a name of a server: its games need one that is started here."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self._spec = spec
        read_opponent(spec)

    def check(self, game: Game) -> None:
        if game.id != GAME:
            raise ValueError(f"it plays {GAME}")
        check_poke_env()

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:  # noqa: ARG002
        raise ValueError(f"{self._spec} plays on a Showdown server only, in matches against players of ours")

    def host_games(
        self,
        game: Game,  # noqa: ARG002 - the server has it
        other: Player,
        count: int,
        progress: Callable[[int], None],
    ) -> list[float]:
        if isinstance(other, ShowdownPlayer):
            raise ValueError(f"{self._spec} and {other.name} are both poke-env's: one player of a match must be ours")
        results: list[BattleResult] = []

        def hear(result: BattleResult) -> None:
            results.append(result)
            progress(sum(one.outcome in _PAYOFFS for one in results))

        settings = ShowdownSettings(
            name="tengen", url=_server().url, challenge=opponent_name(self._spec), battles=count, at_once=_AT_ONCE
        )
        asyncio.run(play_server_match(settings, GameDecider(other), self._spec, hear))
        return [_PAYOFFS[result.outcome] for result in results if result.outcome in _PAYOFFS][:count]
