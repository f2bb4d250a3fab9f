"""A player that falls back to another policy when the first one fails."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from tengen.arena.players import RESIGN, Choice, Player

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.games import BuiltinPlayer, State

__all__ = ["Chooser", "FallbackPlayer"]

T = TypeVar("T")
_FAILURES = (ValueError, ArithmeticError, LookupError, TypeError, RuntimeError)


class Chooser(Protocol):
    """The part of a player's interface that a match needs."""

    @property
    def name(self) -> str: ...

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]: ...


def _at_random(state: State, seat: int, seed: int) -> int:
    return random.Random(seed).choice(state.legal(seat))


class FallbackPlayer(Player):
    """Plays as another does; where that one fails, or chooses what is illegal, by `fallback`, which is random unless
    another one is given."""

    def __init__(self, player: Chooser, fallback: BuiltinPlayer = _at_random) -> None:
        super().__init__(player.name)
        self.player = player
        self.fallback = fallback
        self.failed: list[int] = []
        """The seeds of the decisions that were not the player's."""

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        return self._ask(self.player.choose, lambda action: action, lambda action: action, states, seats, seeds)

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[Choice]:
        if not isinstance(self.player, Player):
            return super().consider(states, seats, seeds)
        return self._ask(
            self.player.consider,
            lambda choice: choice.action,
            lambda action: Choice(action, {action: 1.0}),
            states,
            seats,
            seeds,
        )

    @property
    def fallbacks(self) -> Sequence[int]:
        """Seeds of failed decisions, and of those for which the player itself used another policy."""
        return [*self.failed, *(self.player.fallbacks if isinstance(self.player, Player) else ())]

    @property
    def games_at_once(self) -> int | None:  # type: ignore[override]
        return self.player.games_at_once if isinstance(self.player, Player) else None

    def close(self) -> None:
        if isinstance(self.player, Player):
            self.player.close()

    def _ask(
        self,
        answer: Callable[[Sequence[State], Sequence[int], Sequence[int]], list[T]],
        action_of: Callable[[T], int],
        answer_with: Callable[[int], T],
        states: Sequence[State],
        seats: Sequence[int],
        seeds: Sequence[int],
    ) -> list[T]:
        with suppress(*_FAILURES):
            found = answer(states, seats, seeds)
            asked = zip(map(action_of, found), states, seats, strict=True)
            if all(action == RESIGN or action in state.legal(seat) for action, state, seat in asked):
                return found
        if len(states) == 1:
            self.failed.append(seeds[0])
            return [answer_with(self.fallback(states[0], seats[0], seeds[0]))]
        # One by one, so that one position's failure is not that of all.
        return [
            self._ask(answer, action_of, answer_with, [state], [seat], [seed])[0]
            for state, seat, seed in zip(states, seats, seeds, strict=True)
        ]
