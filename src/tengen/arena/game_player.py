"""Players that a game or its laboratory brings, by their name in the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen._files import local_name, portable_name
from tengen.arena.deliberation import DeliberatingPlayer, Thought
from tengen.arena.laboratory import find_laboratory
from tengen.arena.players import Player
from tengen.games import BatchPlayer, ModelBacked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tengen.games import BuiltinPlayer, Game, State

__all__ = ["GamePlayer", "find_builtin_player"]


def find_builtin_player(name: str, game: Game) -> BuiltinPlayer | None:
    """Return a player that the game itself brings, or its laboratory; None if there is no such player."""
    own = game.builtin_player(name)
    lab = find_laboratory(game)
    if own is not None or lab is None:
        return own
    found: BuiltinPlayer | None = lab.find_builtin_player(name, game)
    return found


class GamePlayer(Player):
    """A player that the game itself brings."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.text = name
        """Name of the player in the game, which may differ from the name in a match."""
        self._builtin_player: tuple[Game, BuiltinPlayer] | None = None

    def check(self, game: Game) -> None:
        self._builtin_player_for(game)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        if not states:
            return []
        player = self._builtin_player_for(states[0].game)
        many: object = player
        if isinstance(many, ModelBacked):
            many.name, many.model_only = self.name, many.model_only or self.model_only
        if isinstance(many, BatchPlayer):
            return many.choose(states, seats, seeds)
        return [player(state, seat, seed) for state, seat, seed in zip(states, seats, seeds, strict=True)]

    def deliberate(self, state: State, seat: int, seed: int) -> Iterator[Thought]:
        player: object = self._builtin_player_for(state.game)
        if isinstance(player, DeliberatingPlayer):
            return player.deliberate(state, seat, seed)
        return super().deliberate(state, seat, seed)

    def keeps_time(self, game: Game) -> bool:
        return isinstance(self._builtin_player_for(game), DeliberatingPlayer)

    @property
    def fallbacks(self) -> Sequence[int]:
        player: object = self._builtin_player and self._builtin_player[1]
        return player.fallback_seeds if isinstance(player, ModelBacked) else ()

    def _builtin_player_for(self, game: Game) -> BuiltinPlayer:
        if self._builtin_player is None or self._builtin_player[0] != game:
            builtin_player = find_builtin_player(self.text, game)
            if builtin_player is None:
                raise ValueError(f"{game.id} brings no player of that name")
            self._builtin_player = (game, builtin_player)
        return self._builtin_player[1]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_builtin_player": None, "text": portable_name(self.text)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"text": local_name(state["text"])})
